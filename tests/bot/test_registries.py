"""Registries are the public ones unless the operator names others; a secret in an address is never shown."""

import pytest

from audit.sources import questions
from bot.registries import PUBLIC, Registries


def test_the_default_registries_are_those_that_the_audit_knows():
    assert {name.value: address for name, address in questions.PUBLIC.items()} == PUBLIC
    assert dict(Registries().addresses) == dict(Registries.parse("").addresses) == PUBLIC


def test_other_registries_stand_in_place_of_one_or_all():
    assert dict(Registries.parse("npm=https://npm.corp.example/all/, deps.dev=none").addresses) == {
        name: address for name, address in PUBLIC.items() if name != "deps.dev"
    } | {"npm": "https://npm.corp.example/all"}
    assert Registries.parse(" none ").addresses == ()


@pytest.mark.parametrize(
    "text",
    [
        "npm",
        "cpan=https://x",
        "npm=ftp://x",
        "npm=https://",
        "npm=https://[",
        "npm=https://x/?q",
        "none,npm=none",
        "npm=",
    ],
)
def test_a_wrong_registry_is_refused_without_its_address(text):
    with pytest.raises(ValueError, match=r"must be|is no"):
        Registries.parse(text)


def test_the_password_of_a_registry_is_not_shown():
    with pytest.raises(ValueError, match="npm") as error:
        Registries.parse("npm=htp://ada:secret@x")

    assert "secret" not in str(error.value)
    assert "secret" not in repr(Registries.parse("npm=https://ada:secret@x"))
