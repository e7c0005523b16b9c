"""Compares two texts word by word: what one has that the other hasn't, and whether that is within what may be replaced.

Runs of words that stand once in each text hold the two together, in their longest common order; only the gaps between them are
compared word by word, and only when they are small. So the time grows with the length of the texts, for any content.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache

from audit.licenses.spdx import data_file
from audit.texts.template_fields import is_filled, is_place

_RUN_WORDS = 4  # Words of a run that holds the two texts together.
_MAX_ALIGNED_WORDS = 300  # Words of a gap: aligning takes time in the square of them.
_MAX_JOINED_WORDS = 4  # Words that are one word in the other text (`sub license`).
_MAX_FIELD_WORDS = 25  # Words that fill one field.
_MAX_LAST_WORDS = 12  # Words that may fill the last field of a licence.


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of the `licence` and of the `text` in their place (either may be none), and the place there (`at`)."""

    licence: tuple[str, ...]
    text: tuple[str, ...]
    at: int

    def is_replaceable(self) -> bool:
        """True when the words differ only by what all people may replace: names in their places, joints of one word."""
        if is_filled(self.licence, self.text):
            return True
        return max(len(self.licence), len(self.text)) <= _MAX_JOINED_WORDS and "".join(self.licence) == "".join(
            self.text
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """The `differences` of a licence and a text's words from `start` to `end` (not included), `equal` ones apart."""

    differences: tuple[Difference, ...]
    start: int
    end: int
    equal: int

    @property
    def is_confirmed(self) -> bool:
        """True when nothing outside replaceable fields differs."""
        return self.equal > 0 and all(difference.is_replaceable() for difference in self.differences)

    @property
    def filled(self) -> int:
        """The number of words that the text has in the licence's fields beyond the licence's own."""
        return sum(
            len(difference.text) - len(difference.licence)
            for difference in self.differences
            if difference.is_replaceable()
        )


def compare(licence: Sequence[str], text: Sequence[str]) -> Comparison:
    """The licence's words beside those of a text that may hold more before and behind."""
    pairs = _anchors(licence, text)
    if not pairs:
        return Comparison((Difference(tuple(licence), (), 0),), 0, 0, 0)  # All of it is missing.
    first, start = pairs[0]
    last, end = pairs[-1][0] + _RUN_WORDS, pairs[-1][1] + _RUN_WORDS
    differences: list[Difference] = []
    # The head is compared backwards, so that words above the licence's first are cut off like those behind its last.
    head = max(0, start - _reach(licence[:first]))
    start -= _edge(
        list(_opcodes(licence[:first][::-1], text[head:start][::-1])), licence[:first][::-1], start, differences, -1
    )
    differences.extend(_between(licence, text, pairs))
    tail = text[end : end + _reach(licence[last:])]
    end += _edge(list(_opcodes(licence[last:], tail)), licence[last:], end, differences, 1)
    # A field that is not filled is no missing word.
    missing = sum(
        not is_place(word)
        for difference in differences
        if not difference.is_replaceable()
        for word in difference.licence
    )
    return Comparison(tuple(differences), start, end, len(licence) - missing)


def _reach(licence: Sequence[str]) -> int:
    return len(licence) + _MAX_JOINED_WORDS + _MAX_FIELD_WORDS * sum(map(is_place, licence))


Opcode = tuple[str, tuple[str, ...], tuple[str, ...]]


def _edge(found: list[Opcode], licence: Sequence[str], at: int, differences: list[Difference], step: int) -> int:
    """Takes in the differences at one end; returns how many words of the text belong to the licence there."""
    # What the text has beyond the licence's last word is not part of it.
    if found and found[-1][0] == "insert":
        found.pop()
    if found and step > 0 and len(found[-1][1]) == 1 and is_place(found[-1][1][0]):
        kind, mine, theirs = found[-1]
        # As many of the words behind the licence's last field as may fill it.
        fillings = (theirs[:count] for count in range(min(len(theirs), _MAX_LAST_WORDS), 0, -1))
        found[-1] = kind, mine, next((words for words in fillings if is_filled(mine, words)), theirs)
    taken = 0
    for kind, mine, theirs in found:
        taken += len(theirs)
        if kind != "equal":
            differences.append(Difference(mine[::step], theirs[::step], at + step * taken))
    return taken if licence else 0


def _between(licence: Sequence[str], text: Sequence[str], pairs: list[tuple[int, int]]) -> Iterator[Difference]:
    mine, theirs = pairs[0]
    for in_licence, in_text in pairs:
        if in_licence > mine or in_text > theirs:
            for kind, left, right in _opcodes(licence[mine:in_licence], text[theirs:in_text]):
                if kind != "equal":
                    yield Difference(left, right, theirs)
                theirs += len(right)
        mine, theirs = in_licence + _RUN_WORDS, in_text + _RUN_WORDS


def _apart(pairs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    mine = theirs = 0
    for in_licence, in_text in pairs:
        # A run that overlaps the one before with another shift would hide a word that stands twice there.
        if (in_licence >= mine and in_text >= theirs) or in_licence - in_text == mine - theirs:
            yield in_licence, in_text
            mine, theirs = in_licence + _RUN_WORDS, in_text + _RUN_WORDS


def _opcodes(licence: Sequence[str], text: Sequence[str]) -> Iterator[Opcode]:
    if max(len(licence), len(text)) > _MAX_ALIGNED_WORDS:  # In one step: aligning many words takes long.
        yield "replace", tuple(licence), tuple(text)
        return
    for kind, start, end, text_start, text_end in SequenceMatcher(None, licence, text, autojunk=False).get_opcodes():
        yield kind, tuple(licence[start:end]), tuple(text[text_start:text_end])


def _anchors(licence: Sequence[str], text: Sequence[str]) -> list[tuple[int, int]]:
    """Runs of words that stand once in each, as places in both, in an order that both have: the longest there is."""
    mine, theirs = _once(licence), _once(text)
    common = [(at, theirs[run]) for run, at in mine.items() if run in theirs]
    # The longest order that both have, by patience sorting: n log n steps.
    ends: list[int] = []
    links: list[tuple[int, int]] = []
    for number, (_, other) in enumerate(common):
        place = bisect_left(ends, other, key=lambda index: common[index][1])
        links.append((number, ends[place - 1] if place else -1))
        ends[place : place + 1] = [number]
    order, at = [], ends[-1] if ends else -1
    while at >= 0:
        order.append(common[at])
        at = links[at][1]
    return list(_apart(order[::-1]))


def _once(words: Sequence[str]) -> dict[tuple[str, ...], int]:
    places: dict[tuple[str, ...], int] = {}
    for at, run in enumerate(zip(*(words[shift:] for shift in range(_RUN_WORDS)), strict=False)):
        places[run] = -1 if run in places else at
    return {run: at for run, at in places.items() if at >= 0}


def without_missing(license_id: str, licence: Sequence[str], text: Sequence[str]) -> tuple[str, ...]:
    """The words of a licence's form, without the optional parts that the text does not hold."""
    parts = _table().get(license_id, ())
    if not parts:
        return tuple(licence)
    left, held = f" {' '.join(licence)} ", f" {' '.join(text)} "
    for part in parts:
        # An optional part is left out as a whole, or not at all.
        without = left.replace(f" {part} ", " ", 1)
        if f" {part} " not in held and not _is_altered(part.split(), held, without):
            left = without
    return tuple(left.split())


def _is_altered(part: Sequence[str], held: str, without: str) -> bool:
    """True where half of an optional part is there: then it was altered, and not left out."""
    half = len(part) // 2
    # One word that was changed leaves one half as it was.
    halves = (f" {' '.join(part[:half])} ", f" {' '.join(part[-half:])} ") if half > 1 else ()
    return any(held.count(words) > without.count(words) for words in halves)


@cache
def _table() -> dict[str, list[str]]:
    """The words of the parts that SPDX's templates call optional and that stand once in a licence's text, by its id."""
    # SPDX's matching guidelines (B.3.5) let such text be left out. The longest is first: one may hold another.
    found: dict[str, list[str]] = data_file("license-optional.json")
    return found
