"""Wrong answers are told apart, each with why; people are resolved to their ids."""

import pytest

from agreements.github_server import GITHUB_COM, github_server
from bot.setup import setup_answers


@pytest.mark.parametrize(
    "url",
    [
        "",
        "cla.example.org",
        "ftp://x",
        "https://x/path",
        "https://x/?q=1",
        "https://[",
        "https://a:b@x",
        "https://x y",
        "https://x:0",
        "https://x:99999",
    ],
)
def test_an_address_is_scheme_and_host_alone(url):
    assert setup_answers.address_mistake(url)
    assert setup_answers.judge_beginning({"url": "https://cla.example.org", "organization": "cann"}, GITHUB_COM) == {}


@pytest.mark.parametrize("login", ["cann", "CANN-infra", "x", "mona_acme"])
def test_a_login_may_have_an_underscore_and_no_slash_or_space(login):
    assert setup_answers.judge_beginning({"url": "https://cla.example.org", "organization": login}, GITHUB_COM) == {}
    for wrong in (f"{login}/x", f"-{login}", f"{login} ", ""):
        found = setup_answers.judge_beginning({"url": "https://cla.example.org", "organization": wrong}, GITHUB_COM)
        assert list(found) == ["organization"]


@pytest.mark.parametrize(
    ("url", "github", "refused", "warned"),
    [
        ("https://cla.example.org", "github.com", "", False),
        ("http://localhost:8080", "github.com", "cannot reach localhost from the internet", False),
        ("https://127.0.0.1", "github.com", "cannot reach 127.0.0.1", False),
        ("https://10.0.0.7", "github.com", "cannot reach 10.0.0.7", False),
        ("https://cla.corp.internal", "acme.ghe.com", "cannot reach cla.corp.internal", False),
        ("http://cla.example.org", "github.com", "Begin the address with https://", False),
        ("https://cla.corp.internal", "ghe.corp.internal", "", True),
        ("http://10.0.0.7", "ghe.example.org", "", True),
        ("https://cla.example.org", "ghe.example.org", "", False),
        ("http://127.0.0.1:8080", "127.0.0.1", "", False),
        ("http://127.0.0.1:8080", "localhost", "", False),
        ("http://[::1]:8080", "[::1]", "", False),
    ],
)
def test_an_address_that_github_cannot_reach_is_refused_or_warned_of(url, github, refused, warned):
    server = github_server(github)
    found = setup_answers.judge_beginning({"url": url, "organization": "cann"}, server).get("url", "")
    assert (refused in found, bool(found)) == (True, bool(refused))
    assert bool(setup_answers.caution(url, server)) is warned


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({}, []),
        ({"smtp_url": "smtp://mail.example.org:587", "mail_from": "cla@example.org"}, []),
        ({"smtp_url": "smtp://mail.example.org:587"}, ["mail_from"]),
        ({"smtp_url": "http://mail.example.org", "mail_from": "cla@example.org"}, ["smtp_url"]),
        ({"smtp_url": "smtp://mail.example.org/path", "mail_from": "cla@example.org"}, ["smtp_url"]),
        ({"mail_from": "nobody"}, ["mail_from"]),
        ({"database_url": "sqlite:////nowhere/at/all/x.db"}, ["database_url"]),
        ({"database_url": "postgresql://cs:hunter2@127.0.0.1:9/cs"}, ["database_url"]),
    ],
)
def test_details_follow_the_rules_of_the_settings_without_a_password(given, wrong, tmp_path):
    found = setup_answers.judge_details({"database_url": f"sqlite:///{tmp_path / 'x.db'}", **given})
    assert sorted(found) == wrong
    assert "hunter2" not in str(found)


def test_administrators_are_people_or_a_team_and_no_organisation(beginning):
    beginning.install()
    beginning.world.team(beginning.cann, "admins", members=[beginning.boss])
    with beginning.registrar._hub() as hub:
        assert setup_answers.administrators("@boss, 4711", hub) == f"{beginning.boss.id},4711"
        assert setup_answers.administrators("cann/admins", hub) == "cann/admins"
        for text, why in {
            "": "Enter a team or people",
            "cann": "is not a person",
            "a b": "is not a GitHub login",
            "cann/none": "no team",
            "ghost-1": "no account",
        }.items():
            with pytest.raises(ValueError, match=why):
                setup_answers.administrators(text, hub)
