"""The application, and the one place where errors become a line on stderr and an exit code."""

import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from roost_cli.listing import ListedGroup
from roost_cli.streams import harmless_streams
from roost_games.errors import Exit, RoostError, UsageError, exit_code
from roost_games.wording import as_text, has_control

app = typer.Typer(
    name="roost",
    cls=ListedGroup,
    help="Play, watch and check matches between bot programs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
MOST_DIGITS = 100
LONG_NUMBER = re.compile(rf"(?:^|=|-)\d{{{MOST_DIGITS + 1}}}")
"""A number by itself or at the end of an option. Names of files may have more digits in them."""
SHOWN = 60
"""How much of a refused argument is shown."""


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"roost {version('roost')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Play, watch and check matches between bot programs."""


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Errors go to stderr, in one line."""
    with harmless_streams():
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    try:
        for word in arguments:
            _check_word(word)
        code = app(list(arguments), prog_name="roost", standalone_mode=False) or 0
        sys.stdout.flush()
    except typer.TyperException as error:
        return _misused(error)
    except RoostError as error:
        return _complain(str(error), exit_code(error))
    except (KeyboardInterrupt, typer.Abort):
        code = Exit.INTERRUPTED
    except BrokenPipeError:
        return _leave_pipe()
    except Exception as error:
        return _internal_error(error)
    return _complain("interrupted", code) if code == Exit.INTERRUPTED else code


def _check_word(word: str) -> None:
    """Raise `UsageError` for what no argument has, so that no command needs to expect it."""
    if has_control(word):
        raise UsageError(f"an argument has a control character, which no command accepts: {as_text(word, SHOWN)}")
    if LONG_NUMBER.search(word):
        raise UsageError(f"an argument has a number of more than {MOST_DIGITS} digits: {as_text(word, SHOWN)}...")


def _complain(message: str, code: int) -> int:
    typer.echo(f"roost: {message}", err=True)
    return code


def _misused(error: typer.TyperException) -> int:
    """Wrong arguments or options. Without any, the help was printed and there is nothing to add."""
    message = error.format_message().rstrip(".").replace("Value error, ", "")
    context: typer.Context | None = getattr(error, "ctx", None)
    if not message:
        return Exit.USAGE
    path = context.command_path if context else "roost"
    return _complain(f"{message[0].lower()}{message[1:]}; see {path} --help", Exit.USAGE)


def _leave_pipe() -> int:
    """The reader of our output has gone (`| head`): say nothing, and flush nothing at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.FAILED


def _internal_error(error: Exception) -> int:
    if os.environ.get("ROOST_TRACEBACK"):
        raise error
    told = f"{type(error).__name__}: {error}".replace("\n", " ")
    return _complain(f"internal error: {told} (set ROOST_TRACEBACK=1 for the traceback)", Exit.OUR_BUG)


def main() -> None:
    """The `roost` command."""
    # The errors that gRPC raises say enough. It reads this when it is imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    sys.exit(run(sys.argv[1:]))
