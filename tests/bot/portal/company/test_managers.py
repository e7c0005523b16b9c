"""Two look after a company at least: one more is named, one leaves, one hands over in the same step."""

import pytest

from agreements.store import managers
from tests.bot.portal.company import office


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
