"""After an erasure nothing of it is left in the database's files; whoever reads meanwhile only makes it later."""

from types import SimpleNamespace

import pytest

from bot.engine.port import Job
from bot.flows.erasure import StillReadable
from bot.runner import make_runner


def test_it_is_tried_again_while_somebody_reads():
    """The engine runs the job again when it raises."""
    answers = [False, True]
    run = make_runner(SimpleNamespace(wipe=lambda: answers.pop(0)))
    with pytest.raises(StillReadable):
        run(Job("erasure", ("e1",)), "id")
    run(Job("erasure", ("e1",)), "id")

    assert answers == []
