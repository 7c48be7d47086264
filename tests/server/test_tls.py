"""TLS from a certificate of one's own to a match that is played, and where an arena listens without it."""

import asyncio
import stat
from pathlib import Path

import pytest

from roost_bots import SAMPLES
from roost_games.errors import UsageError
from roost_sdk.arena.client import Client
from roost_sdk.arena.credentials import Credentials, read_credentials
from roost_sdk.arena.link import LinkLost, Refused, grpc_links
from roost_server.accounts import keys, owners
from roost_server.accounts.keys import Scope
from roost_server.serving.server import ArenaServer, Hosting
from roost_server.serving.tls import make_certificate, server_credentials
from roost_server.settings import Settings
from roost_server.store import open_store
from tests.support.arenas.hall import CUP, bounded, hall, settings, until


def client(name: str) -> Client:
    return Client(SAMPLES["random"], name=name, version="v1", connect_timeout=120.0)


def test_bots_play_over_tls_with_keys(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path / "tls", ["localhost", "127.0.0.1"])
    assert key.stat().st_mode & 0o077 == 0
    credentials = server_credentials(certificate, key)

    async def script() -> None:
        async with hall(tmp_path, settings(), CUP, credentials=credentials) as place:
            playing = []
            for name in ("x", "y"):
                owners.add_owner(place.store, name, "test")
                secret = tmp_path / f"{name}.key"
                secret.write_text(keys.make_key(place.store, Scope.OWNER, "test", owner=name) + "\n")
                shown = read_credentials(secret, tls_ca=certificate)
                playing.append((client(name), shown))
            tasks = [asyncio.create_task(each.run(grpc_links(place.address, shown))) for each, shown in playing]
            await until(lambda: all(each.stats.matches >= 2 for each, _ in playing))
            await asyncio.gather(*(each.leave() for each, _ in playing))
            await asyncio.gather(*tasks)

    bounded(script)


def test_a_certificate_that_nobody_trusts(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path / "right", ["127.0.0.1"])
    other, _ = make_certificate(tmp_path / "wrong", ["127.0.0.1"])
    elsewhere, its_key = make_certificate(tmp_path / "elsewhere", ["arena.example"])

    async def script() -> None:
        async with hall(tmp_path, None, credentials=server_credentials(certificate, key)) as place:
            for ca in (other.read_bytes(), None):
                with pytest.raises(Refused, match="is not trusted here; give the one to trust with --tls-ca"):
                    await client("x").run(grpc_links(place.address, Credentials(tls=True, ca=ca)))
            plain = await grpc_links(place.address)()
            with pytest.raises(LinkLost, match="if it is an arena with TLS, give --tls-ca"):
                await anext(aiter(plain))
            await plain.close()

    async def other_name() -> None:
        async with hall(tmp_path, None, credentials=server_credentials(elsewhere, its_key)) as place:
            with pytest.raises(Refused, match="for another name"):
                await client("x").run(grpc_links(place.address, Credentials(tls=True, ca=elsewhere.read_bytes())))

    async def no_tls() -> None:
        async with hall(tmp_path) as place:
            with pytest.raises(Refused, match="does not speak TLS; leave out --tls"):
                await client("x").run(grpc_links(place.address, Credentials(tls=True, ca=other.read_bytes())))

    for each in (script, other_name, no_tls):
        bounded(each)


def test_the_side_door_is_for_this_machine_and_without_tls(tmp_path: Path) -> None:
    credentials = server_credentials(*make_certificate(tmp_path / "tls", ["arena.example"]))

    async def script() -> None:
        async with hall(tmp_path, settings(), credentials=credentials, side_door=True) as place:
            address = place.server.side_address
            folder = Path(address.removeprefix("unix:")).parent
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700, "nobody else can open it"
            clients = [client("x"), client("y")]
            tasks = [asyncio.create_task(each.run(grpc_links(address))) for each in clients]
            await until(lambda: all(each.stats.matches for each in clients))
            await asyncio.gather(*(each.leave() for each in clients))
            await asyncio.gather(*tasks)
        assert not folder.exists()

    async def closed() -> None:
        async with hall(tmp_path) as place:
            assert place.server.side_address == ""

    for each in (script, closed):
        bounded(each)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path / "one", ["localhost"])
    _, other_key = make_certificate(tmp_path / "two", ["localhost"])
    with pytest.raises(UsageError, match="is not the key to"):
        server_credentials(certificate, other_key)
    with pytest.raises(UsageError, match="is not a certificate in PEM form"):
        server_credentials(key, key)
    with pytest.raises(UsageError, match="is not a private key in PEM form"):
        server_credentials(certificate, certificate)
    with pytest.raises(UsageError, match=r"cannot be read: No such file or directory; `roost admin cert`"):
        server_credentials(tmp_path / "none.pem", key)
    with pytest.raises(UsageError, match="already exists"):
        make_certificate(tmp_path / "one", ["localhost"])
    with pytest.raises(UsageError, match="is not a certificate in PEM form"):
        read_credentials(tls_ca=key)


def test_keys_that_cannot_be_shown(tmp_path: Path) -> None:
    file = tmp_path / "key"
    for wrong in ("", "two words", "ключ", "a\nb"):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(UsageError, match="this is not a key"):
            read_credentials(file)
    with pytest.raises(UsageError, match="cannot be read"):
        read_credentials(tmp_path / "none")
    file.write_text("roost_x\n")
    assert read_credentials(file, environment={"ROOST_KEY": "roost_y"}).key == "roost_x"
    assert read_credentials(environment={"ROOST_KEY": "roost_y"}).key == "roost_y"
    assert read_credentials(environment={}) == Credentials()
    assert "roost_x" not in repr(read_credentials(file))


def test_that_a_key_can_be_read_on_the_way_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        Credentials("roost_x").channel("arena.example:50051", ()).close()
        Credentials("roost_x").channel("127.0.0.1:50051", ()).close()
        Credentials("roost_x", tls=True).channel("tls.example:50051", ()).close()
    assert [record.getMessage() for record in caplog.records] == [
        "the key goes to arena.example:50051 unencrypted; use --tls"
    ]


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "192.0.2.1:50051", "arena.example:50051"])
def test_without_tls_an_arena_stays_on_its_machine(tmp_path: Path, listen: str) -> None:
    async def script() -> None:
        with open_store(f"sqlite:///{tmp_path}/roost.db") as store, pytest.raises(UsageError, match="without TLS"):
            await ArenaServer(store, Settings(), listen).start()

    bounded(script)


def test_without_tls_for_others_if_told_in_so_many_words(tmp_path: Path) -> None:
    async def script() -> None:
        with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
            server = ArenaServer(store, Settings(), "0.0.0.0:0", Hosting(insecure_network=True))
            await server.start()
            server.hurry()
            await server.stop()

    bounded(script)


@pytest.mark.parametrize("port", ["99999", "65536", "-1", "٣"])
def test_a_port_that_there_is_not(tmp_path: Path, port: str) -> None:
    async def script() -> None:
        with (
            open_store(f"sqlite:///{tmp_path}/roost.db") as store,
            pytest.raises(UsageError, match="address to"),
        ):
            await ArenaServer(store, Settings(), f"127.0.0.1:{port}").start()

    bounded(script)
