"""Names of models and data sets as cards and configurations write them."""

import pytest

from audit.ecosystems.model_cards.card_statement import UNLEARNED, hub_name, sources, stated
from audit.facts import Place

HERE = Place("README.md", 1)


@pytest.mark.parametrize(("words", "name"), [
    ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B"), ("gpt2", "gpt2"), (" a/b ", "a/b"), ("https://huggingface.co/a/b", "a/b"),
    ("https://huggingface.co/datasets/a/b?x=1", "a/b"), ("https://example.org/a/b", ""), ("a/b/c", ""), ("../x", ""), ("two words", ""), ("x" * 2_000, ""),
])  # fmt: skip
def test_a_hub_name_is_an_owner_and_a_name_or_one_word(words, name):
    assert hub_name(words) == name


def test_sources_are_limited_to_a_hundred():
    """A stranger may list any number of them."""
    assert len(sources([f"a/{at}" for at in range(1_000)], HERE)) == 100
    assert sources({"a": 1}, HERE) == ()


def test_empty_words_state_no_licence_and_a_too_long_list_is_unreadable():
    assert stated(HERE, "") == stated(HERE, None) == stated(HERE, [" "]) == UNLEARNED
    assert stated(HERE, [f"LicenseRef-{at}" for at in range(30)]).unknown == "unreadable"
