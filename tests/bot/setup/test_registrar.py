"""Each step does its part once, and goes on where an interrupted run was."""

import stat

import pytest

from agreements.facts import Account
from agreements.github_server import GITHUB_COM, github_server
from bot.demo.github.faults import refusal
from bot.github.ports import HubError, Missing
from bot.setup import registrar, settings_file
from bot.setup.registrar import StepFailed
from tests.bot.demo.github.github_deeds import FOREVER


def test_registration_leads_from_nothing_to_settings(beginning):
    beginning.complete()
    [app] = beginning.world.apps.values()
    values = settings_file.read(beginning.progress.file)

    assert app.owner is beginning.cann
    assert app.hook_url == "https://cla.example.org/webhook"
    assert values["COUNTERSIGN_APP_ID"] == str(app.id)
    assert values["COUNTERSIGN_ADMIN_TEAM"] == str(beginning.boss.id)
    assert values["COUNTERSIGN_MAIL_FROM"] == "Countersign <cla@example.org>"
    assert (beginning.folder / "out/webhook-secret").read_text().strip() == app.webhook_secret
    assert {stat.S_IMODE(path.stat().st_mode) for path in (beginning.folder / "out").iterdir()} == {0o600}


@pytest.mark.slow
def test_an_app_is_registered_for_a_persons_account(beginning):
    beginning.begin("BOSS")
    form = beginning.registrar.form()
    assert form["action"] == f"{beginning.server.url}/settings/apps/new"
    assert (form["manifest"]["name"], beginning.progress.answers["organization"]) == ("Countersign boss", "boss")
    assert beginning.client.get("/registered", query_string=beginning.at_github()).status_code == 302
    [app] = beginning.world.apps.values()
    beginning.world.install(app, beginning.boss, beginning.boss)
    assert beginning.client.post("/installed").status_code == 303
    assert beginning.client.post("/details", data=beginning.details).status_code == 303

    assert app.owner is beginning.boss
    assert settings_file.read(beginning.progress.file)["COUNTERSIGN_ACCOUNTS"] == "boss"
    assert [
        item.id for item in beginning.verify().items if item.status == "fail" and item.id.startswith("github.")
    ] == []


def test_secrets_stand_in_their_own_files_alone(beginning):
    beginning.install()
    app = beginning.progress.app
    beginning.client.post("/details", data=beginning.details)

    for name in ("countersign.env", "setup.json"):
        text = (beginning.folder / "out" / name).read_text()
        assert not [word for word in (app.client_secret, app.webhook_secret, "PRIVATE KEY", "smtp://") if word in text]


def test_every_step_resumes_with_the_same_app(beginning):
    assert beginning.again().step == "begin"
    beginning.begin()
    assert beginning.again().step == "register"
    back = beginning.at_github()
    beginning.again()  # the browser came back to a server that was started again
    assert beginning.client.get("/registered", query_string=back).status_code == 302
    assert beginning.again(url="https://other.example.org").step == "install"
    beginning.world.install(beginning.world.apps[beginning.progress.app.id], beginning.cann, beginning.boss)
    assert beginning.client.post("/installed").status_code == 303
    assert beginning.again().step == "details"
    assert beginning.client.post("/details", data=beginning.details).status_code == 303
    assert beginning.again().step == "done"
    assert len(beginning.world.apps) == 1
    assert beginning.progress.answers["url"] == "https://cla.example.org"


def test_the_state_is_checked_and_good_for_one_use(beginning):
    beginning.begin()
    back = beginning.at_github()
    for state in ("", "x" * 43, back["state"][:-1]):
        with pytest.raises(StepFailed, match="not started here"):
            beginning.registrar.registered(back["code"], state)
    assert [call for call in beginning.world.calls if "conversions" in call.template] == []
    beginning.registrar.registered(**back)
    with pytest.raises(StepFailed, match="already registered"):
        beginning.registrar.registered(**back)
    assert beginning.progress.pending == []


def test_a_code_that_github_does_not_know_leaves_the_state_good(beginning):
    beginning.begin()
    back = beginning.at_github()
    with pytest.raises(StepFailed, match="no longer accepts this code"):
        beginning.registrar.registered("other", back["state"])
    beginning.registrar.registered(**back)
    assert beginning.progress.step == "install"


def test_an_app_that_is_not_installed_yet_keeps_the_step(beginning):
    beginning.register()
    with pytest.raises(StepFailed, match="not installed on cann yet"):
        beginning.registrar.installed()
    assert beginning.progress.step == "install"


def test_wrong_answers_write_nothing(beginning):
    beginning.install()
    mistakes = beginning.registrar.complete(
        {"administrators": "nobody-there", "smtp_url": "smtp://mail.example.org", "database_url": "mysql://x"}
    )

    assert sorted(mistakes) == ["administrators", "database_url", "mail_from"]
    assert mistakes["administrators"] == "GitHub has no account named nobody-there"
    assert not (beginning.folder / "out/countersign.env").exists()
    assert not (beginning.folder / "out/keys").exists()


def test_the_account_is_as_github_spells_it(beginning):
    assert beginning.registrar.begin({"url": "https://cla.example.org", "organization": "nobody-there"}).keys() == {
        "organization", "owner_type"
    }  # fmt: skip
    assert beginning.progress.step == "begin"
    beginning.begin("CANN")
    assert beginning.progress.answers["organization"] == "cann"
    assert beginning.registrar.form()["action"].endswith("/organizations/cann/settings/apps/new")


def test_a_person_chooses_the_kind_of_account_where_github_does_not_say(beginning):
    beginning.registrar._api_url = "http://127.0.0.1:9/api/v3"
    given = {"url": "https://cla.example.org", "organization": "cann"}
    assert list(beginning.registrar.begin(given)) == ["owner_type"]
    assert beginning.registrar.begin({**given, "owner_type": "Bot"}).keys() == {"owner_type"}
    assert beginning.registrar.begin({**given, "owner_type": "User"}) == {}
    assert beginning.registrar.form()["action"].endswith("/settings/apps/new")
    assert "organizations" not in beginning.registrar.form()["action"]
    assert beginning.registrar.begin({**given, "owner_type": "Organization"}) == {}
    assert beginning.registrar.form()["action"].endswith("/organizations/cann/settings/apps/new")


def test_an_app_is_registered_at_a_server_that_needs_a_sign_in(beginning):
    beginning.world.faults.add(refusal(401, "Must authenticate to access this API.", path="/users/", times=FOREVER))
    given = {"url": "https://cla.example.org", "organization": "CANN"}
    [(name, why)] = beginning.registrar.begin(given).items()
    assert (name, "did not say whether CANN is" in why) == ("owner_type", True)
    assert beginning.registrar.begin({**given, "owner_type": "Organization"}) == {}
    beginning.registrar.registered(**beginning.at_github())
    beginning.world.install(beginning.world.apps[beginning.progress.app.id], beginning.cann, beginning.boss)
    beginning.registrar.installed()
    assert beginning.progress.answers["organization"] == "cann", "GitHub's spelling, once it can be asked"


def test_an_unreachable_github_is_said(beginning):
    beginning.register()
    beginning.registrar._api_url = "http://127.0.0.1:9/api/v3"
    with pytest.raises(StepFailed, match="GitHub"):
        beginning.registrar.installed()


@pytest.mark.slow
@pytest.mark.parametrize(("version", "permission"), [("3.14.2", True), ("3.10.4", False), ("", True)])
def test_an_enterprise_server_is_asked_for_no_more_than_it_knows(beginning, version, permission):
    """The server would refuse the whole manifest."""
    beginning.world.enterprise = version
    beginning.complete()
    [app] = beginning.world.apps.values()
    assert ("merge_queues" in app.permissions, "merge_group" in app.events) == (permission, not version)
    unmet = {item.id for item in beginning.verify().items if not item.is_met and item.id.startswith("github.")}
    assert unmet == ({"github.version"} if version == "3.10.4" else set())


GIVEN = {"url": "https://cla.example.org", "organization": "CANN", "owner_type": ""}
ENTERPRISE = github_server("ghe.example.org")


def test_an_account_is_asked_for_without_credentials(beginning):
    assert registrar.look_up(beginning.server.api_url, "CANN") == Account(beginning.cann.id, "cann", "Organization")
    assert registrar.look_up(beginning.server.api_url, "boss").type == "User"
    with pytest.raises(Missing):
        registrar.look_up(beginning.server.api_url, "nobody-there")
    with pytest.raises(HubError):
        registrar.look_up("http://127.0.0.1:9/api/v3", "cann")


def test_githubs_answer_counts_against_a_wrong_choice(beginning):
    found, mistakes = registrar.settle({**GIVEN, "owner_type": "User"}, beginning.server.api_url, ENTERPRISE)
    assert (found["organization"], found["owner_type"], mistakes) == ("cann", "Organization", {})


def test_a_bot_owns_no_app(beginning):
    beginning.world.user("helper", type="Bot")
    _, mistakes = registrar.settle({**GIVEN, "organization": "helper"}, beginning.server.api_url, ENTERPRISE)
    assert mistakes == {"organization": "helper is neither an organisation nor a person"}


def test_a_missing_account_is_an_error_only_where_github_shows_all(beginning):
    given = {**GIVEN, "organization": "nobody-there"}
    assert registrar.settle(given, beginning.server.api_url, GITHUB_COM)[1] == {
        "organization": "GitHub has no account named nobody-there"
    }
    mistakes = registrar.settle(given, beginning.server.api_url, ENTERPRISE)[1]
    assert mistakes["organization"].startswith("ghe.example.org shows no account named nobody-there without signing in")
    chosen = {**given, "owner_type": "Organization"}
    assert registrar.settle(chosen, beginning.server.api_url, ENTERPRISE) == (chosen, {})
    assert list(registrar.settle(chosen, beginning.server.api_url, GITHUB_COM)[1]) == ["organization"]


@pytest.mark.parametrize("server", [GITHUB_COM, ENTERPRISE])
def test_a_github_that_does_not_answer_leaves_the_kind_unknown(server):
    _, mistakes = registrar.settle(GIVEN, "http://127.0.0.1:9/api/v3", server)
    assert mistakes["owner_type"].startswith("GitHub did not say whether CANN is an organisation or a person. ")
    chosen = {**GIVEN, "owner_type": "User"}
    assert registrar.settle(chosen, "http://127.0.0.1:9/api/v3", server) == (chosen, {})


def test_an_organisation_and_a_person_have_their_pages_of_registration():
    assert registrar.registration_path("cann", "Organization") == "/organizations/cann/settings/apps/new"
    assert registrar.registration_path("mona", "User") == "/settings/apps/new"
