"""A signature of somebody else's text counts by its version alone, and only when it came the way such ones come."""

import pytest

from agreements import facts
from agreements.store.people import external_signatures, signatures
from agreements.store.people.external_signatures import EXTERNAL_TEXT


@pytest.fixture(name="signed")
def _signed(session, vault, person, at, draft):
    """Stores a signature with changes and gives what counts of it; the catalog is empty."""

    def sign(**changes):
        signatures.add(session, vault, person, draft(**changes), at=at, new_id="s1", receipt="R1")
        return signatures.of(session, [11], accepted=[])

    return sign


@pytest.mark.parametrize("proof", sorted(external_signatures.PROOFS))
def test_it_counts_by_its_version(signed, at, proof):
    """No catalog knows the text: the rulebook's `accept` says whether that version is enough."""
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
def test_nothing_else_does(signed, changes):
    """Who signs here signs a text of the catalog; a text of the catalog that changed is no foreign one."""
    assert signed(**changes) == ()
