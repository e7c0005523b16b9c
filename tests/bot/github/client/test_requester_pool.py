"""Many threads, one hub: each request is sent once with its own token, and its caller gets its answer."""

import sys
import threading
import time
from collections import Counter

import pytest

from agreements.github_server import GITHUB_COM
from bot.github.client.requester_pool import RequesterPool
from bot.github.connection import connect
from bot.github.ports import RepositoryPlace
from tests.bot.github.conftest import HERE

THREADS, COMMENTS = 12, 120


@pytest.fixture(name="hub")
def _hub(server, key):
    made = connect(
        app_id=7, server=GITHUB_COM, private_key=key, api_url=f"http://127.0.0.1:{server.server_port}", pause=0
    )
    yield made
    made.close()


@pytest.fixture(name="hasty")
def _hasty():
    """Threads take turns fifty times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.0001)
    yield
    sys.setswitchinterval(before)


def by_threads(work, count):
    """`work(number)` by so many threads at the same time; what each gave, in order of their numbers."""
    given = {}
    threads = [
        threading.Thread(target=lambda number=number: given.update({number: work(number)})) for number in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [given.get(number) for number in range(count)]


@pytest.mark.slow
@pytest.mark.usefixtures("hasty")
def test_twelve_threads_never_send_each_others_comments(server, hub):
    def comment(thread):
        mine = range(thread * COMMENTS, (thread + 1) * COMMENTS)
        return [(number, hub.create_comment(HERE, number, str(number))) for number in mine]

    told = [pair for mine in by_threads(comment, THREADS) for pair in mine]

    every = range(THREADS * COMMENTS)
    assert [(number, given) for number, given in told if number != given] == []
    sent = Counter(server.heard)
    assert {(f"/repos/cann/ops/issues/{number}/comments", str(number)) for number in every} - sent.keys() == set()
    assert set(sent.values()) == {1}
    assert len(server.minted) == 1
    assert server.connections <= THREADS


def test_eight_threads_with_a_revoked_token_mint_one_more(server, hub):
    hub.create_comment(HERE, 1, "1")
    server.revoked, server.together = set(server.minted), threading.Barrier(8, timeout=10)

    assert by_threads(lambda number: hub.create_comment(HERE, number, str(number)), 8) == list(range(8))
    assert server.minted == ["ghs_0", "ghs_1"]


def test_calls_one_after_the_other_need_one_connection(server, hub):
    for installation in (77, 78, 79):
        hub.create_comment(RepositoryPlace(installation, "cann", "ops", 900), 1, "1")

    assert len(server.minted) == 3
    assert server.connections == 1


def test_a_connection_in_use_while_the_pool_closes_is_closed_after(server):
    pool = RequesterPool(f"http://127.0.0.1:{server.server_port}", patience=0, pause=0)
    with pool.requester() as mine:
        mine.requestJson("GET", "/x")
        with pool.requester() as other:
            assert other is not mine
            other.requestJson("GET", "/y")
        pool.close()
        mine.requestJson("GET", "/z")

    assert server.connections == 2
    deadline = time.monotonic() + 10
    while len(server.ended) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
