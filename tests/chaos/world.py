"""The competition that goes through chaos: its file, its bots with their keys, and where everything is."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import update

from roost_games.chance import commitment_of, seed_of
from roost_server.accounts.keys import Scope, make_key
from roost_server.accounts.owners import add_bot, add_owner
from roost_server.competition import ledger
from roost_server.competition.file import read_competition
from roost_server.serving.tls import make_certificate
from roost_server.store import Store, open_store
from roost_server.store.models import COMPETITION
from tests.chaos.strategies import NAMES, VERSION

COMPETITION_NAME = "chaos"
CERTIFICATE = "roost-cert.pem"
PRIVATE_KEY = "roost-key.pem"
FILE = "competition.toml"
DISK = "disk"
"""The folder that the arena has for its records, which can be filled."""
ACTOR = "chaos"
ADMIN = "admin"
Games = dict[str, tuple[int, ...]]
"""By game, the table sizes."""
TABLE = """
[[games]]
game = "{game}"
players = {players}
"""
DOCUMENT = """\
name = "{name}"

{tables}
[clock]
decision_ms = 500
bank_ms = 8000

[entry]
who = "invited"

[faults]
max_faults = 2
quarantine_after = 4
absence_seconds = 10

[[phases]]
phase = "ladder"

[[phases]]
phase = "finals"
schedule = "round-robin"
rounds = {rounds}

[[phases]]
phase = "done"
"""


def key_of(folder: Path, name: str) -> Path:
    """Where the key of a bot is."""
    return folder / f"{name}.key"


def notes_of(folder: Path, name: str) -> Path:
    """Where a bot notes what it is told."""
    return folder / f"{name}.notes"


def database_url(folder: Path) -> str:
    """Where the arena keeps its records."""
    return f"sqlite:///{folder / DISK / 'roost.db'}"


def prepare(folder: Path, seed: int, games: Games, rounds: int, names: Sequence[str] = NAMES) -> None:
    """Lay out everything in `folder`.

    The master seed follows from `seed`, and the order of entries is that of the names, so that finals with the same
    seeding have the same schedule and the same deals.
    """
    tables = "".join(TABLE.format(game=game, players=list(counts)) for game, counts in games.items())
    (folder / FILE).write_text(DOCUMENT.format(name=COMPETITION_NAME, tables=tables, rounds=rounds))
    make_certificate(folder, ["127.0.0.1"])
    with open_store(database_url(folder)) as store:
        competition = _draw_up(store, folder, seed_of(f"chaos {seed}"))
        for name in names:
            _enter(store, competition, folder, name)
        key_of(folder, ADMIN).write_text(make_key(store, Scope.ADMIN, ACTOR))


def _draw_up(store: Store, folder: Path, master: bytes) -> ledger.Competition:
    """As the arena will find it, but for the master seed."""
    ledger.draw_up(store, *read_competition(folder / FILE))
    with store.writing() as connection:
        connection.execute(update(COMPETITION).values(seed=master.hex(), commitment=commitment_of(master)))
    return ledger.find(store, COMPETITION_NAME)


def _enter(store: Store, competition: ledger.Competition, folder: Path, name: str) -> None:
    add_owner(store, f"owner of {name}", ACTOR)
    bot = add_bot(store, f"owner of {name}", name, ACTOR)
    store.register_version(name, VERSION, bot_id=bot.id)
    ledger.enter(store, competition, bot.id, bot.owner_id)
    key_of(folder, name).write_text(make_key(store, Scope.BOT, ACTOR, bot=name))
