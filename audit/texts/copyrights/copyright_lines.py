"""Finds the lines of a licence file that are copyright notices: they name people and years, and no condition.

A notice is a replaceable field of every licence (SPDX's matching guidelines, "Copyright notice"). A line counts as one
only when it begins like one and holds no word of a condition: "Copyright 2020 A. All rights reserved" does, "Copyright
notice, this list" and "Copyright 2020 A, for non-commercial use only" don't.
"""

import re
from collections.abc import Iterator
from itertools import islice

from audit.texts.vocabulary import CONDITIONS, JOINING, NAMES, RESTRICTING, SENTENCE

MAX_NOTICE_CHARACTERS = 400
"""Characters of a line in which a notice may stand; nothing behind them is part of it."""
MAX_NOTICES = 20_000
"""Lines of one text that are looked at as notices; a text of two million characters could hold a hundred thousand."""
_MAX_CONTINUED = 100  # Lines of names below a notice.
_MAX_INDENT_CHARACTERS = 50  # Characters before the word.
_MAX_HOLDER_WORDS = 8  # Words of a holder.


_START = re.compile(
    r"^[^\w\n©(\[]{0,24}(?:(?:some[ \t])?(?:portions|parts|contributions)[ \t,]{1,4})?"
    r"(?:copyright\b|copr\.|©|\(c\)[ \t])[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_RESERVED = re.compile(r"\ball[ \t]+rights?[ \t]+reserved\b[.;,]?", re.IGNORECASE)
_ALONE = re.compile(r"^[^\w\n]{0,24}(?:all|some)[ \t]+rights[ \t]+reserved[^\w\n]*$", re.IGNORECASE | re.MULTILINE)
# The same where its line breaks.
_WRAPPED = re.compile(
    r"\ball[ \t]*(?:\n[^\w\n]{0,40})?rights?(?:[ \t]+|[ \t]*\n[^\w\n]{0,40})reserved\b[.;,]?", re.IGNORECASE
)
_WRAPS = re.compile(r"\ball(?:[ \t]+rights?)?[ \t]*\Z", re.IGNORECASE)
_FILE = re.compile(r"[^\w\n]{0,24}files?\.?[ \t]*")  # The end of "see the AUTHORS" / "file".
# With a year, or a place for one, it begins no sentence.
_CERTAIN = re.compile(
    r"(?:©|\(c\)|copyright)[^\w<\[{$]{0,6}(?:©|\(c\)|c\b)?[^\w<\[{$]{0,6}(?:(?:19|20)(?:\d\d|yy)|y{2,4}|year|[<\[{$])",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"copyright[ \t]+(?:(?:©|\(c\))[ \t]+[^\W_]|[\w.&-]{1,40},?[ \t]+(?:inc|ltd|llc|gmbh|corp)\b\.?\Z)", re.IGNORECASE
)
# A notice with its years, and whose they are in the line below.
_YEARS = re.compile(
    r"[^\w\n]{0,24}(?:copyright|copr)?[^\w\n]{0,6}(?:\(c\)|©)?(?:[ \t,&-]{0,6}(?:19|20)\d\d){1,40}[ \t,]*",
    re.IGNORECASE,
)
_FUNDED = re.compile(r"[.,]?[ \t]*\b(?:and )?funded(?: in part)?(?: (?:under|by)\b[^\n]{0,80})?$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_MARKED = re.compile(
    r"https?://\S{1,200}|[^\s<>()]{1,80}@[^\s<>()]{1,80}|<[^\s<>]{1,40} at [^\s<>]{1,60}(?: dot [^\s<>]{1,20})?>"
)
_PLACE = re.compile(r"[<\[{]\s{0,3}[A-Za-z]")
_STOP = re.compile(r"[.;:!?][\"'”)]{0,2}[ \t]+(?=[\"'“(]{0,2}[A-Z])|[;:]")
_RIGHTS = re.compile("rights?", re.IGNORECASE)
_SEEN = re.compile("see|listed in", re.IGNORECASE)
_MARKS = re.compile(" at |://|@")  # Most lines have none of these: `_MARKED` is not tried then.
_QUOTED = re.compile(r"([\"“]|'')[ \t]*copyright\s*(?:\(c\)|©)[^\"”]{1,600}(?:[\"”]|'')", re.IGNORECASE)
_QUOTE = re.compile(r"(?:\"|'')[ \t]*copyright")
_SEE = re.compile(
    r"[(,.;]?[ \t]*\b(?:see|as listed in|listed in)\b[^\n]{0,60}?\b(?:authors?|contributors|credits|git|history|copyright|thanks|maintainers)\b[^\n]{0,60}$",
    re.IGNORECASE,
)


def lowered(text: str) -> str:
    """The text in small letters, each where it was: a letter that would become two stays."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(letter if len(small := letter.lower()) > 1 else small for letter in text)


def notices(text: str) -> Iterator[tuple[int, int]]:
    """The offsets from and to (not included) of the text's notices, in order and apart from each other."""
    lower = lowered(text)
    found = {*_lines(text, lower)}
    if " rights" in lower:
        found.update(match.span() for match in islice(_ALONE.finditer(text), MAX_NOTICES))
        found.update(match.span() for match in islice(_WRAPPED.finditer(text), MAX_NOTICES) if "\n" in match[0])
    if _QUOTE.search(lower):
        found.update(_quotes(text))
    end = 0
    for start, stop in sorted(found, key=lambda span: (span[0], -span[1])):
        if stop > end:
            yield max(start, end), stop
            end = stop


def _starts(text: str, lower: str) -> Iterator[re.Match[str]]:
    lines = set()
    for sign in ("copyright", "(c)", "©", "copr."):
        at = lower.find(sign)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            if at - start <= _MAX_INDENT_CHARACTERS:  # Farther right, it is within a sentence.
                lines.add(start)
            at = lower.find(sign, end) if end >= 0 else -1
    return (match for start in sorted(lines)[:MAX_NOTICES] if (match := _START.match(text, start)))


def _lines(text: str, lower: str) -> Iterator[tuple[int, int]]:
    for match in _starts(text, lower):
        length = _length(match[0])
        if not length:
            continue
        stop = match.start() + length
        yield match.start(), stop
        # A notice that ends within its line, or reserves all rights, does not go on below.
        if length == len(match[0].rstrip()) and not _RESERVED.search(match[0]):
            position = match.end()
            if _YEARS.fullmatch(match[0]) and (end := _holder_end(text, position)):
                yield position + 1, end
                position = end
            yield from _continued(text, position)


def _holder_end(text: str, position: int) -> int:
    """The end of the line below years, if it names their holder alone, in large or small letters; else 0."""
    end = text.find("\n", position + 1)
    line = _SEE.sub(" ", text[position + 1 : end])
    words = _WORD.findall(line.lower())
    if end < 0 or not words or len(words) > _MAX_HOLDER_WORDS or _START.match(line):
        return 0
    return 0 if conditional(line) or not RESTRICTING.isdisjoint(words) else end


def _continued(text: str, position: int) -> Iterator[tuple[int, int]]:
    for _ in range(_MAX_CONTINUED):
        end = text.find("\n", position + 1)
        line = text[position + 1 : end if end >= 0 else len(text)]
        if end < 0 or len(line) > MAX_NOTICE_CHARACTERS or _START.match(line):
            return
        if not _FILE.fullmatch(line) and not names_only(_WRAPS.sub("", line)):
            # "All rights reserved" ends the names; terms may follow it.
            last = _RESERVED.search(line)
            if last and names_only(line[: last.end()]):
                yield position + 1, position + 1 + last.end()
            return
        yield position + 1, end
        position = end


def _quotes(text: str) -> Iterator[tuple[int, int]]:
    for match in islice(_QUOTED.finditer(text), MAX_NOTICES):
        inner = match[0].replace("\n", " ")
        if not conditional(_RESERVED.sub(" ", inner)):
            yield match.start(), match.end()


def _length(line: str) -> int:
    """The number of characters from its beginning that are a notice; 0 when none are."""
    if len(line) > MAX_NOTICE_CHARACTERS:
        line = line[:MAX_NOTICE_CHARACTERS]
    stops = [match.start() + 1 for match in _STOP.finditer(line)][:12]
    reserved = _RESERVED.search(line) if _RIGHTS.search(line) else None
    # The longest part that is one: terms may follow in the same line.
    for stop in [len(line.rstrip()), *([reserved.end()] if reserved else []), *reversed(stops)]:
        if _is_notice(line[:stop]):
            return stop
    return 0


def _is_notice(line: str) -> bool:
    """True when this holds a sign or word of copyright, names and years, and nothing else."""
    bare = _RESERVED.sub(" ", line) if _RIGHTS.search(line) else line
    bare = _SEE.sub(" ", bare) if _SEEN.search(bare) else bare
    bare = _MARKED.sub(" ", bare) if _MARKS.search(bare) else bare
    words = _WORD.findall(bare)
    place = next((at for at, word in enumerate(words) if word.lower() in {"copyright", "copr"}), -1)
    following = [word for word in words[place + 1 : place + 3] if word.lower() != "c"][:1]
    if not _CERTAIN.search(line):
        if not following and not _PLACE.search(line):
            return False
        word = following[0] if following else ""
        # A small letter behind "copyright" begins no name, unless it has the sign between them, or is a company's.
        goes_on = word.islower() and word != "by" and not _SIGNED.search(line)
        if word.lower() in SENTENCE or goes_on:
            return False
    return not conditional(bare)


def conditional(words: str) -> bool:
    """True when one of the words is a condition's, and no name."""
    # In capitals, a large first letter is no sign of a name.
    shouted = words.upper() == words
    return any(word.lower() in CONDITIONS and not (word in NAMES and not shouted) for word in _WORD.findall(words))


def names_only(line: str) -> bool:
    """True when every word has a large first letter or joins two that have; an empty line has no names."""
    bare = _SEE.sub(" ", line) if _SEEN.search(line) else line
    bare = _FUNDED.sub(" ", bare)
    bare = _MARKED.sub(" Marked ", _RESERVED.sub(" Reserved ", bare))
    words = _WORD.findall(bare)
    if not words or len(words) > 16 or (bare.upper() == bare and bare.lower() != bare) or conditional(bare):
        return False
    return all(word[0].isupper() or word[0].isdigit() or word in JOINING for word in words)
