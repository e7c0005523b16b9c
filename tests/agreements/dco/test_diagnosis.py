"""A failed sign-off is explained by its most helpful reason."""

import pytest

from agreements.dco import diagnosis
from agreements.domains.masking import masked_text
from agreements.facts import Commit, Identity
from agreements.github_server import GITHUB_COM
from agreements.identity.matching import CommitPerson, EquivalenceEvidence, read_mailmap

ADA = CommitPerson(Identity("Ada", "ada@x.org"), None, "author")
BO = CommitPerson(Identity("Bo", "bo@x.org"), None, "committer")
MATCHER = EquivalenceEvidence(read_mailmap(""), {}, GITHUB_COM)


@pytest.mark.parametrize(("signed", "code"), [
    ([Identity("Eve", "eve@x.org")], "dco/mismatch"), ([Identity("Ada", "bo@x.org")], "dco/name-differs"), ([Identity("Ada", "a@y.org")], "dco/email-differs"),
    ([Identity("Eve", "eve@x.org"), Identity("Eve", "ada@x.org")], "dco/name-differs"), ([Identity("A\u00adda", "ada@x.org")], "dco/invisible"),
    ([Identity("Eve", "ada@x.org"), Identity("Ada", "ada@x.org\u200b")], "dco/invisible"),
])  # fmt: skip
def test_the_nearest_pair_of_sign_off_and_person_names_the_problem(signed, code):
    found = diagnosis.mismatch(Commit(sha="1"), [ADA, BO], signed, MATCHER)
    assert found.code == code
    assert found.values["expected"] == ("Ada <a…a@x.org>", "Bo <b…@x.org>")
    assert len(found.values["found"]) == len(signed)


@pytest.mark.parametrize(("author", "signed", "expected", "found"), [
    ("ana@x.org", "ada@x.org", "<a…a@x.org> (…n…)", "<a…a@x.org> (…d…)"), ("ada@x.org", "adamaria@x.org", "<a…a@x.org>", "<a…a@x.org> (…m…)"),
    ("a.la@x.org", "a\u200bla@x.org", "<a…a@x.org> (….…)", "<a…a@x.org> (…\\u200b…)"), ("ada@x.org", "ada@y.org", "<a…a@x.org>", "<a…a@y.org>"),
    ("ada", "ana", "<a…a> (…d…)", "<a…a> (…n…)"), ("ada@x.org", "eva@x.org", "<a…a@x.org>", "<e…a@x.org>"),
])  # fmt: skip
def test_addresses_under_one_mask_show_one_differing_character(author, signed, expected, found):
    """Without that character the person could not tell why the sign-off fails."""
    person = CommitPerson(Identity("Ada", author), None, "author")
    values = diagnosis.mismatch(Commit(sha="1"), [person], [Identity("Ada", signed)], MATCHER).values
    assert (values["expected"], values["found"]) == ((f"Ada {expected}",), (f"Ada {found}",))
    assert [masked_text(value) for value in (*values["expected"], *values["found"])] == [
        f"Ada {expected}",
        f"Ada {found}",
    ]


def test_a_malformed_line_is_shown_with_its_address_masked():
    found = diagnosis.without_signoff(Commit(sha="1", message="A\n\nSigned-off-by:Ada <ada@x.org>\r\n"), [ADA])
    assert (found.code, found.values["line"], found.values["why"]) == (
        "dco/malformed",
        "Signed-off-by:Ada <a…a@x.org>",
        "no-space",
    )


def test_a_missing_sign_off_expects_each_person_once():
    found = diagnosis.without_signoff(Commit(sha="1", message="A"), [ADA, ADA])
    assert (found.code, found.values) == ("dco/missing", {"expected": ("Ada <a…a@x.org>",)})


def test_an_address_inside_a_name_is_masked():
    assert diagnosis.label("ada@x.org", "ada@x.org") == "a…a@x.org <a…a@x.org>"


@pytest.mark.parametrize(("author", "signed", "why"), [
    ("Ren\ufffd", "Ren\ufffd", "bytes"), ("Ren\udce9\udce9", "Ren\udce8", "bytes"), ("Ren", "Ren\udce9", "bytes"), ("Ren\u200b", "Ren", None),
])  # fmt: skip
def test_undecodable_bytes_in_a_name_are_told_as_such(author, signed, why):
    person = CommitPerson(Identity(author, "a@x.org"), None, "author")
    found = diagnosis.mismatch(
        Commit(sha="1"), [person], [Identity("Eve", "e@x.org"), Identity(signed, "a@x.org")], MATCHER
    )
    assert (found.code, found.values.get("why")) == ("dco/invisible", why)
    assert all(value.encode() for value in (*found.values["expected"], *found.values["found"]))


@pytest.mark.parametrize(("signed", "code", "why"), [
    ([("Ada", "bo@x.org")], "dco/name-differs", "mixed"), ([("Bo", "ada@x.org")], "dco/name-differs", "mixed"), ([("Eve", "ada@x.org")], "dco/name-differs", None),
    ([("Ada", "a@y.org")], "dco/email-differs", None), ([("Eve", "eve@x.org")], "dco/mismatch", None), ([("Eve", "eve@x.org"), ("ADA", "bo@x.org")], "dco/name-differs", "mixed"),
])  # fmt: skip
def test_a_sign_off_of_two_halves_of_two_people_is_told_as_such(signed, code, why):
    found = diagnosis.mismatch(Commit(sha="1"), [ADA, BO], [Identity(*pair) for pair in signed], MATCHER)
    assert (found.code, found.values.get("why")) == (code, why)
