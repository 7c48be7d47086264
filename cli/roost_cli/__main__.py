"""The `roost` command, also as `python -m roost_cli`. It is ready for Ctrl-C before the slow imports."""

import sys

from roost_games.errors import Exit


def main() -> None:
    """Run the command. Ctrl-C ends it without a traceback, even during its imports."""
    try:
        from roost_cli.main import main as run_command

        run_command()
    except KeyboardInterrupt:
        sys.stderr.write("roost: interrupted\n")
        sys.exit(Exit.INTERRUPTED)


if __name__ == "__main__":
    main()
