"""Two look after a company at least: one more is named, one leaves, one hands over in the same step."""

import pytest

from agreements.store import managers
from tests.bot.portal.company import office
from tests.bot.portal.company.conftest import asked


@pytest.fixture(name="office_of")
def _office_of(requested):
    """Who is in office."""

    def of():
        with requested.portal.parts.sessions() as session:
            found = managers.in_office(session, requested.company_id, at=requested.portal.at)
        return [one.account.login for one in found]

    return of


def test_one_more(requested, office_of):
    """By login, in any case; the same again, a stranger to GitHub, a machine: a sentence each."""
    requested.portal.parts.hub.logins["robot[bot]"] = 5
    assert requested.send(requested.ada, "/managers", login="CAROL").status_code == 302
    assert office_of() == ["ada", "bob", "carol"]
    for login, code in (("carol", 409), ("nobody-has-this", 400), ("", 400), ("robot[bot]", 400)):
        assert requested.send(requested.ada, "/managers", login=login).status_code == code
    assert office.log(requested.portal)[-1] == ("manager.appointed", 11, "company", ["company_manager"])


def test_leaving_and_handing_over(requested, office_of):
    """Not below two without a successor; whoever left sees the company no more."""
    alone = requested.send(requested.ada, "/managers/11/leave", "/managers")
    assert alone.status_code == 409
    assert "name somebody who takes over" in alone.text
    assert requested.send(requested.ada, "/managers/11/leave", "/managers", successor="x y").status_code == 400
    gone = requested.send(requested.ada, "/managers/11/leave", "/managers", successor="carol")
    assert gone.headers["Location"] == "/company"
    assert office_of() == ["bob", "carol"]
    assert requested.ada.get(f"/company/{requested.company_id}").status_code == 404
    assert office.log(requested.portal)[-1] == ("manager.left", 11, "company", ["company_manager"] * 2)


def test_another_who_has_left_the_company(requested, office_of):
    """Any manager may take another out of office; somebody who is none is not found."""
    requested.send(requested.ada, "/managers", login="carol")
    gone = requested.send(requested.ada, "/managers/12/leave", "/managers")
    assert gone.headers["Location"].endswith("/managers")
    assert office_of() == ["ada", "carol"]
    for account_id in (12, 99):
        assert requested.send(requested.ada, f"/managers/{account_id}/leave", "/managers").status_code == 404


def welcomed(desk):
    """(to, company, by, language) of each letter to somebody who took office."""
    return [
        (one.to, one.values["company"], one.values["by"], one.language)
        for one in office.letters(desk.portal)
        if one.kind == "manager-appointed"
    ]


def test_who_takes_office_gets_a_letter(requested):
    """One more, and a successor; whose address is not known is told of by the page, and a refusal sends nothing."""
    office.known(requested.portal, 13, "carol", "carol@huawei.com")
    requested.send(requested.ada, "/managers", login="carol")
    assert "A letter tells them." in requested.ada.get(f"/company/{requested.company_id}/managers").text
    assert requested.send(requested.ada, "/managers", login="carol").status_code == 409
    told = [("carol@huawei.com", "Huawei Technologies Co., Ltd.", "ada", "en")]
    assert welcomed(requested) == told

    requested.portal.parts.hub.logins["dan"] = 14
    requested.send(requested.ada, "/managers/13/leave", "/managers", successor="dan")
    page = requested.ada.get(f"/company/{requested.company_id}/managers").text
    assert "No address of theirs is known here: please tell them yourself." in page
    assert welcomed(requested) == told
    office.known(requested.portal, 15, "eve", "eve@huawei.com")
    requested.portal.parts.hub.logins["eve"] = 15
    requested.send(requested.ada, "/managers/14/leave", "/managers", successor="eve")
    requested.send(requested.ada, "/managers/15/leave", "/managers")
    assert [to for to, *_ in welcomed(requested)] == ["carol@huawei.com", "eve@huawei.com"]


def test_the_second_manager_of_a_request_gets_a_letter(desk):
    """Named by who signs for the company."""
    office.known(desk.portal, 12, "bob", "bob@huawei.com")
    browser = desk.sit()
    sent = browser.post("/company/request", data=asked(browser))
    assert sent.status_code == 302
    assert welcomed(desk) == [("bob@huawei.com", "Huawei Technologies Co., Ltd.", "ada", "en")]
