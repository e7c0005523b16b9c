"""`whitelist` prints the public records, and refuses a database without them."""

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


def test_the_public_list_is_printed_without_a_key_ring(signed, database_url, tmp_path):
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


def test_a_company_whose_text_is_unknown_has_no_domain_on_the_list(signed, sessions, database_url):
    with sessions() as session:
        session.get(CompanyRecord, "c1").signature_id = "s1"
    result = run(database_url)
    assert json.loads(result.stdout)["corporate_domains"] == []
    assert result.stderr == (
        "countersign: companies that are left out, as the text that they signed is not known here: 1;"
        " set COUNTERSIGN_RULEBOOK as for the server\n"
    )
    with sessions() as session:
        session.get(CompanyRecord, "c1").ended_at = AT
    assert run(database_url).stderr == "", "one that has ended is not missing"


def test_a_rulebook_that_is_missing_leaves_no_company_out_in_silence(signed, database_url, tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_RULEBOOK", str(tmp_path / "gone.yml"))
    result = run(database_url)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"countersign: COUNTERSIGN_RULEBOOK: cannot read {tmp_path / 'gone.yml'}: No such file or directory\n"
    )


def test_logins_prints_the_list_without_ids(signed, database_url):
    said = json.loads(run(database_url, "--logins").stdout)
    assert (said["individuals"], said["corporate_domains"]) == (["ada"], ["huawei.com"])


def test_an_unwritable_file_exits_with_2_in_one_line(signed, database_url):
    result = run(database_url, "--out", "/nowhere/at/all.json")
    assert result.exit_code == 2
    assert "cannot write /nowhere/at/all.json: No such file or directory" in result.stderr


@pytest.mark.from_nothing
def test_a_database_without_tables_is_refused(database_url, tmp_path):
    """An empty list would say that there are no signatures."""
    (tmp_path / "test.db").touch()
    result = run(database_url)
    assert result.exit_code == 2
    assert "run countersign migrate" in result.stderr


def test_a_missing_database_is_not_created(tmp_path):
    result = run(f"sqlite:///{tmp_path / 'typo.db'}")
    assert result.exit_code == 2
    assert "there is no database at" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_unreachable_database_is_one_line_without_the_password():
    result = run("postgresql://countersign:hunter2@127.0.0.1:1/none")
    assert result.exit_code == 2
    assert "the database cannot be used" in result.stderr
    assert "hunter2" not in result.output
