"""The pacer by itself: never more than GitHub allows, urgent writes first, and no write loses its place."""

import pytest

from bot.github.client.write_pacer import (
    GITHUB_BUDGET,
    HOUR_SECONDS,
    QUEUE_GRACE_SECONDS,
    STORM_END_SECONDS,
    STORM_WRITES,
    PacedWrite,
    WriteBudget,
    WritePacer,
    documented_budget,
    rank,
)

CHECK, LABEL, COMMENT = 1, 2, 3
SMALL = WriteBudget(4, 6)


def write(name, rank=CHECK, priority="normal"):
    """A write of that name."""
    return PacedWrite(name, rank, priority)


@pytest.mark.parametrize(
    ("path", "turn"),
    [
        ("/repos/o/n/check-runs", 1),
        ("/repos/o/n/check-runs/7", 1),
        ("/repos/o/n/labels", 2),
        ("/repos/o/n/issues/3/labels/cla-signed", 2),
        ("/repos/o/n/issues/3/comments", 3),
        ("/repos/o/n/issues/comments/3/reactions", 3),
        ("/repos/o/n/pulls", 3),
    ],
)
def test_check_runs_go_before_labels_and_labels_before_the_rest(path, turn):
    assert rank(path) == turn


@pytest.mark.parametrize(
    ("url", "budget"),
    [("https://api.github.com", GITHUB_BUDGET), ("https://api.octo.ghe.com", GITHUB_BUDGET),
     ("https://github.example.com/api/v3", None), ("http://127.0.0.1:8000", None), ("https://ghe.com.evil.org", None)],
)  # fmt: skip
def test_githubs_own_servers_have_a_budget_and_enterprise_servers_none(url, budget):
    assert documented_budget(url) == budget


def test_a_minute_and_an_hour_have_their_limits():
    pacer = WritePacer(SMALL)
    waits = [pacer.wait(write(f"w{n}"), float(n)) for n in range(5)]
    assert waits == [0, 0, 0, 0, 56]
    assert pacer.wait(write("w4"), 60.0) == 0
    assert pacer.wait(write("w5"), 61.0) == 0
    assert pacer.wait(write("w6"), 200.0) == HOUR_SECONDS - 200


def test_each_waiting_write_is_told_a_turn_of_its_own():
    pacer = WritePacer(WriteBudget(2, 100))
    assert [pacer.wait(write(f"w{n}"), 0.0) for n in range(7)] == [0, 0, 60, 60, 120, 120, 180]


def test_a_write_that_asks_again_keeps_its_place():
    pacer = WritePacer(WriteBudget(1, 100))
    for name, wait in [("a", 0), ("b", 60), ("c", 120), ("b", 60), ("b", 60), ("d", 180), ("c", 120)]:
        assert pacer.wait(write(name), 0.0) == wait
    assert pacer.wait(write("e"), 60.0) == 180  # the turn is b's, although e asks first
    assert pacer.wait(write("b"), 60.0) == 0
    assert pacer.wait(write("c"), 60.0) == 60


def test_an_unclaimed_place_is_given_away():
    """The pull request may be closed, or its process ended."""
    pacer = WritePacer(WriteBudget(1, 100))
    pacer.wait(write("a"), 0.0)
    pacer.wait(write("b"), 0.0)
    assert pacer.wait(write("c"), 60.0) == 60
    assert pacer.wait(write("c"), 61.0 + QUEUE_GRACE_SECONDS) == 0


def test_check_runs_of_all_go_before_labels_before_comments():
    pacer = WritePacer(WriteBudget(1, 100))
    assert pacer.wait(write("first"), 0.0) == 0
    assert pacer.wait(write("comment", COMMENT), 1.0) == 59
    assert pacer.wait(write("label", LABEL), 1.0) == 59
    assert pacer.wait(write("check"), 1.0) == 59

    order = []
    for at in (60.0, 120.0, 180.0):
        for name, turn in [("comment", COMMENT), ("label", LABEL), ("check", CHECK)]:
            if name not in order and pacer.wait(write(name, turn), at) == 0:
                order.append(name)
    assert order == ["check", "label", "comment"]


def test_labels_of_a_storm_wait_until_its_check_runs_are_written():
    pacer = WritePacer(GITHUB_BUDGET)
    for number in range(STORM_WRITES - 1):
        assert pacer.wait(write(f"check{number}"), float(number)) == 0
        assert pacer.wait(write(f"label{number}", LABEL), float(number)) == 0
    assert pacer.wait(write("check"), 10.0) == 0
    assert [pacer.wait(write("label", LABEL), at) for at in (10.0, 12.0)] == [STORM_END_SECONDS, STORM_END_SECONDS - 2]
    assert pacer.wait(write("one more"), 12.0) == 0
    assert [pacer.wait(write("label", LABEL), at) for at in (15.0, 17.0)] == [2, 0]
    assert [pacer.wait(write("comment", COMMENT), at) for at in (17.0, 22.0)] == [5, 0]  # for a storm of labels, too


@pytest.mark.parametrize("priority", ["urgent", "normal"])
def test_a_write_that_a_person_waits_for_makes_no_storm_and_waits_for_none(priority):
    pacer = WritePacer(GITHUB_BUDGET)
    assert all(pacer.wait(write(f"w{number}", CHECK, priority), 0.0) == 0 for number in range(STORM_WRITES))
    assert pacer.wait(write("mine", LABEL, "urgent"), 0.0) == 0
    assert pacer.wait(write("a sweep's", LABEL), 0.0) == (0 if priority == "urgent" else STORM_END_SECONDS)


def test_a_few_check_runs_now_and_then_make_no_storm():
    pacer = WritePacer(GITHUB_BUDGET)
    for number in range(3 * STORM_WRITES):
        at = 60.0 / (STORM_WRITES - 1) * number
        assert pacer.wait(write(f"check{number}"), at) == pacer.wait(write(f"label{number}", LABEL), at) == 0


def test_an_urgent_write_overtakes_a_storm():
    pacer = WritePacer(GITHUB_BUDGET)
    sent = sum(pacer.wait(write(f"w{n}"), 0.0) == 0 for n in range(1000))
    assert sent == 68
    assert [pacer.wait(write(f"new{n}", COMMENT, "urgent"), 1.0) for n in range(13)] == [0.0] * 12 + [59.0]


def storm(seconds):
    """Writes that are sent by a thousand pull requests, each coming back when told; by second and rank."""
    pacer, sent = WritePacer(GITHUB_BUDGET), []
    due = [(0.0, n, turn) for n in range(1000) for turn in (CHECK, LABEL)]
    for at in range(seconds):
        now = [entry for entry in due if entry[0] <= at]
        due = [entry for entry in due if entry[0] > at]
        for _, number, turn in now:
            wait = pacer.wait(write(f"{turn}/{number}", turn), float(at))
            if wait:
                due.append((at + wait, number, turn))
            else:
                sent.append((at, turn))
    return sent


@pytest.mark.slow
def test_a_storm_stays_within_both_limits_and_uses_them():
    sent = storm(3 * 3600)
    moments = [at for at, _ in sent]

    assert len(sent) == 3 * 425
    assert all(late - early >= 60 for early, late in zip(moments, moments[68:], strict=False))
    assert all(late - early >= 3600 for early, late in zip(moments, moments[425:], strict=False))
    before_it_was_a_storm = STORM_WRITES + STORM_WRITES - 1  # check runs, and labels of all but the last of them
    assert [turn for _, turn in sent[before_it_was_a_storm:][: 1000 - STORM_WRITES]] == [CHECK] * (1000 - STORM_WRITES)
    assert sum(turn == CHECK for _, turn in sent) == 1000


def test_a_write_counts_until_a_minute_after_its_answer():
    """GitHub counts a write when it arrives, which is between its sending and its answer."""
    pacer, slow = WritePacer(GITHUB_BUDGET), 0.7
    assert all(pacer.wait(write(f"w{number}", CHECK, "urgent"), 0.0) == 0 for number in range(80))
    pacer.ended(0.0, slow)
    assert [pacer.wait(write("next", CHECK, "urgent"), at) for at in (1.0, 60.0)] == [59.0, 0]
    for _ in range(79):
        pacer.ended(0.0, slow)
    assert pacer.wait(write("another", CHECK, "urgent"), 60.1) == pytest.approx(0.6)
    assert pacer.wait(write("another", CHECK, "urgent"), 60.7) == 0


def test_urgent_check_runs_go_before_urgent_labels_and_comments():
    pacer, sent = WritePacer(GITHUB_BUDGET), []
    assert all(pacer.wait(write(f"w{number}", CHECK, "urgent"), 0.0) == 0 for number in range(80))
    asked = [write("label", LABEL, "urgent"), write("comment", COMMENT, "urgent"), write("check", CHECK, "urgent")]
    asked += [write(f"more{number}", CHECK, "urgent") for number in range(79)]
    for request in asked:
        assert pacer.wait(request, 1.0) > 0
    for at in (60.0, 120.0):
        sent.append({request.key for request in asked if pacer.wait(request, at) == 0})
        asked = [request for request in asked if request.key not in sent[-1]]
    assert sent == [{"check", *(f"more{number}" for number in range(79))}, {"label", "comment"}]
