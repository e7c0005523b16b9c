"""The equivalences by which two spellings are one person."""

import pytest

from agreements.facts import Account, Identity
from agreements.github_server import GITHUB_COM
from agreements.identity.matching import (
    CommitPerson,
    EquivalenceEvidence,
    ExactMatching,
    address_key,
    folded,
    has_unreadable,
    is_own_noreply,
    noreply_owner,
    read_mailmap,
)

ADA = Account(11, "Ada")


def person(name, email, account=ADA):
    return CommitPerson(Identity(name, email), account, "author")


def test_exact_matching_ignores_only_the_case_of_letters():
    exact = ExactMatching()
    assert exact.same(Identity("ADA", "A@X.org"), person("ada", "a@x.org")) == frozenset()
    assert exact.same(Identity("STRASSE", "a@x"), person("straße", "a@x")) is None
    assert exact.same(Identity(" ada", "a@x"), person("ada", "a@x")) is None


def test_several_equivalences_at_once_are_all_named():
    matcher = EquivalenceEvidence(read_mailmap("Ada <ada@new.org> <ada@old.org>"), {11: ("ada@home.org",)}, GITHUB_COM)
    assert matcher.same(Identity("ADA", "ada@home.org"), person("Ada", "x@x.org")) == {"case", "proven"}
    assert matcher.same(Identity("ADA", "ada@old.org"), person("ada", "ada@new.org")) == {"case", "mailmap"}
    own = EquivalenceEvidence(read_mailmap("Ada <11+ada@users.noreply.github.com>"), {}, GITHUB_COM)
    signed = Identity("A. L.", "11+ada@users.noreply.github.com")
    assert own.same(signed, person("Ada", "x@x.org")) == {"mailmap", "noreply"}
    assert own.same(signed, person("Ada", "x@x.org", Account(12, "bo"))) is None
    assert matcher.same(Identity("  ada\xa0", "x@x.org"), person("Ada", "x@x.org")) == {"case", "spaces"}
    assert matcher.same(Identity(" Ada", "x@x.org"), person(" Ada", "x@x.org")) == frozenset()
    assert matcher.same(Identity("Ada", "x@x.org"), person("Ada ", "x@x.org")) == {"spaces"}
    assert matcher.same(Identity(" Eve", "x@x.org"), person("Ada", "x@x.org")) is None
    assert matcher.same(Identity("JOSE\u0301", "x@x.org"), person("Jos\u00e9", "x@x.org")) == {"case", "unicode"}
    assert matcher.same(Identity("Ada", "ada@home.org"), person("Ada", "x@x.org", None)) is None
    assert matcher.same(Identity("A da", "x@x.org"), person("Ada", "x@x.org")) is None


@pytest.mark.parametrize("proven", ["", "@@", "home.org"])
def test_an_invalid_proven_address_counts_for_nothing(proven):
    matcher = EquivalenceEvidence(read_mailmap(""), {11: (proven,)}, GITHUB_COM)
    assert matcher.email(Identity("Ada", proven), person("Ada", "x@x.org")) is None


@pytest.mark.parametrize(("address", "own"), [
    ("11+ada@users.noreply.github.com", True), ("11+Ada@Users.Noreply.GitHub.com", True), ("ADA@users.noreply.github.com", True), ("11+renamed@users.noreply.github.com", True),
    ("12+ada@users.noreply.github.com", False), ("1+ada@users.noreply.github.com", False), ("011+ada@users.noreply.github.com", False), ("11+аda@users.noreply.github.com", False), ("bo@users.noreply.github.com", False),
    ("+ada@users.noreply.github.com", False), ("ada@noreply.github.com", False), ("@users.noreply.github.com", False), ("ada@users.noreply.github.com.org", False), ("", False),
])  # fmt: skip
def test_a_noreply_address_with_the_account_s_id_is_its_own_under_any_login(address, own):
    """The form without an id belongs to the present login, which is another account's once it changes."""
    assert is_own_noreply(address, ADA, GITHUB_COM) is own


def test_an_account_without_a_login_has_no_noreply_form_without_its_id():
    assert not is_own_noreply("@users.noreply.github.com", Account(11, ""), GITHUB_COM)
    assert is_own_noreply("11+ada@users.noreply.github.com", Account(11, ""), GITHUB_COM)


@pytest.mark.parametrize(("address", "owner"), [
    ("11+Ada@users.noreply.github.com", Account(11)), ("ada@users.noreply.github.com", None), ("11+@users.noreply.github.com", None),
    ("0+ada@users.noreply.github.com", None), ("011+ada@users.noreply.github.com", None), ("11+аda@users.noreply.github.com", None),
    ("11+a da@users.noreply.github.com", None), ("11+[bot]@users.noreply.github.com", None), ("11+a_b-1@users.noreply.github.com", Account(11)), ("１1+ada@users.noreply.github.com", None), ("11+ada@users.noreply.github.com.evil.org", None),
    ("11+ada@x@users.noreply.github.com", None), ("9" * 30 + "+a@users.noreply.github.com", None), ("9" * 19 + "+a@users.noreply.github.com", None), ("9" * 18 + "+a@users.noreply.github.com", Account(int("9" * 18))), ("11+-@users.noreply.github.com", None), ("11+_@users.noreply.github.com", None), ("", None),
    ("5+x[bot]@users.noreply.github.com", Account(5, "", "Bot")),
])  # fmt: skip
def test_a_noreply_address_names_its_owner_by_id_alone(address, owner):
    assert noreply_owner(address, GITHUB_COM) == owner


def test_an_address_has_one_key_even_if_it_is_invalid():
    assert address_key("Ada@X.org.") == address_key("ada@x.org")
    assert address_key("X[bot]@Y.org") == "x[bot]@y.org"
    assert folded("STRASSE") == folded("straße")


@pytest.mark.parametrize("name", ["Ren\ufffd", "\ufffd", "Ada \ufffd\ufffd"])
def test_texts_with_replaced_bytes_match_nothing_except_by_the_mailmap(name):
    """Two names may have differed before their bytes were replaced."""
    matcher = EquivalenceEvidence(read_mailmap(""), {}, GITHUB_COM)
    assert matcher.same(Identity(name, "a@x.org"), person(name, "a@x.org")) is None
    assert matcher.same(Identity("Ada", f"{name}@x.org"), person("Ada", f"{name}@x.org")) is None
    assert ExactMatching().same(Identity(name, "a@x.org"), person(name, "a@x.org")) == frozenset()
    mapped = EquivalenceEvidence(read_mailmap("Ada <a@x.org>"), {}, GITHUB_COM)
    assert mapped.same(Identity(name, "a@x.org"), person(name, "a@x.org")) == {"mailmap"}


def test_undecodable_bytes_match_the_same_bytes_only():
    for matcher in (ExactMatching(), EquivalenceEvidence(read_mailmap(""), {}, GITHUB_COM)):
        assert matcher.same(Identity("Ren\udce9", "a@x.org"), person("Ren\udce9", "a@x.org")) == frozenset()
        assert matcher.same(Identity("REN\udce9", "a@x.org"), person("Ren\udce9", "a@x.org")) is not None
        assert matcher.same(Identity("Ren\udce9", "a@x.org"), person("Ren\udcc9", "a@x.org")) is None
        assert matcher.same(Identity("Ren\udce9", "a@x.org"), person("Ren\u00e9", "a@x.org")) is None


TEXT = """# who is who
Ada Lovelace <ada@new.org>
<bo@new.org> <bo@old.org>
Cy Young <cy@new.org> <cy@old.org>
Di Ray <di@new.org> Shared <team@old.org> # only this name
broken line
Ada <> <x@y.org>
"""


@pytest.mark.parametrize(("name", "email", "expected"), [
    ("ada", "ADA@new.org", Identity("Ada Lovelace", "ADA@new.org")), ("Bo", "bo@old.org", Identity("Bo", "bo@new.org")),
    ("cy", "cy@old.org", Identity("Cy Young", "cy@new.org")), ("shared", "team@old.org", Identity("Di Ray", "di@new.org")),
    ("Else", "team@old.org", Identity("Else", "team@old.org")), ("Eve", "eve@old.org", Identity("Eve", "eve@old.org")),
    ("Ada", "x@y.org", Identity("Ada", "x@y.org")),
])  # fmt: skip
def test_the_mailmap_maps_name_address_both_or_both_for_one_name_only(name, email, expected):
    assert read_mailmap(TEXT).resolve(Identity(name, email)) == expected


def test_bytes_that_are_no_utf8_are_seen_as_github_and_as_git_give_them():
    assert [path for path in ("a.md", "é.md", "\ufffd.md", "\udcff.md") if has_unreadable(path)] == [
        "\ufffd.md", "\udcff.md",
    ]  # fmt: skip
