"""What is special about PostgreSQL. The other tests of the store run with it, too."""

from pathlib import Path

import pytest
from sqlalchemy import create_engine

from roost_cli.main import run
from roost_server.store import StoreError, open_store
from roost_server.store.models import BaseRow
from roost_server.store.schema import VERSION_TABLE
from tests.support.ports import free_port
from tests.support.records.matches import block, counted, finished, sketch


def test_a_second_arena_is_refused_until_the_first_has_gone(postgresql_url: str) -> None:
    with open_store(postgresql_url), pytest.raises(StoreError, match="is in use by another arena; stop that one"):
        open_store(postgresql_url)
    with open_store(postgresql_url) as store:
        store.commit([finished(sketch("m1"), block(store))])
    with open_store(postgresql_url, read_only=True) as store:
        assert [row.id for row in counted(store)] == ["m1"]


def test_a_reader_cannot_write(postgresql_url: str) -> None:
    open_store(postgresql_url).close()
    with open_store(postgresql_url, read_only=True) as store:
        with pytest.raises(StoreError, match="opened for reading only"):
            store.register_version("a", "v1")
        with pytest.raises(StoreError, match="read-only transaction"), store.reading() as connection:
            connection.exec_driver_sql("DELETE FROM bot_version")


def test_a_database_without_tables_is_not_read(postgresql_url: str) -> None:
    with pytest.raises(StoreError, match="holds no matches yet; start an arena with it: roost serve --db postgresql"):
        open_store(postgresql_url, read_only=True)


def test_the_migrations_make_what_is_declared(postgresql_url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    open_store(postgresql_url).close()
    engine = create_engine(postgresql_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, BaseRow.metadata) == []
    engine.dispose()


def test_a_server_that_is_not_there_is_said(postgresql_url: str) -> None:
    with pytest.raises(StoreError) as refused:
        open_store(f"postgresql+psycopg://roost:secret@127.0.0.1:{free_port()}/roost")
    assert "secret" not in str(refused.value)
    assert "Connection refused" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_ladder_in_parts_holds_what_one_in_a_file_holds(postgresql_url: str, tmp_path: Path) -> None:
    command = ["ladder", "random", "greedy", "--games", "haecmaec", "--players", "2", "--seed", "spring", "--db"]
    in_file = f"sqlite:///{tmp_path}/whole.db"
    for url, blocks in ((postgresql_url, 1), (postgresql_url, 3), (in_file, 3)):
        assert run([*command, url, "--blocks", str(blocks)]) == 0
    held = []
    for url in (postgresql_url, in_file):
        with open_store(url, read_only=True) as store:
            held.append([(row.id, row.facts.bots, row.facts.places) for row in counted(store) if row.facts])
    assert held[0] == held[1]
    assert len(held[0]) == 6
