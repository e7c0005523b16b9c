"""A signature is evidence for one account, opened for its owner only, ended only by another row."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from agreements import facts
from agreements.facts import Account
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.people import person_rows, signatures, withdrawals
from agreements.store.people.signatures import EXTERNAL_TEXT
from agreements.store.tables.records import SignatureRecord
from agreements.vault import DecryptionFailed
from tests.logged import log_rows
from tests.within import within

CATALOG = {("icla", "2.0", "en", "a" * 64), ("icla", "1.0", "zh", "d" * 64)}


@pytest.fixture(name="sign")
def _sign(session, vault, at, fresh):
    """Signs for a person, with an id and a receipt of its own."""

    def sign(person, draft, at=at):
        return signatures.add(within(session, vault, at, fresh), person, draft, receipt=f"R-{fresh()}")

    return sign


def test_a_signature_counts_as_a_fact_from_its_moment(session, at, person, sign, draft):
    signed = sign(person, draft())
    assert (signed.new, signed.row.agreement, signed.row.version, signed.row.language, signed.row.signed_at) == (
        True,
        "icla",
        "2.0",
        "en",
        at,
    )
    assert signatures.of(session, [11, 12], accepted=CATALOG) == (
        facts.Signature(agreement="icla", version="2.0", account_id=11, party="The CANN Authors", signed_at=at),
    )


@pytest.mark.parametrize(
    "changes",
    [{"source_sha256": "e" * 64}, {"language": "zh"}, {"version": "2.1"}, {"agreement": "ccla"}, {"version": "1.0"}],
)
def test_a_signature_of_a_text_that_is_not_in_the_catalog_does_not_count(session, person, sign, draft, changes):
    sign(person, draft(**changes))
    assert signatures.of(session, [11], accepted=CATALOG) == ()
    assert len(signatures.mine(session, 11)) == 1


def test_signatures_of_more_accounts_than_one_query_takes_are_found_in_order(session, vault, at, sign, draft, fresh):
    for account_id in (3, 700, 1400):
        sign(person_rows.ensure(within(session, vault, at, fresh), Account(account_id, "x")), draft())
    found = signatures.of(session, range(1, 1501), accepted=CATALOG)
    assert [signature.account_id for signature in found] == [3, 700, 1400]


def test_no_ids_find_no_signature_and_an_invalid_id_is_an_error(session, person, sign, draft):
    sign(person, draft())
    assert signatures.of(session, [], accepted=CATALOG) == ()
    assert signatures.of(session, [11], accepted=[]) == ()
    for key in (None, 0):
        with pytest.raises(ValueError, match="account id"):
            signatures.of(session, [key], accepted=CATALOG)
        with pytest.raises(ValueError, match="account id"):
            signatures.mine(session, key)


def test_a_receipt_opens_for_its_owner_only(session, vault, at, person, sign, draft):
    signed = sign(person, draft())
    view = signatures.receipt(session, vault, signed.row.receipt, 11)
    assert (view.draft, view.account_id, view.login, view.signed_at, view.withdrawn_at) == (
        draft(),
        11,
        "ada",
        at,
        None,
    )
    assert signatures.receipt(session, vault, signed.row.receipt, 12) is None
    assert signatures.receipt(session, vault, "R-other", 11) is None
    with pytest.raises(ValueError, match="not empty"):
        signatures.receipt(session, vault, "", 11)


def test_the_login_of_the_signing_is_kept(session, vault, at, person, sign, draft):
    signed = sign(person, draft())
    person_rows.ensure(within(session, vault, at, "x"), Account(11, "renamed"))
    assert signatures.receipt(session, vault, signed.row.receipt, 11).login == "ada"
    assert signed.row.login == "", "sealed with the evidence"


def test_the_plain_login_of_an_older_row_is_still_read(session, vault, at, person, sign, draft):
    fields = {"name": "Ada", "email": "ada@huawei.com", "fields": {}}
    sealed = vault.encrypt(person_rows.data_key(vault, person), json.dumps(fields).encode(), "signature|evidence|old")
    row = sign(person, draft()).row.model_dump() | {
        "id": "old",
        "receipt": "R-OLD",
        "login": "lovelace",
        "evidence": sealed,
    }
    session.add(SignatureRecord(**row))
    session.flush()

    assert signatures.receipt(session, vault, "R-OLD", 11).login == "lovelace"


def test_the_same_text_signed_twice_is_one_signature_until_it_is_withdrawn(session, vault, at, person, sign, draft):
    first = sign(person, draft())
    log_rows(session, vault)
    second = sign(person, draft(name="Other"), at + timedelta(seconds=1))
    assert (second.new, second.row.receipt, second.row.id, second.row.signed_at) == (
        False,
        first.row.receipt,
        first.row.id,
        at,
    )
    assert sign(person, draft(version="1.0", language="zh", source_sha256="d" * 64)).new
    withdrawals.withdraw(within(session, vault, at + timedelta(days=1), by=11), first.row.receipt)
    assert sign(person, draft(), at + timedelta(days=2)).new
    assert [mine.signed_at for mine in signatures.mine(session, 11)] == [at + timedelta(days=2), at, at]


def test_concurrent_signings_on_two_servers_give_one_signature(sessions, vault, at, draft):
    """The person's row makes the second wait."""
    start = Barrier(4)
    with sessions() as session:
        person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))

    def click(number):
        start.wait()
        with sessions() as session:
            person = person_rows.ensure(within(session, vault, at, "x"), Account(11, "ada"))
            signed = signatures.add(within(session, vault, at, f"s{number}"), person, draft(), receipt=f"R{number}")
            log_rows(session, vault)
            return signed

    with ThreadPoolExecutor(4) as pool:
        clicked = list(pool.map(click, range(4)))
    assert len({signed.row.receipt for signed in clicked}) == 1
    assert sorted(signed.new for signed in clicked) == [False, False, False, True]


@pytest.mark.parametrize(
    "name",
    [
        "agreement",
        "version",
        "language",
        "source_sha256",
        "shown_sha256",
        "statement_id",
        "statement_sha256",
        "identity_proof",
    ],
)
def test_a_signature_with_a_missing_part_is_refused(session, person, sign, draft, name):
    with pytest.raises(ValueError, match="not empty"):
        sign(person, draft(**{name: " "}))
    assert session.exec(select(SignatureRecord)).all() == []


def test_the_database_refuses_to_change_a_signature_row(sessions, vault, at, draft):
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))
        signatures.add(within(session, vault, at, "s1"), person, draft(), receipt="R1")
    with pytest.raises(DBAPIError, match="rows never change"), sessions() as session:
        session.exec(select(SignatureRecord)).one().version = "9.9"
    with sessions() as session:
        assert signatures.mine(session, 11)[0].version == "2.0"


def test_evidence_moved_to_another_signature_does_not_open(session, vault, at, person, sign, draft):
    signed = sign(person, draft())
    row = session.exec(select(SignatureRecord)).one()
    session.add(SignatureRecord(**(row.model_dump() | {"id": "forged", "receipt": "R-forged"})))
    session.flush()
    assert signatures.receipt(session, vault, signed.row.receipt, 11) is not None
    with pytest.raises(DecryptionFailed):
        signatures.receipt(session, vault, "R-forged", 11)


def test_a_printed_draft_shows_no_name_address_or_field(draft):
    assert not any(word in repr(draft()) for word in ("Ada", "ada@", "CN"))


def test_no_query_of_a_decision_reads_the_whole_table(engine, session, person, sign, draft):
    sign(person, draft())
    asked = []
    event.listen(
        engine, "before_cursor_execute", lambda _c, _cur, sql, parameters, _ctx, _many: asked.append((sql, parameters))
    )
    signatures.of(session, [11, 12], accepted=CATALOG)
    ((sql, parameters),) = tuple(asked)
    assert "evidence" not in sql
    connection = session.connection()
    if engine.dialect.name == "postgresql":
        connection.exec_driver_sql("SET enable_seqscan = off")
    explain = "EXPLAIN QUERY PLAN " if engine.dialect.name == "sqlite" else "EXPLAIN "
    plan = " ".join(str(row) for row in connection.exec_driver_sql(explain + sql, parameters))
    assert "ix_signature_account_id_agreement" in plan
    assert "SCAN signature" not in plan
    assert "Seq Scan on signature" not in plan


def test_a_signature_for_a_company_is_not_one_of_the_person(session, vault, person, draft, at):
    text = ("icla", "2.0", "en", "a" * 64)
    row = signatures.add(within(session, vault, at, "s1"), person, draft(), receipt="R-1", anew=True).row
    for_company = CompanyDraft(party="The CANN Authors", name="Huawei", agreement="icla", version="2.0", signed_at=at)
    companies.add(within(session, vault, new_id="c1"), for_company).signature_id = row.id
    session.flush()

    assert signatures.of(session, [11], accepted=[text]) == ()
    assert withdrawals.withdraw(within(session, vault, at, by=11), "R-1") is None
    own = signatures.add(within(session, vault, at, "s2"), person, draft(), receipt="R-2")
    assert own.new
    assert [signature.account_id for signature in signatures.of(session, [11], accepted=[text])] == [11]
    assert {signature.receipt: signature.company for signature in signatures.mine(session, 11)} == {
        "R-1": "Huawei",
        "R-2": None,
    }


def test_a_signature_before_an_erasure_is_listed_without_its_name(session, vault, person, draft, at):
    old = signatures.add(within(session, vault, at, "s1"), person, draft(), receipt="R-1")
    person.wrapped_key, person.erased_at = b"", at
    session.flush()
    back = person_rows.ensure(within(session, vault, at, "x"), Account(11, "ada"))
    new = signatures.add(within(session, vault, at + timedelta(days=1), "s2"), back, draft(), receipt="R-2")
    erased, shown = (signatures.receipt(session, vault, number, 11) for number in ("R-1", "R-2"))

    assert (old.new, new.new) == (True, True)
    assert (erased.erased, erased.draft.name, erased.draft.email, erased.draft.fields) == (True, "", "", {})
    assert (shown.erased, shown.draft.name) == (False, draft().name)
    assert {signature.receipt: signature.erased for signature in signatures.mine(session, 11)} == {
        "R-1": True,
        "R-2": False,
    }


@pytest.fixture(name="signed")
def _signed(session, vault, person, at, draft):
    """Stores a signature with changes and gives what counts of it; the catalog is empty."""

    def sign(**changes):
        signatures.add(within(session, vault, at, "s1"), person, draft(**changes), receipt="R1")
        return signatures.of(session, [11], accepted=[])

    return sign


@pytest.mark.parametrize("proof", sorted(signatures._EXTERNAL_PROOFS))
def test_a_signature_of_a_foreign_text_counts_by_its_version(signed, at, proof):
    found = signed(source_sha256=EXTERNAL_TEXT, identity_proof=proof, version="1.0")

    assert found == (
        facts.Signature(agreement="icla", version="1.0", account_id=11, party="The CANN Authors", signed_at=at),
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"source_sha256": EXTERNAL_TEXT, "identity_proof": "github-oauth"},
        {"source_sha256": "a" * 64, "identity_proof": "imported"},
        {"source_sha256": "EXTERNAL", "identity_proof": "imported"},
    ],
)
def test_a_text_signed_online_or_changed_since_does_not_count_by_its_version(signed, changes):
    assert signed(**changes) == ()
