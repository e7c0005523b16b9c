"""Exceptions of SPDX's list that stand beside a licence's text, word for word."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from audit.licenses import spdx
from audit.texts.normalization import normalize

_FIRST_WORDS: Final = 5
_FEWEST_WORDS: Final = 15
_SAYS_SO: Final = frozenset({"exception", "exceptions", "exemption"})
"""One of these stands in what may be one: the texts of all are read only then."""


def find(words: Sequence[str]) -> tuple[str, int, int] | None:
    """The exception whose text stands among these words: its id, and from which word to which (not included)."""
    if _SAYS_SO.isdisjoint(words):
        return None
    known = _known()
    for at in range(len(words) - _FIRST_WORDS + 1):
        for text, exception in known.get(tuple(words[at : at + _FIRST_WORDS]), ()):
            if tuple(words[at : at + len(text)]) == text:
                return exception, at, at + len(text)
    return None


@cache
def _known() -> Mapping[tuple[str, ...], list[tuple[tuple[str, ...], str]]]:
    """The words of each exception by its first ones, the longest first."""
    found: dict[tuple[str, ...], list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    texts = ((tuple(normalize(text).form.split()), one) for one, text in spdx.exception_texts().items())
    for words, exception in sorted(texts, key=lambda pair: (-len(pair[0]), pair[1])):
        if len(words) >= _FEWEST_WORDS and not exception.startswith("LicenseRef-"):
            found[words[:_FIRST_WORDS]].append((words, exception))
    return found
