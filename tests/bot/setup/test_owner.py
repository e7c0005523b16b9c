"""GitHub says what an account is; where it says nothing, a person does."""

import pytest

from agreements.facts import Account
from agreements.github_server import GITHUB_COM, github_server
from bot.github.ports import HubError, Missing
from bot.setup import owner

GIVEN = {"url": "https://cla.example.org", "organization": "CANN", "owner_type": ""}
ENTERPRISE = github_server("ghe.example.org")


def test_asked_without_credentials(beginning):
    """By any spelling; there is no App yet."""
    assert owner.look_up(beginning.server.api_url, "CANN") == Account(beginning.cann.id, "cann", "Organization")
    assert owner.look_up(beginning.server.api_url, "boss").type == "User"
    with pytest.raises(Missing):
        owner.look_up(beginning.server.api_url, "nobody-there")
    with pytest.raises(HubError):
        owner.look_up("http://127.0.0.1:9/api/v3", "cann")


def test_githubs_answer_counts(beginning):
    """Also against a choice that is wrong."""
    found, mistakes = owner.settle({**GIVEN, "owner_type": "User"}, beginning.server.api_url, ENTERPRISE)
    assert (found["organization"], found["owner_type"], mistakes) == ("cann", "Organization", {})


def test_an_app_owns_no_app(beginning):
    """Bots have logins, too."""
    beginning.world.user("helper", type="Bot")
    _, mistakes = owner.settle({**GIVEN, "organization": "helper"}, beginning.server.api_url, ENTERPRISE)
    assert mistakes == {"organization": "helper is neither an organisation nor a person"}


def test_an_account_that_is_not_there(beginning):
    """github.com shows every account to everybody; another server may show it to who has signed in, so that the choice counts."""
    given = {**GIVEN, "organization": "nobody-there"}
    assert owner.settle(given, beginning.server.api_url, GITHUB_COM)[1] == {
        "organization": "GitHub has no account named nobody-there"
    }
    mistakes = owner.settle(given, beginning.server.api_url, ENTERPRISE)[1]
    assert mistakes["organization"].startswith("ghe.example.org shows no account named nobody-there without signing in")
    chosen = {**given, "owner_type": "Organization"}
    assert owner.settle(chosen, beginning.server.api_url, ENTERPRISE) == (chosen, {})
    assert list(owner.settle(chosen, beginning.server.api_url, GITHUB_COM)[1]) == ["organization"]


@pytest.mark.parametrize("server", [GITHUB_COM, ENTERPRISE])
def test_github_that_does_not_answer(server):
    """Or answers nobody who has not signed in."""
    _, mistakes = owner.settle(GIVEN, "http://127.0.0.1:9/api/v3", server)
    assert mistakes["owner_type"].startswith("GitHub did not say whether CANN is an organisation or a person. ")
    chosen = {**GIVEN, "owner_type": "User"}
    assert owner.settle(chosen, "http://127.0.0.1:9/api/v3", server) == (chosen, {})


def test_the_pages_of_registration():
    """One for each organisation, and one for who is signed in."""
    assert owner.registration_path("cann", "Organization") == "/organizations/cann/settings/apps/new"
    assert owner.registration_path("mona", "User") == "/settings/apps/new"
