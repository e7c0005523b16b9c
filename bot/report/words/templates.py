"""The sentences of the TOML files in this folder, read once, and how their blanks are filled in."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from bot import verdict_codes

Language = verdict_codes.Language
Entries = Mapping[str, Mapping[str, str]]


@cache
def entries(language: Language, part: str = "") -> Entries:
    """Every entry of the language by its key, or those of a `part` that has files of its own."""
    return tomllib.loads((Path(__file__).parent / f"{part}{language}.toml").read_text(encoding="utf-8"))


def listed(names: Iterable[str], language: Language) -> str:
    """The names in a row, as a sentence lists them."""
    return ("、" if language == "zh" else ", ").join(names)


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its blanks filled in."""
    return template.format_map(_TemplateValues(values)) if "{" in template else template


class _TemplateValues(dict[str, str]):
    """Values by name; one that is not there shows as a question mark instead of failing a verdict."""

    def __missing__(self, key: str) -> str:
        return "?"
