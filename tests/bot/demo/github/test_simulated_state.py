"""Accounts, roles and tokens are found as at GitHub."""

import pytest

from bot.demo.github.refusal import ErrorResponse


@pytest.mark.parametrize(
    ("address", "login"),
    [
        ("mia@home.example", "mia"),
        ("MIA@Home.Example", "mia"),
        ("mia@huawei.com", None),
        ("{mia}+mia@users.noreply.127.0.0.1", "mia"),
        ("{mia}+former-login@users.noreply.127.0.0.1", "mia"),
        ("mia@users.noreply.127.0.0.1", "mia"),
        ("gone@users.noreply.127.0.0.1", None),
        ("1+mia@users.noreply.127.0.0.1", None),
        ("{bot}+countersign[bot]@users.noreply.127.0.0.1", "countersign[bot]"),
        ("noreply@127.0.0.1", "web-flow"),
        ("", None),
        ("mia@users.noreply.127.0.0.1.evil.example", None),
    ],
)
def test_an_address_leads_to_an_account_as_at_github(place, address, login):
    address = address.format(mia=place.mia.id, bot=place.app.bot.id)
    found = place.world.account_of_email(address)
    assert (found.login if found else None) == login


def test_the_strongest_of_visibility_grant_and_membership_is_the_role(place):
    eve = place.world.user("eve")
    assert place.world.permission(eve, place.runtime) == "read"
    place.runtime.collaborators[eve.id] = "triage"
    assert place.world.permission(eve, place.runtime) == "triage"
    assert not place.world.may(eve, place.runtime, "write")
    assert place.world.may(place.ada, place.runtime, "admin")
    assert place.world.permission(None, place.runtime) == "read"


def test_unknown_tokens_and_logins_are_not_found(place):
    assert place.world.account_of_token("") is None
    assert place.world.account_of_token(place.mia.token) is place.mia
    with pytest.raises(ErrorResponse):
        place.world.account("nobody")
    assert place.world.formerly("cann", "never") is None


def test_ids_of_different_kinds_never_meet(place):
    kinds = ("account", "repository", "pull", "comment", "check run", "check suite", "app", "installation", "label")
    assert len({place.world.next_id(kind) // 100 for kind in kinds}) == len(kinds)
