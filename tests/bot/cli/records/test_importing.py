"""The command prints a diff, writes it once, and says in one line what it cannot read."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest
from click.testing import CliRunner
from sqlalchemy.exc import IntegrityError
from sqlmodel import func, select, update

from agreements.facts import Account
from agreements.imports.entries import Domain, ImportEntry, RejectedEntry
from agreements.store.imports.imported import ImportSource
from agreements.store.people import person_rows, signatures
from agreements.store.tables.records import Erasure, ImportedEntry, PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.cli.command_error import CommandError
from bot.cli.records import importing
from bot.cli.records.importing import command
from bot.jobs.durable import DurableEngine
from bot.records.export_files import EXPORTED
from bot.records.record_access import RecordAccess
from bot.store import owners
from tests.within import within

pytestmark = pytest.mark.sqlite_alone  # the store's tests use both kinds

RING = KeyRing.generate("k1")
PLAIN = {
    "individuals": [
        {"github": "ada", "id": 11, "name": "Ada", "email": "a@x.org", "signed_at": "2024-01-01", "signed_version": "1.0"},
        {"github": "bob", "signed_at": "2024-01-02", "signed_version": "1.0"},
        {"github": "eve"},
    ],
    "corporate_domains": ["huawei.com", "gmail.com"],
}  # fmt: skip


@pytest.fixture(name="run")
def _run(engine, database_url, tmp_path):
    """Runs the command on a file with this content."""
    DurableEngine(engine, executor_id="test").prepare()
    env = {"COUNTERSIGN_DATABASE_URL": database_url, "COUNTERSIGN_KEYS": RING}

    def run(name, content, *arguments):
        file = tmp_path / "list"
        file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return CliRunner().invoke(command, [name, str(file), *arguments], env=env)

    return run


def rows(engine):
    """How many rows each table has."""
    with db.sessions(engine)() as session:
        return {table.__tablename__: session.exec(select(func.count()).select_from(table)).one() for table in EXPORTED}


def test_a_dry_run_prints_the_same_and_writes_nothing(engine, run):
    """Added, unchanged, refused, each with its place; exit 1 because something was refused."""
    before = rows(engine)
    dry, wet = run("plain", PLAIN, "--dry-run"), run("plain", PLAIN)

    assert (dry.exit_code, wet.exit_code, before["imported"]) == (1, 1, 0)
    assert dry.stdout.replace(" (dry run: nothing was written)", "") == wet.stdout
    assert wet.stdout.splitlines() == [
        "+ individuals.0: ada (11) icla 1.0 of 2024-01-01 - counts at once",
        "+ individuals.1: bob icla 1.0 of 2024-01-02 - waits until GitHub says whose login it is",
        f"+ corporate_domains.0: huawei.com - {importing._COMPANY}",
        "! individuals.2: eve - signed_at is missing",
        "! corporate_domains.1: gmail.com - a free-mail provider's domain belongs to everybody",
        "  icla 1.0 was not released here: it counts only if the rulebook's agreements.accept allows it",
        "3 added, 0 unchanged, 2 refused",
    ]
    after = rows(engine)
    assert (after["signature"], after["imported"], after["company"], after["ledger_entry"]) == (1, 2, 1, 3)


def test_twice_changes_nothing(engine, run):
    """Not a row."""
    run("plain", PLAIN)
    before = rows(engine)
    again = run("plain", PLAIN, "--format", "json")

    assert rows(engine) == before
    found = json.loads(again.stdout)
    assert (found["added"], len(found["unchanged"]), len(found["refused"]), found["dry_run"]) == ([], 3, 2, False)


@pytest.mark.parametrize(
    ("state", "why"),
    [("deleted", "the account's data were erased here"), ("restricted", "the account's data are restricted here")],
)
def test_who_was_erased_waits(engine, run, state, why):
    """The dry run says so, too; nobody is made a person, and no name is stored."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    with db.sessions(engine)() as session:
        session.add(Erasure(id="e1", account_id=11, asked_at=at, state=state))
        if state == "restricted":
            vault = Vault(KeyRing.parse(RING))
            person_rows.ensure(within(session, vault, at, "p1"), Account(11, "ada"))
            session.exec(update(PersonRecord).values(restricted_at=at))
    listed = {"individuals": PLAIN["individuals"][:1]}
    persons = rows(engine)["person"]
    dry, wet = run("plain", listed, "--dry-run"), run("plain", listed)

    assert wet.exit_code == 0
    for result in (dry, wet):
        line = f"+ individuals.0: ada (11) icla 1.0 of 2024-01-01 - waits for an administrator: {why}"
        assert result.stdout.splitlines()[0] == line
    assert (rows(engine)["person"], rows(engine)["signature"]) == (persons, 0)
    with db.sessions(engine)() as session:
        assert session.exec(select(ImportedEntry.login)).all() == ["erased"]


def test_what_was_withdrawn_waits(engine, run):
    """A list of another version does not revive it."""
    one = PLAIN["individuals"][0]
    run("plain", {"individuals": [one]})
    with db.sessions(engine)() as session:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        signed = session.exec(select(SignatureRecord.id)).one()
        session.add(Withdrawal(signature_id=signed, at=at, by_account_id=11))
    result = run("plain", {"individuals": [one | {"signed_version": "1.1"}]}, "--dry-run")

    assert "administrator: a signature of this agreement was withdrawn or revoked here since then" in result.stdout


def test_a_list_without_versions_and_dates(run):
    """What it does not say is given with the command; nothing refused, exit 0."""
    result = run("clabot", ["ada"], "--signed-version", "1.0", "--signed-at", "2024-01-01")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "1 added, 0 unchanged, 0 refused")


def test_a_version_of_ours_needs_no_word(run):
    """Also written with fewer parts."""
    result = run("clabot", ["ada"], "--signed-version", "2", "--signed-at", "2024-01-01", "--dry-run")
    assert len(result.stdout.splitlines()) == 2


def test_two_imports_at_once(engine):
    """The second of them says in one line what happened; another mistake of the database is not called so."""
    source = ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla")
    signed = datetime(2024, 1, 1, tzinfo=UTC)
    listed = [ImportEntry(where="x", login="ada", account_id=11, signed_at=signed, version="1.0")]
    records = RecordAccess(db.sessions(engine), Vault(KeyRing.parse(RING)))
    jobs = DurableEngine(engine, executor_id="test")
    jobs.prepare()
    write = partial(importing._write, records, jobs)

    write(listed, source)
    with pytest.raises(CommandError, match="another import wrote entries of this file at the same time") as caught:
        write(listed, source)
    assert "\n" not in str(caught.value)
    assert rows(engine)["signature"] == 1
    with pytest.raises(IntegrityError):
        write([replace(listed[0], account_id=12)], replace(source, format=None))


def test_texts_that_are_not_as_released(run, tmp_path, monkeypatch):
    """One line."""
    rulebook = tmp_path / "rulebook.yml"
    rulebook.touch()
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "SHA256SUMS").write_text("x")
    monkeypatch.setenv("COUNTERSIGN_RULEBOOK", str(rulebook))
    result = run("clabot", ["ada"], "--signed-version", "2", "--signed-at", "2024-01-01")
    said = "countersign: an agreement text differs from its release: SHA256SUMS"
    assert (result.exit_code, result.stderr.startswith(said)) == (2, True)


def test_a_domain_that_somebody_took_meanwhile(engine):
    """After the plan was made, or while it is written: that entry alone is refused, with its place."""
    source = ImportSource(party="The CANN Authors", format="plain", sha256="f" * 64, agreement="icla")
    listed = [Domain("d.0", "huawei.com"), Domain("d.1", "other.org")]
    records = RecordAccess(db.sessions(engine), Vault(KeyRing.parse(RING)))
    write = partial(importing._write_companies, records, source=source, corporate=("ccla", "2.0"))

    assert write(listed[:1]) == {}
    assert write(listed) == {listed[0]: RejectedEntry("d.0", "huawei.com", "another company holds it")}
    assert rows(engine)["company"] == 2


@pytest.mark.parametrize(
    ("name", "content", "arguments", "line"),
    [
        ("plain", b"{", (), "not JSON"),
        ("plain", b"\xff", (), "not UTF-8"),
        ("cla-assistant-csv", b"a\n1\n", (), "User Name"),
        ("clabot", ["a"], ("--signed-version", "x"), "is not a version"),
        ("clabot", ["a"], ("--signed-at", "2999-01-01"), "is not a past day"),
        ("other", b"", (), "'other' is not one of"),
        ("clabot", ["a"], ("--agreement", "ICLA"), "'ICLA': there is no such agreement; choose from ccla, icla"),
        ("clabot", ["a"], ("--agreement", ""), "'': there is no such agreement"),
        ("clabot", ["a"], ("--agreement", "\udcff"), r"'\udcff': there is no such agreement"),
        ("clabot", ["a"], ("--agreement", "dco"), "'dco': there is no such agreement"),
        ("clabot", ["a"], ("--corporate", "other"), "--corporate 'other': there is no such agreement"),
    ],
)
def test_mistakes_are_one_line(run, name, content, arguments, line):
    """What, and what to do; exit 2."""
    result = run(name, content, *arguments)
    assert result.exit_code == 2
    assert line in result.stderr.splitlines()[-1]


def test_the_party_of_what_is_imported(engine, run):
    """The entry's own, else the one that was given; the same person's agreement with another party is another entry."""
    one, two = {**PLAIN["individuals"][0]}, {**PLAIN["individuals"][0], "party": "Its  own"}
    first = run("plain", {"individuals": [one, two]}, "--party", "The CANN Authors", "--format", "json")
    again = run("plain", {"individuals": [one, two]}, "--party", "The CANN Authors", "--format", "json")
    other = run("plain", {"individuals": [one]}, "--party", "Other Foundation", "--format", "json")

    assert [len(json.loads(each.stdout)["added"]) for each in (first, again, other)] == [2, 0, 1]
    with db.sessions(engine)() as session:
        found = signatures.of(session, [11], accepted=())
        assert sorted(each.party for each in found) == ["Its own", "Other Foundation", "The CANN Authors"]


def test_a_party_that_nobody_knows(engine, run):
    """It is said, and what is imported counts for nobody; imported again with the party it counts."""
    unknown = run("plain", {"individuals": [PLAIN["individuals"][0]]})
    assert (unknown.exit_code, "--party NAME" in unknown.stderr) == (0, True)
    with db.sessions(engine)() as session:
        assert signatures.of(session, [11], accepted=()) == ()
    run("plain", {"individuals": [PLAIN["individuals"][0]]}, "--party", "One")
    with db.sessions(engine)() as session:
        assert [one.party for one in signatures.of(session, [11], accepted=())] == ["One"]


@pytest.mark.parametrize("name", ["", " ", "a\x07b", "x" * 201, "\u200b"])
def test_what_is_no_name_of_a_party(run, name):
    """As an option it is wrong usage, in an entry it is refused; two rulebooks' names need the option."""
    assert run("plain", PLAIN, "--party", name).exit_code == 2
    refused = run("plain", {"individuals": [{**PLAIN["individuals"][0], "party": name}]}, "--party", "One")
    assert "the party is not a name" in refused.stdout


def test_several_rulebooks_need_the_option(engine, run):
    """Which of them is meant nobody can tell."""
    with db.sessions(engine)() as session:
        for account_id, name in ((7, "One"), (8, "Two")):
            owners.remember_rules(
                session, account_id, f"version: 1\norganization: {name}\n", valid=True, at=clock.now()
            )
    asked = run("plain", PLAIN)
    assert (asked.exit_code, "--party" in asked.output, asked.output.count("\n")) == (2, True, 1)
    with db.sessions(engine)() as session:
        owners.remember_rules(session, 8, "version: 1\norganization: One\n", valid=True, at=clock.now())
    run("plain", PLAIN)
    with db.sessions(engine)() as session:
        assert [one.party for one in signatures.of(session, [11], accepted=())] == ["One"]
