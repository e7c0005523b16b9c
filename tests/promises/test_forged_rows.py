"""An attacker who writes to the database without a key of the ring makes no row that counts, and the log tells."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from agreements.cla.coverage import AgreementIndex
from agreements.facts import Account, Entry
from agreements.github_server import GITHUB_COM
from agreements.rulebook.rules import Rules
from agreements.store import coverage_records
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.ledger.row_check import RowCheck
from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.people import emails, person_rows, signatures, withdrawals
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.signatures import SignatureDraft
from agreements.vault import KeyRing, Vault
from bot.records import log_verification
from bot.records.log_verification import Keys
from bot.store.logged_tables import TABLES
from tests.logged import log_rows
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)
NOW = AT + timedelta(days=30)
RING = KeyRing.parse(KeyRing.generate("k1"))
SHA = "a" * 64
ACCEPTED = {("icla", "2.0", "en", SHA), ("ccla", "2.0", "en", SHA)}
RULES = Rules(organization="The CANN Authors")
ADA, BO, CYD, EVE = 11, 12, 13, 66


@pytest.fixture(name="vault")
def _vault():
    return Vault(RING)


@pytest.fixture(name="filled")
def _filled(sessions, vault):
    """Ada signed; bo signed and took it back; cyd works at a company that has ended; Huawei names no other person."""
    with sessions() as session:
        who = {}
        for account_id in (ADA, BO, CYD, EVE):
            who[account_id] = person_rows.ensure(within(session, vault, AT, f"p{account_id}"), Account(account_id, "x"))
        for account_id in (ADA, BO):
            draft = SignatureDraft(
                agreement="icla", version="2.0", language="en", source_sha256=SHA, shown_sha256=SHA, statement_id="s",
                statement_sha256=SHA, identity_proof="github-oauth", party="The CANN Authors", name="N", email="n@x.org",
            )  # fmt: skip
            signatures.add(
                within(session, vault, AT, f"s{account_id}"), who[account_id], draft, receipt=f"R{account_id}"
            )
        log_rows(session, vault)
        withdrawals.withdraw(within(session, vault, AT + timedelta(days=1), by=BO), "R12")
        for key, entry, ended in (("c1", Entry(domain="huawei.com"), None), ("c2", Entry(account_id=CYD), AT)):
            draft = CompanyDraft(
                party="The CANN Authors", name=key, agreement="ccla", version="2.0", signed_at=AT, countersigned_at=AT, ended_at=ended,
            )  # fmt: skip
            company = companies.add(within(session, vault, new_id=key), draft)
            companies.add_entry(within(session, vault, AT, f"e{key}"), company, entry)
        gone = Entry(account_id=EVE, until=AT + timedelta(days=1))
        companies.add_entry(within(session, vault, AT, "gone"), company, gone)
        proven = ProvenAddress(address="ada@huawei.com", how="mailed-code", at=AT, until=AT + timedelta(days=5))
        emails.prove(within(session, vault, new_id="q11"), who[ADA], proven)
        log_rows(session, vault)
    return sessions


def covered(sessions, vault, account_id):
    """How that account stands, and what the look-up refused."""
    with sessions() as session:
        known = coverage_records.records(
            RowCheck(session.connection(), vault), [account_id], [], accepted=ACCEPTED, at=NOW, now=NOW
        )
    index = AgreementIndex(RULES, NOW, known.signatures, known.companies, owner_id=1, server=GITHUB_COM)
    proven = frozenset(known.emails.get(account_id, ()))
    return index.coverage_of(account_id, linked=frozenset(), proven=proven), known


COPY_SIGNATURE = (
    "INSERT INTO signature SELECT 'forged', 'p66', 66, login, agreement, version, language, source_sha256, shown_sha256,"
    " statement_id, statement_sha256, identity_proof, signed_at, 'FORGED', evidence, party FROM signature WHERE id = 's11'"
)
COPY_ENTRY = (
    "INSERT INTO company_entry (id, company_id, kind, excluded, subdomains, account_id, added_at)"
    " SELECT 'forged', 'c1', kind, excluded, subdomains, 66, added_at FROM company_entry WHERE id = 'gone'"
)
COPY_CODE = "INSERT INTO row_mac SELECT {table}, {key}, entry, sha256, ring_key_id, mac FROM row_mac WHERE {of}"
FORGED = {
    "a signature": (EVE, COPY_SIGNATURE),
    "a signature with the code of another": (
        EVE,
        COPY_SIGNATURE,
        COPY_CODE.format(table="'signature'", key="'forged'", of="table_name = 'signature' AND key = 's11'"),
    ),
    "a withdrawal that was taken out": (BO, "DELETE FROM withdrawal WHERE signature_id = 's12'"),
    "a withdrawal that is due later": (BO, "UPDATE withdrawal SET at = '2027-01-01 00:00:00.000000'"),
    "an entry of a company": (
        EVE,
        COPY_ENTRY,
    ),
    "an entry that had ended": (EVE, "UPDATE company SET ended_at = NULL", "UPDATE company_entry SET until = NULL"),
    "a company that had ended": (CYD, "UPDATE company SET ended_at = NULL"),
    "an entry of another company": (EVE, "UPDATE company_entry SET until = NULL, company_id = 'c1' WHERE id = 'gone'"),
    "a signature of another account": (EVE, "UPDATE signature SET account_id = 66, person_id = 'p66' WHERE id = 's11'"),
    "an address proven for longer": (ADA, "DELETE FROM row_mac WHERE key = 's11'", "UPDATE proof SET until = NULL"),
}  # fmt: skip


@pytest.fixture(name="forge")
def _forge(engine, filled):
    """Runs statements as the owner of the database, whom no trigger stops."""

    def forge(*statements):
        with engine.begin() as connection:
            if engine.dialect.name == "sqlite":
                names = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
                for name in connection.scalars(text(names)).all():
                    connection.execute(text(f"DROP TRIGGER {name}"))
            else:
                connection.execute(text("SET LOCAL session_replication_role = replica"))
            for statement in statements:
                connection.execute(text(statement))

    return forge


@pytest.mark.parametrize("name", sorted(FORGED))
def test_no_person_is_covered_by_a_forged_row(filled, forge, vault, name):
    account_id, *statements = FORGED[name]
    before, _ = covered(filled, vault, account_id)
    forge(*statements)
    after, known = covered(filled, vault, account_id)

    assert before.covered is (account_id == ADA)
    assert not after.covered
    assert known.unlogged
    assert after.code == ("cla/withdrawn" if name == "a withdrawal that is due later" else "cla/not-in-log")


def test_the_log_covers_a_real_signature(filled, vault):
    found, known = covered(filled, vault, ADA)
    assert (found.covered, found.records, known.unlogged) == (True, ("signature:s11",), ())


@pytest.mark.parametrize("name", sorted(set(FORGED) - {"an address proven for longer"}))
def test_the_log_verification_finds_each_forged_row(engine, forge, name):
    forge(*FORGED[name][1:])
    with pytest.raises(log_verification.verification.Tampered):
        log_verification.verify(engine, Keys(RING), TABLES)


def test_a_code_by_the_attackers_key_is_found(filled, forge, vault, engine):
    other = Vault(KeyRing.parse(KeyRing.generate("k1")))
    forge(COPY_SIGNATURE)
    key_id, mac = other.authenticate(b"anything")
    forge(f"INSERT INTO row_mac VALUES ('signature', 'forged', 0, '{SHA}', '{key_id}', '{mac}')")
    assert covered(filled, vault, EVE)[0].code == "cla/not-in-log"
    forge("DELETE FROM signature WHERE id = 'forged'")
    with pytest.raises(log_verification.verification.Tampered, match="the code of the row signature forged"):
        log_verification.verify(engine, Keys(RING), TABLES)


@pytest.mark.parametrize("mac", ["", "x", "k1 x", "-"])
def test_a_malformed_code_counts_for_nothing(filled, forge, vault, mac):
    forge(COPY_SIGNATURE, f"INSERT INTO row_mac VALUES ('signature', 'forged', 0, NULL, '{mac}', '{mac}')")
    assert covered(filled, vault, EVE)[0].code == "cla/not-in-log"


def test_signing_again_beside_a_forged_row_counts(filled, forge, vault):
    forge(COPY_SIGNATURE)
    with filled() as session:
        draft = SignatureDraft(
            agreement="icla", version="2.0", language="en", source_sha256=SHA, shown_sha256=SHA, statement_id="s",
            statement_sha256=SHA, identity_proof="github-oauth", party="The CANN Authors", name="N", email="n@x.org",
        )  # fmt: skip
        eve = person_rows.find(session, EVE)
        signed = signatures.add(within(session, vault, NOW, "s66"), eve, draft, receipt="R66")
        within(session, vault, NOW, "x").append(Change(kind="signature.added", actor_id=EVE, subject=SERVER, rows=[signed.row]))  # fmt: skip
    found, _ = covered(filled, vault, EVE)
    assert (signed.new, found.covered, found.records) == (True, True, ("signature:s66",))
