"""Breakers and pacers of all callers, by a clock that the test moves."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from bot.github.availability import AppRefused, CircuitOpen, Paced
from bot.github.client.admission_control import AdmissionControl
from bot.github.client.write_pacer import PacedWrite, WriteBudget

NOON = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
RESET = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOON.timestamp()) + 100)}


class Controlled:
    """A control whose two clocks are the test's."""

    def __init__(self, budget=None, on_recovery=None):
        self.at = 1000.0
        self.recovered = []
        self.control = AdmissionControl(
            budget,
            on_recovery=on_recovery or self.recovered.append,
            now=lambda: NOON + timedelta(seconds=self.at - 1000),
            monotonic=lambda: self.at,
        )

    def call(self, caller, come, *told, write=None, number=None):
        """One exchange, and what came of it."""
        number = number or self.control.new_call()
        with self.control.admit(caller, number, write) as admission:
            return getattr(admission, come)(*told)

    def outage(self, caller=77):
        """Three calls fail."""
        for _ in range(3):
            self.call(caller, "failed", "502 to GET /repos/…/…")

    def conditions(self):
        """Of GitHub as a whole and of all callers."""
        return {state.installation or state.scope: state.condition for state in self.control.states()}


@pytest.fixture(name="it")
def _it():
    return Controlled()


def test_an_outage_of_one_installation_leaves_the_others_alone(it):
    it.outage()

    with pytest.raises(CircuitOpen) as caught:
        it.control.check(77)
    assert str(caught.value) == "GitHub does not answer: 502 to GET /repos/…/…, since 2026-11-21 12:00:00 UTC"
    assert caught.value.retry_after == 5.0
    it.call(78, "answered", {})
    it.call("app", "answered", {})
    assert it.conditions() == {"host": "healthy", 77: "open", 78: "healthy", "app": "healthy"}


def test_an_app_that_is_refused_is_an_outage_of_its_own(it):
    it.call("app", "unauthorized", "the private key does not match App 7")

    with pytest.raises(
        AppRefused, match=r"^the private key does not match App 7, since 2026-11-21 12:00:00 UTC$"
    ) as caught:
        it.control.check("app")
    assert caught.value.retry_after == 5.0
    it.call(77, "answered", {})
    assert it.conditions() == {"host": "healthy", "app": "open", 77: "healthy"}
    it.at += 5
    assert it.control.due() == ("app",)
    it.call("app", "answered", {})
    assert it.recovered == [None]


def test_without_a_connection_all_callers_are_spared(it):
    for caller in (77, 78, 77):
        it.call(caller, "unreached", "GitHub at x cannot be reached")

    for caller in (77, 79, "app", "nobody"):
        with pytest.raises(CircuitOpen, match=r"^GitHub at x cannot be reached, since .* UTC$"):
            it.control.admit(caller, 9)
    assert it.control.state(79).scope == "host"
    it.at += 5
    assert it.control.due() == ("host",)
    it.call(79, "answered", {})
    assert it.recovered == [None]
    assert set(it.conditions().values()) == {"healthy"}


def test_an_error_of_the_server_ends_the_outage_of_the_connection(it):
    for _ in range(3):
        it.call(77, "unreached", "ConnectTimeout")
    it.at += 5
    it.call(77, "failed", "502 to GET /app")

    assert it.recovered == [None]
    assert it.conditions() == {"host": "healthy", 77: "failing"}


def test_a_limit_is_named_with_its_end(it):
    assert it.call(77, "limited", "GitHub answered 403 to GET /x", {"retry-after": "90"}) == 90.0

    state = it.control.state(77)
    assert (state.condition, state.until) == ("open", NOON + timedelta(seconds=90))
    assert state.cause == "GitHub asked to wait until 2026-11-21 12:01:30 UTC: GitHub answered 403 to GET /x"
    assert it.control.due() == ()
    it.at += 90
    assert it.control.due() == (77,)
    it.call(77, "answered", {})
    assert it.recovered == [77]


def test_the_last_call_that_is_allowed_opens_the_breaker(it):
    it.call(77, "answered", RESET)
    assert it.control.state(77).remaining == 0
    with pytest.raises(CircuitOpen, match="used up"):
        it.control.check(77)
    it.at += 101
    it.call(77, "answered", {**RESET, "x-ratelimit-reset": str(int(NOON.timestamp()) + 200)})
    assert it.recovered == []
    assert it.control.state(77).condition == "open"


def test_a_call_that_proves_nothing_gives_the_probe_back(it):
    it.outage()
    it.at += 5
    it.call(77, "unclear")
    with it.control.admit(77, 50), pytest.raises(CircuitOpen):
        it.control.check(77)
    it.call(77, "answered", {})

    assert it.recovered == [77]


@pytest.mark.parametrize("caller", ["app", "nobody"])
def test_a_recovery_of_the_app_or_the_host_wakes_all_callers(it, caller):
    """Tokens are minted by the App."""
    it.outage(caller)
    it.at += 5
    it.call(caller, "answered", {})

    assert it.recovered == [None]


def test_a_recovery_callback_may_fail_and_may_ask_for_the_state():
    seen = []

    def tell(whom):
        seen.append(it.control.state(whom).condition)
        raise ValueError

    it = Controlled(on_recovery=tell)
    it.outage()
    it.at += 5
    it.call(77, "answered", {"x-ratelimit-remaining": "4999"})

    assert seen == ["healthy"]
    assert it.control.state(77).remaining == 4999


def test_writes_are_paced_for_each_installation():
    it = Controlled(WriteBudget(1, 10))
    write, other = PacedWrite("a", 1), PacedWrite("b", 1)
    it.call(77, "answered", {}, write=write)
    with pytest.raises(
        Paced, match=r"^GitHub's limit for writes is reached; writes resume at 2026-11-21 12:01:00 UTC$"
    ) as caught:
        it.call(77, "answered", {}, write=other)
    assert caught.value.retry_after == 60.0
    it.call(77, "answered", {})
    it.call(78, "answered", {}, write=other)
    it.call("app", "answered", {}, write=other)
    it.call("app", "answered", {}, write=other)

    it.outage()
    it.at += 5
    with pytest.raises(Paced):
        it.call(77, "answered", {}, write=other)
    it.call(77, "answered", {})
    assert it.recovered == [77]


def test_a_clock_that_is_set_back_makes_no_wait_longer(it):
    it.call(77, "limited", "403", {"retry-after": "60"})
    before = it.control.state(77).until
    it.control.now = lambda: NOON - timedelta(hours=1)

    assert it.control.state(77).until == before - timedelta(hours=1)
    it.at += 60
    it.control.check(77)


def test_a_caller_that_never_called_is_healthy(it):
    assert it.control.state(5).condition == "healthy"
    assert it.conditions() == {"host": "healthy"}


def test_processes_share_the_write_budget():
    it = Controlled(WriteBudget(8, 100, reserved_per_minute=2))

    def sent(caller, count, among):
        """How many of these go at once."""
        it.at += 100 * 3600  # no write waits for a turn any more
        it.control.share_writes(among)
        done = 0
        for number in range(count):
            with suppress(Paced):
                it.call(caller, "answered", {}, write=PacedWrite(f"w{it.at}/{number}", 1))
                done += 1
        return done

    assert [sent(77, 10, among) for among in (1, 2, 4, 99, 1)] == [6, 3, 1, 1, 6]
    it.control.share_writes(3)
    assert sent(78, 10, 3) == 2
