"""The texts for a project's files say what is required, and link to the agreement of the organisation."""

import re

import pytest

from bot.report import adoption

URL = "https://cla.example.org"
SIGN = f"{URL}/sign/own-icla?organization=cann"


def made(require, **more):
    """The texts for cann/ops."""
    return adoption.texts(require, url=URL, repository="cann/ops", agreement="own-icla", **more)


@pytest.mark.parametrize(
    ("require", "signs", "signs_off", "link"),
    [
        ("cla", True, False, SIGN), ("dco", False, True, f"{URL}/dco"), ("both", True, True, SIGN), ("either", True, True, SIGN),
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", ["en", "zh"])
def test_paragraph_line_and_badge_link_ask_for_what_is_required(require, signs, signs_off, link, language):
    texts = made(require)
    for text in (texts.contributing[language], texts.template[language]):
        assert (SIGN in text) is signs
        assert ("git commit --signoff" in text) is signs_off
    assert texts.badge == f"[![Contribution requirements]({URL}/badge/cann/ops.svg)]({link})"
    assert texts.template[language].startswith("- [ ] ")
    assert "\n" not in texts.template[language]
    assert not re.search(r"[{}?]{1}\)|\{", texts.contributing[language])


def test_both_are_asked_for_in_two_sections_and_either_in_one():
    headings = {choice: made(choice).contributing["en"].count("## ") for choice in ("cla", "dco", "both", "either")}
    assert headings == {"cla": 1, "dco": 1, "both": 2, "either": 1}


@pytest.mark.parametrize("require", ["cla", "dco", "both", "either"])
def test_a_sign_off_in_the_browser_is_named_where_it_counts(require):
    for here in (False, True):
        text = made(require, signs_off_here=here).contributing["en"]
        assert ("Sign off here" in text) is (here and require != "cla")


def test_where_nothing_is_required_there_is_only_a_badge_that_leads_to_the_guide():
    texts = made("none")
    assert (texts.contributing, texts.template) == ({}, {})
    assert texts.link == f"{URL}/guide?organization=cann"
