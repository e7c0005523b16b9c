"""The table of parties takes one row for each agreement."""

import pytest
from sqlalchemy.exc import IntegrityError

from agreements.facts import Account
from agreements.store.people import person_rows, signatures
from agreements.store.tables.records import PartyRecord
from tests.within import within


@pytest.mark.parametrize(
    "changes",
    [{"signature_id": None}, {"company_id": "c1"}, {"how": "guessed"}, {"party": None}, {"signature_id": "gone"}, {}],
)
def test_a_party_row_with_no_or_two_agreements_or_an_unknown_way_is_refused(  # noqa: PLR0917 - fixtures
    session, vault, at, person, draft, asking, changes
):
    asking()
    signatures.add(within(session, vault, at, "s1"), person, draft(party=None), receipt="R1")
    row = {"signature_id": "s1", "party": "One", "how": "derived", "at": at}
    session.add(PartyRecord(id="first", **row))
    session.flush()
    if changes:
        other = person_rows.ensure(within(session, vault, at, "p99"), Account(99, "eve"))
        signatures.add(within(session, vault, at, "s2"), other, draft(party=None), receipt="R2")
        row = {**row, "signature_id": "s2"}
    session.add(PartyRecord(id="second", **{**row, **changes}))
    with pytest.raises(IntegrityError):
        session.flush()
    session.rollback()
