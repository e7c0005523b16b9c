"""An App is registered from a manifest as at GitHub: seen first, made by an owner, its keys given once for a code."""

import pytest
import requests

from tests.bot.demo.github.app_registration import made, post, slip


def test_a_manifest_is_shown_before_the_app_is_made(place):
    answer = requests.post(
        f"{place.server.url}/organizations/cann/settings/apps/new?state=abc", data={"manifest": slip()},
        headers={"Origin": "https://elsewhere.example"}, timeout=30,
    )  # fmt: skip
    assert "Create GitHub App for cann" in answer.text
    assert 'name="state" value="abc"' in answer.text
    assert len(place.world.apps) == 1


def test_the_code_is_good_for_one_use_within_an_hour(place):
    back = made(place)
    assert back["state"] == "abc"
    found = place.api("POST", f"/app-manifests/{back['code']}/conversions", token="", status=201)
    assert found["pem"].startswith("-----BEGIN RSA PRIVATE KEY-----")
    assert found["webhook_secret"] == place.world.apps[found["id"]].webhook_secret
    assert place.call("POST", f"/app-manifests/{back['code']}/conversions").status_code == 404
    late = made(place, name="Late")
    place.clock.forward(hours=1)
    assert place.call("POST", f"/app-manifests/{late['code']}/conversions").status_code == 404


def test_a_new_app_is_pinged_at_its_manifests_address(place):
    place.world.reaches_private = True
    made(place, hook_attributes={"url": place.app.hook_url})
    assert ("ping", None) in place.events()


@pytest.mark.parametrize("path", ["new", "manifest"])
def test_a_refused_manifest_makes_nothing_and_says_every_reason(place, path):
    slip_with_mistakes = slip(surprise=1, default_permissions={"email_addresses": "read"})
    answer = post(place, f"/organizations/cann/settings/apps/{path}", manifest=slip_with_mistakes, account=place.ada.id)
    assert answer.status_code == 422
    assert "Invalid GitHub App configuration" in answer.text
    assert "&#34;surprise&#34; is not a permitted key." in answer.text
    assert len(place.world.apps) == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("x" * 35, "Name is too long (maximum is 34 characters)"),
        ("Countersign", "Name is already taken"),
        ("Mia", "Name is already taken"),
        ("", "Name can&#39;t be blank"),
    ],
)
def test_a_name_that_is_not_free_can_be_changed(place, name, why):
    shown = post(place, "/organizations/cann/settings/apps/new", manifest=slip(name=name))
    assert (shown.status_code, why in shown.text) == (200, True)
    refused = post(
        place, "/organizations/cann/settings/apps/manifest", manifest=slip(), name=name, account=place.ada.id
    )
    assert (refused.status_code, why in refused.text) == (422, True)
    assert len(place.world.apps) == 1
    made(place, name="Cann")  # the owner's own name is free for its App
    assert len(place.world.apps) == 2


def test_a_persons_own_app_is_installed_on_that_account_alone(place):
    shown = post(place, "/settings/apps/new", manifest=slip())
    assert "Create GitHub App for your account" in shown.text
    answer = post(place, "/settings/apps/manifest", manifest=slip(), state="abc", account=place.mia.id)
    assert answer.status_code == 302
    app = next(app for app in place.world.apps.values() if app.slug == "fresh")
    assert app.owner is place.mia
    assert app.permissions["email_addresses"] == "read"
    assert post(place, "/apps/fresh/installations", account=f"{place.cann.id}:{place.ada.id}").status_code == 404
    assert post(place, "/apps/fresh/installations", account=f"{place.mia.id}:{place.mia.id}").status_code == 302
    assert [
        installation.account.login for installation in place.world.installations.values() if installation.app is app
    ] == [place.mia.login]


def test_only_an_owner_of_the_organisation_registers_its_app(place):
    assert (
        post(place, "/organizations/cann/settings/apps/manifest", manifest=slip(), account=place.mia.id).status_code
        == 403
    )
    assert post(place, "/organizations/nobody/settings/apps/new", manifest=slip()).status_code == 404
    assert post(place, "/organizations/cann/settings/apps/new", manifest="{").status_code == 422


def test_an_owner_installs_the_app_on_all_repositories(place):
    made(place)
    shown = requests.get(f"{place.server.url}/apps/fresh/installations/new", timeout=30)
    assert f'value="{place.cann.id}:{place.ada.id}"' in shown.text
    assert post(place, "/apps/fresh/installations", account=f"{place.cann.id}:{place.mia.id}").status_code == 403
    assert post(place, "/apps/fresh/installations", account=f"{place.cann.id}:{place.ada.id}").status_code == 302
    assert [
        installation.account.login
        for installation in place.world.installations.values()
        if installation.app.slug == "fresh"
    ] == ["cann"]


def test_the_webhooks_address_is_shown_and_its_secret_is_not(place):
    shown = place.api("GET", "/app/hook/config", token=place.jwt())
    assert (shown["url"], shown["secret"]) == (place.app.hook_url, "********")
