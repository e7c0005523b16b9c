"""Claims as they are read: the reading half of what test_domain_claims.py goes through."""

import pytest

from agreements.store.companies import domain_states


def test_no_claims(session, vault, at):
    """Nothing waits, nothing is due, nothing is held; an empty key is an error, never everybody's."""
    assert domain_states.pending(session, vault, at=at) == domain_states.due(session, vault, at=at) == ()
    assert domain_states.of_company(session, vault, "c1", at=at) == domain_states.held(session, "c1", at=at) == ()
    for look in (
        lambda: domain_states.of_company(session, vault, "", at=at),
        lambda: domain_states.held(session, None, at=at),
        lambda: domain_states.one(session, vault, " ", at=at),
    ):
        with pytest.raises(ValueError, match="key"):
            look()
