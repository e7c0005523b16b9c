"""Answers are read within bounds of size, depth, type and characters."""

import pytest

from audit.facts import Learned, Place, Source, Unknown
from audit.licenses.declared_license import NO_LICENSE_NAME, DeclaredLicense
from audit.sources.answers import MAX_ANSWER_BYTES, MISSING, NO_METADATA, REFUSED, Answer, GarbledAnswer, parsed


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"<html>", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[1]", "no object"),
        (b'{"a":' * 100_000, "nested|no JSON"),
        (b"[" * 100_000 + b"]" * 100_000, "nested"),
        (b'{"n": ' + b"9" * 10_000 + b"}", "no JSON"),
        (b" " * (MAX_ANSWER_BYTES + 1), "more than"),
    ],
)
def test_bytes_that_are_no_answer_raise_one_error(data, why):
    with pytest.raises(GarbledAnswer, match=why):
        parsed(data)


def test_a_licence_is_learned_with_source_and_address():
    said = Answer(DeclaredLicense("MIT", "note"), Source.REGISTRY, "https://pypi.org/pypi/x/1/json")

    assert said.learned == Learned("MIT", Source.REGISTRY, Place("https://pypi.org/pypi/x/1/json", None, "note"))


def test_a_told_address_shows_no_password():
    said = Answer(address="https://ada:secret@mirror.example/x").learned

    assert said.place is not None
    assert said.place.said == "mirror.example knows it and names none"


@pytest.mark.parametrize(
    ("lighter", "heavier"),
    [
        (Answer(), Answer(MISSING, address="a")),
        (Answer(REFUSED, address="a", failed="a answered 403"), Answer(address="a")),
        (Answer(MISSING, address="a"), Answer(address="a")),
        (Answer(address="a"), Answer(NO_LICENSE_NAME, address="a")),
        (Answer(NO_LICENSE_NAME, address="a"), Answer(failed="away")),
    ],
)
def test_the_answer_of_a_registry_that_knows_the_package_says_why(lighter, heavier):
    assert lighter.weight < heavier.weight


def test_metadata_that_is_withheld_leaves_the_package_known_and_unreadable():
    said = Answer(NO_METADATA, Source.REGISTRY, "https://pypi.org/simple/x/")

    assert said.is_known_package
    assert said.learned.unknown is Unknown.UNREADABLE
    assert said.learned.place == Place(said.address, None, "pypi.org hands out no metadata of it")
    assert not Answer(MISSING, Source.REGISTRY, said.address).is_known_package
    assert not Answer(failed="x").is_known_package
