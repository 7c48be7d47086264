"""Options that several commands share, and how to read what was typed for them.

Nothing slow is imported here until a command runs, so that `roost --help` is quick.
"""

import contextlib
import inspect
import json
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roost_games.errors import RoostError, UsageError
from roost_sdk.arena.connection import DEFAULT_SERVER

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from roost_games.game import JsonValue
    from roost_games.registry import AnyGame
    from roost_ladder.cluster.connection import ClusterAddress
    from roost_ladder.running.engine import OpenExecutor
    from roost_ladder.workshop.parts import Opponents
    from roost_sdk import LoadedBot
    from roost_sdk.arena.credentials import Credentials
    from roost_sdk.arena.reader import ArenaReader, Reader
    from roost_sdk.bot_process.answers import BotDescription
    from roost_server.serving.children import PageBeside

DEFAULT_DATABASE = "roost.db"
DAY_MS = 86_400_000
DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s?)?")
DURATION_UNITS = (3600, 60, 1)

GameArgument = Annotated[str, typer.Argument(help="The game: see roost games.", metavar="GAME")]
BOT = typer.Argument(help="The bot: mybot.py, mybot.py:MyBot, stdio:./mybot, or the name of a sample.", metavar="BOT")
BotArgument = Annotated[str, BOT]
GameOption = Annotated[str | None, typer.Option(metavar="GAME", help="Only this game.")]
CompetitionOption = Annotated[str | None, typer.Option(metavar="NAME", help="Only this competition.")]
SeedOption = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Any text. The same seed gives the same deals. By default a random one."),
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="How many processes play. By default one per core.")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on the workers of a Dask cluster: the scheduler's address, such as tcp://192.168.0.10:8786, or "
        "local:4 for a trial with four workers on this machine. It needs the extra cluster.",
    ),
]
TrustedOption = Annotated[
    bool,
    typer.Option(
        "--trusted",
        help="The bots are your own: they share a process with the referee, which is faster, and breakpoint() works "
        "in play. By default every bot that is not a sample has a process of its own.",
    ),
]
SandboxOption = Annotated[
    bool,
    typer.Option(
        "--sandbox",
        help="For other people's bots: their processes have no network, and can read only their own folder and what "
        "they need to run. It needs bubblewrap.",
    ),
]
DecisionMsOption = Annotated[
    int,
    typer.Option(
        "--decision-ms",
        min=1,
        max=86_400_000,
        metavar="MS",
        help="Milliseconds for each decision. The output says how the bots would fare with others.",
    ),
]
BankMsOption = Annotated[
    int,
    typer.Option(
        "--bank-ms",
        min=0,
        max=86_400_000,
        metavar="MS",
        help="Milliseconds per match for decisions that take longer.",
    ),
]
DealsOption = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="own: every match has a deal of its own, so bots cannot remember one; that is the default. "
        "duplicate: a group plays one deal in all its seatings; only for bots that you trust.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ServerOption = Annotated[
    str | None, typer.Option("--server", metavar="HOST:PORT", help=f"The arena. By default {DEFAULT_SERVER}.")
]
ReadDatabaseOption = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE", help="Read this database instead, whether or not its arena is running."),
]
ChangeDatabaseOption = Annotated[
    str | None, typer.Option("--db", metavar="FILE", help="Use this database instead. Its arena must be stopped.")
]
KeyFileOption = Annotated[
    Path | None,
    typer.Option("--key-file", metavar="FILE", help="A file with your key. By default the key in ROOST_KEY, if any."),
]
KeyOption = Annotated[
    str | None,
    typer.Option(
        "--key", metavar="KEY", help="The key itself. Others on this machine can see it; --key-file is safer."
    ),
]
TlsOption = Annotated[bool, typer.Option("--tls", help="Connect with TLS.")]
TlsCaOption = Annotated[
    Path | None,
    typer.Option("--tls-ca", metavar="FILE", help="Connect with TLS, and trust this certificate (PEM)."),
]
LabelOption = Annotated[str, typer.Option(metavar="TEXT", help="A note to recognise it by in lists.")]
DaysOption = Annotated[
    float | None,
    typer.Option(min=0.0001, max=36_500, metavar="N", help="It expires after this many days. By default never."),
]
SaveOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the key to this new file instead of printing it.")
]
PrefixArgument = Annotated[
    str, typer.Argument(metavar="PREFIX", help="The first characters of the key, as the list shows them.")
]

PrefixOption = Annotated[
    str, typer.Option("--path-prefix", metavar="PATH", help="Where the page begins behind a proxy, such as /arena.")
]
PublicServerOption = Annotated[
    str,
    typer.Option(
        "--public-server", metavar="HOST:PORT", help="The arena's address for authors, if the page uses another one."
    ),
]
PublicTlsOption = Annotated[bool, typer.Option("--public-tls", help="Authors connect to that with TLS.")]
OptionTable = Mapping[str, tuple[Any, object]]
"""By parameter: how the option is declared, and its default."""
CONNECTION: OptionTable = {
    "server": (ServerOption, None),
    "key_file": (KeyFileOption, None),
    "tls": (TlsOption, False),
    "tls_ca": (TlsCaOption, None),
}
ACCOUNT: OptionTable = {**CONNECTION, "key": (KeyOption, None)}
READING: OptionTable = {"db": (ReadDatabaseOption, None), **CONNECTION}
HOSTING: OptionTable = {"db": (ChangeDatabaseOption, None), **ACCOUNT}


@dataclass(frozen=True, slots=True)
class Where:
    """The arena that a command asks, or the database that it reads instead. Nothing is asked before it is opened."""

    server: str | None = None
    db: str | None = None
    key_file: Path | None = None
    key: str | None = None
    tls: bool = False
    tls_ca: Path | None = None
    or_database: bool = False
    """Whether the command has a `--db`."""

    @property
    def address(self) -> str:
        """The arena's."""
        return self.server or DEFAULT_SERVER

    @property
    def live(self) -> bool:
        """Whether an arena is asked, which knows who is connected."""
        return self.db is None

    @property
    def named(self) -> bool:
        """Whether an arena or a database was named."""
        return self.server is not None or self.db is not None

    @property
    def option(self) -> str:
        """What another command needs to ask in the same place. The key is not part of it."""
        if self.db is not None:
            return f"--db {shlex.quote(self.db)}"
        trust = f" --tls-ca {shlex.quote(str(self.tls_ca))}" if self.tls_ca else " --tls" if self.tls else ""
        return f"--server {self.address}{trust}"

    def credentials(self) -> "Credentials":
        """What the arena is shown. Raises `UsageError` if a file cannot be used."""
        from roost_sdk.arena.credentials import read_credentials

        return read_credentials(self.key_file, key=self.key, tls=self.tls, tls_ca=self.tls_ca)

    def without_key(self) -> "Credentials":
        """The same without a key, whatever is in the environment."""
        from roost_sdk.arena.credentials import read_credentials

        return read_credentials(tls=self.tls, tls_ca=self.tls_ca, environment={})

    @contextlib.contextmanager
    def open(self) -> "Iterator[Reader]":
        """The arena or the database to ask. Raises `UsageError` if both an arena and a database are named."""
        self._check()
        if self.db is None:
            with self.arena() as arena:
                yield arena
            return
        with needs_server("--db"):
            from roost_server.answers.database import open_database
        with open_database(database_url(self.db)) as database:
            yield database

    @contextlib.contextmanager
    def arena(self, credentials: "Credentials | None" = None) -> "Iterator[ArenaReader]":
        """The arena, to be asked over gRPC."""
        from roost_sdk.arena.reader import NoArenaError, open_arena

        others = ["roost serve runs one", "--server HOST:PORT names another"]
        others += ["--db FILE reads a database"] if self.or_database else []
        try:
            with open_arena(self.address, credentials or self.credentials()) as arena:
                yield arena
        except NoArenaError as error:
            raise RoostError(f"{error}; {', '.join(others[:-1])}, and {others[-1]}") from None

    def administer(self, request: "Message") -> Any:
        """The response to a request of a host, `roost.v1.Admin`."""
        self._check()
        if self.db is None:
            with self.arena() as arena:
                return arena.administer(request)
        with needs_server("--db"):
            from roost_server.answers.database import DatabaseAdministration
        return DatabaseAdministration(database_url(self.db)).ask(request)

    def ask_account(self, request: "Message") -> Any:
        """The response to a request of an owner, `roost.v1.Accounts`."""
        with self.arena() as arena:
            return arena.ask_account(request)

    def _check(self) -> None:
        if self.server is not None and self.db is not None:
            raise UsageError("--server asks an arena and --db uses a database; choose one")


def asks(options: OptionTable) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a function whose first argument is `Where` it asks, and add the options that say so."""

    def made(command: Callable[..., None]) -> Callable[..., None]:
        def run(**given: Any) -> None:
            where = {name: given.pop(name) for name in options}
            command(Where(**where, or_database="db" in options), **given)

        keyword = inspect.Parameter.KEYWORD_ONLY
        own = [each.replace(kind=keyword) for each in list(inspect.signature(command).parameters.values())[1:]]
        added = [inspect.Parameter(name, keyword, default=put, annotation=how) for name, (how, put) in options.items()]
        setattr(run, "__signature__", inspect.Signature([*own, *added]))  # noqa: B010  functions have none for mypy
        run.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
        run.__name__, run.__doc__ = command.__name__, command.__doc__
        return run

    return made


@contextlib.contextmanager
def needs_server(what: str, extra: str = "server") -> Iterator[None]:
    """Around imports of `roost_server`: if a package is missing, say how to install it. `what` is what needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("roost"):
            raise
        raise UsageError(
            f"{what} needs {error.name}, which is not installed: pip install '.[{extra}]' in a checkout of Roost"
        ) from None


def check_web(what: str) -> None:
    """Raise `UsageError` if a package is missing that the page needs. None is imported: that takes a while."""
    with needs_server(what, "web"):
        for name in ("fastapi", "jinja2", "uvicorn"):
            if find_spec(name) is None:
                raise ModuleNotFoundError(name=name)


def cluster_address(text: str | None, workers: int | None = None) -> "ClusterAddress | None":
    """What `--cluster` says. Raises `UsageError`, also without the extra. Dask, which is slow, is not imported."""
    if text is None:
        return None
    from roost_ladder.cluster.connection import ClusterAddress

    if workers is not None:
        raise UsageError("--workers does not apply to --cluster: the cluster has its own, and local:4 starts four")
    address = ClusterAddress.read(text)
    with needs_server("--cluster", "cluster"):
        if find_spec("distributed") is None:
            raise ModuleNotFoundError(name="distributed")
    return address


def on_cluster(address: "ClusterAddress | None", tell: Callable[[str], None]) -> "OpenExecutor | None":
    """What opens an executor on a cluster, if one was named. `tell` gets lines about its workers."""
    if address is None:
        return None
    from roost_ladder.cluster.executor import cluster_executor

    return lambda bots, limits: cluster_executor(address, bots, limits, tell)


def own_words(*words: str) -> list[str]:
    """The words that run this command in a process of its own."""
    import roost_cli
    from roost_sdk.processes import python_words

    return python_words(roost_cli, *words)


@contextlib.contextmanager
def page_beside(
    listen: str, path_prefix: str = "", public_server: str = "", *, public_tls: bool = False
) -> "Iterator[PageBeside]":
    """The page for a process of its own. Its socket is open from now on. Raises `UsageError` if that is not possible.

    `public_server` is the arena's address for authors, if it is not the one that the arena knows.
    """
    from roost_sdk.arena.connection import check_address
    from roost_server.serving.children import PageBeside
    from roost_web.serving import listen as listening
    from roost_web.serving import url_of
    from roost_web.settings import checked_prefix

    prefix = checked_prefix(path_prefix)
    public = check_address(public_server) if public_server else ""
    with listening(listen) as listener:
        yield PageBeside(url_of(listener, prefix), listener, own_words("web"), prefix, public, public_tls)


def database_url(text: str) -> str:
    """The URL of a database. A plain file name is one of SQLite."""
    return text if "://" in text else f"sqlite:///{text}"


def expiry_ms(days: float | None) -> int:
    """When something expires that lasts this many days from now; 0 means never."""
    return 0 if days is None else int(time.time() * 1000 + days * DAY_MS)


def split_list(text: str, what: str) -> list[str]:
    """`a,b,c` as a list without repetitions. Raises `UsageError` if a part is empty."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise UsageError(f"{what} are separated by single commas, not {text!r}")
    return list(dict.fromkeys(parts))


def find_game(name: str) -> "AnyGame":
    """The game called `name`. Raises `UsageError`, which suggests a close name."""
    from roost_games.registry import GAME_NAMES, get_game
    from roost_sdk.load import did_you_mean

    if name in GAME_NAMES:
        return get_game(name)
    raise UsageError(
        f"there is no game {name!r}; the games are: {', '.join(GAME_NAMES)}{did_you_mean(name, GAME_NAMES)}"
    )


def parse_games(text: str | None) -> tuple[str, ...]:
    """The games in a list such as `karteneck,haecmaec`; none for `None`."""
    return tuple(find_game(name).name for name in split_list(text, "games")) if text is not None else ()


def parse_counts(text: str) -> tuple[int, ...]:
    """The player counts in a list such as `2,3,4`, ascending."""
    counts = split_list(text, "player counts")
    if not all(count.isascii() and count.isdecimal() for count in counts):
        raise UsageError(f"player counts are numbers such as 2,3,4, not {text!r}")
    return tuple(sorted(set(map(int, counts))))


def parse_duration(text: str) -> float:
    """The seconds in a time such as `90s`, `5m` or `1h30m`; a plain number is in seconds."""
    found = DURATION.fullmatch(text.strip().lower())
    parts = found.groups() if found else ()
    seconds = sum(float(part) * unit for part, unit in zip(parts, DURATION_UNITS, strict=False) if part)
    if not seconds:
        raise UsageError(f"a time is written like 90s, 5m or 1h30m, not {text!r}")
    return seconds


def parse_options(pairs: Iterable[str]) -> "dict[str, JsonValue]":
    """Game options from `name=value`; a value is JSON, or else plain text."""
    options: dict[str, JsonValue] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise UsageError(f"an option is written name=value, such as slap=true, not {pair!r}")
        if name in options:
            raise UsageError(f"option {name!r} is given twice")
        options[name] = _json_or_text(value)
    return options


def _json_or_text(value: str) -> "JsonValue":
    try:
        parsed: JsonValue = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed


def find_bot(text: str) -> "LoadedBot":
    """The bot that was named, perhaps a sample. What it prints while it is imported goes to stderr."""
    from roost_bots import SAMPLES
    from roost_sdk import load_bot
    from roost_sdk.load import short_name
    from roost_sdk.troubles.hangs import watched_import

    def tell(line: str) -> None:
        sys.stderr.write(f"{line}\n")

    with contextlib.redirect_stdout(sys.stderr), watched_import(short_name(text), tell):
        return load_bot(text, SAMPLES)


def describe_bots(texts: Sequence[str]) -> "list[BotDescription]":
    """What the bots that were named say of themselves. All but samples are imported in processes of their own."""
    from roost_bots import SAMPLES
    from roost_ladder.running.entrants import described
    from roost_sdk.bot_process.answers import BotDescription
    from roost_sdk.load import LoadedBot

    known = {name: BotDescription.of(LoadedBot(name, SAMPLES[name])) for name in texts if name in SAMPLES}
    return [known.get(text) or described(text, tuple(SAMPLES))[0] for text in texts]


def sources_of(texts: Sequence[str]) -> list[str]:
    """How any process finds these bots, samples included."""
    from roost_bots import SAMPLES
    from roost_sdk.load import spelled_out

    return [spelled_out(SAMPLES[text]) if text in SAMPLES else text for text in texts]


def opponents() -> "Opponents":
    """The samples that a bot is examined with."""
    from roost_bots import QUICK_SAMPLES, SAMPLES
    from roost_ladder.workshop.parts import Opponents
    from roost_sdk.load import spelled_out

    known = {name: spelled_out(sample) for name, sample in SAMPLES.items()}
    return Opponents(known, at_tables=("greedy", "random"), in_duels=QUICK_SAMPLES)
