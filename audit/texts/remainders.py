"""Words around the texts of a file, before, between and behind them, and whether they give or take anything.

They may only say that the licences below are its licences, and whether one of them may be chosen.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from audit.licenses import spdx
from audit.texts.text_index import TextFingerprint, TextMatch, is_title, title_words
from audit.texts.vocabulary import CONDITIONS, PLAIN, VERBS

# Effort for the pieces of one text, after which the rest of them is not known; an altered GPL takes a million.
_MAX_EFFORT: Final = 1_200_000
# A word that is compared costs so much beside a character that is read; a character for the classifier, too.
_EFFORT_OF_WORD: Final = 10
# Words around the texts of one file that are read as sentences; a list of a hundred packages' licences has as many.
_MAX_READ: Final = 5_000
_EFFORT_OF_SENTENCES: Final = 100  # A word of a sentence, beside a character that is read.
_GNU: Final = re.compile(r"([AL]?GPL)-(\d)")
_MAX_WORDS = 120
_CHOICE = ("either", "dual", "dually", "tri", "choice", "option", "choose")
_NAMED = re.compile(
    r"(?:^|(?<= below )|(?<= parts of ))((?:[^ ]+ ){1,4}?)(?:(?:project |library |package )?(?:is|are) )?(?=(?:dual )?(?:licensed|released|distributed) )"
)
_PURPOSE = re.compile(r"(?<=license) for (?:the )?((?:[^ ]+ ){1,3})(?:software|project|library|package)$")


class Meaning(IntEnum):
    """The meaning of words around a text: not known, a title or sentence that says nothing more, or to be shown."""

    UNKNOWN = 0
    PLAIN = 1
    TELLING = 2


@dataclass(slots=True)
class Effort:
    """The effort for the pieces of one text so far: `spent` on comparing, and words that were `read` as sentences."""

    spent: int = 0
    read: int = 0

    @property
    def work(self) -> int:
        """All of it, reckoned in characters that are read."""
        return self.spent + self.read * _EFFORT_OF_SENTENCES

    def reads(self, words: int) -> bool:
        """True when so many more words around the texts may be read as sentences."""
        if self.read + words > _MAX_READ:
            return False
        self.read += words
        return True

    def take(self, words: int) -> bool:
        """True when so many more words may be compared."""
        if self.spent > _MAX_EFFORT:  # The last piece may take more.
            return False
        self.spent += words * _EFFORT_OF_WORD
        return True


@dataclass(frozen=True, slots=True)
class Remainder:
    """The `words` outside of texts, their place in the form (`at`), if the file `opens` or `closes` with them."""

    words: tuple[str, ...]
    at: int
    opens: bool = False
    closes: bool = False

    def part(self, start: int, end: int) -> "Remainder":
        """The words from one to another (not included), as a piece of their own."""
        at = self.at + sum(len(word) + 1 for word in self.words[:start])
        return Remainder(self.words[start:end], at, self.opens and start == 0, self.closes and end == len(self.words))

    @property
    def end(self) -> int:
        """The place in the form of the blank behind the last word."""
        return self.at + sum(len(word) + 1 for word in self.words) - 1


def around(form: str, matches: Sequence[TextMatch]) -> list[Remainder]:
    """The words before, between and behind the texts."""
    edges = [0, *(place for match in matches for place in (match.start, match.end - 1)), len(form)]
    pieces = [
        Remainder(tuple(form[start:end].split()), start + 1, start == 0, end == len(form))
        for start, end in zip(edges[::2], edges[1::2], strict=True)
    ]
    return [piece for piece in pieces if piece.words]


def meaning(
    piece: Remainder, known: Sequence[TextFingerprint], effort: Effort, proper: Collection[str] = ()
) -> Meaning:
    """The meaning of words beside the texts of these licences; `proper` are words that are only names in the file."""
    words, names = piece.words, spdx.lists().licenses
    bare = without_purpose(words)

    def is_titled(some: Sequence[str]) -> bool:
        return any(is_title(some, form, names.get(form.license, "")) for form in known)

    if not words or any(is_titled(candidate) for candidate in {tuple(words), tuple(bare)}):
        return Meaning.PLAIN
    titles = frozenset(
        word
        for fingerprint in known
        for word in (*title_words(fingerprint, names.get(fingerprint.license, "")), *_short(fingerprint.license))
    )
    # Titles and plain statements need no patterns.
    if is_statement(words, titles):
        return Meaning.PLAIN
    from audit.texts.boilerplate import MAX_WORDS, is_boilerplate  # noqa: PLC0415 - its patterns are many, and most files hold a text alone
    from audit.texts.remarks import Beside  # noqa: PLC0415 - its patterns are many, too

    if len(words) > MAX_WORDS or not effort.reads(len(words)):
        return Meaning.UNKNOWN
    if is_boilerplate(words, titles, is_titled, opens=piece.opens, closes=piece.closes):
        return Meaning.PLAIN
    ids = {fingerprint.license for fingerprint in known}
    # Again, with sentences that people should see: only what is no plain sentence is shown.
    beside = Beside(ids, proper)
    if is_boilerplate(words, titles, is_titled, opens=piece.opens, closes=piece.closes, beside=beside):
        return Meaning.TELLING
    return Meaning.UNKNOWN


def _short(license_id: str) -> Collection[str]:
    """Names that people write for a licence of GNU's: "gplv3"."""
    found = _GNU.match(license_id)
    return f"{found[1]}v{found[2]} {found[1]}{found[2]} {found[1]}".lower().split() if found else ()


def without_purpose(words: Sequence[str]) -> Sequence[str]:
    """A title without what it is for: "BSD License for the Foo software" is that of a BSD licence."""
    found = _PURPOSE.search(" ".join(words))
    if found is None or not CONDITIONS.isdisjoint(found[1].split()):
        return words
    return words[: found.string.count(" ", 0, found.start()) + 1]


def is_statement(words: Sequence[str], titles: Collection[str]) -> bool:
    """True when there is nothing in it but names of the licences and of what they are for, and the words of such a sentence."""
    if len(words) > _MAX_WORDS or VERBS.isdisjoint(words):
        return False
    # "Foo is" before "licensed" goes, unless that is no name.
    rest = _NAMED.sub(
        lambda found: "" if CONDITIONS.isdisjoint(found[1].split()) else found[0], " ".join(words) + " "
    ).split()
    return all(word in PLAIN or word in titles for word in rest)


def offers_choice(words: Sequence[str]) -> bool:
    """True when the sentence says clearly that one of the licences may be chosen: "either", "dual licensed", "at your option"."""
    # With "both" it is not clear that one may be chosen.
    return "both" not in words and "licensed" in words and any(word in _CHOICE for word in words)
