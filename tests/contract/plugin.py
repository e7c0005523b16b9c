"""Fixtures of the contract, for every test of the project."""

import pytest

from tests.contract.contract import Contract
from tests.contract.gate import Watch


@pytest.fixture(scope="session", name="contract")
def _contract() -> Contract:
    """What GitHub published about its interface; loaded once."""
    return Contract.load()


@pytest.fixture(name="gate")
def _gate(contract):
    """A watch: `gate.wrap(app)`, `gate.calls(responses.calls)`, `gate.webhook(event, payload)`; findings fail the test."""
    watch = Watch(contract)
    yield watch
    assert not watch.findings, "\n".join(watch.findings)
