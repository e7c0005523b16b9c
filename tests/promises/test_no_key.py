"""No look-up is ever made without a key, on either database: `col == None` would become IS NULL and find every row."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event

from agreements.facts import Account, Entry
from agreements.store.companies import company_agreements, company_entries, company_rows
from agreements.store.people import emails, person_rows, signatures, withdrawals
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.signatures import SignatureDraft
from tests.agreements.store.company import add_company
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)
LATER = AT + timedelta(days=1)
TEXT = ("icla", "2.0", "en", "a" * 64)
NO_ID = (None, 0, -1, True, "", "11")
NO_TEXT = (None, "", " ")


@pytest.fixture(name="session")
def _session(sessions, vault):
    """Records of which every one has something that it lacks: entries without account or address or domain, open ends."""
    with sessions() as session:
        ada = person_rows.ensure(within(session, vault, AT, "p11"), Account(11, "ada"))
        draft = SignatureDraft(party="The CANN Authors",
            agreement="icla", version="2.0", language="en", source_sha256="a" * 64, shown_sha256="b" * 64, statement_id="agree",
            statement_sha256="c" * 64, identity_proof="github-oauth", name="Ada", email="ada@home.example", fields={},
        )  # fmt: skip
        signatures.add(within(session, vault, AT, "s1"), ada, draft, receipt="r1")
        emails.prove(
            within(session, vault, new_id="e1"), ada, ProvenAddress(address="ada@huawei.com", how="mailed-code", at=AT)
        )
        add_company(
            session, vault, AT, "c1", Entry(account_id=11), Entry(email="ada@huawei.com"), Entry(domain="huawei.com")
        )
        yield session


def _look_ups(session, vault):
    """Every look-up by a key, as (with an id, with a text)."""
    by_id = [
        lambda key: signatures.of(session, [key], accepted=[TEXT]), lambda key: signatures.of(session, [11, key], accepted=[TEXT]),
        lambda key: signatures.mine(session, key), lambda key: signatures.receipt(session, vault, "r1", key),
        lambda key: withdrawals.withdraw(within(session, vault, LATER, by=key), "r1"), lambda key: emails.proven(session, vault, [key], AT),
        lambda key: company_agreements.relevant(session, vault, [key], [], accepted=()), lambda key: company_agreements.relevant(session, vault, [11, key], ["ada@huawei.com"], accepted=()),
        lambda key: person_rows.find(session, key),
    ]  # fmt: skip
    by_text = [
        lambda key: signatures.receipt(session, vault, key, 11), lambda key: withdrawals.withdraw(within(session, vault, LATER, by=11), key),
        lambda key: emails.prove(within(session, vault, new_id="e2"), person_rows.find(session, 11), ProvenAddress(address=key, how="mailed-code", at=AT)),
        lambda key: company_rows.find(session, key),
        lambda key: company_rows.locked(session, key), lambda key: company_entries.read_entry(session, vault, "c1", key, at=LATER),
    ]  # fmt: skip
    return by_id, by_text


def test_no_look_up_is_made_without_a_key(session, vault):
    by_id, by_text = _look_ups(session, vault)
    session.flush()
    asked = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda _c, _u, text, *_: asked.append(text))
    for look_up in by_id:
        for key in NO_ID:
            with pytest.raises(ValueError, match="look-up needs"):
                look_up(key)
    for look_up in by_text:
        for key in NO_TEXT:
            with pytest.raises(ValueError, match="look-up needs"):
                look_up(key)
    assert [text for text in asked if "IS NULL" in text.upper()] == []


def test_the_same_look_ups_find_rows_with_their_keys(session, vault):
    by_id, _ = _look_ups(session, vault)
    assert all(look_up(11) for look_up in by_id)
    assert [not look_up(12) for look_up in by_id if look_up not in (by_id[1], by_id[7])] == [True] * 7


def test_invalid_addresses_find_nothing(session, vault):
    assert (
        company_agreements.relevant(session, vault, [], ["", " ", "@", "huawei.com", "ada@@huawei.com"], accepted=())
        == ()
    )
    assert company_agreements.relevant(session, vault, [], [], accepted=()) == ()
    assert signatures.of(session, [], accepted=[TEXT]) == ()
    assert emails.proven(session, vault, [], AT) == {}
    with pytest.raises(ValueError, match="look-up needs"):
        company_agreements.relevant(session, vault, [], ["ada@huawei.com", None], accepted=())
    assert len(company_agreements.relevant(session, vault, [], ["x@huawei.com"], accepted=())[0].covers) == 1
