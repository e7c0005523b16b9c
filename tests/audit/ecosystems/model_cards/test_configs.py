"""Configurations beside weights name the models that these are made from."""

import pytest

from audit.ecosystems.model_cards.card_statement import NOTHING
from audit.ecosystems.model_cards.configs import read
from audit.ecosystems.parsed_file import ParseError


def bases(content):
    """`name:line` of each."""
    return [f"{model.name}:{model.place.line}" for model in read("config.json", content).base_models]


def test_base_models_of_a_configuration_are_named_once_with_their_line():
    assert bases('{"model_type": "llama",\n"_name_or_path": "meta-llama/Llama-2-7b"}') == ["meta-llama/Llama-2-7b:2"]
    assert bases('{"peft_type": "LORA", "base_model_name_or_path": "a/b", "_name_or_path": "a/b"}') == ["a/b:1"]


@pytest.mark.parametrize("name", [
    "output/checkpoint-500", "./x", "/home/a/b", "models/x", "bert", "", "a/b/c", "a/checkpoint-3", "C:\\\\x", "a/model.safetensors",
])  # fmt: skip
def test_paths_and_single_words_are_no_base_models(name):
    """Each may be the name of any folder."""
    assert bases(f'{{"_name_or_path": "{name}"}}') == []


def test_a_configuration_of_another_program_states_nothing():
    assert read("config.json", '{"port": 80, "name": "a/b"}') == NOTHING
    with pytest.raises(ParseError):
        read("config.json", "{")
