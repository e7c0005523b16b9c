"""The transport's protocol and the one that fulfils it."""

import inspect

import pytest

from bot.github import ports
from bot.github.client import transport
from bot.github.client.pygithub import PyGithubTransportPool
from bot.github.client.pygithub_wire import PyGithubTransport

PAIRS = [(transport.Transport, PyGithubTransport), (transport.TransportPool, PyGithubTransportPool)]


@pytest.mark.parametrize(("protocol", "real"), PAIRS, ids=str)
def test_the_real_one_takes_the_same_arguments(protocol, real):
    """Names and order of the arguments are the protocol's."""
    for name, method in vars(protocol).items():
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        assert list(inspect.signature(method).parameters) == list(inspect.signature(getattr(real, name)).parameters)


def test_graphql_being_down_is_worth_another_try():
    """So that a flow which does not know of REST treats it as any bad moment."""
    assert issubclass(transport.Unavailable, ports.Unreachable)
    assert transport.Unavailable("x").retry_after is None
