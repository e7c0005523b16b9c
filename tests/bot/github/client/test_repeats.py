"""A call tries some failures again by itself."""

import pytest

from bot.github.availability import CircuitOpen, Paced
from bot.github.client.failures import Limited, Transient
from bot.github.client.repeats import Repeats
from bot.github.ports import Unreachable


def delays(error, times=6, *, can_repeat=True, patience=0.0, elapsed=0.0):
    """What is waited each time, up to giving up."""
    repeats = Repeats(can_repeat, patience, 0.5, 10)
    found = []
    for _ in range(times):
        found.append(repeats.delay(error, elapsed))
        if found[-1] is None:
            break
    return found


BAD, WAIT = Transient("502"), CircuitOpen("wait", 4.0)


@pytest.mark.parametrize(
    ("error", "more", "expected"),
    [
        (BAD, {}, [0, 1, 2, None]),
        (BAD, {"can_repeat": False}, [None]),
        (BAD, {"elapsed": 10.1}, [None]),
        (Unreachable("500"), {"patience": 60}, [None]),
        (Unreachable("503", 1.0), {"patience": 60}, [None]),
        (WAIT, {}, [None]),
        (WAIT, {"patience": 8}, [4, 4, None]),
        (WAIT, {"patience": 8, "can_repeat": False}, [4, 4, None]),
        (Limited("403", 4.0), {"patience": 8}, [4, 4, None]),
        (Limited("403", 4.0), {"patience": 8, "can_repeat": False}, [None]),
        (Limited("403", 4.0), {}, [None]),
        (Paced("turn", 1.5), {}, [1.5, None]),
        (Paced("turn", 1.5), {"can_repeat": False}, [1.5, None]),
        (Paced("turn", 2.5), {}, [None]),
        (Paced("turn", 2.5), {"patience": 60}, [2.5] * 6),
    ],
)
def test_a_call_is_repeated_soon_patiently_or_never(error, more, expected):
    assert delays(error, **more) == expected
