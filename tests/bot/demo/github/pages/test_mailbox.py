"""The page with everybody's mail."""

from datetime import UTC, datetime

import requests

from bot.demo.github.state import StoredMail

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_mail_is_shown_to_whoever_plays(place):
    """As it is, with whose address it went to; links can be followed, nothing else is markup."""
    body = "Your code is 123456\nhttp://127.0.0.1:8080/me <script>alert(1)</script>"
    place.world.mailbox = lambda: [StoredMail(at=NOON, to="ADA@cann.example", subject="One <b>", body=body)]
    page = requests.get(place.server.url + "/mailbox", timeout=60).text

    assert "One &lt;b&gt;" in page
    assert 'to <a href="/ada">ada</a>, ADA@cann.example, 12:00:00 UTC' in page
    assert "Your code is 123456\n" in page
    assert 'href="http://127.0.0.1:8080/me"' in page
    assert "<script>" not in page
    assert '<a href="/mailbox">Mailbox</a>' in page


def test_without_anybody_who_brings_mail(place):
    """There is no such page and no link to it; with one who has none, it says so."""
    assert requests.get(place.server.url + "/mailbox", timeout=60).status_code == 404
    assert "Mailbox" not in requests.get(place.server.url + "/", timeout=60).text
    place.world.mailbox = list
    assert "No mail yet." in requests.get(place.server.url + "/mailbox", timeout=60).text
