"""An override is for one head of one pull request, once for a comment, with a sealed reason."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from agreements.facts import Account, Override
from agreements.vault import DecryptionFailed
from bot.store.pulls import overrides, posts
from bot.store.pulls.overrides import OverrideDraft
from bot.store.pulls.posts import PullRequestIdentity
from tests.bot.jobs.inline import InlineEngine
from tests.within import within

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HEAD, OTHER = "a" * 40, "b" * 40
MIA = Account(12, "mia")


@pytest.fixture(name="draft")
def _draft(sessions):
    """An override of the CLA on a stored pull request."""
    box = PullRequestIdentity(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")
    with sessions() as session:
        pull_id = posts.post(session, InlineEngine(), box)[0]
    return OverrideDraft(
        pull_id=pull_id,
        kind="cla",
        account_id=2**40,
        head_sha=HEAD,
        by=MIA,
        by_role="maintain",
        comment_id=31,
        reason="为何 why",
    )


def test_overrides_of_a_head_are_read_oldest_first_with_their_reasons(sessions, vault, draft):
    with sessions() as session:
        later = NOON + timedelta(minutes=1)
        dco = replace(draft, kind="dco", account_id=None, comment_id=32, reason="r")
        assert overrides.add(within(session, vault, later, "o1"), dco)
        assert overrides.add(within(session, vault, NOON, "o2"), draft)
    with sessions() as session:
        assert overrides.read(vault, overrides.on_head(session, draft.pull_id, HEAD)) == (
            Override(kind="cla", account_id=2**40, head_sha=HEAD, by=MIA, reason="为何 why"),
            Override(kind="dco", account_id=None, head_sha=HEAD, by=MIA, reason="r"),
        )
        assert overrides.read(vault, overrides.on_head(session, draft.pull_id, OTHER)) == ()
        assert overrides.read(vault, overrides.on_head(session, draft.pull_id + 1, HEAD)) == ()


def test_a_comment_counts_for_one_head_alone(sessions, vault, draft):
    with sessions() as session:
        overrides.add(within(session, vault, NOON, "o1"), draft)
    with sessions() as session:
        assert not overrides.add(within(session, vault, NOON, "o2"), replace(draft, head_sha=OTHER))
        assert overrides.read(vault, overrides.on_head(session, draft.pull_id, OTHER)) == ()


def test_a_reason_is_sealed_and_opens_in_its_own_row_alone(sessions, vault, draft):
    with sessions() as session:
        overrides.add(within(session, vault, NOON, "o1"), draft)
        overrides.add(within(session, vault, NOON, "o2"), replace(draft, comment_id=32, head_sha=OTHER))
    with sessions() as session:
        rows = session.execute(text("SELECT reason FROM override")).scalars().all()
        assert not any(b"why" in bytes(row) for row in rows)
        session.execute(text("UPDATE override SET reason = (SELECT reason FROM override WHERE id = 'o1')"))
        session.expire_all()
        assert overrides.read(vault, overrides.on_head(session, draft.pull_id, HEAD))
        with pytest.raises(DecryptionFailed):
            overrides.read(vault, overrides.on_head(session, draft.pull_id, OTHER))


def test_all_overrides_are_listed_newest_first(sessions, vault, draft):
    with sessions() as session:
        overrides.add(within(session, vault, NOON, "o1"), draft)
        dco = replace(draft, kind="dco", account_id=None, comment_id=32, reason="r")
        overrides.add(within(session, vault, NOON + timedelta(minutes=1), "o2"), dco)
        first, second = overrides.newest(session, vault, skip=0, most=5)
        assert overrides.newest(session, vault, skip=1, most=5) == (second,)

    assert (first.account_id, first.reason) == (None, "r")
    assert (second.owner, second.name, second.number, second.head_sha) == ("cann", "ge", 1, HEAD)
    assert (second.account_id, second.by, second.by_role, second.reason) == (2**40, MIA, "maintain", "为何 why")


def test_overrides_are_located_by_their_ids(sessions, vault, draft):
    with sessions() as session:
        overrides.add(within(session, vault, NOON, "o1"), draft)
        assert overrides.places(session, ["o1", "o9"]) == {"o1": ("cann", "ge", 1)}
        assert overrides.places(session, []) == {}
