"""The comment says what is missing and what to do, within GitHub's limits, under its hidden marker."""

import re
from dataclasses import replace

import pytest

from agreements.facts import Conclusion, Verdict
from bot.report import check_run, comment
from tests.bot.report.verdicts import (
    BAD_CLA,
    BAD_DCO,
    GOOD_DCO,
    LANGUAGES,
    MANY,
    NO_CHANGELOG,
    UNSIGNED,
    VERDICTS,
    check,
    context,
    many,
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_comment_links_questions_once_a_language_while_work_is_left(language):
    for name, questions, certificate in (
        ("everything", True, True),
        ("newcomer", True, False),
        ("good", False, False),
        ("incomplete", False, False),
    ):
        said = comment.comment(VERDICTS[name], context(language=language))
        times = 2 if "both" in language else 1
        assert said.count("(https://cla.example.org/faq)") == times * questions, name
        assert said.count("(https://cla.example.org/dco)") == times * certificate, name
        assert "]()" not in comment.comment(VERDICTS[name], context(language=language, faq_url="", dco_url=""))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_comment_has_folded_tables_only_when_asked_why(language):
    there = context(language=language)
    frame = r"\n\n<details><summary>(?:English|简体中文)</summary>\n\n|\n\n</details>\Z"
    tables = [part for part in re.split(frame, check_run.check_run(VERDICTS["everything"], there).text) if part]
    plain = comment.comment(VERDICTS["everything"], there)
    body = comment.comment(VERDICTS["everything"], there, why=True)
    assert plain.count("<details>") == len(tables) - 1
    assert body.count("<details>") == body.count("</details>") == 2 * len(tables) - 1
    assert all(f"\n\n{table}\n\n</details>" in body for table in tables)
    assert body.index("/sign/icla") < body.index("<details>")
    assert "bbbbbbb" in body.partition("</summary>")[0]
    assert comment.comment(VERDICTS["nothing"], there, why=True) == comment.comment(VERDICTS["nothing"], there)


@pytest.mark.slow
@pytest.mark.parametrize(
    "language", ["both", *(pytest.param(language, marks=pytest.mark.nightly) for language in ("en", "zh"))]
)
def test_a_comment_with_the_tables_of_5000_people_fits_githubs_limits(language):
    verdict, subjects = many(5000)
    body = comment.comment(verdict, context(language=language, subjects=subjects, situation=MANY), why=True)
    assert comment.COMMENT_LIMIT * 0.7 < len(body) <= comment.COMMENT_LIMIT
    assert "git rebase --signoff main" in body
    assert body.count("<details>") == body.count("</details>") == (3 if "both" in language else 1)
    rows = [line for line in body.splitlines() if line.startswith("|")]
    assert all(line.endswith(" |") for line in rows)


@pytest.mark.parametrize("name", VERDICTS)
def test_the_comment_carries_its_hidden_marker_once_in_the_first_line(name):
    body = comment.comment(VERDICTS[name], context(language="both"))
    assert body.startswith("<!-- countersign:70:7 -->\n")
    assert body.count("countersign:70:7") == 1


def test_where_either_is_enough_the_comment_and_the_check_say_so():
    failing = Verdict(conclusion=Conclusion.FAILURE, checks=(check("CLA", Conclusion.FAILURE, (UNSIGNED,)), BAD_DCO))
    assert "One of these is needed" in comment.comment(failing, context(either=True))
    said = check_run.check_run(failing, context(either=True)).summary
    assert said.startswith("Either a CLA or a DCO sign-off is enough here.\n\n###")
    assert "is enough here" not in check_run.check_run(failing, context()).summary
    passing = Verdict(conclusion=Conclusion.SUCCESS, checks=(check("CLA", Conclusion.NEUTRAL), GOOD_DCO))
    assert "Either a CLA or a DCO sign-off is enough" in check_run.check_run(passing, context(either=True)).summary
    assert "One of CLA" not in check_run.check_run(passing, context()).summary


@pytest.mark.parametrize("language", ["en", "zh"])
def test_where_either_is_enough_all_that_is_needed_beside_it_stays_needed(language):
    """An agreement alone is not enough while an address is unknown, and neither of the two is a changelog."""
    of_changelog = check("Changelog", Conclusion.FAILURE, (NO_CHANGELOG,))
    unsigned = check("CLA", Conclusion.FAILURE, (UNSIGNED,))
    instead, always = (
        ("instead of the above", "In any case") if language == "en" else ("代替上述内容", "无论选择哪种方式")
    )
    for checks, marks in (
        ((BAD_CLA, BAD_DCO), ("/sign/icla", "/cla-check me", instead, "git commit")),
        ((unsigned, BAD_DCO, of_changelog), ("/sign/icla", instead, "git commit", always, "CHANGELOG.md")),
        ((BAD_CLA, BAD_DCO, of_changelog), ("/cla-check me", instead, "git commit", always, "CHANGELOG.md")),
    ):
        verdict = Verdict(conclusion=Conclusion.FAILURE, checks=checks)
        said = comment.comment(verdict, context(language=language, either=True))
        places = [said.index(mark) for mark in marks]
        assert places == sorted(places)
        assert ("One of these is needed" if language == "en" else "以下任意一项") not in said
        assert instead not in comment.comment(verdict, context(language=language))


def test_two_things_of_one_person_are_not_announced_as_one():
    needs_both = replace(UNSIGNED, values={"agreement": "icla", "needs": ("signature",)})
    for problem, opening in ((UNSIGNED, "One thing is needed"), (needs_both, "These things are needed")):
        verdict = Verdict(conclusion=Conclusion.FAILURE, checks=(check("CLA", Conclusion.FAILURE, (problem,)),))
        assert opening in comment.comment(verdict, context())


@pytest.mark.parametrize(
    ("language", "first", "name"), [("both", "Thank you", "简体中文"), ("both-zh", "感谢", "English")]
)
def test_one_language_is_shown_and_the_other_folded(language, first, name):
    said = comment.comment(VERDICTS["newcomer"], context(language=language))
    plain, _, folded = said.partition(f"<details><summary>{name}</summary>")
    assert first in plain
    assert ("/sign/icla" in plain, "/sign/icla" in folded) == (True, True)
    assert folded.endswith("\n\n</details>\n")
