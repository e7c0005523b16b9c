"""Names of models and data sets as cards and configurations write them."""

import pytest

from audit.ecosystems.model_cards.card_statement import UNLEARNED, hub_name, sources, stated
from audit.facts import Place

HERE = Place("README.md", 1)


@pytest.mark.parametrize(("words", "name"), [
    ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B"), ("gpt2", "gpt2"), (" a/b ", "a/b"), ("https://huggingface.co/a/b", "a/b"),
    ("https://huggingface.co/datasets/a/b?x=1", "a/b"), ("https://example.org/a/b", ""), ("a/b/c", ""), ("../x", ""), ("two words", ""), ("x" * 2_000, ""),
])  # fmt: skip
def test_hub_names(words, name):
    """An owner and a name, or one word."""
    assert hub_name(words) == name


def test_only_so_many():
    """Of what a stranger lists, whatever it is."""
    assert len(sources([f"a/{at}" for at in range(1_000)], HERE)) == 100
    assert sources({"a": 1}, HERE) == ()


def test_nothing_stated():
    """Empty words state nothing; a list of more than one can read is open."""
    assert stated(HERE, "") == stated(HERE, None) == stated(HERE, [" "]) == UNLEARNED
    assert stated(HERE, [f"LicenseRef-{at}" for at in range(30)]).unknown == "unreadable"
