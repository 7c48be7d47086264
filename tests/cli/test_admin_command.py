"""`roost admin`, `register`, `account` and `competition`: at a database, at an arena, and what goes wrong."""

import codecs
import csv
import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from roost_server.store import open_store
from roost_server.store.models import COMPETITION, QUARANTINE
from tests.support.commands.hosted_page import Reader
from tests.support.commands.roost import Outcome, Roost, roost_process
from tests.support.cups import cup

CUP = cup("registration", "ladder", "done", entry={"who": "open"})


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROOST_KEY", raising=False)


def at_database(roost: Roost, *words: str) -> Outcome:
    return roost("admin", *words, "--db", "roost.db")


def listed(outcome: Outcome) -> list[dict[str, object]]:
    assert (outcome.code, outcome.err) == (0, "")
    (rows,) = json.loads(outcome.out).values()
    assert isinstance(rows, list)
    return rows


def test_a_database_is_set_up_before_its_arena_starts(roost: Roost) -> None:
    assert at_database(roost, "owner", "add", "Ann").out == "added owner Ann\n"
    assert at_database(roost, "bot", "add", "a1", "--owner", "Ann").out == "added bot a1 of Ann\n"
    made = at_database(roost, "key", "make", "--bot", "a1", "--label", "laptop", "--days", "2")
    assert made.err.startswith("It is shown only once")
    (key,) = made.out.split()
    at_database(roost, "key", "make", "--owner", "Ann")
    at_database(roost, "key", "make", "--admin", "--save", "admin.key")
    assert Path("admin.key").stat().st_mode & 0o777 == 0o600
    keys = listed(at_database(roost, "key", "list", "--json"))
    assert [each["scope"] for each in keys] == ["KEY_SCOPE_ADMIN", "KEY_SCOPE_OWNER", "KEY_SCOPE_BOT"]
    bots_key = keys[-1]
    assert (bots_key["prefix"], bots_key["label"], bots_key["bot"]) == (key[:12], "laptop", "a1")
    assert int(str(bots_key["expires_ms"])) - int(str(bots_key["created_ms"])) == pytest.approx(
        2 * 86_400_000, abs=60_000
    )
    assert [each["name"] for each in listed(at_database(roost, "owner", "list", "--json"))] == ["Ann"]
    assert [each["owner"] for each in listed(at_database(roost, "bot", "list", "--json"))] == ["Ann"]
    at_database(roost, "invite", "--uses", "3")
    assert [each["uses_left"] for each in listed(at_database(roost, "invitation", "list", "--json"))] == [3]
    assert at_database(roost, "key", "revoke", key[:12]).code == 0
    rotated = at_database(roost, "key", "rotate", str(keys[1]["prefix"])).out.split()
    assert rotated != [keys[1]["prefix"]]
    acts = listed(at_database(roost, "log", "--json"))
    assert {each["actor"] for each in acts} == {"command"}
    assert [each["act"] for each in acts].count("key revoked") == 2
    for table in ("owner", "bot", "key"):
        assert "Ann" in at_database(roost, table, "list").out
    assert key not in at_database(roost, "log").out + at_database(roost, "key", "list").out


def test_an_invitation_for_everybody_on_a_list(roost: Roost) -> None:
    Path("people.csv").write_text("\ufeffName;email\r\nAnn Bär;ann@example.org\r\n\r\n Bob ;bob@example.org\r\n")
    said = at_database(roost, "invite", "--csv", "people.csv", "--days", "3")
    assert (said.code, said.out) == (0, "wrote 2 invitations to people-invited.csv\n")
    written = Path("people-invited.csv")
    assert written.stat().st_mode & 0o777 == 0o600
    with written.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file, delimiter=";")
    assert head == ["Name", "email", "invitation"]
    assert [row[:2] for row in rows] == [["Ann Bär", "ann@example.org"], [" Bob ", "bob@example.org"]]
    assert written.read_bytes().startswith(codecs.BOM_UTF8), "spreadsheets know UTF-8 by it"
    listed_now = listed(at_database(roost, "invitation", "list", "--json"))
    assert [(each["label"], each["uses_left"]) for each in listed_now] == [("Bob", 1), ("Ann Bär", 1)]
    assert [str(each["prefix"]) for each in reversed(listed_now)] == [row[2][:12] for row in rows]
    again = at_database(roost, "invite", "--csv", "people.csv")
    assert (again.code, again.err) == (2, "roost: people-invited.csv cannot be written: File exists; name a new file\n")
    assert len(listed(at_database(roost, "invitation", "list", "--json"))) == 2, "nothing was made for nothing"
    revoked = at_database(roost, "invitation", "revoke", rows[0][2][:12])
    assert revoked.out == f"revoked invitation {rows[0][2][:12]} of Ann Bär; 1 use left\n"
    assert at_database(roost, "invitation", "revoke", rows[0][2][:12]).code == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "people.csv has no column 'name'; its first line names the columns"),
        ("mail\nx\n", "people.csv has no column 'name'"),
        ("name,email\n", "people.csv has no people in it"),
        ("name,email\nAnn,a\n,b\n", "people.csv, line 3: has no name"),
        ("name,email\nAnn\n", "people.csv, line 2: has 1 fields; the first line has 2"),
        ('name\n"Ann\n', "people.csv, line 2: is not CSV"),
        ("name,invitation\nAnn,x\n", "people.csv already has a column 'invitation'"),
        ("name\n" + "A" * 101 + "\n", "is not a name: one line of 1 to 100 characters"),
        ("name\n\udcff\n", "people.csv cannot be read: it is not UTF-8 text"),
    ],
)
def test_lists_of_people_that_cannot_be_invited(roost: Roost, text: str, says: str) -> None:
    Path("people.csv").write_text(text, errors="surrogateescape")
    at_database(roost, "owner", "add", "Ann")
    outcome = at_database(roost, "invite", "--csv", "people.csv")
    assert (outcome.code, outcome.out) == (2, "")
    assert says in outcome.err
    assert not Path("people-invited.csv").exists()
    assert not listed(at_database(roost, "invitation", "list", "--json"))


def test_backup_and_restore(roost: Roost) -> None:
    at_database(roost, "owner", "add", "Ann")
    assert at_database(roost, "backup", "copy.db").out.startswith("wrote copy.db, ")
    at_database(roost, "owner", "add", "Bob")
    said = roost("admin", "restore", "copy.db", "--db", "roost.db")
    assert said.out == "restored roost.db from copy.db; the previous database is now roost.db.before-restore-1\n"
    assert [each["name"] for each in listed(at_database(roost, "owner", "list", "--json"))] == ["Ann"]
    newest, *earlier = listed(at_database(roost, "log", "--json"))
    assert (newest["actor"], newest["act"], newest["details"]) == (
        "command",
        "database restored",
        '{"copy": "copy.db"}',
    )
    assert [each["act"] for each in earlier] == ["owner added"]
    Path("nonsense.db").write_text("nonsense" * 1000)
    refused = roost("admin", "restore", "nonsense.db", "--db", "roost.db")
    assert (refused.code, "cannot be read as a database" in refused.err) == (1, True)
    itself = roost("admin", "restore", "./roost.db", "--db", "roost.db")
    assert (itself.code, "is the database itself" in itself.err) == (1, True)
    nowhere = at_database(roost, "backup", "missing/copy.db")
    assert (nowhere.code, nowhere.err) == (1, "roost: missing/copy.db cannot be written: No such file or directory\n")
    again = at_database(roost, "backup", "copy.db")
    assert (again.code, "already exists; name another file" in again.err) == (1, True)


def test_a_backup_is_tried_before_it_is_needed(roost: Roost) -> None:
    at_database(roost, "owner", "add", "Ann")
    at_database(roost, "backup", "copy.db")
    said = roost("admin", "restore", "--check", "copy.db")
    assert said.out.splitlines() == [
        "copy.db is good: it was restored into a temporary folder and opened",
        "0 matches; the newest 0 replayed by the rules",
    ]
    for neither_or_both in ([], ["--check", "--db", "roost.db"]):
        refused = roost("admin", "restore", "copy.db", *neither_or_both)
        assert (refused.code, "--db FILE, or only try the copy with --check" in refused.err) == (2, True)


def test_status_of_a_database(roost: Roost) -> None:
    at_database(roost, "owner", "add", "Ann")
    out = at_database(roost, "status").out
    assert "roost.db, " in out
    assert "0 finished" in out
    said = json.loads(at_database(roost, "status", "--json").out)
    assert (said["connected"], said["competitions"], said["database"]) == (0, [], "roost.db")


def test_certificate(roost: Roost) -> None:
    made = roost("admin", "cert", "arena.example", "--folder", "tls")
    assert "wrote tls/roost-cert.pem and tls/roost-key.pem, for arena.example" in made.out
    again = roost("admin", "cert", "--folder", "tls")
    assert (again.code, "already exists" in again.err) == (2, True)


def test_competition_files(roost: Roost) -> None:
    assert roost("competition", "init", "my.toml").code == 0
    again = roost("competition", "init", "my.toml")
    assert (again.code, again.err) == (2, "roost: my.toml cannot be written: File exists; name a new file\n")
    Path("my.toml").write_text(CUP.replace("ladder", "leader"))
    wrong = roost("competition", "check", "my.toml")
    assert wrong.code == 2
    assert wrong.err.startswith("roost: my.toml, line 4: phases.2.phase: input should be ")
    twice = roost("serve", "my.toml", "--games", "karteneck")
    assert (twice.code, "does not apply to a competition; its file sets that" in twice.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("admin key make --db x.db", 2, "say what the key is for: exactly one of --bot BOT, --owner OWNER and --admin"),
        ("admin key make --admin --bot b --db x.db", 2, "exactly one of"),
        ("admin key make --owner Ann --db x.db", 2, "there is no owner 'Ann'"),
        ("admin key make --admin --db x.db --save .", 2, ". cannot be written: File exists; name a new file"),
        ("admin invite --csv none.csv --db x.db", 2, "none.csv cannot be read: No such file or directory"),
        ("admin invite --csv x.csv --uses 2 --db x.db", 2, "--uses and --label do not apply to --csv"),
        ("admin invite --save x.csv --db x.db", 2, "--save is for --csv"),
        ("admin invitation revoke roost_x --db x.db", 2, "no valid invitation begins with 'roost_x'"),
        ("admin key revoke roost_x --db x.db", 2, "no valid key begins with 'roost_x'"),
        ("admin phase cup ladder --db x.db", 2, "there is no competition 'cup'; the competitions are: none"),
        ("admin key list --db none.db", 1, "there is no file none.db"),
        ("admin owner list --db x.db --server 127.0.0.1:1", 2, "choose one"),
        ("admin owner list --server 127.0.0.1:1", 1, "there is no arena at 127.0.0.1:1"),
        ("admin owner list --key-file none", 2, "none cannot be read: No such file or directory"),
        ("admin owner list --tls-ca none", 2, "none cannot be read: No such file or directory"),
        ("register Ann --server 127.0.0.1:1", 1, "there is no arena at 127.0.0.1:1"),
        ("account --key two\twords", 2, "this is not a key"),
        ("competition check none.toml", 2, "none.toml cannot be read: No such file or directory; `roost competition"),
        ("serve --listen 0.0.0.0:0", 2, "without TLS others on the network can read keys and moves"),
        ("serve --listen 127.0.0.1:99999", 2, "is not an address to listen at"),
        ("serve --tls-cert x.pem", 2, "--tls-cert and --tls-key belong together"),
        ("serve --metrics nowhere", 2, "is not an address for metrics"),
        ("standings --phase finals", 2, "--phase needs --competition NAME"),
        ("bots show x --db x.db", 2, "there is no bot 'x'"),
    ],
)
def test_one_line_says_what_would_be_right(roost: Roost, words: str, code: int, says: str) -> None:
    with open_store("sqlite:///x.db"):
        pass
    outcome = roost(*words.split(" "))
    assert (outcome.code, outcome.out) == (code, "")
    assert says in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_two_files_of_one_competition(roost: Roost) -> None:
    Path("cup.toml").write_text(CUP)
    Path("again.toml").write_text(CUP)
    for words in (["serve", "--listen", "127.0.0.1:0"], ["competition", "check"]):
        twice = roost(*words, "cup.toml", "again.toml")
        assert (twice.code, "two files describe the competition cup" in twice.err) == (2, True)
    Path("again.toml").write_text(CUP.replace('"cup"', '"other"'))
    checked = roost("competition", "check", "cup.toml", "again.toml").out.splitlines()
    assert [line for line in checked if not line.startswith("  ")] == [
        "cup.toml is valid: cup",
        "again.toml is valid: other",
    ]


def test_at_an_arena(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("cup.toml").write_text(CUP)
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack, capsys)
        (admin, _) = reader.run("admin", "key", "make", "--admin", "--db", "roost.db")
        monkeypatch.setenv("ROOST_KEY", admin)
        reader.serve("cup.toml")
        assert reader.run("admin", "owner", "add", "Bob") == ["added owner Bob"]
        reader.run("register", "Ann", "--save", "ann.key")
        assert "phase registration → ladder" in reader.run("admin", "phase", "cup", "ladder")[0]
        status = "\n".join(reader.run("admin", "status"))
        for part in ("running since", "0 connected", "cup", "ladder", "roost.db"):
            assert part in status
        assert json.loads("\n".join(reader.run("admin", "status", "--json")))["competitions"][0]["name"] == "cup"
        reader.run("admin", "backup", "copy.db")
        with (
            open_store(f"sqlite:///{tmp_path}/roost-backups/copy.db", read_only=True) as copy,
            copy.reading() as connection,
        ):
            assert [row.phase for row in connection.execute(COMPETITION.select())] == ["ladder"]
        monkeypatch.delenv("ROOST_KEY")
        greeting = stack.enter_context(roost_process("serve", "cup.toml", "--db", "roost.db", folder=tmp_path))
        assert greeting.end() == 1, "one database, one arena"
        assert "is in use by another arena" in greeting.err.lines[0]
        reader.stop()


def test_why_a_bot_is_kept_from_playing(roost: Roost) -> None:
    with open_store("sqlite:///roost.db") as store:
        number = store.register_version("x", "v1")
        row = {"version_id": number, "since_ms": 1_800_000_000_000, "reason": "faults in 5 matches in a row"}
        with store.writing() as connection:
            connection.execute(QUARANTINE.insert().values(**row))
        store.register_version("x", "v2")
    shown = roost("bots", "show", "x", "--db", "roost.db")
    newest, _, oldest, _, why, _ = shown.out.splitlines()[1:]
    assert newest.startswith("version v2, number 2, last seen ")
    assert oldest.startswith("version v1, number 1, ")
    assert why.startswith("  in quarantine since 2027-01-15 ")
    assert why.endswith(": faults in 5 matches in a row")
    bots = json.loads(roost("bots", "show", "x", "--db", "roost.db", "--json").out)["bots"]
    assert [bot["quarantine_reason"] for bot in bots] == ["faults in 5 matches in a row", None]
    assert "in quarantine: x v1, faults in 5 matches in a row" in at_database(roost, "status").out


def test_how_to_make_the_first_key_is_said(tmp_path: Path) -> None:
    Path("cup.toml").write_text(CUP)
    with roost_process("serve", "cup.toml", "--listen", "127.0.0.1:0", folder=tmp_path) as arena:
        assert arena.out.until("roost admin key make").strip() == (
            "roost admin key make --admin --db roost.db --save admin.key"
        )
        arena.out.until("Ctrl-C")


def test_an_arena_says_that_others_can_read_its_database(tmp_path: Path) -> None:
    Path("roost.db").touch()
    Path("roost.db").chmod(0o644)
    with roost_process("serve", "--listen", "127.0.0.1:0", folder=tmp_path) as arena:
        assert "roost.db" in arena.err.until("others can read the database")
        arena.out.until("Ctrl-C")
