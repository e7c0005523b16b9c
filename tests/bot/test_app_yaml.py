"""The manifest names our own address everywhere it matters, and nothing that GitHub does not know."""

import json
from pathlib import Path

import pytest
import yaml

from bot import app_yaml
from bot.demo.github.pages import app_manifest
from bot.demo.github.pages.app_manifest import ManifestRefused

CASES = Path(__file__).parents[1] / "cases/app-manifests.yaml"
IN_USE = yaml.safe_load(CASES.read_text(encoding="utf-8"))


def test_our_address_is_filled_in_everywhere():
    read = app_yaml.read("https://cla.example.org")

    assert "https://cla.example.org/webhook" == read["hook_attributes"]["url"]
    assert ["https://cla.example.org/login/callback"] == read["callback_urls"]
    assert "https://cla.example.org" == read["url"]
    assert "{url}" not in str(read)


def test_only_the_addresses_for_browsers_change_for_the_setup():
    usual = app_yaml.read("https://cla.example.org")
    led_back = app_yaml.read("https://cla.example.org", redirect_url="http://127.0.0.1:8080/registered")

    assert {**usual, "redirect_url": "http://127.0.0.1:8080/registered"} == led_back
    assert "https://cla.example.org/" == usual["redirect_url"]


@pytest.mark.parametrize(
    ("account", "name"),
    [
        ("", "Countersign"),
        ("cann", "Countersign cann"),
        ("a-login-of-22-character", "Countersign a-login-of-22"),
        ("rh-hemartin-fullsend-playground", "Countersign rh-hemartin-fullsend"),
        ("x-averylongwordinalogin-of-somebody", "Countersign x-averylongwordinalogi"),
        ("a" * 39, "Countersign " + "a" * 22),
    ],
)
def test_the_apps_name_carries_the_account_in_34_characters(account, name):
    """GitHub takes no name twice and none that is longer."""
    assert app_yaml.read("https://cla.example.org", account=account)["name"] == name
    assert len(name) <= app_yaml.MAX_NAME_CHARACTERS


def test_every_permission_and_event_of_ours_occurs_in_a_manifest_in_real_use():
    ours = app_yaml.read("https://cla.example.org")
    known = {name for manifest in IN_USE for name in manifest["permissions"]}
    events = {name for manifest in IN_USE for name in manifest["events"]}
    refused = [manifest["refused"] for manifest in IN_USE if "refused" in manifest]

    assert set(ours["default_permissions"]) - known == set()
    assert set(ours["default_events"]) - events == set()
    assert set(ours["default_permissions"]) & {name for refusal in refused for name in refusal["permissions"]} == set()


def taken(permissions, events):
    """Why the small GitHub refuses a manifest with these; [] when it takes it."""
    slip = {"url": "https://cla.example.org", "default_permissions": permissions, "default_events": events}
    try:
        app_manifest.read(json.dumps(slip), reaches_private=False)
    except ManifestRefused as error:
        return error.reasons
    return []


@pytest.mark.parametrize("manifest", IN_USE, ids=[manifest["repository"] for manifest in IN_USE])
def test_the_small_github_takes_manifests_in_real_use(manifest):
    assert taken(manifest["permissions"], manifest["events"]) == []
    for name in manifest.get("refused", {}).get("permissions", []):
        assert taken({**manifest["permissions"], name: "read"}, manifest["events"]), name
    for event in manifest.get("refused", {}).get("events", []):
        assert taken(manifest["permissions"], [*manifest["events"], event]), event
