"""The permissions that the hub's methods need."""

import json
from pathlib import Path

from bot.github import permissions
from bot.github.hub import Hub

ROOT = Path(__file__).parents[3]
WITHOUT_A_CALL = {"close", "probe", "share_writes", "state", "states"}
"""Methods that ask GitHub nothing for which a permission is needed."""


def test_every_method_of_the_hub_names_its_permissions():
    methods = {name for name in dir(Hub) if not name.startswith("_")}

    assert {*permissions.NEEDS, *permissions.OPTIONAL} == methods - WITHOUT_A_CALL
    assert not set(permissions.NEEDS) & set(permissions.OPTIONAL)


def test_no_permission_is_more_than_reading_or_writing():
    everything = [*permissions.NEEDS.values(), permissions.SIGN_IN, dict.fromkeys(permissions.EVENTS.values(), "read")]

    assert {level for needs in everything for level in needs.values()} == {"read", "write"}
    assert {needs.get("contents", "read") for needs in everything} == {"read"}
    assert not {"workflows", "administration"} & {name for needs in everything for name in needs}


def test_a_permission_with_two_names_is_one():
    both = {"email_addresses": "read", "git_ssh_keys": "read", "checks": "write"}
    assert permissions.in_manifest(both) == {"emails": "read", "keys": "read", "checks": "write"}
    assert permissions.in_rest(permissions.in_manifest(both)) == permissions.in_rest(both) == both
    assert permissions.lacking(permissions.in_rest(permissions.in_manifest(permissions.required()))) == {}


def test_the_permission_names_of_rest_are_githubs():
    document = json.loads((ROOT / "tests/contract/data/github-openapi.json").read_text(encoding="utf-8"))
    described = set(document["components"]["schemas"]["app-permissions"]["properties"])
    assert set(permissions.required()) <= described
    assert set(permissions.MANIFEST_NAMES) <= described
    assert not set(permissions.MANIFEST_NAMES.values()) & described
