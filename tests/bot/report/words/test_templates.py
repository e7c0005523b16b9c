"""The sentences' files are read once, and what is missing never fails a verdict."""

from bot.report.words import templates


def test_sentences_of_both_languages_are_read_once():
    for language in ("en", "zh"):
        assert templates.entries(language)["public/covered"]["message"]
        assert templates.entries(language) is templates.entries(language)


def test_a_blank_without_a_value_is_a_question_mark():
    assert templates.fill("{who} said {what}.", {"who": "Ada"}) == "Ada said ?."
    assert templates.fill("Nothing to fill", {}) == "Nothing to fill"
