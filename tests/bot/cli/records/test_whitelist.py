"""The command prints what is public from the database, and refuses a database that cannot tell."""

import json
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from agreements.facts import Account, Entry
from agreements.store.companies import companies
from agreements.store.people import person_rows, signatures
from agreements.store.tables.company_records import CompanyRecord
from agreements.vault import KeyRing, Vault
from bot.cli.records.whitelist import command
from tests.drafts import company_draft, signature_draft
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)


def run(url, *arguments):
    return CliRunner().invoke(command, list(arguments), env={"COUNTERSIGN_DATABASE_URL": url, "COUNTERSIGN_KEYS": None})


@pytest.fixture(name="signed")
def _signed(sessions):
    vault = Vault(KeyRing.parse(KeyRing.generate("k1")))
    draft = signature_draft(agreement="x", version="x", language="x", name="Ada", email="ada@huawei.com")
    company = company_draft("One", AT, countersigned=True)
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, AT, "p1"), Account(11, "ada"))
        signatures.add(within(session, vault, AT, "s1"), person, draft, receipt="R1")
        row = companies.add(within(session, vault, new_id="c1"), company)
        companies.add_entry(within(session, vault, AT, "e1"), row, Entry(domain="huawei.com"))


def test_it_prints_what_is_public(signed, database_url, tmp_path):
    """No key ring is needed: nothing in it is sealed. `--out` writes the same bytes."""
    result = run(database_url)
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "individuals": [{"login": "ada", "id": 11}],
        "corporate_domains": ["huawei.com"],
        "last_updated": "2026-01-01T00:00:00Z",
    }
    written = run(database_url, "--out", str(tmp_path / "whitelist.json"))
    assert (written.exit_code, written.stdout) == (0, "")
    assert (tmp_path / "whitelist.json").read_bytes() == result.stdout_bytes


def test_no_domain_of_a_company_whose_text_is_unknown(signed, sessions, database_url):
    """Its agreement covers nobody."""
    with sessions() as session:
        session.get(CompanyRecord, "c1").signature_id = "s1"
    assert json.loads(run(database_url).stdout)["corporate_domains"] == []


def test_logins_alone(signed, database_url):
    """For scripts that know no ids."""
    said = json.loads(run(database_url, "--logins").stdout)
    assert (said["individuals"], said["corporate_domains"]) == (["ada"], ["huawei.com"])


def test_nowhere_to_write_is_one_line(signed, database_url):
    """Exit code 2, no traceback."""
    result = run(database_url, "--out", "/nowhere/at/all.json")
    assert result.exit_code == 2
    assert "cannot write /nowhere/at/all.json: No such file or directory" in result.stderr


@pytest.mark.from_nothing
def test_a_database_without_tables_is_refused(database_url, tmp_path):
    """An empty answer would say that nobody signed."""
    (tmp_path / "test.db").touch()
    result = run(database_url)
    assert result.exit_code == 2
    assert "run countersign migrate" in result.stderr


def test_a_database_that_is_not_there_is_not_made(tmp_path):
    """A mistyped path leaves no file behind."""
    result = run(f"sqlite:///{tmp_path / 'typo.db'}")
    assert result.exit_code == 2
    assert "there is no database at" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_does_not_answer_is_one_line():
    """The cause, not the password."""
    result = run("postgresql://countersign:hunter2@127.0.0.1:1/none")
    assert result.exit_code == 2
    assert "the database cannot be used" in result.stderr
    assert "hunter2" not in result.output
