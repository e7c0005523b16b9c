"""Licences in prose: which the work is under, between which one may choose, and which parts are under another.

Each sentence has to be understood: as such a statement, as one that only says where to look, or as one that says
nothing of rights. A sentence that is not understood leaves the whole not known, and is told.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from audit.licenses.expression import And, Atom, Expression, Or, all_of, any_of, atoms, read
from audit.texts.prose.license_names import WordedSentence, worded
from audit.texts.prose.license_sentences import Kind, Statement, is_plain, is_pointer, statements
from audit.texts.prose.sentences import MAX_CHARACTERS, Sentence, sentences
from audit.texts.prose.words import (
    AWAY,
    DEPENDENCIES,
    HARD,
    HEADING,
    HEADING_WORDS,
    LEAD,
    NAMES_LICENSE,
    NARROWING,
    OPTIONS,
    OTHERS,
    is_reviewed,
)

_NEIGHBOUR_LINES: Final = 2  # Lines between sentences that are quoted together.
_GNU: Final = frozenset({"GPL", "LGPL", "AGPL"})


@dataclass
class Licensing:
    """Prose that was read: what is `stated` and where, `telling` and `unread` sentences, and the `files` it names."""

    stated: list[tuple[Statement, Sentence]] = field(default_factory=list)
    telling: list[Sentence] = field(default_factory=list)
    unread: list[Sentence] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    titles: set[str] = field(default_factory=set)
    """Ids of licences that are headings: a text should follow."""

    @property
    def is_read(self) -> bool:
        """Whether it says something of licences, and every sentence of it was understood."""
        return self.is_read_beside(())

    def is_read_beside(self, texts: Collection[str]) -> bool:
        """True if it is read beside the texts of these licences, whose titles are read."""
        return bool(self.stated) and not self.unread and self.titles <= set(texts)

    @property
    def expression(self) -> Expression | None:
        """The licence of the work: what is said of the whole; where nothing is, that of its parts together."""
        whole = self._of(Kind.WHOLE)
        # Statements about parts count for the work only where none is about the whole.
        said = [*whole, *self._of(Kind.REST)] if whole else self._of(Kind.MOST, Kind.REST, Kind.PART)
        return all_of(tuple(dict.fromkeys(said))) if said else None

    @property
    def is_of_parts(self) -> bool:
        """Whether it names the licence of parts alone, and not of the work."""
        return bool(self._of(Kind.PART)) and not self._of(Kind.WHOLE, Kind.REST)

    @property
    def parts(self) -> list[tuple[Expression | None, Sentence]]:
        """The statements about parts."""
        return [(statement.expression, sentence) for statement, sentence in self.stated if statement.kind is Kind.PART]

    @property
    def named(self) -> frozenset[str]:
        """The ids of all licences that are stated."""
        return frozenset(atom.license for statement, _ in self.stated for atom in atoms(statement.expression))

    @property
    def remarks(self) -> list[Sentence]:
        """Sentences to show beside the work's licence: of what is under another, or under an option of its build."""
        other = [sentence for statement, sentence in self.stated if statement.kind is not Kind.WHOLE]
        return sorted({*other, *self.telling}, key=lambda sentence: sentence.number)

    def _of(self, *kinds: Kind) -> list[Expression]:
        return [
            statement.expression
            for statement, _ in self.stated
            if statement.kind in kinds and statement.expression is not None
        ]

    def settle(self) -> None:
        """GPL without a version is that version which the same prose names elsewhere; what is left open is not understood."""
        versions = {
            name: {license_id for license_id in self.named if license_id.startswith(f"{name}-")} for name in _GNU
        }
        single = {name: next(iter(some)) for name, some in versions.items() if len(some) == 1}
        made: list[tuple[Statement, Sentence]] = []
        for statement, sentence in self.stated:
            said = None if statement.expression is None else _settled(statement.expression, single)
            is_open = said is None and statement.expression is not None
            # The licence of a part may stay open.
            if is_open and statement.kind in {Kind.WHOLE, Kind.REST}:
                self.unread.append(sentence)
            made.append((replace(statement, expression=said), sentence))
        self.stated = made


def _settled(said: Expression, single: dict[str, str]) -> Expression | None:
    if isinstance(said, And | Or):
        parts = [_settled(part, single) for part in said.parts]
        known = tuple(part for part in parts if part is not None)
        join = all_of if isinstance(said, And) else any_of
        return join(known) if len(known) == len(parts) else None
    if said.license not in _GNU:
        return said
    return Atom(single[said.license]) if said.license in single else None


@lru_cache(maxsize=256)  # A text is asked about several times.
def licensing(text: str) -> Licensing:
    """Reads a text; nothing of one that is too long to be prose."""
    return _read(sentences(text)) if len(text) <= MAX_CHARACTERS else Licensing()


@lru_cache(maxsize=256)
def opening(text: str) -> Licensing:
    """Reads what stands above a licence's text: up to a sentence that is not understood, or a licence's heading."""
    said = Licensing()
    reader = _Reader(said)
    for sentence in sentences(text[:MAX_CHARACTERS]):
        if sentence.heading and worded(sentence.text).licenses:
            break
        reader.take(sentence)
        if said.unread:
            said.unread.clear()  # The text of the licence begins here.
            break
    reader.end()
    said.settle()
    return said


def _read(some: Sequence[Sentence]) -> Licensing:
    said = Licensing()
    reader = _Reader(said)
    for sentence in some:
        reader.take(sentence)
    reader.end()
    said.settle()
    return said


@dataclass
class _Reader:
    """Goes through sentences in order, and notes in `said` what they say.

    `part` is the paragraph or item that speaks of a part, `others` whether the section is of others' works, `lead` the
    sentence behind which licences are listed between which one may choose, `choice` those that were read so far.
    """

    said: Licensing
    part: int = -1
    others: bool = False
    lead: Sentence | None = None
    choice: list[Expression] = field(default_factory=list)

    def take(self, sentence: Sentence) -> None:
        """The next sentence."""
        words = worded(sentence.text)
        self.said.files |= set(words.files)
        is_within = bool(self.choice) and sentence.block == self.part
        if self.lead is not None and not is_within:
            if sentence.item and self._chosen(sentence, words):
                return
            self.end()
        self._take(sentence, words, is_within=is_within)

    def end(self) -> None:
        """The licences of a choice are all there; a choice between none is not understood."""
        if self.lead is not None:
            if self.choice:
                said = any_of(tuple(dict.fromkeys(self.choice)))
                self.said.stated.append((Statement(Kind.WHOLE, said), self.lead))
            else:
                self.said.unread.append(self.lead)
        self.choice, self.lead = [], None

    def _chosen(self, sentence: Sentence, words: WordedSentence) -> bool:
        """An item of a choice: it begins with a licence, and narrows nothing."""
        if not words.words.startswith("§0") or not HARD.isdisjoint(words.words.split()):
            return False
        said = read(words.licenses[0])
        if said is None:
            return False
        # "Or later" may stand behind the name of the file that holds the text.
        later = re.match(
            r"§0 (?:[a-z]{1,20} ){0,4}pathname any later version (?:can|may) be used(?: also)?\b", words.words
        )
        self.choice.append((read(words.licenses[0].replace("-only", "-or-later")) or said) if later else said)
        self.part = sentence.block
        return True

    def _take(self, sentence: Sentence, words: WordedSentence, *, is_within: bool) -> None:
        text = words.words
        if sentence.heading:
            self._heading(sentence, words)
        elif is_within:
            # An item of a choice goes on: it may explain the licence, and not narrow it.
            (self.said.telling if HARD.isdisjoint(text.split()) else self.said.unread).append(sentence)
        elif self.others or OPTIONS.search(text):
            # Works of others, and options of the build, leave the licence of the work as it is.
            self.part = sentence.block
            if not is_plain(words):
                self.said.telling.append(sentence)
        elif LEAD.fullmatch(text) and not words.licenses:
            self.lead = sentence
        elif not (is_reviewed(text) or self._states(sentence, words)):
            self._other(sentence, words)

    def _heading(self, sentence: Sentence, words: WordedSentence) -> None:
        text = words.words
        # Below a heading on others' works, all is of those, up to a heading on the licence.
        self.others = OTHERS.fullmatch(text) is not None or (self.others and not HEADING.search(text))
        if words.licenses and not NAMES_LICENSE.sub("", text).split():
            self.said.titles |= set(words.licenses)
        elif words.licenses or not AWAY.isdisjoint(set(text.split()) - HEADING_WORDS):
            self.said.unread.append(sentence)

    def _states(self, sentence: Sentence, words: WordedSentence) -> bool:
        found = statements(words, item=sentence.item)
        is_of_part = sentence.item and self.part == sentence.block
        for each in found or ():
            is_named_part = is_of_part and each.kind is Kind.WHOLE  # An item goes on about what it began with.
            self.said.stated.append((replace(each, kind=Kind.PART) if is_named_part else each, sentence))
            if each.kind is Kind.PART:
                self.part = sentence.block
        return found is not None

    def _other(self, sentence: Sentence, words: WordedSentence) -> None:
        """A sentence that states nothing: behind a statement of a part, or of what the work needs, it goes on about that."""
        said = set(words.words.split())
        is_of_others = DEPENDENCIES.search(words.words) is not None and NARROWING.isdisjoint(said)
        is_of_part = sentence.block == self.part and (sentence.item or NARROWING.isdisjoint(said))
        if HARD.isdisjoint(said) and (is_of_part or is_of_others):
            self.part = sentence.block
            self.said.telling.append(sentence)
        elif not (is_pointer(words) or is_plain(words)):
            self.said.unread.append(sentence)


def quoted(some: Sequence[Sentence]) -> Iterator[tuple[str, int, int]]:
    """Sentences as they stand in the file, neighbours together, each with its first and last line."""
    said, first, last = "", 0, 0
    for sentence in some:
        text = " ".join(sentence.text.split())
        if said and sentence.line <= last + _NEIGHBOUR_LINES:
            said, last = f"{said} {text}", max(last, sentence.last)
            continue
        if said:
            yield said, first, last
        said, first, last = text, sentence.line, sentence.last
    if said:
        yield said, first, last
