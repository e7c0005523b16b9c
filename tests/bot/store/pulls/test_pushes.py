"""The senders are all accounts that may have pushed a commit that is still there: rather one too many."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account, Commit
from bot.github.ports import BranchPush
from bot.store.pulls import posts, pushes
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.pushes import NO_COMMIT, PushChain, PushHistory
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import FirstSeen, PullRecord, PushRecord
from bot.store.statements import change
from tests.bot import claims
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANN, BOB, EVE = Account(1, "ann"), Account(2, "bob"), Account(3, "eve")
BOX = PullRequestIdentity(repository_id=11, number=5, installation_id=1, owner_id=7, owner="cann", name="ge")


def known(session, claim):
    """What a review finds of the pushes."""
    of = session.exec(select(PushRecord).where(PushRecord.pull_id == claim.pull_id).order_by(PushRecord.sequence)).all()
    seen = session.exec(select(FirstSeen).where(FirstSeen.pull_id == claim.pull_id)).all()
    pull = session.get(PullRecord, claim.pull_id, populate_existing=True)
    return PushHistory(of, {row.sequence: frozenset(row.shas) for row in seen}, pull.attributed)


def attributed(session, claim, shas, *, complete=True):
    """Who pushed these commits; what is tied is written down."""
    session.expire_all()
    found = pushes.attribute(known(session, claim), claim.latest, shas, complete=complete)
    pushes.write_attribution(session, claim.pull_id, found)
    change(session, PullRecord, {"id": claim.pull_id}, attributed=found.attributed)
    return found.senders


class Story:
    """One pull request through pushes and reviews."""

    def __init__(self, sessions):
        self.sessions, self.jobs, self.reviews = sessions, InlineEngine(lambda: NOON), 0

    def event(self, sender=None, after=None, before=""):
        """A delivery; with a sender and a head it is a push."""
        with self.sessions() as session:
            self.pull_id, sequence = posts.post(session, self.jobs, BOX)
            if sender:
                pushes.record(session, self.pull_id, sender, after=after, before=before, sequence=sequence)

    def begin(self):
        """A review takes the pull request."""
        self.reviews += 1
        with self.sessions() as session:
            return claims.begin(session, REVIEWS, self.jobs, self.pull_id, f"job {self.reviews}", at=NOON)

    def see(self, claim, shas, *, complete=True):
        """The review has read these commits; gives the logins of the senders."""
        with self.sessions() as session:
            found = attributed(session, claim, list(shas), complete=complete)
            # What is tied is tied: asked again, the same is said.
            assert not complete or attributed(session, claim, list(shas)) == found
        return [account.login for account in found]

    def review(self, shas, *, complete=True):
        """A whole review."""
        claim = self.begin()
        found = self.see(claim, shas, complete=complete)
        with self.sessions() as session:
            REVIEWS.finish(session, self.jobs, claim, at=NOON)
        return found


@pytest.fixture(name="story")
def _story(sessions):
    return Story(sessions)


def test_a_sender_counts_while_a_commit_of_theirs_is_there(story):
    story.event(ANN, "a2")
    assert story.review(["a1", "a2"]) == ["ann"]
    story.event(BOB, "b1")
    assert story.review(["a1", "a2", "b1"]) == ["ann", "bob"]
    story.event(ANN, "a3")
    assert story.review(["a1", "a2", "a3"]) == ["ann"]
    story.event(ANN, "x1")
    assert story.review(["x1"]) == ["ann"]


def test_a_review_without_news_has_the_same_senders(story):
    story.event(ANN, "a1")
    claim = story.begin()
    assert story.see(claim, ["a1"]) == story.see(claim, ["a1"]) == ["ann"]
    with story.sessions() as session:
        REVIEWS.finish(session, story.jobs, claim, at=NOON)
    story.event()
    assert story.review(["a1"]) == ["ann"]


def test_a_person_who_restores_an_older_head_is_a_sender(story):
    story.event(ANN, "a1")
    story.review(["a1"])
    story.event(ANN, "c1")
    story.review(["c1"])
    story.event(EVE, "a1")

    assert story.review(["a1"]) == ["ann", "eve"]


def test_a_push_read_before_its_event_still_gets_its_sender(story):
    story.event(ANN, "a1")
    assert story.review(["a1", "e1", "e2"]) == ["ann"]
    story.event(EVE, "e2")

    assert story.review(["a1", "e1", "e2"]) == ["ann", "eve"]
    story.event(ANN, "z1")
    assert story.review(["a1", "e1", "z1"]) == ["ann", "eve"]


def test_the_sender_of_an_unseen_head_counts_for_the_commits_that_stay(story):
    """It is unknown which of those commits are theirs."""
    story.event(ANN, "a1")
    assert story.review(["a1"]) == ["ann"]
    story.event(EVE, "e2")
    story.event(BOB, "b1")

    assert story.review(["a1", "e1", "b1"]) == ["ann", "bob", "eve"]


def test_the_late_event_of_an_overwritten_push_counts(story):
    story.event(ANN, "a1")
    story.review(["a1"])
    story.event()
    assert story.review(["a1", "e1"]) == ["ann"]
    story.event(EVE, "e2")

    assert "eve" in story.review(["a1", "e1"])


def test_an_incomplete_list_of_commits_leaves_pushes_for_the_next_review(story):
    story.event(ANN, "a2")
    assert story.review(["a1"], complete=False) == ["ann"], "a person counts before what they pushed is tied"
    story.event()

    assert story.review(["a1", "a2"]) == ["ann"]


def test_an_event_after_the_claim_waits_for_the_next_review(story):
    story.event(ANN, "a1")
    claim = story.begin()
    story.event(EVE, "e1")
    assert story.see(claim, ["a1"]) == ["ann"]
    with story.sessions() as session:
        REVIEWS.finish(session, story.jobs, claim, at=NOON)

    assert story.review(["a1", "e1"]) == ["ann", "eve"]


def test_commits_older_than_the_installation_have_no_sender(story):
    story.event()
    assert story.review(["a1"]) == []
    story.event(BOB, "b1")
    assert story.review(["a1", "b1"]) == ["bob"]
    story.event()
    assert story.review(["a1"]) == []


def test_a_sender_is_an_account_id_shown_by_its_last_login(story):
    story.event(Account(9, "old-name", "Bot"), "a1")
    story.review(["a1"])
    story.event(Account(9, "new-name", "Bot"), "a2")
    claim = story.begin()

    with story.sessions() as session:
        assert attributed(session, claim, ["a1", "a2"]) == (Account(9, "new-name", "Bot"),)
        assert attributed(session, claim, ["a1"]) == (Account(9, "old-name", "Bot"),)


def chain(story, claim=None):
    """What the pushes that a review covers say."""
    claim = claim or story.begin()
    with story.sessions() as session:
        return pushes.chain(known(session, claim), claim.latest)


def test_the_chain_has_the_heads_that_the_claim_covers(story):
    story.event(ANN, "1")
    story.event()
    story.event(BOB, "2", before="1")
    claim = story.begin()
    story.event(EVE, "3", before="2")
    found = chain(story, claim)
    with story.sessions() as session:
        last = pushes.last(known(session, claim), claim.latest)
    assert found.heads == {"1", "2"}
    assert (last.after, last.sender_id, last.sequence) == ("2", BOB.id, 3)
    assert (found.missing("2"), found.missing("3")) == (frozenset(), {"3"})


def test_a_pull_request_found_by_listing_misses_no_push(story):
    story.event()
    found = chain(story)
    assert found == PushChain()
    assert found.missing("1") == frozenset()


def test_a_new_head_of_a_judged_pull_request_without_an_event_is_missing(story):
    story.event()
    story.review(["1", "2"])
    story.event()
    found = chain(story)
    assert found.missing("3") == {"3"}
    assert found.missing("1") == frozenset()


@pytest.mark.parametrize(
    ("heard", "holes"),
    [
        ([("1", ""), ("2", "1"), ("3", "2")], ""),
        ([("1", ""), ("3", "2"), ("2", "1")], ""),
        ([("1", ""), ("3", "2")], "2"),
        ([("1", ""), ("3", "2"), ("4", "3")], "2"),
        ([("1", ""), ("3", "2"), ("3", "")], ""),
        ([("1", ""), ("3", "2"), ("3", ""), ("5", "4")], "4"),
        ([("3", "2")], ""),
        ([("3", "2"), ("5", "4")], "4"),
        ([("3", "2"), ("1", ""), ("2", "1")], ""),
        ([("1", ""), ("2", NO_COMMIT)], ""),
    ],
    ids=[
        "a chain", "out of order", "one is missing", "one before the last is missing", "reopened",
        "missing after a reopening", "first heard of by a push", "first heard of by a push, then one is missing",
        "the opening came late", "the branch was made anew",
    ],
)  # fmt: skip
@pytest.mark.parametrize("reviewed", [False, True], ids=["at once", "with a review between"])
def test_a_replaced_head_without_an_event_is_a_hole_in_the_chain(story, heard, holes, reviewed):
    for after, before in heard:
        story.event(ANN, after, before=before)
        if reviewed:
            claim = story.begin()
            missing = chain(story, claim).missing(after)
            story.see(claim, [after], complete=not missing)
            with story.sessions() as session:
                REVIEWS.finish(session, story.jobs, claim, at=NOON)
    story.event()
    if not reviewed or heard != [("1", ""), ("3", "2"), ("2", "1")]:  # with reviews the late one was missing in between
        assert chain(story).holes == frozenset(holes)


@pytest.mark.parametrize(
    ("late", "head", "holes"),
    [(("1", ""), "3", "2"), (("3", ""), "3", ""), (("9", ""), "9", ""), (("2", ""), "3", "")],
    ids=["what was there before", "what is there", "what came while it was closed", "just below"],
)
def test_an_event_answers_for_the_heads_before_it_was_sent(story, late, head, holes):
    story.event(ANN, "1")
    story.review(["1"])
    story.event(BOB, "3", before="2")
    story.event(ANN, late[0], before=late[1])
    claim = story.begin()
    with story.sessions() as session:
        assert pushes.chain(known(session, claim), claim.latest, head).missing(head) == frozenset(holes)


def test_the_first_push_with_an_event_begins_the_chain_for_good(story):
    story.event(ANN, "2", before="1")
    killed = story.begin()
    story.see(killed, ["1", "2"])
    assert chain(story, killed).missing("2") == frozenset()
    with story.sessions() as session:
        REVIEWS.give_up(session, story.jobs, killed, "killed", at=NOON)
    story.event()
    story.review(["1", "2"])
    story.event(BOB, "3", before="2")
    story.review(["1", "2", "3"])
    story.event()
    assert chain(story).missing("3") == frozenset()


@pytest.mark.parametrize(("after", "before", "holes"), [("5", "2", ""), ("5", "4", "4"), ("2", "4", "")])
def test_a_judged_pull_request_without_events_begins_the_chain_at_its_head(story, after, before, holes):
    story.event()
    story.review(["1", "2"])
    story.event(ANN, after, before=before)
    assert chain(story).holes == frozenset(holes)


def push(account, before, after, minute=0):
    """A push as GitHub recorded it."""
    return BranchPush(account, before, after, NOON + timedelta(minutes=minute))


def test_only_recorded_pushes_that_lead_to_a_missing_head_fill_it(story):
    recorded = [
        push(EVE, NO_COMMIT, "1"), push(ANN, "1", "2", 1), push(BOB, "2", "3", 2), push(EVE, "3", "4", 3), push(ANN, "4", "5", 4)
    ]  # fmt: skip
    filling = pushes.pushes_to_missing_heads(frozenset({"4"}), recorded, known=frozenset({"2", "5"}))
    assert [branch_push.after for branch_push in filling] == ["3", "4"]
    assert pushes.pushes_to_missing_heads(frozenset({"9"}), recorded, known=frozenset()) == ()


def test_every_account_that_made_a_missing_head_is_a_sender(story):
    recorded = [push(BOB, "1", "2"), push(ANN, "2", "1", 1), push(EVE, "1", "2", 2)]
    filling = pushes.pushes_to_missing_heads(frozenset({"2"}), recorded, known=frozenset({"1"}))
    assert [branch_push.account for branch_push in filling] == [BOB, EVE]


def test_people_who_pushed_since_count_before_their_commits_are_known(story):
    robot = Account(9, "robot[bot]", "Bot")
    story.event(ANN, "1")
    story.review(["1"])
    story.event(robot, "2", before="1")
    story.event(BOB, "3", before="2")
    story.event(robot, "4", before="3")
    claim = story.begin()
    story.event(EVE, "5", before="4")
    with story.sessions() as session:
        found = attributed(session, claim, ["1", "9"], complete=False)
        assert [account.login for account in found] == ["ann", "bob"]
        found = attributed(session, claim, ["1", "4"], complete=False)
        assert [account.login for account in found] == ["ann", "bob", "robot[bot]"]
    story.see(claim, ["1", "2", "3", "4"])
    with story.sessions() as session:
        assert attributed(session, claim, ["9"], complete=False) == ()


def commits(**parents):
    """The commits with these SHAs and parents."""
    return [Commit(sha=sha, parents=tuple(of.split())) for sha, of in parents.items()]


@pytest.mark.parametrize(("row", "batches", "own"), [
    ({"before": "a", "after": "b"}, {}, "b"), ({"before": "a", "after": "c"}, {}, "b c"), ({"before": "b", "after": "c"}, {}, "c"),
    ({"before": "", "after": "c"}, {}, ""), ({"before": "", "after": "c"}, {1: "a b"}, ""),  # It only reopened the pull request.
    ({"before": "gone", "after": "c"}, {}, "a b c"), ({"before": "gone", "after": "c"}, {1: "a b"}, "c"), ({"before": "gone", "after": "c"}, {1: "a", 9: "b c"}, "b c"),
    ({"before": "a", "after": "gone"}, {}, ""), ({"before": "c", "after": "a"}, {}, ""), ({"before": "a", "after": "b", "sender_id": 1}, {}, ""),
])  # fmt: skip
def test_a_push_brings_the_commits_between_the_heads_before_and_after_it(row, batches, own):
    push = PushRecord(**{"sequence": 5, "sender_id": 2, **row})
    seen = {number: frozenset(shas.split()) for number, shas in batches.items()}
    assert pushes.brought(PushHistory([push], seen), commits(a="base", b="a", c="b"), 2) == frozenset(own.split())


@pytest.mark.parametrize(("events", "own"), [
    ([(2, 6, "", "x"), (2, 7, "x", "c")], "a b c"),  # A review found the pull request before any event came.
    ([(2, 6, "", "x"), (2, 7, "x", "b"), (2, 8, "b", "c")], "a b c"),
    ([(1, 6, "", "x"), (2, 7, "x", "c")], "a b c"),
    ([(1, 6, "", "c"), (1, 7, "c", "x"), (2, 8, "x", "c")], ""),  # It led back to what another person had pushed.
    ([(1, 6, "c", "x"), (2, 8, "x", "c")], ""),
    ([(2, 7, "x", "c")], ""),  # Not known what came before.
    ([(1, 2, "", "c"), (1, 4, "c", "x"), (2, 7, "x", "c")], ""),
])  # fmt: skip
def test_a_forced_push_that_a_review_saw_before_its_event_brings_its_commits(events, own):
    rows = [
        PushRecord(sender_id=sender, sequence=sequence, before=before, after=after)
        for sender, sequence, before, after in events
    ]
    known = PushHistory(rows, {5: frozenset("abc")})
    assert pushes.brought(known, commits(a="base", b="a", c="b"), 2) == frozenset(own.split())


def test_a_merge_brings_what_its_second_parent_leads_to():
    push = PushRecord(sequence=5, sender_id=2, before="a", after="m")
    assert pushes.brought(PushHistory([push]), commits(a="base", x="base", m="a x"), 2) == {"x", "m"}


@pytest.mark.parametrize(("sender", "opener_id", "missing"), [
    (Account(9, "robot[bot]", "Bot"), 9, ""), (Account(9, "robot[bot]", "Bot"), 1, "a"), (Account(9, "robot[bot]", "Bot"), None, "a"), (BOB, 1, ""),
])  # fmt: skip
def test_a_bot_that_is_not_the_opener_answers_for_no_push_by_a_reopening(sender, opener_id, missing):
    """The events came out of order: `opened`, or `reopened`, is not the first."""
    who = {"sender_id": sender.id, "sender_type": sender.type}
    rows = [("b", "c"), ("", "a"), ("a", "b")]
    received = [
        PushRecord(sequence=place, before=before, after=after, **who) for place, (before, after) in enumerate(rows)
    ]
    found = pushes.chain(PushHistory(received), 9, "c", opener_id=opener_id)
    assert found.missing("c") == frozenset(missing)
