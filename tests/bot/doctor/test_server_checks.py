"""The answering server is known by its process's id; real servers are in tests/stories/test_broken_deployments.py."""

import pytest

from bot import clock
from bot.doctor import probe, server_checks, webhook
from bot.doctor.server_checks import LOCAL, PUBLIC, ListenAddress
from bot.settings import Settings
from bot.store import keyring_holders


def test_a_server_that_listens_everywhere_is_asked_on_this_machine():
    assert ListenAddress().address == "http://127.0.0.1:8080"
    assert ListenAddress("0.0.0.0", 1).address == "http://127.0.0.1:1"
    assert ListenAddress("::", 2).address == "http://[::1]:2"


def judged(deployed, registry, free, **more):
    """Status by item, where the public address is that registry's and nothing listens here."""
    settings = Settings(url=registry.address, github_url="https://ghe.example.org")
    found = server_checks.judge(settings, ListenAddress(port=free), more.get("sessions", deployed.sessions))
    return {doctor_result.id.partition(".")[2]: doctor_result.status for doctor_result in found}


def test_the_answering_server_is_known_by_its_process_in_the_database(deployed, registry, free):
    registry.says |= {"/livez": {"status": "alive", "process": "p1"}, "/readyz": {"status": "ready", "warnings": ["x"]}}
    assert judged(deployed, registry, free) == {
        "public": "fail", "local": "fail", "ready": "unknown", "warnings": "unknown",
    }  # fmt: skip
    with deployed.sessions() as session:
        keyring_holders.tell(session, "p1", ("k",), at=clock.now())
    known = {"public": "pass", "local": "not-applicable", "ready": "pass", "warnings": "fail"}
    assert judged(deployed, registry, free) == known
    doubt = {"public": "unknown", "local": "not-applicable", "ready": "pass", "warnings": "fail"}
    assert judged(deployed, registry, free, sessions=None) == doubt
    registry.says["/livez"] = {"status": "alive"}
    assert judged(deployed, registry, free) == doubt
    registry.says["/readyz"] = {"status": "not ready", "why": "the database does not answer"}
    assert judged(deployed, registry, free)["ready"] == "fail"
    registry.says["/readyz"] = 500
    assert judged(deployed, registry, free)["ready"] == "fail"


@pytest.mark.parametrize("lacks", [None, LOCAL, webhook.ADDRESS, webhook.ANSWERED])
def test_an_address_that_github_reaches_but_we_do_not_is_unknown(lacks):
    proofs = [check.passed("Well.") for check in (LOCAL, webhook.ADDRESS, webhook.ANSWERED) if check is not lacks]
    unreached = PUBLIC.failed("It did not answer.", probe.REACH)
    assert server_checks.from_here([unreached, *proofs])[0].status == ("unknown" if lacks is None else "fail")
    other = PUBLIC.failed("Somebody else answers.", "Point it here.")
    assert server_checks.from_here([other, *proofs])[0] == other


def test_a_private_address_fails_for_github_com(free):
    settings = Settings(url=f"http://10.0.0.1:{free}")
    public = next(iter(server_checks.judge(settings, ListenAddress(port=free), None)))
    assert (public.status, "private address 10.0.0.1" in public.message) == ("fail", True)
