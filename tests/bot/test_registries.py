"""Registries are the public ones unless the operator names others; whatever is in an address is shown to nobody."""

import pytest

from audit.sources import questions
from bot.registries import PUBLIC, Registries


def test_the_public_ones():
    """Those that the audit knows, under the same names."""
    assert {name.value: address for name, address in questions.PUBLIC.items()} == PUBLIC
    assert dict(Registries().addresses) == dict(Registries.parse("").addresses) == PUBLIC


def test_others():
    """In place of one, none of one, none at all."""
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
def test_what_is_none(text):
    """It says what is wrong, without the address."""
    with pytest.raises(ValueError, match=r"must be|is no"):
        Registries.parse(text)


def test_a_password_is_not_shown():
    """Neither in an error nor as a value."""
    with pytest.raises(ValueError, match="npm") as error:
        Registries.parse("npm=htp://ada:secret@x")

    assert "secret" not in str(error.value)
    assert "secret" not in repr(Registries.parse("npm=https://ada:secret@x"))
