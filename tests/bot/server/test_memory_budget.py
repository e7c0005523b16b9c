"""Bodies together take no more memory than they may: the oldest that still arrives makes room."""

import asyncio
from contextlib import suppress

import pytest

from bot.server.exchange import Rejected
from bot.server.memory_budget import MemoryBudget
from tests.asgi import run


def test_what_is_given_back_is_free_again():
    """Also when it is given back twice."""

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


def test_the_oldest_makes_room_and_is_told_at_once():
    """Its time is over; the one after it goes on."""

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


def test_what_is_whole_is_never_dropped():
    """Then the newest is refused, and what it held is free."""

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


def test_one_whose_time_is_over_in_the_same_moment():
    """Is dropped like any other; whoever needs its room is not told about it."""

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
