"""A code is declared once, and everything that shows or stores it reads the declaration."""

import pytest

from agreements.cla.coverage import MISSES
from agreements.facts import Check, Conclusion, Problem, Verdict
from bot import verdict_codes


@pytest.mark.parametrize("code", verdict_codes.declared())
def test_a_declaration_is_whole(code):
    """A problem says in both languages how it is fixed, and in a few words what it is; a note does neither."""
    one, said = verdict_codes.of(code), verdict_codes.words("en")[code]

    assert said.keys() == verdict_codes.words("zh")[code].keys()
    assert said["message"]
    assert {"fix", "short"} & said.keys() == ({"fix", "short"} if one.kind == "problem" else set())
    assert one.kind in ("problem", "note")
    assert {*one.stored, *one.labels}.isdisjoint({one.unnamed})


def test_what_nothing_covers_is_ranked_by_the_judge():
    """The same codes in both places: the declaration says what the public reads, the judge which is nearest."""
    assert verdict_codes.uncovered() == set(MISSES)


def test_a_case_has_the_words_of_its_code_but_for_its_own():
    """A case that only changes the advice says the same of what happened."""
    said = verdict_codes.words("en")

    assert said["cla/withdrawn:needed"]["message"] == said["cla/withdrawn"]["message"]
    assert said["cla/withdrawn:needed"]["fix"] != said["cla/withdrawn"]["fix"]


def test_a_code_of_another_release():
    """Nothing is known of it, and nothing fails."""
    assert verdict_codes.of("dco/gone") == verdict_codes.Code()
    assert verdict_codes.blanks("dco/gone") == set()


def test_what_the_public_reads():
    """Neither how a person is covered nor why no longer; each code once, in order."""
    codes = ("dco/missing", "cla/withdrawn", "cla/unsigned", "cla/individual", "dco/missing")
    check = Check(name="x", conclusion=Conclusion.FAILURE, problems=tuple(Problem(code=code) for code in codes))

    assert verdict_codes.public_codes(Verdict(conclusion=Conclusion.FAILURE, checks=(check,))) == [
        "cla/covered", "cla/not-covered", "dco/missing",
    ]  # fmt: skip
