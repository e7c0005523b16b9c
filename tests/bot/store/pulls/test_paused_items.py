"""An item that is reversed three times is paused, and a refused item for an hour on its head."""

import itertools
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from bot.store.pulls import paused_items, posts, pull_state
from bot.store.pulls.paused_items import MAX_REVERSALS, PAUSES, REFUSAL_PAUSE, PausedItem, PausedItems
from bot.store.pulls.posts import PullRequestIdentity
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HEAD, NEXT = "a" * 40, "b" * 40
LABEL = paused_items.about_label(HEAD, "cla-required")
SECOND = timedelta(seconds=1)


@pytest.fixture(name="pull_id")
def _pull_id(sessions):
    """An open pull request at HEAD with our label."""
    box = PullRequestIdentity(repository_id=11, number=3, installation_id=1, owner_id=7, owner="cann", name="ge")
    with sessions() as session:
        (posted,) = posts.post_all(session, InlineEngine(), [posts.Post(pull=box, after=HEAD)])
        pull_state.labelled(session, posted.pull_id, "cla-required", at=NOON)
        return posted.pull_id


def paused(session, pull_id):
    """What a review knows of it."""
    kinds = itertools.product(get_args(paused_items.Kind), ("reversed", "refused"))
    rows = {key: session.get(PausedItem, (pull_id, *key), populate_existing=True) for key in kinds}
    return PausedItems({key: row for key, row in rows.items() if row is not None})


def reverse(sessions, pull_id, *moments, kind="label", about=LABEL, by=""):
    """An account takes the item back at these moments; how often in the end, and whether the item is paused then."""
    with sessions() as session:
        for at in moments:
            times = paused_items.count_reversal(session, pull_id, kind, about, reversed_by=by, at=at)
        return times, paused(session, pull_id).is_reversed(kind, about, at=moments[-1])


@pytest.mark.parametrize(("times", "expected"), [(MAX_REVERSALS - 1, False), (MAX_REVERSALS, True)])
def test_an_item_is_paused_at_the_third_reversal(sessions, pull_id, times, expected):
    assert reverse(sessions, pull_id, *[NOON] * times) == (times, expected)


@pytest.mark.parametrize(("kind", "pause"), PAUSES.items())
def test_reversals_count_together_within_the_pause_alone(sessions, pull_id, kind, pause):
    assert reverse(sessions, pull_id, NOON, NOON, NOON + pause, kind=kind) == (3, True)
    assert reverse(sessions, pull_id, NOON, NOON, NOON + pause + SECOND, kind=kind, about="else") == (1, False)


def test_reversals_are_counted_for_each_head_and_label_apart(sessions, pull_id):
    reverse(sessions, pull_id, NOON, NOON)
    assert reverse(sessions, pull_id, NOON, about=paused_items.about_label(NEXT, "cla-required")) == (1, False)
    assert reverse(sessions, pull_id, NOON, NOON, NOON) == (3, True)
    assert reverse(sessions, pull_id, NOON, NOON, NOON, kind="check", about=HEAD) == (3, True)
    with sessions() as session:
        for about in (paused_items.about_label(NEXT, "cla-required"), paused_items.about_label(HEAD, "cla-signed")):
            assert not paused(session, pull_id).is_reversed("label", about, at=NOON)


def test_a_pause_ends_by_itself_and_holds_under_a_clock_set_back(sessions, pull_id):
    reverse(sessions, pull_id, NOON, NOON, NOON, kind="check", about=HEAD)
    end = NOON + PAUSES["check"]
    with sessions() as session:
        for at, expected in [(NOON, True), (end - SECOND, True), (end, False), (NOON - SECOND, False)]:
            assert paused(session, pull_id).is_reversed("check", HEAD, at=at) is expected
        assert len(paused_items.stopped(session, at=end - SECOND)) == 1
        assert paused_items.stopped(session, at=end) == []


@pytest.mark.parametrize("change", [{"head_sha": NEXT}, {"label": "cla-signed"}, {"open": False}])
def test_only_pauses_in_force_are_listed_newest_first(sessions, pull_id, change):
    reverse(sessions, pull_id, NOON, NOON, NOON, by="other[bot]")
    reverse(sessions, pull_id, NOON, NOON, kind="comment", about="")
    with sessions() as session:
        (found,) = paused_items.stopped(session, at=NOON)
        assert (found.repository, found.number, found.kind, found.reversed_by) == ("cann/ge", 3, "label", "other[bot]")
        pull_state._set(session, pull_id, **change)
        assert paused_items.stopped(session, at=NOON) == []


def test_a_refusal_pauses_its_item_on_that_head_for_an_hour(sessions, pull_id):
    with sessions() as session:
        paused_items.remember_refusal(session, pull_id, "comment", HEAD, at=NOON)
        later = NOON + REFUSAL_PAUSE
        for kind, head, at, expected in [
            ("comment", HEAD, NOON, True), ("comment", HEAD, later - SECOND, True), ("comment", HEAD, later, False),
            ("comment", NEXT, NOON, False), ("label", HEAD, NOON, False),
        ]:  # fmt: skip
            assert paused(session, pull_id).is_refused(kind, head, at=at) is expected
        assert paused_items.stopped(session, at=NOON) == []


def test_resuming_ends_all_pauses_and_returns_their_number(sessions, pull_id):
    reverse(sessions, pull_id, NOON, NOON, NOON)
    with sessions() as session:
        paused_items.remember_refusal(session, pull_id, "comment", HEAD, at=NOON)
        assert [paused_items.resume(session, pull_id) for _ in range(2)] == [2, 0]
        assert paused_items.stopped(session, at=NOON) == []
