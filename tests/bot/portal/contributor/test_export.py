"""Taking one's data along: all of it, nothing of anybody else, and only soon after signing in."""

import json

from structlog.testing import capture_logs


def download(portal, browser, page="/me/export"):
    """Press the button."""
    return browser.post("/me/export.json", data={"csrf_token": portal.proof(browser, page)})


def test_the_file(portal):
    """Name, address, receipt and log entries are in it, opened; as an attachment that nobody keeps."""
    browser = portal.signed_in()
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"].rpartition("/")[2]
    portal.pull(7)
    answer = download(portal, browser)
    exported = answer.json

    assert answer.headers["Content-Disposition"] == 'attachment; filename="countersign-my-data.json"'
    assert answer.headers["Cache-Control"] == "no-store"
    assert exported["format"] == "countersign/personal/1"
    assert exported["account"] == {"id": 11, "login": "ada"}
    assert exported["signatures"][0]["receipt"] == receipt
    assert exported["signatures"][0]["evidence"]["name"] == "Ada Lovelace"
    assert [one["address"] for one in exported["proven_addresses"]] == ["ada@example.com"]
    assert [one["kind"] for one in exported["log"]] == ["signature.added"]
    assert [one["pull_request"] for one in exported["pull_requests"]] == ["cann/ops-math#7"]
    assert len(exported["visits"]) == 1
    assert list(exported.items())[-1] == ("complete", True)


def test_of_nobody_else(portal):
    """Who never signed gets a file, too; it holds nothing of those who did."""
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    exported = download(portal, portal.signed_in(id=12, login="bob"))

    assert exported.json["signatures"] == []
    assert exported.json["person"] is None
    assert "ada" not in json.dumps(exported.json).lower()


def test_only_soon_after_signing_in(portal):
    """Ten minutes later the page leads to signing in again, by a link, and the form is refused."""
    browser = portal.signed_in()
    word = portal.proof(browser, "/me/export")
    portal.later(minutes=10)
    page = browser.get("/me/export").text
    refused = browser.post("/me/export.json", data={"csrf_token": word})

    assert 'action="/me/export.json"' not in page
    assert 'href="/login?next=%2Fme%2Fexport"' in page
    assert refused.status_code == 403
    assert "Sign in with GitHub again" in refused.text
    assert download(portal, portal.sign_in("/me/export")).status_code == 200


def test_it_is_in_the_log(portal):
    """By the account's id."""
    browser = portal.signed_in()
    with capture_logs() as lines:
        download(portal, browser)
    assert lines == [{"event": "export.made", "log_level": "info", "account": 11, "what": "personal", "subject": 11}]
