"""Configurations beside weights (`config.json`, `model_index.json`, `adapter_config.json`): which model these were made from."""

import re
from typing import Final

from audit.ecosystems.formats import json_text
from audit.ecosystems.model_cards.card_statement import NOTHING, CardStatement, sources
from audit.ecosystems.parsed_file import text
from audit.facts import Place

_BASES: Final = ("base_model_name_or_path", "_name_or_path", "name_or_path")
# Only transformers, diffusers and PEFT have these keys; many programs call a file `config.json`.
_MODEL_KEYS: Final = frozenset({
    "architectures", "model_type", "_class_name", "_diffusers_version", "peft_type", "transformers_version", "torch_dtype", "_name_or_path",
    "base_model_name_or_path",
})  # fmt: skip
# Paths on an author's disk, though they look like an owner and a name.
_LOCAL: Final = re.compile(
    r"(?:outputs?|checkpoints?|ckpts?|models?|results?|runs?|tmp|local|out|weights?|saved_models?|data|pretrained(?:_models?)?|cache|home|root|mnt|workspace)/.*"
    r"|.*/checkpoint-\d+|.*\.(?:json|bin|pt|pth|safetensors|gguf)"
)


def read(path: str, content: str) -> CardStatement:
    """The statements of a configuration; nothing for one of something else."""
    data = json_text.top(content)
    if _MODEL_KEYS.isdisjoint(data):
        return NOTHING
    lines = data.lines()
    # A model of Hugging Face has an owner and a name; a single word may be any folder.
    named = [(key, name) for key in _BASES if "/" in (name := text(data.get(key))) and not _LOCAL.fullmatch(name)]
    found = [source for key, name in named for source in sources(name, Place(path, lines.get(key)))]
    # Reversed, so that the first key which names a model gives its place.
    return CardStatement(base_models=tuple({source.name: source for source in reversed(found)}.values()), is_model=True)
