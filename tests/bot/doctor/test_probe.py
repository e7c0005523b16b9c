"""Answers at an address are read; broken ones are in tests/stories/test_broken_deployments.py."""

import pytest

from bot.doctor import probe
from bot.doctor.probe import NoServer


def refused(address):
    """Why no server of ours answers there."""
    with pytest.raises(NoServer) as error:
        probe.process_at(address)
    return str(error.value), error.value.is_reached


def test_our_own_servers_process_readiness_and_warnings_are_read(registry):
    registry.says["/livez"] = {"status": "alive", "process": "p1"}
    registry.says["/readyz"] = {
        "status": "ready",
        "warnings": ["one\x1b[2J", 7],
        "github": [{"why": "GitHub is slow"}, "odd"],
    }
    assert probe.process_at(registry.address) == "p1"
    answer = probe.readiness(registry.address, is_local=True)
    assert (answer.why, answer.warnings) == ("", (r"one\x1b[2J", "GitHub: GitHub is slow"))
    registry.says["/readyz"] = {"status": "not ready", "why": "x" * 1000}
    assert len(probe.readiness(registry.address).why) == probe.MAX_SAID


@pytest.mark.parametrize("body", [b"alive", b"[1]", b"[" * 100_000, {"status": "ok"}, b'{"status": "alive"', 500])
def test_only_our_own_answer_counts_as_countersign(registry, body):
    registry.says["/livez"] = body
    said, is_reached = refused(registry.address)
    assert said.startswith("Something other than Countersign answers at")
    assert is_reached
    with pytest.raises(NoServer):
        probe.readiness(registry.address)


def test_a_refused_connection_and_an_unknown_name_are_no_answer(free):
    assert refused(f"http://127.0.0.1:{free}") == (
        f"Nothing listens at http://127.0.0.1:{free} (connection refused).",
        False,
    )
    said, is_reached = refused("https://nowhere.example")
    assert (said, is_reached) == ("nowhere.example cannot be resolved: the DNS has no address for it.", False)


def test_an_address_is_private_only_when_no_public_one_is_there():
    assert probe.private_addresses("https://10.1.2.3") == ("10.1.2.3",)
    assert probe.private_addresses("https://8.8.8.8") == ()
    assert probe.private_addresses("https://nowhere.example") == ()
