"""What became of an account here speaks against a list: an erasure, a restriction, an end of a signature since then."""

from datetime import timedelta

import pytest

from agreements.facts import Account
from agreements.store.imports import import_doubts
from agreements.store.people import person_rows, revocations, signatures
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
def test_a_wish_tells_of_who_has_no_row(session, at, doubt, state, why):
    """Whose data were deleted is no person any more; one that nobody has decided changes nothing."""
    session.add(Erasure(id="e1", account_id=11, asked_at=at, state=state))
    assert doubt() == why


def test_who_came_back_is_no_exception(session, vault, at, ada, doubt):
    """A new key does not bring back what was erased."""
    assert doubt() == ""
    ada.wrapped_key, ada.erased_at = b"", at
    session.flush()
    assert doubt() == "erased"
    person_rows.ensure(within(session, vault, at, "p2"), Account(11, "ada"))
    assert doubt() == "erased"


def test_a_restriction(session, at, ada, doubt):
    """Their wish stands against any list."""
    ada.restricted_at = at
    session.flush()
    assert doubt() == "restricted"


def test_an_end_stands_against_what_was_signed_before(session, vault, at, ada, doubt):
    """A withdrawal and a revocation alike, of any version; not against another agreement, or what was signed later."""
    before = at - timedelta(30)
    signatures.add(within(session, vault, before, "s1"), ada, HERE, receipt="r1")
    assert doubt() == ""
    signatures.withdraw(session, "r1", account_id=11, by_account_id=11, at=at - timedelta(20))

    assert [doubt(days) for days in (365, 20, 19)] == ["ended", "ended", ""]
    assert doubt(agreement="other") == ""
    signatures.add(within(session, vault, before, "s2"), ada, HERE, receipt="r2")
    revocations.revoke(within(session, vault, at - timedelta(10), by=90), "r2", reason="a mistake")
    assert [doubt(days) for days in (19, 10, 9)] == ["ended", "ended", ""]
