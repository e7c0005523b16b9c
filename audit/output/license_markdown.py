"""Text of others within Markdown: shown as they are, never as tables, links, mentions, pictures, HTML or formulas."""

import re
from typing import Final

from audit import display_text

_SIGNS: Final = re.compile(r"[\\`*_\[\]|~$#<>&]")
_ENTITIES: Final = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "#": "&#35;", "|": "&#124;"}
_MENTION: Final = re.compile(r"(?<![A-Za-z0-9])@")
_ADDRESS: Final = re.compile(r"(?i)(?<=[a-z])(?=://)|(?<=www)(?=\.)|(?<=[a-z0-9])(?=@[a-z0-9-]{1,60}\.[a-z])")


def inline(written: str, longest: int = display_text.MAX_SHOWN_CHARACTERS) -> str:
    """The text on one line, good for a sentence, a heading and a cell of a table (GitHub's Markdown)."""
    words = _SIGNS.sub(lambda sign: _ENTITIES.get(sign[0], "\\" + sign[0]), display_text.line(written, longest))
    return _ADDRESS.sub("<!-- -->", _MENTION.sub("&#64;", words))
