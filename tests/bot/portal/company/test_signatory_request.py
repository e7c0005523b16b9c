"""The sender of an agreement sees its state, sends it again or takes it back, within limits on e-mail."""

import re

import pytest
from sqlmodel import select

from agreements.store.companies import signatory_requests
from agreements.store.ledger import transient_rows
from agreements.store.tables.company_records import REQUEST_RETENTION, SignatoryRequest
from tests.bot.portal.company import office
from tests.bot.portal.company.signing import CEO, HOME, answers, link, opened, post, send, state

MISTAKES = [
    ({"company": " "}, "company", 400),
    ({"company": "x" * 201}, "company", 400),
    ({"address": "nonsense"}, "address", 400),
    ({"second": ""}, "second", 400),
    ({"second": "nobody-has-this"}, "second", 400),
    ({"second": "ada"}, "second", 409),
]


def test_a_mistake_is_named_at_its_field_and_sends_no_mail(desk):
    for changed, field, status in MISTAKES:
        _, sent = send(desk, **changed)
        assert (sent.status_code, re.findall(r'<li><a href="#([^"]+)">', sent.text)) == (status, [field]), changed
    with desk.portal.services.sessions() as session:
        assert session.exec(select(SignatoryRequest)).first() is None
    assert office.outbox_emails(desk.portal) == []


def test_sending_again_ends_the_old_link_and_is_limited_to_five_times(desk):
    ada, sent = send(desk)
    page, old = sent.headers["Location"], link(desk)
    assert post(desk, ada, f"{page}/again", page).status_code == 302
    assert desk.portal.browser().get(old).status_code == 404
    assert desk.portal.browser().get(link(desk)).status_code == 200
    for _ in range(3):
        assert post(desk, ada, f"{page}/again", page).status_code == 302
    assert post(desk, ada, f"{page}/again", page).status_code == 409


def test_taking_back_a_request_ends_its_link_in_every_browser(desk):
    ada, sent = send(desk)
    page, browser = sent.headers["Location"], opened(desk)
    filled = answers(browser)
    assert post(desk, ada, f"{page}/revoke", page).status_code == 302
    assert state(desk) == "revoked"
    assert browser.post("/signatory", data=filled).status_code == 404
    assert post(desk, ada, f"{page}/revoke", page).status_code == 409
    assert post(desk, ada, f"{page}/again", page).status_code == 409


def test_a_link_expires_after_fourteen_days_and_can_be_sent_again(desk):
    ada, sent = send(desk)
    there, page = link(desk), sent.headers["Location"]
    desk.portal.later(days=14)
    assert state(desk) == "expired"
    assert desk.portal.browser().get(there).status_code == 404
    ada = desk.sit()
    assert post(desk, ada, f"{page}/again", page).status_code == 302
    assert state(desk) == "sent"
    with desk.portal.services.sessions() as session:
        transient_rows.purge(session, at=desk.portal.services.clock())
        assert session.exec(select(SignatoryRequest)).all() != []
        over = desk.portal.services.clock() + signatory_requests.LINK_LIFETIME + REQUEST_RETENTION
        transient_rows.purge(session, at=over)
        assert session.exec(select(SignatoryRequest)).all() == []


def test_a_request_is_not_found_by_another_manager(desk):
    _, sent = send(desk)
    eve, page = desk.sit(id=15, login="eve"), sent.headers["Location"]
    assert eve.get(page).status_code == 404
    for action in ("again", "revoke"):
        assert post(desk, eve, f"{page}/{action}", HOME).status_code == 404
    assert state(desk) == "sent"


@pytest.mark.slow
def test_an_account_has_at_most_three_open_requests(desk):
    browser = desk.sit()
    assert [send(desk, browser)[1].status_code for _ in range(4)] == [302, 302, 302, 409]
    bob = desk.sit(id=12, login="bob")
    assert send(desk, bob, second="ada")[1].status_code == 302  # Another account's requests do not count.
    assert send(desk, bob, second="ada", address="cto@huawei.com")[1].status_code == 302


def test_the_row_and_the_addresses_hold_no_token_address_or_company_in_clear(desk):
    _, sent = send(desk)
    with desk.portal.services.sessions() as session:
        row = session.exec(select(SignatoryRequest)).one()
        whole = repr(row.model_dump()).encode()
    for secret in (CEO, "Huawei", link(desk).rpartition("/")[2]):
        assert secret.encode() not in whole
    assert "huawei" not in sent.headers["Location"].lower() + link(desk).lower()
