"""An override is for one head of one pull request, once for a comment, with a sealed reason."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from agreements.facts import Account, Override
from agreements.vault import DecryptionFailed
from bot.store.pulls import overrides, posts, review_case
from bot.store.pulls.overrides import OverrideDraft
from bot.store.pulls.posts import PullRequestIdentity
from tests.bot.jobs.inline import InlineEngine
from tests.bot.store.pulls.test_pull_state import fetch_snapshot
from tests.within import within

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HEAD, OTHER = "a" * 40, "b" * 40
MIA = Account(12, "mia")


def posted(sessions, number):
    """A stored pull request of that number."""
    box = PullRequestIdentity(repository_id=11, number=number, installation_id=1, owner_id=7, owner="cann", name="ge")
    with sessions() as session:
        return posts.post(session, InlineEngine(), box)[0]


def given(session, vault, pull_id, head):
    """The overrides on that head, as a review reads them."""
    return overrides.read(vault, review_case.read(session, pull_id, fetch_snapshot(head_sha=head)).overrides)


@pytest.fixture(name="draft")
def _draft(sessions):
    """An override of the CLA on a stored pull request."""
    return OverrideDraft(
        pull_id=posted(sessions, 1),
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
        assert given(session, vault, draft.pull_id, HEAD) == (
            Override(kind="cla", account_id=2**40, head_sha=HEAD, by=MIA, reason="为何 why"),
            Override(kind="dco", account_id=None, head_sha=HEAD, by=MIA, reason="r"),
        )
        assert given(session, vault, draft.pull_id, OTHER) == ()
        assert given(session, vault, posted(sessions, 2), HEAD) == ()


def test_a_comment_counts_for_one_head_alone(sessions, vault, draft):
    with sessions() as session:
        overrides.add(within(session, vault, NOON, "o1"), draft)
    with sessions() as session:
        assert not overrides.add(within(session, vault, NOON, "o2"), replace(draft, head_sha=OTHER))
        assert given(session, vault, draft.pull_id, OTHER) == ()


def test_a_button_counts_once_for_each_person_and_head(sessions, vault, draft):
    pressed = replace(draft, kind="vouch", account_id=None, comment_id=None)
    drafts = [pressed, pressed, replace(pressed, by=Account(13, "bo")), replace(pressed, head_sha=OTHER)]
    for number, press in enumerate(drafts):
        with sessions() as session:
            stored = overrides.add(within(session, vault, NOON, f"o{number}"), press)
            assert (stored is None) is (number == 1)


def test_a_reason_is_sealed_and_opens_in_its_own_row_alone(sessions, vault, draft):
    with sessions() as session:
        overrides.add(within(session, vault, NOON, "o1"), draft)
        overrides.add(within(session, vault, NOON, "o2"), replace(draft, comment_id=32, head_sha=OTHER))
    with sessions() as session:
        rows = session.execute(text("SELECT reason FROM override")).scalars().all()
        assert not any(b"why" in bytes(row) for row in rows)
        session.execute(text("UPDATE override SET reason = (SELECT reason FROM override WHERE id = 'o1')"))
        session.expire_all()
        assert given(session, vault, draft.pull_id, HEAD)
        with pytest.raises(DecryptionFailed):
            given(session, vault, draft.pull_id, OTHER)


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
