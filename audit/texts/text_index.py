"""The forms of all texts of SPDX's list as digests: which licences stand in a form, word by word, and where.

Equal digests mean equal words: nothing of the texts needs to be unpacked to find them. A licence's title and what its authors
call no part of it (how to apply it) may be there or not; everything else must be there.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, pairwise

from audit.licenses.spdx import data_file
from audit.texts.normalization import normalize
from audit.texts.vocabulary import GENERIC

INDEXED_WORDS = 5
"""So many words begin a text."""
_MAX_TRIED = 1_000_000  # Forms of which it is looked whether their last letters stand where they should, in one text.
# Characters of which digests are made for one text: ten times those of a text of two million.
_MAX_DIGESTED = 20_000_000


@dataclass(frozen=True, slots=True)
class TextFingerprint:
    """One text: its SPDX id (`license`), its `first` words, `length`, `last` letters, and the `digest` of all of it.

    `title` may stand before it; `tails` are the lengths and digests of what may stand behind it; `others` are ids whose
    text is the same; a `notice` is no text of a licence but the words by which one is granted ("Licensed under the …").
    """

    license: str
    first: str
    length: int
    last: str
    digest: str
    title: str
    tails: tuple[tuple[int, str], ...]
    others: tuple[str, ...]
    notice: bool


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A text that was found: its `form`, and its `start` and `end` (not included) with its tail."""

    form: TextFingerprint
    start: int
    end: int


def digest(form: str) -> str:
    """The digest by which equal forms are found, of 128 bits."""
    return hashlib.blake2b(form.encode(), digest_size=16).hexdigest()


@dataclass(slots=True)
class _SearchBudget:
    """The work that may still be done for one text: forms that are `tried`, characters that are `digested`."""

    tried: int = _MAX_TRIED
    digested: int = _MAX_DIGESTED


class TextIndex:
    """All forms, found by their first words and by their digests."""

    def __init__(self, forms: Sequence[TextFingerprint]) -> None:
        self.all = tuple(forms)
        self._by_first: dict[str, list[TextFingerprint]] = defaultdict(list)
        self._whole: dict[str, TextFingerprint] = {}
        # The longest first: a text may begin as a shorter one does.
        for form in sorted(forms, key=lambda fingerprint: (-fingerprint.length, fingerprint.license)):
            self._by_first[form.first].append(form)
            self._whole.setdefault(form.digest, form)
        # Two words rule out nearly all places at once.
        self._pairs = frozenset(tuple(first.split()[:2]) for first in self._by_first)

    def whole(self, form: str) -> TextFingerprint | None:
        """The licence whose text is this whole form."""
        return self._whole.get(digest(form))

    def of(self, license_id: str) -> tuple[TextFingerprint, ...]:
        """The forms of one licence, those of its text first."""
        own = [
            fingerprint
            for fingerprint in self.all
            if fingerprint.license == license_id or license_id in fingerprint.others
        ]
        return tuple(sorted(own, key=lambda fingerprint: fingerprint.notice))

    def title(self, license_id: str) -> str:
        """The title of a licence, empty when its text has none."""
        return next((fingerprint.title for fingerprint in self.of(license_id) if not fingerprint.notice), "")

    def found(self, form: str) -> Iterator[TextMatch]:
        """Every text that stands in the form, in order, the longest first where several begin; none within another."""
        words = form.split()
        begins = [at for at, pair in enumerate(pairwise(words)) if pair in self._pairs]
        if not begins:
            return
        places = list(accumulate(map(len, words), initial=0))
        end, left = 0, _SearchBudget()
        for at in begins:
            position = places[at] + at
            if position >= end:
                match = self._at(form, position, " ".join(words[at : at + INDEXED_WORDS]), left)
                if match:
                    yield match
                    end = match.end - 1  # Two texts share the blank between them.

    def _at(self, form: str, position: int, first: str, left: "_SearchBudget") -> TextMatch | None:
        """The longest text that begins here; positions are those of the blank before a word."""
        for fingerprint in self._by_first.get(first, ()):
            end = position + fingerprint.length
            left.tried -= 1
            # The last letters rule out most texts before a digest is made.
            if (
                left.tried <= 0
                or not form.startswith(fingerprint.last, end - len(fingerprint.last))
                or left.digested < fingerprint.length
            ):
                continue
            left.digested -= fingerprint.length
            if digest(form[position:end]) == fingerprint.digest:
                return TextMatch(fingerprint, position, self._after(form, fingerprint, end))
        return None

    def _after(self, form: str, fingerprint: TextFingerprint, end: int) -> int:
        for length, known in fingerprint.tails:
            if digest(form[end - 1 : end - 1 + length]) == known:
                return end - 1 + length
        return end


@cache
def text_index() -> TextIndex:
    """The forms that come with Countersign, derived from the vendored texts."""
    forms = []
    for license_id, first, length, last, known, title, tails, others, notice in data_file("license-forms.json"):
        behind = tuple((size, checksum) for size, checksum in tails)
        form = (license_id, first, length, last, known, title, behind, tuple(others), bool(notice))
        forms.append(TextFingerprint(*form))
    return TextIndex(forms)


def is_title(words: Sequence[str], form: TextFingerprint, name: str) -> bool:
    """True when these words name this licence and say nothing else: its own title, its name in SPDX's list, or parts of them.

    A title with a word left out is none, unless what is left is a usual name: "Apache License January 2004" was altered.
    """
    if not words or len(words) > 24:
        return not words
    own = form.title.split()
    # The licences of Creative Commons are also called without its name.
    if name.startswith("Creative Commons ") and list(words) == list(_plain_words(name)[2:]):
        return True
    if not set(words) <= title_words(form, name) | GENERIC:
        return False
    rest = iter(own)
    is_cut = len(words) < len(own) <= len(words) + 2 and all(word in rest for word in words)
    return len(own) < 4 or not is_cut


def title_words(form: TextFingerprint, name: str) -> frozenset[str]:
    """The words that name a licence: those of its title, of its name in SPDX's list, and of its id."""
    return frozenset([*form.title.split(), *_plain_words(name), *_plain_words(form.license)])


@lru_cache(maxsize=2_000)
def _plain_words(text: str) -> tuple[str, ...]:
    # Behind a word, so that no number at the beginning is taken for that of an item.
    return tuple(normalize(f"x {text}").form.split()[1:])
