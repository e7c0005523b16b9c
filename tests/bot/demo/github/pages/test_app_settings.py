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
    """At the address of its manifest."""
    made(place, hook_attributes={"url": place.app.hook_url})
    assert ("ping", None) in place.events()


@pytest.mark.parametrize(
    "changes", [{"surprise": 1}, {"redirect_url": ""}, {"name": "x" * 35}, {"name": "countersign"}]
)
def test_what_github_does_not_take(place, changes):
    """Unknown keys, a missing address, a name that is taken or too long."""
    answer = post(place, "/organizations/cann/settings/apps/manifest", manifest=slip(**changes), account=place.ada.id)
    assert answer.status_code == 422
    assert len(place.world.apps) == 1


def test_only_an_owner(place):
    """Of that very organisation."""
    assert (
        post(place, "/organizations/cann/settings/apps/manifest", manifest=slip(), account=place.mia.id).status_code
        == 403
    )
    assert post(place, "/organizations/nobody/settings/apps/new", manifest=slip()).status_code == 404
    assert post(place, "/organizations/cann/settings/apps/new", manifest="{").status_code == 422


def test_installing(place):
    """By an owner, on all repositories."""
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
