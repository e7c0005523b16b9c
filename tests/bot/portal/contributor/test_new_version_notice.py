"""A signer of an older version is told of the newer one, its differences and how long the older one counts."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

import pytest

from agreements.catalog import AgreementText
from agreements.cla.party import Parties
from agreements.rulebook.rules import AcceptedVersions, AgreementRef
from agreements.store.people import signatures, texts
from bot.portal.contributor import new_version_notice
from tests.bot.portal.sentences import without_times

UNTIL = datetime(2027, 3, 1, tzinfo=UTC)


@pytest.fixture(name="version_three")
def _version_three(portal):
    """ICLA 3.0 is released with one more sentence, and asked for; the older ones count until a day."""
    old = portal.services.catalog.get("icla", "2.0", "en").source
    source = old.replace("## 1.", "You are kind.\n\n## 1.", 1)
    with portal.services.sessions() as session:
        released = AgreementText("icla", "3.0", "en", source, sha256(source.encode()).hexdigest())
        texts.release(session, [released], by=90, at=portal.at)
    return replace(
        portal.rules,
        individual=AgreementRef("icla", "3.0"),
        accept={"icla": (AcceptedVersions(">=3.0"), AcceptedVersions("2.x", UNTIL))},
    )


def waiting(portal, rules, account_id=11):
    """What waits for that account."""
    with portal.app.test_request_context("/"), portal.services.sessions() as session:
        return new_version_notice.waiting(signatures.mine(session, account_id), rules, Parties(rules, 7))


def test_a_signer_of_an_older_version_is_shown_the_newer_one_with_its_differences(portal, version_three):
    browser = portal.signed_in()
    assert waiting(portal, version_three) is None, "nothing was signed"
    assert browser.post("/sign/icla", data=portal.form(browser)).status_code == 302
    assert waiting(portal, portal.rules) is None, "what was signed is the newest"

    found = waiting(portal, version_three)
    assert (found.signed, found.version, found.counts, found.until) == ("2.0", "3.0", True, UNTIL)
    assert found.title == "Individual Contributor License Agreement"
    (added,) = (paragraph for hunk in found.changes if not hunk.same for paragraph in hunk.paragraphs)
    assert added.pieces[0].text == "You are kind."
    assert waiting(portal, version_three, account_id=12) is None

    portal.rules = version_three
    assert browser.post("/sign/icla", data=portal.form(browser)).status_code == 302
    assert waiting(portal, version_three) is None


def test_a_newer_version_is_announced_on_the_persons_page_until_it_is_signed(portal, version_three):
    browser = portal.signed_in()
    assert browser.post("/sign/icla", data=portal.form(browser)).status_code == 302
    assert "There is a newer version to sign" not in browser.get("/me").text
    portal.rules = version_three

    page = browser.get("/me").text
    assert "There is a newer version to sign" in page
    assert "The version that you signed is accepted until 2027-03-01 00:00:00 UTC." in without_times(page)
    assert "</span>You are kind.<span" in page
    assert "</span>You are kind.<span" in browser.get("/sign/icla").text
    assert browser.post("/sign/icla", data=portal.form(browser)).status_code == 302
    assert "There is a newer version to sign" not in browser.get("/me").text
    assert "</span>You are kind.<span" not in browser.get("/sign/icla").text
