"""The sentences' files are read once, and what is missing never fails a verdict."""

from bot.report.words import templates


def test_both_languages_are_read():
    """By key; the same object every time."""
    for language in ("en", "zh"):
        assert templates.entries(language)["public/covered"]["message"]
        assert templates.entries(language) is templates.entries(language)


def test_a_blank_that_nobody_fills():
    """It shows as a question mark; a sentence without blanks stays as it is."""
    assert templates.fill("{who} said {what}.", {"who": "Ada"}) == "Ada said ?."
    assert templates.fill("Nothing to fill", {}) == "Nothing to fill"
