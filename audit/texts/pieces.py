"""Reads pieces of files whose words are no known text as they stand: each is compared, word by word, with what is near.

Near are texts of whose runs of words a sample stands in both. What is near is only a proposal: comparing word by word
decides.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from audit.licenses import spdx
from audit.licenses.spdx import data_file
from audit.texts.normalization import normalize
from audit.texts.remainders import Effort, Meaning, Remainder, meaning
from audit.texts.template_fields import fields_form, is_place
from audit.texts.text_index import TextFingerprint, text_index

if TYPE_CHECKING:
    from audit.texts.comparison import Comparison

_MAX_COMPARED: Final = 60_000  # Words of a piece that is compared with a licence; the longest licence has 7,000.
_MORE_WORDS: Final = 20  # Words beyond a licence's length in which its first copy stands.
_MAX_PARTS: Final = 64  # Texts within one piece.
_APPLIES: Final = " how to apply "
_END: Final = " end of terms and conditions "
# SPDX's text of LGPL-3.0 goes on here with that of GPL-3.0; a file may hold the first alone.
_BUILT_ON: Final = " gnu general public license version 3 29 june 2007 "
# bzip2's text ends here; an address, a version and its date follow, which each release changes.
_SIGNED: Final = " julian seward jseward "
# W3C's text ends here, and its history follows.
_NOTES: Final = " notes this version "
# Headings in W3C's text, which copies of it leave out.
_SUBTITLES: Final = (
    (" following license license by ", " following license by "),
    (" derived disclaimers this ", " derived this "),
)
_FIRST_WORDS: Final = 5  # Words by which an exception is looked up.
_FEWEST_WORDS: Final = 15  # Fewer words may stand anywhere.
# One of these stands in what may be one: the texts of all are read only then.
_SAYS_SO: Final = frozenset({"exception", "exceptions", "exemption"})
_SHINGLE_WORDS = 5
_MIN_SHARE = 0.4  # Of a licence's marks: with fewer it is not compared.
_MAX_WORDS = 400_000  # Words of which runs are made.


@dataclass(frozen=True, slots=True)
class ComparedText:
    """A text in a piece that differs in replaceable fields alone: its `license`, `words`, and if it `is_exception`."""

    license: str
    words: Remainder
    is_exception: bool = False


@dataclass(frozen=True, slots=True)
class NearestLicense:
    """The `license` nearest to a piece, the `share` of it that is there, and the share of both that is `alike`."""

    license: str
    share: float
    alike: float


@dataclass(frozen=True, slots=True)
class PieceReading:
    """The `texts` of a piece and `remarks` to show. Unless it `is_read`, `unread` parts, and the `nearest` licence."""

    texts: tuple[ComparedText, ...] = ()
    remarks: tuple[Remainder, ...] = ()
    is_read: bool = False
    nearest: NearestLicense | None = None
    unread: tuple[Remainder, ...] = ()


class PieceReader:
    """Reads the pieces of one file, within what it may take."""

    def __init__(
        self, known: Sequence[TextFingerprint], proposals: Sequence[str], effort: Effort, names: Collection[str] = ()
    ) -> None:
        self._known, self._proposals, self._effort, self._names = tuple(known), tuple(proposals), effort, names
        self._parts = _MAX_PARTS

    def read(self, piece: Remainder) -> PieceReading:
        """The texts of a piece, if every word of it is a known text's or of no matter; else what is near."""
        said = meaning(piece, self._known, self._effort, self._names)
        if said is not Meaning.UNKNOWN:
            return PieceReading((), (piece,) if said is Meaning.TELLING else (), is_read=True)
        self._parts -= 1  # A part of a piece counts like a piece.
        if self._parts < 0 or len(piece.words) > _MAX_COMPARED or not self._effort.take(len(piece.words)):
            return PieceReading(unread=(piece,))
        # An exception first: the words around it may be those of the licence that it is for.
        exception = find_exception(piece.words)
        if exception:
            name, start, end = exception
            reading = self._beside(piece, ComparedText(name, piece.part(start, end), is_exception=True), start, end)
            if reading.is_read:
                return reading
        return self._compared(piece)

    def _compared(self, piece: Remainder) -> PieceReading:
        from audit.texts.comparison import without_missing  # noqa: PLC0415 - few files hold words that are to be compared

        nearest: NearestLicense | None = None
        partial = None
        said = " ".join(piece.words)
        for license_id in dict.fromkeys((*near(piece.words), *self._proposals)):
            is_bare = license_id == "W3C" and " derived disclaimers this " not in said
            licence = _licence(
                license_id,
                with_tail=_APPLIES in said,
                with_built_on=_BUILT_ON in f" {said} ",
                without_subtitles=is_bare,
            )
            licence = without_missing(license_id, licence, piece.words)
            if not self._effort.take(len(licence) + len(piece.words)):
                break
            compared = _compare(licence, piece.words)
            if compared.is_confirmed:
                reading = self._beside(
                    piece,
                    ComparedText(license_id, piece.part(compared.start, compared.end)),
                    compared.start,
                    compared.end,
                )
                if reading.is_read:
                    return reading
                partial = partial or reading
            # Words that fill a field make no difference.
            alike = 2 * compared.equal / (len(licence) + len(piece.words) - compared.filled)
            if nearest is None or alike > nearest.alike:
                nearest = NearestLicense(license_id, compared.equal / len(licence), alike)
        unread = partial.unread if partial else (piece,)
        return PieceReading(partial.texts if partial else (), (), nearest=nearest, unread=unread)

    def _beside(self, piece: Remainder, found: ComparedText, start: int, end: int) -> PieceReading:
        """A text that was found, together with what the words before and behind it are: they may hold others."""
        before = self._known
        # The title of a text that was found may stand beside it.
        self._known = (*before, *text_index().of(found.license))
        edges = [edge for edge in (piece.part(0, start), piece.part(end, len(piece.words))) if edge.words]
        readings = [self.read(edge) for edge in edges]
        texts = tuple(text for reading in readings for text in reading.texts)
        if not all(reading.is_read for reading in readings):
            self._known = before
        return PieceReading(
            (found, *texts),
            tuple(remark for reading in readings for remark in reading.remarks),
            all(reading.is_read for reading in readings),
            unread=tuple(remainder for reading in readings for remainder in reading.unread),
        )


def _compare(licence: Sequence[str], words: Sequence[str]) -> "Comparison":
    from audit.texts.comparison import compare  # noqa: PLC0415 - few files hold words that are to be compared

    compared = compare(licence, words)
    most = len(licence) * 5 // 4 + _MORE_WORDS
    # Runs of a text that is there twice hold nothing together: the first copy is compared alone.
    if compared.equal * 3 < len(licence) * 2 and most < len(words):
        return compare(licence, words[:most])
    return compared


@lru_cache(maxsize=64)
def _licence(
    license_id: str, *, with_tail: bool, with_built_on: bool, without_subtitles: bool = False
) -> tuple[str, ...]:
    """The words of SPDX's text, its places to fill in marked, without its title and parts that are not asked for."""
    made = fields_form(license_id)
    title = text_index().title(license_id)
    made = made.removeprefix(f" {title}") if title else made
    made = made if with_tail else made.partition(_END)[0]
    for subtitle, bare in _SUBTITLES if without_subtitles else ():
        made = made.replace(subtitle, bare, 1)
    if license_id.startswith("LGPL-3.0") and not with_built_on:
        made = made.partition(_BUILT_ON)[0]
    words = made.partition(_SIGNED)[0].partition(_NOTES)[0].split()
    return tuple(words[1:] if is_place(words[0]) else words)  # A holder may stand above it in any known words.


def find_exception(words: Sequence[str]) -> tuple[str, int, int] | None:
    """The exception whose text stands among these words: its id, and from which word to which (not included)."""
    if _SAYS_SO.isdisjoint(words):
        return None
    known = _exceptions()
    for at in range(len(words) - _FIRST_WORDS + 1):
        for text, exception in known.get(tuple(words[at : at + _FIRST_WORDS]), ()):
            if tuple(words[at : at + len(text)]) == text:
                return exception, at, at + len(text)
    return None


@cache
def _exceptions() -> Mapping[tuple[str, ...], list[tuple[tuple[str, ...], str]]]:
    found: dict[tuple[str, ...], list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    texts = ((tuple(normalize(text).form.split()), exception) for exception, text in spdx.exception_texts().items())
    # The longest first: one may begin as another does.
    for words, exception in sorted(texts, key=lambda pair: (-len(pair[0]), pair[1])):
        if len(words) >= _FEWEST_WORDS and not exception.startswith("LicenseRef-"):
            found[words[:_FIRST_WORDS]].append((words, exception))
    return found


def shingles(words: Sequence[str], one_in: int = 1) -> set[int]:
    """The checksums of one run of words in so many."""
    runs = (" ".join(words[at : at + _SHINGLE_WORDS]) for at in range(min(len(words) - _SHINGLE_WORDS + 1, _MAX_WORDS)))
    # Chosen by the checksum alone: an altered text keeps the same runs, but for those that were changed.
    return {found for run in runs if not (found := zlib.crc32(run.encode())) % one_in}


def near(words: Sequence[str], most: int = 12) -> list[str]:
    """The ids of the texts that are most alike, of which these words hold at least four tenths; the most alike first."""
    known, sizes = _marks()
    shared = Counter(license_id for mark in shingles(words) for license_id in known.get(mark, ()))
    found = []
    for license_id, count in shared.items():
        size, one_in = sizes[license_id]
        if count >= _MIN_SHARE * size:
            found.append((2 * count * one_in / (size * one_in + len(words)), license_id))
    return [license_id for _, license_id in sorted(found, key=lambda part: (-part[0], part[1]))[:most]]


@cache
def _marks() -> tuple[Mapping[int, Sequence[str]], Mapping[str, tuple[int, int]]]:
    """The licences that have a mark; how many marks each has, and one in how many runs they are."""
    rows = data_file("license-marks.json")
    found: dict[int, list[str]] = defaultdict(list)
    for license_id, (_, *own) in rows.items():
        for mark in own:
            found[mark].append(license_id)
    return found, {license_id: (len(own), one_in) for license_id, (one_in, *own) in rows.items()}
