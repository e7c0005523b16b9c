"""`import` prints its changes, writes them once, and reports unreadable entries in one line."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest
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
from tests.terminal import TerminalRunner
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
        return TerminalRunner().invoke(command, [name, str(file), *arguments], env=env)

    return run


def rows(engine):
    """How many rows each table has."""
    with db.sessions(engine)() as session:
        return {table.__tablename__: session.exec(select(func.count()).select_from(table)).one() for table in EXPORTED}


def test_a_dry_run_prints_what_an_import_does_and_writes_nothing(engine, run):
    before = rows(engine)
    party = ("--party", "The CANN Authors")
    dry, wet = run("plain", PLAIN, "--dry-run", *party), run("plain", PLAIN, *party)

    assert (dry.exit_code, wet.exit_code, before["imported"]) == (1, 1, 0)
    assert dry.stdout.replace(" (dry run: nothing was written)", "") == wet.stdout
    assert wet.stdout.splitlines() == [
        "+ individuals.0: ada (11) icla 1.0 of 2024-01-01 - counts, if the rulebook accepts this version",
        "+ individuals.1: bob icla 1.0 of 2024-01-02 - waits until GitHub says whose login it is",
        f"+ corporate_domains.0: huawei.com - {importing._COMPANY}",
        "! individuals.2: eve - signed_at is missing",
        "! corporate_domains.1: gmail.com - a free-mail provider's domain belongs to everybody",
        "  icla 1.0 was not released here: it counts only if the rulebook's agreements.accept allows it",
        "3 added, 0 unchanged, 2 refused",
    ]
    after = rows(engine)
    assert (after["signature"], after["imported"], after["company"], after["ledger_entry"]) == (1, 2, 1, 3)


def test_a_second_import_writes_no_row(engine, run):
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
def test_an_entry_of_an_erased_person_waits_without_name_or_person(engine, run, state, why):
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


def test_an_entry_whose_signature_was_withdrawn_waits_for_an_administrator(engine, run):
    individual = PLAIN["individuals"][0]
    run("plain", {"individuals": [individual]})
    with db.sessions(engine)() as session:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        signed = session.exec(select(SignatureRecord.id)).one()
        session.add(Withdrawal(signature_id=signed, at=at, by_account_id=11))
    result = run("plain", {"individuals": [individual | {"signed_version": "1.1"}]}, "--dry-run")

    assert "administrator: a signature of this agreement was withdrawn or revoked here since then" in result.stdout


def test_a_list_without_versions_and_dates_takes_them_from_the_options(run):
    result = run("clabot", ["ada"], "--signed-version", "1.0", "--signed-at", "2024-01-01")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "1 added, 0 unchanged, 0 refused")


def test_a_known_version_is_accepted_with_fewer_parts(run):
    result = run("clabot", ["ada"], "--signed-version", "2", "--signed-at", "2024-01-01", "--party", "X", "--dry-run")
    assert len(result.stdout.splitlines()) == 2


def test_of_two_imports_at_once_the_second_says_so_in_one_line(engine):
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


def test_a_changed_text_beside_the_rulebook_is_one_line(run, tmp_path, monkeypatch):
    rulebook = tmp_path / "rulebook.yml"
    rulebook.touch()
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "SHA256SUMS").write_text("x")
    monkeypatch.setenv("COUNTERSIGN_RULEBOOK", str(rulebook))
    result = run("clabot", ["ada"], "--signed-version", "2", "--signed-at", "2024-01-01")
    said = "countersign: the agreement texts are not as released: texts/SHA256SUMS"
    assert (result.exit_code, result.stderr.startswith(said)) == (2, True)


@pytest.mark.parametrize("content", [None, "version: 1\norganization: [x]\n", "{"])
def test_a_rulebook_with_a_mistake_is_not_one_without_a_party(run, engine, tmp_path, monkeypatch, content):
    rulebook = tmp_path / "rulebook.yml"
    if content is not None:
        rulebook.write_text(content, encoding="utf-8")
    monkeypatch.setenv("COUNTERSIGN_RULEBOOK", str(rulebook))
    result = run("clabot", ["ada"], "--signed-version", "2", "--signed-at", "2024-01-01")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("countersign: COUNTERSIGN_RULEBOOK: ")
    assert str(rulebook) in result.stderr


def test_a_domain_that_was_taken_meanwhile_is_refused_alone(engine):
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
def test_wrong_input_exits_with_2_in_one_line(run, name, content, arguments, line):
    result = run(name, content, *arguments)
    assert result.exit_code == 2
    assert line in result.stderr.splitlines()[-1]


def test_the_party_is_the_entrys_own_or_the_options(engine, run):
    entry, own = {**PLAIN["individuals"][0]}, {**PLAIN["individuals"][0], "party": "Its  own"}
    first = run("plain", {"individuals": [entry, own]}, "--party", "The CANN Authors", "--format", "json")
    again = run("plain", {"individuals": [entry, own]}, "--party", "The CANN Authors", "--format", "json")
    other = run("plain", {"individuals": [entry]}, "--party", "Other Foundation", "--format", "json")

    assert [len(json.loads(each.stdout)["added"]) for each in (first, again, other)] == [2, 0, 1]
    with db.sessions(engine)() as session:
        found = signatures.of(session, [11], accepted=())
        assert sorted(each.party for each in found) == ["Its own", "Other Foundation", "The CANN Authors"]


def test_an_entry_without_a_party_does_not_count_until_imported_with_one(engine, run):
    unknown = run("plain", {"individuals": [PLAIN["individuals"][0]]})
    assert (unknown.exit_code, "--party NAME" in unknown.stdout) == (0, True)
    with db.sessions(engine)() as session:
        assert signatures.of(session, [11], accepted=()) == ()
    run("plain", {"individuals": [PLAIN["individuals"][0]]}, "--party", "شرکت می\u200cخواهم")
    with db.sessions(engine)() as session:
        assert [signature.party for signature in signatures.of(session, [11], accepted=())] == ["شرکت می\u200cخواهم"]


@pytest.mark.parametrize("name", ["", " ", "a\x07b", "x" * 201, "\u200b"])
def test_a_party_that_is_no_name_is_refused(run, name):
    assert run("plain", PLAIN, "--party", name).exit_code == 2
    refused = run("plain", {"individuals": [{**PLAIN["individuals"][0], "party": name}]}, "--party", "One")
    assert "the party is not a name" in refused.stdout


BOOK = "version: 1\norganization: One\nagreements: {parties: [Old One]}\n"
BROKEN = "version: 1\norganisation: One\n"


@pytest.mark.parametrize(
    ("books", "arguments", "what", "remark"),
    [
        ({7: BOOK}, (), importing._AT_ONCE, ""),
        ({7: BOOK}, ("--party", "Old  One"), importing._AT_ONCE, ""),
        ({7: BOOK}, ("--party", "Two"), importing._UNLISTED, ""),
        ({}, ("--party", "Two"), importing._AT_ONCE, ""),
        ({}, (), importing._UNDECIDED, "no rulebook says with whom"),
        (
            {7: BROKEN},
            (),
            importing._UNDECIDED,
            "a rulebook has mistakes and does not say",
        ),
        ({7: BROKEN, 8: BOOK}, (), importing._UNDECIDED, "a rulebook has mistakes"),
        ({7: BROKEN}, ("--party", "Two"), importing._AT_ONCE, "rulebook check names them"),
    ],
)
def test_an_entry_that_counts_for_no_person_says_so(engine, run, books, arguments, what, remark):
    with db.sessions(engine)() as session:
        for account_id, book in books.items():
            owners.remember_rules(session, account_id, book, valid=book != BROKEN, at=clock.now())
    company = importing._COMPANY_UNDECIDED if what == importing._UNDECIDED else importing._COMPANY
    for more in (("--dry-run",), ()):
        found = json.loads(run("plain", PLAIN, "--format", "json", *arguments, *more).stdout)
        assert [line["what"] for line in found["added"]] == [what, importing._WAITS, company]
        said = [line for line in found["remarks"] if "was not released" not in line]
        assert (remark in " ".join(said)) if remark else not said


def test_several_rulebooks_require_the_party_option(engine, run):
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
        assert [signature.party for signature in signatures.of(session, [11], accepted=())] == ["One"]
