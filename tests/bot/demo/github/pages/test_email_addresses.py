"""The page of a person's own addresses: what is added and verified there links commits."""

from datetime import UTC, datetime

import requests

from bot.demo.github.state import StoredMail

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_an_added_address_links_commits_only_once_verified(place):
    page, mia = place.server.url + "/settings/emails", place.browser(place.mia)
    assert "mia@huawei.com <span" in mia.get(page).text.replace("</div>", "")
    assert place.world.account_of_email("mia@lab.example") is None

    added = mia.post(page, data={"address": " Mia@lab.example "})
    assert added.url == page
    assert 'Mia@lab.example <span class="tag">unverified</span>' in added.text
    assert place.world.account_of_email("mia@lab.example") is None
    verified = mia.post(page + "/verify", data={"address": "mia@lab.example"})
    assert place.world.account_of_email("mia@lab.example") is place.mia
    assert verified.text.count("unverified") == 1


def test_an_invalid_foreign_or_repeated_address_is_refused(place):
    page, mia = place.server.url + "/settings/emails", place.browser(place.mia)
    for address in ("", "mia", "mia@home.example", "ADA@cann.example"):
        assert mia.post(page, data={"address": address}).status_code == 422
    assert mia.post(page + "/verify", data={"address": "other@home.example"}).status_code == 404
    assert len(place.mia.emails) == 2
    assert requests.get(page, timeout=60).status_code == requests.post(page, timeout=5).status_code == 401


def test_an_address_is_verified_for_one_person_only(place):
    page = place.server.url + "/settings/emails"
    mia, ada = place.browser(place.mia), place.browser(place.ada)
    for browser in (mia, ada):
        assert browser.post(page, data={"address": "shared@lab.example"}).status_code == 200
    assert ada.post(page + "/verify", data={"address": "shared@lab.example"}).status_code == 200
    assert mia.post(page + "/verify", data={"address": "shared@lab.example"}).status_code == 422
    assert place.world.account_of_email("shared@lab.example") is place.ada


def test_mail_is_shown_as_it_is_with_links_and_no_other_markup(place):
    body = "Your code is 123456\nhttp://127.0.0.1:8080/me <script>alert(1)</script>"
    place.world.mailbox = lambda: [StoredMail(at=NOON, to="ADA@cann.example", subject="One <b>", body=body)]
    page = requests.get(place.server.url + "/mailbox", timeout=60).text

    assert "One &lt;b&gt;" in page
    assert 'to <a href="/ada">ada</a>, ADA@cann.example, 12:00:00 UTC' in page
    assert "Your code is 123456\n" in page
    assert 'href="http://127.0.0.1:8080/me"' in page
    assert "<script>" not in page
    assert '<a href="/mailbox">Mailbox</a>' in page


def test_without_a_mailbox_there_is_no_page_of_mail(place):
    assert requests.get(place.server.url + "/mailbox", timeout=60).status_code == 404
    assert "Mailbox" not in requests.get(place.server.url + "/", timeout=60).text
    place.world.mailbox = list
    assert "No mail yet." in requests.get(place.server.url + "/mailbox", timeout=60).text
