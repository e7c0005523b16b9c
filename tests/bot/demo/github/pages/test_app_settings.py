"""An App is registered from a manifest as at GitHub: seen first, made by an owner, its keys given once for a code."""

import pytest
import requests

from tests.bot.demo.github.app_registration import made, post, slip


def test_seen_before_it_is_made(place):
    """From any site, with its state; nothing is there yet."""
    answer = requests.post(
        f"{place.server.url}/organizations/cann/settings/apps/new?state=abc", data={"manifest": slip()},
        headers={"Origin": "https://elsewhere.example"}, timeout=30,
    )  # fmt: skip
    assert "Create GitHub App for cann" in answer.text
    assert 'name="state" value="abc"' in answer.text
    assert len(place.world.apps) == 1


def test_the_code_is_good_for_one_use_within_an_hour(place):
    """Then nobody gets the keys any more."""
    back = made(place)
    assert back["state"] == "abc"
    found = place.api("POST", f"/app-manifests/{back['code']}/conversions", token="", status=201)
    assert found["pem"].startswith("-----BEGIN RSA PRIVATE KEY-----")
    assert found["webhook_secret"] == place.world.apps[found["id"]].webhook_secret
    assert place.call("POST", f"/app-manifests/{back['code']}/conversions").status_code == 404
    late = made(place, name="Late")
    place.clock.forward(hours=1)
    assert place.call("POST", f"/app-manifests/{late['code']}/conversions").status_code == 404


def test_a_new_app_is_pinged(place):
    """At the address of its manifest, which is on this machine here."""
    place.world.reaches_private = True
    made(place, hook_attributes={"url": place.app.hook_url})
    assert ("ping", None) in place.events()


@pytest.mark.parametrize("path", ["new", "manifest"])
def test_a_manifest_that_is_refused_makes_nothing(place, path):
    """Neither shown nor made, with every reason; the rules are `app_manifest`'s."""
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
def test_a_name_that_is_not_free(place, name, why):
    """Of another App, of another account, too long, or none: it is said at the field, and the person can change it."""
    shown = post(place, "/organizations/cann/settings/apps/new", manifest=slip(name=name))
    assert (shown.status_code, why in shown.text) == (200, True)
    refused = post(
        place, "/organizations/cann/settings/apps/manifest", manifest=slip(), name=name, account=place.ada.id
    )
    assert (refused.status_code, why in refused.text) == (422, True)
    assert len(place.world.apps) == 1
    made(place, name="Cann")  # the owner's own name is free for its App
    assert len(place.world.apps) == 2


def test_a_persons_own_app(place):
    """Registered at another page, owned by who is signed in, and installed on that account alone."""
    shown = post(place, "/settings/apps/new", manifest=slip())
    assert "Create GitHub App for your account" in shown.text
    answer = post(place, "/settings/apps/manifest", manifest=slip(), state="abc", account=place.mia.id)
    assert answer.status_code == 302
    app = next(one for one in place.world.apps.values() if one.slug == "fresh")
    assert app.owner is place.mia
    assert app.permissions["email_addresses"] == "read"
    assert post(place, "/apps/fresh/installations", account=f"{place.cann.id}:{place.ada.id}").status_code == 404
    assert post(place, "/apps/fresh/installations", account=f"{place.mia.id}:{place.mia.id}").status_code == 302
    assert [one.account.login for one in place.world.installations.values() if one.app is app] == [place.mia.login]


def test_only_an_owner(place):
    """Of that very organisation."""
    assert (
        post(place, "/organizations/cann/settings/apps/manifest", manifest=slip(), account=place.mia.id).status_code
        == 403
    )
    assert post(place, "/organizations/nobody/settings/apps/new", manifest=slip()).status_code == 404
    assert post(place, "/organizations/cann/settings/apps/new", manifest="{").status_code == 422


def test_installing(place):
    """By an owner of the App's account, on all its repositories."""
    made(place)
    shown = requests.get(f"{place.server.url}/apps/fresh/installations/new", timeout=30)
    assert f'value="{place.cann.id}:{place.ada.id}"' in shown.text
    assert post(place, "/apps/fresh/installations", account=f"{place.cann.id}:{place.mia.id}").status_code == 403
    assert post(place, "/apps/fresh/installations", account=f"{place.cann.id}:{place.ada.id}").status_code == 302
    assert [one.account.login for one in place.world.installations.values() if one.app.slug == "fresh"] == ["cann"]


def test_the_webhooks_address_and_secret(place):
    """Shown but for the secret."""
    shown = place.api("GET", "/app/hook/config", token=place.jwt())
    assert (shown["url"], shown["secret"]) == (place.app.hook_url, "********")
