"""The line's protocol and the one that fulfils it."""

import inspect
from typing import Protocol

import pytest

from bot.hub import line, ports
from bot.hub.hub import Hub
from bot.hub.pygithub import GitHubHub, PyGithubSwitchboard
from bot.hub.pygithub_wire import PyGithubLine

PAIRS = [
    (line.Line, PyGithubLine), (line.Switchboard, PyGithubSwitchboard),
    *[(protocol, GitHubHub) for protocol in Hub.__bases__ if protocol is not Protocol],
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "real"), PAIRS, ids=str)
def test_the_real_one_takes_the_same_arguments(protocol, real):
    """Names and order of the arguments are the protocol's."""
    for name, method in vars(protocol).items():
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        assert list(inspect.signature(method).parameters) == list(inspect.signature(getattr(real, name)).parameters)


def test_graphql_being_down_is_worth_another_try():
    """So that a flow which does not know of REST treats it as any bad moment."""
    assert issubclass(line.Down, ports.Unreachable)
    assert line.Down("x").retry_after is None
