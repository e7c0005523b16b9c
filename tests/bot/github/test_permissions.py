"""The permissions that the hub's methods need."""

from typing import Protocol

from bot.github import permissions
from bot.github.availability import Availability
from bot.github.hub import Hub

PROTOCOLS = [one for one in Hub.__bases__ if one not in (Availability, Protocol)]


def test_every_method_of_the_hub_names_its_permissions():
    """No method is forgotten, none is listed that does not exist."""
    methods = {name for protocol in PROTOCOLS for name in vars(protocol) if not name.startswith("_")}

    assert {*permissions.NEEDS, *permissions.OPTIONAL} == methods
    assert not set(permissions.NEEDS) & set(permissions.OPTIONAL)


def test_no_permission_is_more_than_reading_or_writing():
    """Contents are never written unless an operator wishes it, workflows and administration never asked for."""
    everything = [*permissions.NEEDS.values(), permissions.SIGN_IN, permissions.EVENTS]

    assert {level for needs in everything for level in needs.values()} == {"read", "write"}
    assert {needs.get("contents", "read") for needs in everything} == {"read"}
    assert not {"workflows", "administration"} & {name for needs in everything for name in needs}
