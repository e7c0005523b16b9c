"""What goes wrong, phase by phase; each on a place of its own, from a seed of its own."""

import math
import threading
import time
import urllib.error
import urllib.request
from datetime import timedelta

from bot import clock
from bot.demo.github import faults
from bot.demo.github.faults import Fault
from tests.bot.demo.github import github_deeds
from tests.bot.demo.github.github_deeds import FOREVER
from tests.chaos import servers
from tests.chaos.databases import filled
from tests.chaos.place import Result, concluded, opened


def kills(kind, seed, *, count=200, share=0.25, roles=None, hastened=False):
    """Processes are killed by SIGKILL while people work: of ours, and with PostgreSQL, a `share` of the times, of the database.

    `hastened` waits for no moment to which a job was put off.
    """
    began, result = time.monotonic(), Result("kills", kind, seed)
    with opened(kind, seed, roles=roles) as place:
        place.serve()
        place.begin_deeds()
        ours = theirs = 0
        back = []
        for _ in range(count):
            time.sleep(place.chance.uniform(0.1, 1.2))
            if kind == "postgres" and place.chance.random() < share:
                theirs += 1
                _kill_database(place)
                continue
            victim = _victim(place, back)
            ours += 1
            victim.kill()
            again = threading.Thread(
                target=place.restart, args=(victim,), kwargs={"after": place.chance.uniform(0, 0.8)}
            )
            again.start()
            back.append(again)
        for again in back:
            again.join()
        _revive(place)
        result.figures = {"kills of ours": ours, "kills of the database": theirs}
        return concluded(place, result, began=began, hastened=hastened)


def _victim(place, back):
    """A process that is ready; what ended by itself, as a replica may whose database went away, is started again."""
    while not (ready := [server for server in place.servers if server.is_running and server.is_ready()]):
        if not any(again.is_alive() for again in back):
            _start_ended(place)
        time.sleep(0.05)
    return place.chance.choice(ready)


def _start_ended(place):
    for server in place.servers:
        if not server.is_running:
            server.start()


def _kill_database(place):
    if place.chance.random() < 0.3:
        place.database.kill_one(place.chance)
        return
    place.database.kill()
    time.sleep(place.chance.uniform(0, 0.5))
    place.database.start()


def _revive(place):
    """All is there again, as the operator sees to it."""
    _start_ended(place)
    for server in place.servers:
        server.wait()


def disk(kind, seed, *, seconds=20):
    """The database's disk is full for so long, twice."""
    began, result = time.monotonic(), Result("disk", kind, seed)
    with opened(kind, seed, on_small_disk=True) as place:
        place.serve()
        place.begin_deeds()
        for _ in range(2):
            time.sleep(6)
            with filled(place.disk):
                time.sleep(seconds)
                result.figures["not ready while full"] = not _is_ready(place)
            place.database.start()
            _revive(place)
        time.sleep(3)
        return concluded(place, result, began=began)


def _is_ready(place):
    try:
        with urllib.request.urlopen(f"{place.stage.url}/readyz", timeout=10) as answer:
            return answer.status == 200
    except OSError:  # also what urllib raises for 503
        return False


def database(kind, seed, *, seconds=60):
    """The database is away: PostgreSQL is down, SQLite's file is locked by another process."""
    began, result = time.monotonic(), Result("database", kind, seed)
    with opened(kind, seed) as place:
        place.serve()
        place.begin_deeds()
        time.sleep(5)
        with place.database.away():
            time.sleep(seconds)
        _revive(place)
        time.sleep(3)
        return concluded(place, result, began=began)


def away(kind, seed, *, seconds=120):
    """GitHub's API is away, for the most part as 502, else as a reset; how long after its return the last verdict is there."""
    began, result = time.monotonic(), Result("away", kind, seed)
    with opened(kind, seed) as place:
        place.serve()
        place.begin_deeds()
        time.sleep(5)
        _go_away(place)
        time.sleep(seconds)
        place.end_deeds()
        place.world.faults.clear()
        returned = time.monotonic()
        while place.oracle.github().all and time.monotonic() - returned < 180:
            time.sleep(0.1)
        after = time.monotonic() - returned
        result.figures = {"seconds away": seconds, "last verdict after GitHub's return, s": round(after, 1),
                          "calls that met it": len(place.world.faults.happened)}  # fmt: skip
        if after > 15:
            place.trouble.append(f"the last verdict came {after:.0f} s after GitHub's return, not within 15")
        return concluded(place, result, began=began, swept=False)


def _go_away(place):
    for _ in range(2000):
        times = place.chance.randint(1, 8)
        fault = Fault(reset=True, times=times) if place.chance.random() < 0.3 else github_deeds.bad_gateway(times=times)
        place.world.faults.add(fault)
    place.world.faults.add(github_deeds.bad_gateway(times=FOREVER))


class Lapse:
    """A wall clock that goes `rate` times as fast from a moment on."""

    def __init__(self, rate):
        self.rate, self.start = rate, clock.now()

    def __call__(self):
        """The moment that it shows."""
        return self.start + (clock.now() - self.start) * self.rate

    @property
    def words(self):
        """For a process that starts now, in libfaketime's words."""
        ahead = (self() - clock.now()).total_seconds()
        return f"+{ahead:.3f}s x{self.rate}"


def lapse(kind, seed, *, minutes=30, rate=20):
    """GitHub is away half an hour by every wall clock, which go twenty times as fast; only the breaker's seconds are real."""
    began, result = time.monotonic(), Result("lapse", kind, seed)
    # One worker: by clocks that go so fast a second one would seem silent between two signs of life.
    with opened(kind, seed, roles=None if kind == "sqlite" else ("web", "web", "worker")) as place:
        fast = Lapse(rate)
        place.world.clock = place.world.hooks._clock = fast
        place.database.hasten(fast.start, rate)
        for server in place.servers:
            server.extra = servers.clock(fast.words)
            server.start()
        place.serve()
        place.begin_deeds()
        time.sleep(5)
        _go_away(place)
        time.sleep(minutes * 60 / rate)
        place.end_deeds()
        place.world.faults.clear()
        result.figures = {"minutes away by the clock": minutes, "rate": rate}
        return concluded(place, result, began=began, swept=False)


def slow(kind, seed, *, seconds=45):
    """Each call to GitHub takes nine seconds."""
    began, result = time.monotonic(), Result("slow", kind, seed)
    with opened(kind, seed) as place:
        place.serve()
        place.begin_deeds(pause=1.0)
        time.sleep(3)
        place.world.faults.add(Fault(delay=9, times=FOREVER))
        time.sleep(seconds)
        place.world.faults.clear()
        result.figures = {"slow calls": len(place.world.faults.happened)}
        return concluded(place, result, began=began)


def limits(kind, seed, *, seconds=10):
    """Rate limits in every form: 403 and 429, with and without Retry-After, and the primary one."""
    began, result = time.monotonic(), Result("limits", kind, seed)
    with opened(kind, seed) as place:
        place.serve()
        place.begin_deeds()
        time.sleep(3)
        named = [lambda: github_deeds.secondary_limit(403, retry_after=5, times=FOREVER),
                 lambda: github_deeds.secondary_limit(429, retry_after=5, times=FOREVER),
                 lambda: github_deeds.primary_limit(math.ceil(clock.now().timestamp()) + seconds, times=FOREVER)]  # fmt: skip
        place.chance.shuffle(named)
        for make in named:
            place.world.faults.add(make())
            time.sleep(seconds)
            place.world.faults.clear()
            time.sleep(3)
        met = len(place.world.faults.happened)
        for status in (403, 429):
            place.world.faults.add(github_deeds.secondary_limit(status))
        time.sleep(seconds)
        result.figures = {"calls refused in 30 s of named limits": met}
        result = concluded(place, result, began=began, within=240)
        result.figures["calls refused in all"] = len(place.world.faults.happened)
        return result


def wire(kind, seed, *, seconds=60):
    """Calls fail in every way on the wire, several a second: 502 before and after the effect, cut bodies, resets, delays."""
    began, result = time.monotonic(), Result("wire", kind, seed)
    with opened(kind, seed) as place:
        place.serve()
        place.begin_deeds()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            place.world.faults.add(_mishap(place.chance))
            time.sleep(place.chance.uniform(0.05, 0.5))
        place.world.faults.clear()
        result.figures = {"faults met": len(place.world.faults.happened)}
        return concluded(place, result, began=began)


def _mishap(chance):
    method = chance.choice(("*", "POST", "POST", "PATCH"))
    return chance.choice(
        (
            github_deeds.bad_gateway(method=method, after=True),
            github_deeds.bad_gateway(method=method),
            Fault(method=method, cut=chance.randint(0, 200)),
            Fault(method=method, reset=True),
            Fault(method=method, reset=True, after=True),
            Fault(method=method, delay=chance.uniform(0.5, 3)),
            faults.refusal(500, "Server Error", method=method, after=True),
        )
    )


def clocks(kind, seed, *, seconds=30):
    """Clocks an hour ahead and an hour behind, at once where there are several processes; then set right."""
    began, result = time.monotonic(), Result("clocks", kind, seed)
    with opened(kind, seed) as place:
        place.clocks_apart = timedelta(hours=2)
        place.serve()
        place.begin_deeds()
        for turn in range(2):
            for number, server in enumerate(place.servers):
                server.stop()
                server.extra = servers.clock("+3600s" if (number + turn) % 2 else "-3600s")
                server.start()
            place.serve()
            time.sleep(seconds)
        for server in place.servers:
            server.kill()
            server.extra = {}
        place.serve()
        time.sleep(3)
        result.figures = {"hours off": "+1 and -1"}
        return concluded(place, result, began=began)


def frozen(kind, seed, *, times=3):
    """A process is stopped in the middle of its work for longer than it may be silent, and continued."""
    began, result = time.monotonic(), Result("frozen", kind, seed)
    with opened(kind, seed) as place:
        place.world.latency = 0.1  # so that it is in the middle of something
        place.serve()
        place.begin_deeds()
        working = [server for server in place.servers if server.role != "web"]
        for number in range(times):
            time.sleep(4)
            victim = working[number % len(working)]
            victim.freeze()
            time.sleep(place.chance.uniform(35, 45) if kind == "postgres" else 15)
            victim.thaw()
        place.world.latency = 0.0
        time.sleep(3)
        result.figures = {"times": times}
        return concluded(place, result, began=began)


def rolling(kind, seed, *, rounds=3):
    """Each process in turn is told to end and started anew, while requests come without a pause; none of them may fail."""
    began, result = time.monotonic(), Result("rolling", kind, seed)
    if kind == "sqlite":
        raise servers.Lacking("a rolling restart needs two web processes, which share PostgreSQL alone")
    with opened(kind, seed) as place:
        place.serve()
        place.world.hooks.drain()
        before = len(place.world.hooks.log)  # no server listened when the App was installed
        place.begin_deeds()
        asked, failed, ending = [0], [], threading.Event()
        while _refusal(place):  # no contributor can sign until the rulebook was read
            time.sleep(0.2)
        askers = [threading.Thread(target=_ask, args=(place, asked, failed, ending)) for _ in range(3)]
        for thread in askers:
            thread.start()
        codes = set()
        for _ in range(rounds):
            for server in place.servers:
                codes.add(server.stop())
                server.start()
                server.wait()
                time.sleep(0.5)
        ending.set()
        for asker in askers:
            asker.join()
        sent = place.world.hooks.log[before:]
        refused = [delivery for delivery in sent if delivery.attempts and not delivery.attempts[0].is_success]
        result.figures = {"restarts": rounds * len(place.servers), "requests": asked[0], "failed requests": len(failed),
                          "failed deliveries": len(refused)}  # fmt: skip
        place.trouble += failed[:5] + [f"delivery answered {delivery.statuses}" for delivery in refused[:5]]
        place.trouble += [f"exit code {code}" for code in sorted(codes - {0})]
        return concluded(place, result, began=began)


def _ask(place, asked, failed, ending):
    """Pages, one after the other, each on a connection of its own."""
    while not ending.is_set():
        asked[0] += 1
        if refusal := _refusal(place):
            failed.append(f"page: {refusal}")
        time.sleep(0.02)


def _refusal(place):
    """Why the page to sign does not answer; "" when it does."""
    try:
        with urllib.request.urlopen(f"{place.stage.url}/sign/icla", timeout=20) as answer:
            answer.read()
    except (OSError, urllib.error.URLError) as error:
        return str(error)
    return ""


ALL = {
    phase.__name__: phase for phase in (kills, disk, database, away, lapse, slow, limits, wire, clocks, frozen, rolling)
}
"""Each phase by its name."""
