"""The place where a value meets its sentence: no space beside its own Chinese characters, and no second full stop."""

import re
from collections.abc import Mapping
from typing import Final

_WIDE: Final = r"[\u2e80-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
"""Chinese characters and full-width marks."""


def blanks(blank: str) -> re.Pattern[str]:
    """The pattern of a blank and what stands around it; `blank` is that of a blank alone, with its group `name`."""
    # Templates have the spaces that a value in Latin letters has between Chinese characters.
    return re.compile(rf"(?P<before>(?<={_WIDE}) )?(?P<blank>{blank})(?P<stop>\.?)(?P<after> (?={_WIDE}))?")


def fit(template: str, pattern: re.Pattern[str], values: Mapping[str, str]) -> str:
    """The template, still with its blanks, as it fits around these values; `pattern` is made by `blanks`."""

    def joint(found: re.Match[str]) -> str:
        value = values.get(found["name"], "")
        before = "" if re.match(_WIDE, value) else found["before"] or ""
        after = "" if re.match(_WIDE, value[-1:]) else found["after"] or ""
        stop = "" if value.endswith(".") else found["stop"]  # One full stop after "Example Co., Ltd."
        return before + found["blank"] + stop + after

    return pattern.sub(joint, template)
