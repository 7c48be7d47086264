"""Upgrades: the migrations lead to the tables that the code uses, and carry the records of older databases along."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from textwrap import indent

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Engine, create_engine, make_url, select
from sqlalchemy.schema import CreateTable

from roost_games.errors import UsageError
from roost_games.replay import Replay
from roost_server.competition import ledger
from roost_server.store import StoreError, models, open_store, queries, schema
from roost_server.store.ladder_book import LadderBook
from tests.support.old import restore
from tests.support.records.matches import counted

pytestmark = pytest.mark.usefixtures("usual_databases")
MIGRATIONS = Path(schema.__file__).with_name("migrations")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "roost.db"


@pytest.fixture
def old(path: Path) -> Path:
    """A database of the first schema."""
    return restore("schema1", path)


@pytest.fixture
def newer_roost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Called with the body of a migration: from then on Roost is one schema further."""

    def release(body: str) -> None:
        folder = tmp_path / "migrations"
        shutil.copytree(MIGRATIONS, folder)
        head = f'revision = "{models.SCHEMA + 1:04}"\ndown_revision = "{models.SCHEMA:04}"\n'
        code = (
            f"from alembic import op\nimport sqlalchemy as sa\n{head}\ndef upgrade() -> None:\n{indent(body, '    ')}"
        )
        (folder / "versions" / "next.py").write_text(code)
        monkeypatch.setattr(schema, "MIGRATIONS", str(folder))
        monkeypatch.setattr(models, "SCHEMA", models.SCHEMA + 1)

    return release


def engine_of(path: Path) -> Engine:
    return create_engine(f"sqlite:///{path}")


def content(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump())


def test_the_migrations_lead_to_the_tables_of_the_code(path: Path) -> None:
    open_store(f"sqlite:///{path}").close()
    engine = engine_of(path)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": schema.VERSION_TABLE})
        assert compare_metadata(context, models.BaseRow.metadata) == []
    engine.dispose()


def test_nothing_is_declared_that_was_not_migrated_and_nothing_else(path: Path, tmp_path: Path) -> None:
    """Alembic's comparison leaves out checks, conditions of indexes and options of tables. Here every line counts."""
    open_store(f"sqlite:///{path}").close()
    engine = engine_of(tmp_path / "made.db")
    models.BaseRow.metadata.create_all(engine)
    engine.dispose()
    migrated = declarations(path)
    del migrated[schema.VERSION_TABLE]
    assert migrated == declarations(tmp_path / "made.db")


def declarations(path: Path) -> dict[str, list[str]]:
    """By table or index, the lines of its declaration, in an order that does not depend on its history."""
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    # A table that a migration rebuilt has its name in quotes.
    plain = {name: sql.replace(f'"{name}"', name) for name, sql in found}
    return {name: sorted(line.strip(" ,\t") for line in sql.splitlines()) for name, sql in plain.items()}


def test_the_schema_number_is_that_of_the_newest_migration() -> None:
    numbers = sorted(file.name[1:5] for file in (MIGRATIONS / "versions").glob("s*.py"))
    assert numbers == [f"{number:04}" for number in range(1, models.SCHEMA + 1)]


def test_the_tables_can_be_made_in_postgresql() -> None:
    dialect = make_url("postgresql://").get_dialect()()
    made = [str(CreateTable(table).compile(dialect=dialect)) for table in models.BaseRow.metadata.sorted_tables]
    assert not [statement for statement in made if "ROWID" in statement]


def test_the_records_of_the_first_roost_are_still_read(old: Path) -> None:
    with open_store(f"sqlite:///{old}") as store:
        assert [tuple(bot) for bot in queries.versions(store)] == [
            (1, "bot0", "v1", 1700000000000),
            (2, "bot1", "v1", 1700000001000),
        ]
        rows = [(row.id, row.facts.bots, row.facts.places, row.facts.forfeited) for row in counted(store) if row.facts]
        assert rows == [("m1", (1, 2), (1, 2), (False, False)), ("m2", (2, 1), (2, 1), (True, False))]
        assert [(block.id, block.version_ids) for block in queries.unfinished_blocks(store)] == [("b2", (2, 1))]
        assert [Replay.from_line(line).result.termination for line in queries.replays(store)] == ["finished", "forfeit"]


def test_an_older_database_is_upgraded_by_an_arena_only(old: Path, newer_roost: Callable[[str], None]) -> None:
    """The migration rebuilds a table that others refer to, which is the hardest that SQLite knows."""
    newer_roost(
        "with op.batch_alter_table('bot_version', recreate='always') as table:\n"
        "    table.add_column(sa.Column('owner', sa.String(), nullable=False, server_default='nobody'))\n"
    )
    with pytest.raises(StoreError, match=r"was written by an older Roost \(schema 1\); upgrade it: roost serve --db"):
        open_store(f"sqlite:///{old}", read_only=True)
    with open_store(f"sqlite:///{old}") as store:
        assert [bot.name for bot in queries.versions(store)] == ["bot0", "bot1"]
        with store.reading() as connection:
            assert connection.exec_driver_sql("SELECT DISTINCT owner FROM bot_version").scalars().all() == ["nobody"]
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar_one() == 1
    open_store(f"sqlite:///{old}", read_only=True).close()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_database_is_refused(
    old: Path, newer_roost: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, read_only: bool
) -> None:
    newer_roost("op.execute('CREATE TABLE newer (id INTEGER)')")
    open_store(f"sqlite:///{old}").close()
    monkeypatch.undo()
    with pytest.raises(StoreError) as refused:
        open_store(f"sqlite:///{old}", read_only=read_only)
    assert str(refused.value) == f"{old} was written by a newer Roost (schema {models.SCHEMA + 1}); upgrade roost"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("op.execute('DELETE FROM match_seat')\nop.execute('no SQL')", 'near "no": syntax error'),
        ("op.execute('DELETE FROM bot_version')", "8 rows refer to missing ones; restore a copy"),
    ],
)
def test_an_upgrade_that_fails_leaves_the_database_as_it_was(
    old: Path, newer_roost: Callable[[str], None], body: str, says: str
) -> None:
    before = content(old)
    newer_roost(body)
    with pytest.raises(StoreError, match=says):
        open_store(f"sqlite:///{old}")
    assert content(old) == before


def test_a_database_is_not_made_by_halves(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(Operations, "create_index", crash)
        with pytest.raises(KeyboardInterrupt):
            open_store(f"sqlite:///{path}")
    assert "CREATE TABLE" not in content(path)
    open_store(f"sqlite:///{path}").close()


@pytest.mark.parametrize(("name", "kind"), [("schema2_arena", "competition"), ("schema2_ladder", "ladder")])
def test_schema_3_tells_ladders_from_competitions(name: str, kind: str, tmp_path: Path) -> None:
    """Until then the document of a ladder's run was known by its first letter."""
    path = restore(name, tmp_path / "roost.db")
    with open_store(f"sqlite:///{path}") as store, store.reading() as reading:
        assert reading.scalars(select(models.COMPETITION.c.kind)).all() == [kind]
        assert bool(ledger.names(store)) == (kind == "competition")
        recorded = LadderBook(store)
        if kind == "ladder":
            assert recorded.charter() is not None
        else:
            with pytest.raises(UsageError, match="belongs to an arena; give a ladder a file of its own"):
                recorded.charter()
