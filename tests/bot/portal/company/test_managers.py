"""A company keeps two managers at least: naming, leaving, handing over, and the e-mails about it."""

import pytest

from agreements.store.companies import managers
from tests.bot.portal.company import office
from tests.bot.portal.company.conftest import asked


@pytest.fixture(name="office_of")
def _office_of(requested):
    """Who is in office."""

    def of():
        with requested.portal.services.sessions() as session:
            found = managers.in_office(session, requested.company_id, at=requested.portal.at)
        return [manager.account.login for manager in found]

    return of


@pytest.mark.slow
def test_a_manager_is_added_by_login_once_and_is_neither_unknown_nor_a_bot(requested, office_of):
    requested.portal.services.hub.logins |= {"robot[bot]": 5, "dan_acme": 14}
    assert requested.send(requested.ada, "/managers", login="CAROL").status_code == 302
    assert office_of() == ["ada", "bob", "carol"]
    for login, code in (("carol", 409), ("nobody-has-this", 400), ("", 400), ("robot[bot]", 400)):
        answer = requested.send(requested.ada, "/managers", login=login)
        assert (answer.status_code, "not belong to a person" in answer.text) == (code, login == "robot[bot]")
    assert requested.send(requested.ada, "/managers", login="@dan_acme").status_code == 302, "a managed user"
    assert office_of() == ["ada", "bob", "carol", "dan_acme"]
    assert office.log(requested.portal)[-1] == ("manager.appointed", 11, "company", ["company_manager"])


@pytest.mark.slow
def test_one_of_two_managers_leaves_only_with_a_successor(requested, office_of):
    requested.countersign()
    assert "Leave and hand over" in requested.ada.get(f"/company/{requested.company_id}/managers").text
    alone = requested.send(requested.ada, "/managers/11/leave", "/managers")
    assert alone.status_code == 409
    assert "Name a successor in the same step" in alone.text
    assert requested.send(requested.ada, "/managers/11/leave", "/managers", successor="x y").status_code == 400
    gone = requested.send(requested.ada, "/managers/11/leave", "/managers", successor="carol")
    assert gone.headers["Location"] == "/company"
    assert office_of() == ["bob", "carol"]
    assert requested.ada.get(f"/company/{requested.company_id}").status_code == 404
    assert office.log(requested.portal)[-1] == ("manager.left", 11, "company", ["company_manager"] * 2)


def test_a_manager_may_remove_another_and_an_unknown_one_is_not_found(requested, office_of):
    requested.send(requested.ada, "/managers", login="carol")
    gone = requested.send(requested.ada, "/managers/12/leave", "/managers")
    assert gone.headers["Location"].endswith("/managers")
    assert office_of() == ["ada", "carol"]
    for account_id in (12, 99):
        assert requested.send(requested.ada, f"/managers/{account_id}/leave", "/managers").status_code == 404


def welcomed(desk):
    """(to, company, by, language) of each e-mail to a new manager."""
    return [
        (email.to, email.values["company"], email.values["by"], email.language)
        for email in office.outbox_emails(desk.portal)
        if email.kind == "manager-appointed"
    ]


@pytest.fixture(name="page")
def _page(requested):
    """The page of the managers, with what it says of the last change."""
    return lambda: requested.ada.get(f"/company/{requested.company_id}/managers").text


def test_managers_of_a_company_without_countersignature_leave_without_a_successor(requested, office_of, page):
    """Anyone can name them in a request, without asking them."""
    bob = requested.sit(id=12, login="bob")
    shown = bob.get(f"/company/{requested.company_id}/managers").text
    assert "Until then any of them can leave" in shown
    assert "Name a successor. Only two" not in shown
    assert requested.send(bob, "/managers/12/leave", "/managers").headers["Location"] == "/company"
    assert office_of() == ["ada"]
    assert requested.send(requested.ada, "/managers/11/leave", "/managers").status_code == 302
    assert office_of() == []
    assert office.log(requested.portal)[-1] == ("manager.left", 11, "company", ["company_manager"])


@pytest.mark.slow
def test_managers_get_no_email_before_the_countersignature(requested, page):
    """Anyone can request a company by any name, and could flood people with e-mail."""
    for account_id, login in ((12, "bob"), (13, "carol")):
        office.known(requested.portal, account_id, login, f"{login}@home.example")
    before = office.outbox_emails(requested.portal)
    assert [email.kind for email in before] == ["company-receipt"]
    for _ in range(3):
        requested.send(requested.ada, "/managers/12/leave", "/managers", successor="carol")
        assert "We send no e-mail before the agreement is countersigned, so tell them yourself." in page()
        requested.send(requested.ada, "/managers/13/leave", "/managers", successor="bob")
    requested.send(requested.ada, "/managers", login="carol")
    assert "We send no e-mail before the agreement is countersigned, so tell them yourself." in page()
    assert office.outbox_emails(requested.portal) == before


@pytest.mark.slow
def test_a_new_manager_and_a_successor_get_an_email(requested, page):
    requested.countersign()
    office.known(requested.portal, 13, "carol", "carol@huawei.com")
    requested.send(requested.ada, "/managers", login="carol")
    assert requested.send(requested.ada, "/managers", login="carol").status_code == 409
    assert welcomed(requested) == [("carol@huawei.com", "Huawei Technologies Co., Ltd.", "ada", "en")]

    office.known(requested.portal, 15, "eve", "eve@huawei.com")
    requested.portal.services.hub.logins["eve"] = 15
    requested.send(requested.ada, "/managers/13/leave", "/managers", successor="eve")
    requested.send(requested.ada, "/managers", login="carol")
    requested.send(requested.ada, "/managers/15/leave", "/managers")
    assert [to for to, *_ in welcomed(requested)] == ["carol@huawei.com", "eve@huawei.com"]


@pytest.mark.slow
def test_the_page_says_the_same_of_managers_with_known_and_unknown_addresses(requested, page):
    requested.countersign()
    office.known(requested.portal, 13, "carol", "carol@huawei.com")
    requested.portal.services.hub.logins["dan"] = 14
    said = "If we know an address of theirs, we send an e-mail, at most once a day."
    for path, filled in (
        ("/managers", {"login": "carol"}),
        ("/managers", {"login": "dan"}),
        ("/managers/13/leave", {}),
        ("/managers/14/leave", {"successor": "carol"}),
        ("/managers/13/leave", {"successor": "dan"}),
    ):
        assert requested.send(requested.ada, path, "/managers", **filled).status_code == 302
        assert (said in page()) is bool(filled), (path, filled)
    assert len(welcomed(requested)) == 1


@pytest.mark.slow
def test_a_manager_is_welcomed_at_a_company_once_in_24_hours(requested):
    office.known(requested.portal, 12, "bob", "bob@huawei.com")
    office.known(requested.portal, 13, "carol", "carol@huawei.com")
    requested.countersign()

    def name(hours):
        requested.portal.later(hours=hours)
        ada = requested.sit()
        requested.send(ada, "/managers", login="carol")
        requested.send(ada, "/managers/13/leave", "/managers")
        return len(welcomed(requested))

    assert [name(hours) for hours in (0, 0, 13, 10.9, 0.1, 1)] == [1, 1, 1, 1, 2, 2]


def test_the_second_manager_of_a_request_gets_no_email(desk):
    office.known(desk.portal, 12, "bob", "bob@huawei.com")
    browser = desk.sit()
    sent = browser.post("/company/request", data=asked(browser))
    assert sent.status_code == 302
    assert [email.kind for email in office.outbox_emails(desk.portal)] == ["company-receipt"]
