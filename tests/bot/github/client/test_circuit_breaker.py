"""The breaker by itself: what opens it, when it lets one call through, what closes it."""

import pytest

from bot.github.client.circuit_breaker import MAX_LIMIT_WAIT, PROBE_WAIT, CircuitBreaker

DOWN, LIMIT = "502", "403"


def after(*steps):
    """A breaker after these steps: (moment, call, what came of it[, named wait]); each is admitted and settled at once."""
    breaker = CircuitBreaker()
    for at, call, came, *wait in steps:
        assert breaker.refusal(at) is None, f"refused at {at}"
        permit = breaker.admit(call, at)
        settle(breaker, permit, came, at, *wait)
    return breaker


def settle(breaker, permit, came, at, wait=None):
    """What came of an exchange."""
    if came == "ok":
        return breaker.answered(permit)
    if came == "limit":
        return breaker.limited(permit, LIMIT, at, wait)
    if came == "no":
        return breaker.refused(permit, DOWN, at)
    if came == "nothing":
        return breaker.abandon(permit)
    return breaker.failed(permit, DOWN, at, wait)


OUTAGE = [(0, 1, "down"), (1, 1, "down"), (2, 2, "down")]
CASES = {
    "nothing happened": ([], "healthy", None, None),
    "an answer": ([(0, 1, "ok")], "healthy", None, None),
    "one failure": ([(0, 1, "down")], "failing", None, 0),
    "one call, repeated": ([(at, 1, "down") for at in range(4)], "failing", None, 0),
    "two calls, two failures": ([(0, 1, "down"), (1, 2, "down")], "failing", None, 0),
    "three failures of two calls": (OUTAGE, "open", 7, 0),
    "an answer between": ([(0, 1, "down"), (1, 1, "down"), (1, 3, "ok"), (2, 2, "down")], "failing", None, 2),
    "a 503 that names a moment": ([(0, 1, "down", 20)], "open", 20, 0),
    "one that names a far moment": ([(0, 1, "down", 3600)], "open", 60, 0),
    "the probe fails": ([*OUTAGE, (7, 3, "down")], "open", 17, 0),
    "and again": ([*OUTAGE, (7, 3, "down"), (17, 4, "down")], "open", 27, 0),
    "the probe meets a limit": ([*OUTAGE, (7, 3, "limit", 30)], "open", 37, 7),
    "the probe succeeds": ([*OUTAGE, (7, 3, "ok")], "healthy", None, None),
    "it begins anew": ([*OUTAGE, (7, 3, "ok"), *[(8, call, "down") for call in (4, 5, 6)]], "open", 13, 8),
    "a limit": ([(0, 1, "limit", 30)], "open", 30, 0),
    "a limit after failures": ([(0, 1, "down"), (2, 2, "limit", 30)], "open", 32, 2),
    "a limit of no time": ([(0, 1, "limit", 0)], "open", 1, 0),
    "a limit for ever": ([(0, 1, "limit", 1e9)], "open", MAX_LIMIT_WAIT, 0),
    "a limit that names no moment": ([(0, 1, "limit")], "open", 60, 0),
    "and comes back": ([(0, 1, "limit"), (60, 2, "limit")], "open", 180, 0),
    "and again and again": ([(0, 1, "limit"), (60, 2, "limit"), (180, 3, "limit"), (420, 4, "limit"),
                             (900, 5, "limit"), (1800, 6, "limit")], "open", 2700, 0),
    "soon after its end": ([(0, 1, "limit"), (60, 2, "ok"), (100, 3, "limit")], "open", 220, 100),
    "long after its end": ([(0, 1, "limit"), (60, 2, "ok"), (700, 3, "limit")], "open", 760, 700),
    "who asks is refused": ([(0, 1, "no")], "open", 5, 0),
    "and again, ever more seldom": ([(0, 1, "no"), (5, 2, "no"), (65, 3, "no")], "open", 125, 0),
    "and accepted": ([(0, 1, "no"), (5, 2, "no"), (65, 3, "ok")], "healthy", None, None),
    "refused after an outage": ([*OUTAGE, (7, 3, "no")], "open", 67, 0),
    "a limit, then an outage": ([(0, 1, "limit", 30), (30, 2, "down")], "open", 40, 0),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "condition", "until", "since"), CASES.values(), ids=CASES)
def test_each_kind_of_failure_opens_the_breaker_for_its_time(steps, condition, until, since):
    state = after(*steps).state()

    assert (state.condition, state.until, state.since) == (condition, until, since)
    assert bool(state.cause) == (condition != "healthy")


def test_an_open_breaker_lets_one_probe_through():
    breaker = after(*OUTAGE)

    assert breaker.refusal(2.0) == 5.0
    assert not breaker.is_due(6.9)
    assert breaker.is_due(7.0)
    breaker.admit(9, 7.0)
    assert breaker.refusal(7.0) == PROBE_WAIT
    assert not breaker.is_due(8.0)


def test_a_probe_that_proved_nothing_is_given_to_another_call():
    breaker = after(*OUTAGE)
    breaker.abandon(breaker.admit(9, 7.0))

    assert breaker.refusal(7.0) is None


def test_a_probe_that_hangs_counts_from_its_beginning():
    breaker = after(*OUTAGE)
    probe = breaker.admit(9, 7.0)
    breaker.failed(probe, DOWN, 16.0)
    assert breaker.refusal(16.0) == 1.0
    probe = breaker.admit(10, 17.0)
    breaker.failed(probe, DOWN, 40.0)
    assert breaker.refusal(40.0) is None


@pytest.mark.parametrize(("came", "until"), [("ok", 7), ("down", 7), ("nothing", 7), ("limit", 7)])
def test_answers_to_calls_from_before_the_outage_change_little(came, until):
    breaker = CircuitBreaker()
    late = breaker.admit(7, 0.0)
    for at, call, _ in OUTAGE:
        breaker.failed(breaker.admit(call, at), DOWN, at)
    settle(breaker, late, came, 3.0)

    assert breaker.state().until == until
    assert breaker.state().condition == "open"


def test_sixty_refusals_at_once_are_one_limit():
    breaker = CircuitBreaker()
    permits = [breaker.admit(call, 0.0) for call in range(60)]
    waits = [breaker.limited(permit, LIMIT, 1.0, None) for permit in permits[:59]]
    assert set(waits) == {60.0}
    assert breaker.limited(permits[59], LIMIT, 2.0, 90.0) == 90.0

    assert breaker.state().until == 92.0


def test_failures_of_calls_from_before_the_recovery_change_nothing():
    breaker = CircuitBreaker()
    late = breaker.admit(7, 0.0)
    for at, call, _ in OUTAGE:
        breaker.failed(breaker.admit(call, at), DOWN, at)
    breaker.answered(breaker.admit(8, 7.0))
    assert breaker.state().condition == "healthy"
    breaker.failed(late, DOWN, 8.0)

    assert breaker.state().condition == "healthy"
