"""A body arrives in time, in size and within the memory for all, or is not taken."""

import asyncio
from contextlib import suppress

import pytest

from bot.server import request_body
from bot.server.exchange import Disconnected, Exchange, Rejected
from bot.server.request_body import MemoryBudget
from tests.asgi import Client, run


def taken(pieces, *, length=None, budget=None, limit=100, seconds=10.0):
    """What reading that body gives or raises, and the pieces that were seen on the way."""
    told, seen = [], []
    budget = budget or MemoryBudget(1000)

    async def application(scope, receive, send):
        exchange = Exchange(scope, receive, send)
        try:
            told.append(await request_body.read(exchange, budget, limit=limit, seconds=seconds, each=seen.append))
        except (Rejected, Disconnected) as error:
            told.append(error)
        await exchange.answer(200, {})

    length = sum(len(piece or b"") for piece in pieces) if length is None else length
    headers = [("Content-Length", str(length))] if length else []
    run(Client(application).ask("POST", "/", headers, pieces))
    return told[0], seen, budget


def test_a_body_in_pieces_is_whole_and_its_memory_held_until_given_back():
    body, seen, budget = taken([b"ab", b"cd", b"e"])

    assert (body.data, body.is_whole, seen, budget.held) == (b"abcde", True, [b"ab", b"cd", b"e"], 5)
    body.give_back()
    assert budget.held == 0


def test_without_an_announced_body_nothing_is_waited_for():
    body, seen, budget = taken([None])

    assert (body.data, body.is_whole, seen, budget.held) == (b"", True, [], 0)


def test_reading_stops_behind_the_limit():
    body, seen, _ = taken([b"x" * 60] * 5)

    assert (body.size, body.is_whole, len(seen)) == (120, False, 2)


def test_a_body_that_does_not_come_is_408():
    error, _, budget = taken([b"ab", None], length=9, seconds=0.1)

    assert (error.status, budget.held) == (408, 0)


def test_a_client_that_leaves_midway_holds_no_memory():
    error, _, budget = taken([], length=9)

    assert isinstance(error, Disconnected)
    assert budget.held == 0


def test_a_body_without_room_is_503():
    error, _, budget = taken([b"x" * 60] * 3, budget=MemoryBudget(100), limit=1000)

    assert (error.status, budget.held) == (503, 0)


def test_the_older_of_two_bodies_is_503_when_room_is_short():
    async def story():
        budget, told = MemoryBudget(100), {}

        async def application(scope, receive, send):
            exchange = Exchange(scope, receive, send)
            try:
                body = await request_body.read(exchange, budget, limit=1000)
                told[scope["path"]] = body.size
            except Rejected as error:
                told[scope["path"]] = error.status
            await exchange.answer(200, {})

        client = Client(application)
        slow = asyncio.create_task(client.ask("POST", "/slow", [("Content-Length", "90")], [b"x" * 60, None]))
        await asyncio.sleep(0.01)
        await client.ask("POST", "/fast", [("Content-Length", "80")], [b"x" * 40] * 2)
        await asyncio.wait_for(slow, 1)
        return told

    assert run(story()) == {"/slow": 503, "/fast": 80}


@pytest.mark.parametrize("broken", ["x", "-5"])
def test_an_invalid_announced_length_is_refused_unread(broken):
    async def application(scope, receive, send):
        exchange = Exchange(scope, receive, send)
        with pytest.raises(Rejected):
            await request_body.read(exchange, MemoryBudget(10), limit=10)
        await exchange.answer(200, {})

    run(Client(application).ask("POST", "/", [("Content-Length", broken)], [None]))


def test_memory_given_back_twice_is_free_once():
    async def story():
        budget = MemoryBudget(100)
        async with asyncio.timeout(10) as deadline:
            await asyncio.sleep(0)
            share = budget.share(deadline)
            share.take(60)
            share.take(40)
            assert budget.held == 100
            share.give_back()
            share.give_back()
        assert budget.held == 0

    run(story())


def test_the_oldest_body_makes_room_and_is_told_at_once():
    async def story():
        budget, ended = MemoryBudget(100), []

        async def slow(name):
            try:
                async with asyncio.timeout(60) as deadline:
                    share = budget.share(deadline)
                    share.take(50)
                    await asyncio.sleep(60)
            except TimeoutError:
                ended.append((name, share.is_dropped))

        tasks = [asyncio.create_task(slow("first"))]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(slow("second")))
        await asyncio.sleep(0)
        async with asyncio.timeout(10) as deadline:
            await asyncio.sleep(0)
            share = budget.share(deadline)
            share.take(30)
            share.arrived()
        await asyncio.sleep(0.05)
        assert ended == [("first", True)]
        assert budget.held == 80
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run(story())


def test_a_whole_body_is_never_dropped_and_the_newest_is_refused():
    async def story():
        budget = MemoryBudget(100)
        async with asyncio.timeout(10) as first, asyncio.timeout(10) as second:
            await asyncio.sleep(0)
            whole, late = budget.share(first), budget.share(second)
            whole.take(90)
            whole.arrived()
            with pytest.raises(Rejected) as refused:
                late.take(20)
            assert refused.value.status == 503
        assert (budget.held, whole.is_dropped, late.is_dropped) == (90, False, True)

    run(story())


def test_a_body_that_expires_at_that_moment_is_dropped_too():
    async def story():
        budget, loop = MemoryBudget(100), asyncio.get_running_loop()

        async def slow():
            with suppress(TimeoutError):
                async with asyncio.timeout(60) as deadline:
                    budget.share(deadline).take(90)
                    deadlines.append(deadline)
                    await asyncio.sleep(60)

        deadlines = []
        task = asyncio.create_task(slow())
        await asyncio.sleep(0)
        async with asyncio.timeout(10) as mine:
            await asyncio.sleep(0)
            share = budget.share(mine)
            deadlines[0].reschedule(loop.time())
            await asyncio.sleep(0)
            assert (deadlines[0].expired(), task.done()) == (True, False)  # its task has not noticed yet
            share.take(50)
        assert budget.held == 50
        await task

    run(story())
