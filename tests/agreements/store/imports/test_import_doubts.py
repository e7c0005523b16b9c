"""An erasure, a restriction or an ended signature of an account speaks against an imported list."""

from datetime import timedelta

import pytest

from agreements.facts import Account
from agreements.store.imports import import_doubts
from agreements.store.people import person_rows, signatures, withdrawals
from agreements.store.people.signatures import SignatureDraft
from agreements.store.tables.records import Erasure
from tests.within import within

HERE = SignatureDraft(party="The CANN Authors",
    agreement="icla", version="2.0", language="en", source_sha256="a" * 64, shown_sha256="a" * 64, statement_id="s",
    statement_sha256="b" * 64, identity_proof="github", name="Ada", email="ada@x.org",
)  # fmt: skip


@pytest.fixture(name="ada")
def _ada(session, vault, at):
    """Account 11."""
    return person_rows.ensure(within(session, vault, at, "p1"), Account(11, "ada"))


@pytest.fixture(name="doubt")
def _doubt(session, at):
    """Why a claim that account 11 signed icla so many days before now does not count by itself; empty when it does."""

    def doubt(days=365, agreement="icla"):
        claim = (11, at - timedelta(days))
        return import_doubts.found(session, [claim, (12, at)], agreement).get(claim, "")

    return doubt


@pytest.mark.parametrize(
    ("state", "why"), [("asked", ""), ("restricted", ""), ("deleted", "erased"), ("shredded", "erased")]
)
def test_an_executed_erasure_is_a_doubt_even_without_a_person_s_row(session, at, doubt, state, why):
    session.add(Erasure(id="e1", account_id=11, asked_at=at, state=state))
    assert doubt() == why


def test_a_person_who_came_back_after_an_erasure_is_still_a_doubt(session, vault, at, ada, doubt):
    assert doubt() == ""
    ada.wrapped_key, ada.erased_at = b"", at
    session.flush()
    assert doubt() == "erased"
    person_rows.ensure(within(session, vault, at, "p2"), Account(11, "ada"))
    assert doubt() == "erased"


def test_a_restriction_is_a_doubt(session, at, ada, doubt):
    ada.restricted_at = at
    session.flush()
    assert doubt() == "restricted"


def test_an_end_is_a_doubt_against_signatures_of_the_same_agreement_made_before_it(session, vault, at, ada, doubt):
    before = at - timedelta(30)
    signatures.add(within(session, vault, before, "s1"), ada, HERE, receipt="r1")
    assert doubt() == ""
    withdrawals.withdraw(within(session, vault, at - timedelta(20), by=11), "r1")

    assert [doubt(days) for days in (365, 20, 19)] == ["ended", "ended", ""]
    assert doubt(agreement="other") == ""
    signatures.add(within(session, vault, before, "s2"), ada, HERE, receipt="r2")
    withdrawals.revoke(within(session, vault, at - timedelta(10), by=90), "r2", reason="a mistake")
    assert [doubt(days) for days in (19, 10, 9)] == ["ended", "ended", ""]
