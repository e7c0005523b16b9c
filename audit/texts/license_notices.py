"""The licence that a file's header names in words: by the notice that a licence asks for, or by the licence's whole text.

A notice counts that grants ("licensed under", "subject to the terms of"); a licence that is only mentioned is none. One that comes
with an exception has it behind WITH, unread; words that reserve everything are `LicenseRef-Proprietary`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from audit.licenses import spdx
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import And, Atom, Expression, Or, all_of, any_of, atoms, read
from audit.texts.grants import grants
from audit.texts.source_header import legal_text

HEADER_CHARACTERS: Final = 16_000
"""Characters of a file in which its header stands."""
_WORDS: Final = re.compile(r"[a-z0-9.]+")
# A licence counts behind words that grant, and not where it is only mentioned.
_GRANT: Final = r"\b(?:under|subject to|governed by)(?: [a-z0-9.]+){0,7}? "
_LICENSE: Final = r" licen[cs]es?"
_VERSION: Final = r"(?: [a-z]{2,4})?(?: v| version| ver)? ?v?"
# By the word that has to be there: the name behind a grant, with its version, and the id that it makes.
_NAMED: Final[tuple[tuple[str, str, str], ...]] = (
    ("apache", rf"apache(?: software)?{_LICENSE}{_VERSION}(2)", "Apache-{}.0"),
    ("mozilla public", rf"mozilla public{_LICENSE}{_VERSION}([12]\.[01])", "MPL-{}"),
    ("eclipse public", rf"eclipse public{_LICENSE}{_VERSION}([12]\.0)", "EPL-{}"),
    ("common development", rf"common development and distribution{_LICENSE}(?:{_VERSION}(1\.[01]))?", "CDDL-{}"),
    ("common public", rf"common public{_LICENSE}{_VERSION}(1\.0)", "CPL-{}"),
    ("common public attribution", rf"common public attribution{_LICENSE}{_VERSION}(1\.0)", "CPAL-{}"),
    ("european union public", rf"european union public(?:{_LICENSE})?{_VERSION}(1\.[0-2])", "EUPL-{}"),
    ("eupl", r"eupl v?(?:ersion )?(1\.[0-2])", "EUPL-{}"),
    ("open software", rf"open software{_LICENSE}{_VERSION}([123]\.[01])", "OSL-{}"),
    ("academic free", rf"academic free{_LICENSE}{_VERSION}([123]\.[01])", "AFL-{}"),
    ("artistic", rf"artistic{_LICENSE}{_VERSION}(2\.0)", "Artistic-{}"),
    ("business source", rf"business source{_LICENSE}{_VERSION}(1\.1)", "BUSL-{}"),
    ("business source", rf"business source{_LICENSE}(?!{_VERSION}\d)", "BUSL-1.1"),
    ("server side public", rf"server side public{_LICENSE}{_VERSION}(1)", "SSPL-{}.0"),
    ("elastic", rf"elastic{_LICENSE}{_VERSION}(2)", "Elastic-{}.0"),
    ("boost software", rf"boost software{_LICENSE}{_VERSION}(1\.0)", "BSL-{}"),
    ("mulan psl", r"mulan psl v?([12])", "MulanPSL-{}.0"),
    ("mulan publ", r"mulan publ v?([12])", "MulanPubL-{}.0"),
    ("mit", rf"mit(?: x11)?{_LICENSE}", "MIT"),
    ("isc", rf"isc{_LICENSE}", "ISC"),
    ("bsd", rf"(?:(?:new|modified|revised) bsd|3 clause bsd|bsd 3 clause){_LICENSE}", "BSD-3-Clause"),
    ("bsd", rf"(?:simplified bsd|2 clause bsd|bsd 2 clause){_LICENSE}", "BSD-2-Clause"),
)  # fmt: skip
_PATTERNS: Final = tuple((word, re.compile(_GRANT + pattern + r"\b"), made) for word, pattern, made in _NAMED)
_CREATIVE: Final = re.compile(r"creativecommons\.org/licenses/(by(?:-nc)?(?:-nd|-sa)?)/(\d\.\d)")
_CREATIVE_NAME: Final = re.compile(
    r"\bunder (?:a |the )?creative commons attribution(?P<parts>(?: (?:non ?commercial|no ?deriv(?:ative)?s|share ?alike)){0,2}) (?P<version>\d\.\d)\b"
)
_GNU: Final = re.compile(
    r"\b(?:licen[cs]ed?|released|distributed|available|published|covered) under (?:the )?(?:terms of )?(?:the )?"
    r"(?:(?:mit|bsd|apache|new bsd) (?:licen[cs]es? )?(?:or|and) (?:the )?)?(?:gnu )?([al]?)gpl(?: licen[cs]e)?(?: v| version)? ?v?([123](?:\.[01])?)?\b"
)
_DUAL_MIT: Final = re.compile(r"\bunder (?:the )?mit (?:licen[cs]e )?(?:or|and) ")
# Words of texts that stand in headers as a whole, and how the ids begin that they may be.
_TEXTS: Final = (
    ("permission is hereby granted free of charge to any person obtaining a copy", ("MIT", "X11")),
    ("redistribution and use in source and binary forms with or without modification", ("BSD-",)),
    ("permission to use copy modify and or distribute this software for any purpose", ("ISC", "0BSD")),
    ("permission to use copy modify and distribute this software for any purpose", ("ISC", "0BSD")),
    ("altered source versions must be plainly marked as such", ("Zlib", "zlib-")),
    ("free and unencumbered software released into the public domain", ("Unlicense",)),
)
# Lines that differ from file to file.
_HOLDER: Final = re.compile(r"[ \t]*+(?:copyright\b|\(c\)|©|@author|spdx-)", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<! v)(?<=[a-z0-9)])[.:;](?:\s|$)|\n\s*\n")
# Words of a sentence that speaks of other files' licences, or of one that no longer counts.
_ELSEWHERE: Final = re.compile(
    r"\b(?:the\s+rest\s+of|not\s+(?:licensed|covered|subject|under|released|distributed|available)|compatible\s+with|instead\s+of|formerly|originally"
    r"|converted\s+from|used\s+to\s+be|(?:packages|dependencies|projects|repositories|licen[cs]es)\s+(?:that\s+are\s+|which\s+are\s+)?"
    r"(?:licen[cs]ed|released|distributed|under))\b",
    re.IGNORECASE,
)
_CHOICE: Final = re.compile(
    r"\b(?:alternatively|either(?! version)|dual|dually|tri licensed|your choice|choose|or under|or (?:the )?(?:mit|bsd|apache|gnu|mozilla|eclipse|[al]?gpl))\b"
)
# A whole sentence in quotation marks within another one: that speaks of it, and states no licence.
_EXAMPLE: Final = re.compile(
    r"(?<=[\w,:;] )\"[^\"]{1,100}\b(?:is|are) (?:licen[cs]ed|released|distributed|available|published|covered) under [^\"]{1,100}\""
)
# An exception to a licence, and not one that code throws.
_EXCEPTION: Final = re.compile(
    r"\b(?:special|linking|library|classpath|following|additional|llvm|font|syscall|floss|foss) exceptions?\b|\bas an? (?:\w+ ){0,2}exception\b"
    r"|\bexceptions? (?:to|stated|described|applies|below|clause|version|as published|in (?:the )?(?:file|copying|licen[cs]e))\b|\bwith (?:\w+ ){0,4}exceptions?\b"
)
_IN_WORDS: Final = "an exception in words"
# Scripts of builds, and what a generator puts into its output, may go into any work by their exceptions.
_OF_BUILD: Final = re.compile(
    r"\b(?:autoconf|automake|libtool|bison|flex|configure|configuration script|parser skeleton|rest of that program)\b"
)
_RESERVED: Final = re.compile(
    r"\bconfidential (?:and )?proprietary\b|\bproprietary (?:and )?confidential\b|\bunauthori[sz]ed (?:copying|reproduction|duplication|distribution|disclosure)\b"
)
_PROPRIETARY: Final = Atom("LicenseRef-Proprietary")
_STATED: Final = re.compile(r"(?:@licen[cs]e\s|licen[cs]e\s*:|__licen[cs]e__ = )[ \t\"']*+([^\n\"']{1,100})", re.IGNORECASE)  # fmt: skip

# The first line of a bundle, which minifiers leave.
_BANNER: Final = re.compile(r"\s{0,20}/\*[*!]+([^\n]{1,500}?)(?:\*/|\n)")


@dataclass(frozen=True, slots=True)
class LicenseNotice:
    """A licence that a header names, and the `line` of the file, from 1.

    `expression` is None where only the comparison of a whole text can tell; then `text` is that text, and `families`
    tell how its id may begin.
    """

    expression: Expression | None
    line: int
    text: str = ""
    families: tuple[str, ...] = ()


def notices(content: str) -> tuple[LicenseNotice, ...]:
    """The licences that a header names; none where it is a build script's with an exception, or a choice is not known."""
    header = legal_text(content[:HEADER_CHARACTERS])
    if not header:
        banner = _in_banner(content)
        return () if banner is None else (LicenseNotice(banner, 1),)
    words = " ".join(_WORDS.findall(header.lower()))
    is_excepted = _EXCEPTION.search(words) is not None
    if is_excepted and _OF_BUILD.search(words):
        return ()
    # Without the lines of holders, which differ, most files of a work have the same terms.
    terms = "\n".join(_EXAMPLE.sub(" ", line) for line in header.split("\n") if not _HOLDER.match(line))
    if _ELSEWHERE.search(terms):
        terms = ". ".join(part for part in _SENTENCE.split(terms) if not _ELSEWHERE.search(part))
    expression, whole = _said(terms)
    if expression is None and not whole:
        expression = _in_banner(content)
    if _RESERVED.search(words):  # Often behind the holder, in the same line.
        expression = all_of((*([] if expression is None else [expression]), _PROPRIETARY))
    if is_excepted and expression is not None:  # It may change the licence in any way.
        expression = _with_exception(expression)
    found = [] if expression is None else [LicenseNotice(expression, _line(content, expression))]
    if whole:
        first_words, families = next(row for row in _TEXTS if row[0] == whole)
        found.append(LicenseNotice(None, _line_of(content, first_words.split()[:3]), header, families))
    return tuple(found)


def _with_exception(said: Expression) -> Expression:
    if isinstance(said, Atom):
        return said if said.exception else Atom(said.license, _IN_WORDS)
    return type(said)(tuple(map(_with_exception, said.parts)))


@lru_cache(maxsize=1_024)  # Most files of a work bear the same.
def _said(header: str) -> tuple[Expression | None, str]:
    """The licence that a header names, and by which words it may be the text of one."""
    words = " ".join(word.strip(".") for word in _WORDS.findall(header.lower())) + " "
    said = (*_gnu(header, words), *_by_name(header, words), *_stated(header))
    named = tuple(dict.fromkeys(part for part in said if part is not None))
    offers_choice = _CHOICE.search(words) is not None
    # A choice with one known licence may be of one that is not known.
    expression = (any_of if offers_choice else all_of)(named) if len(named) > int(offers_choice) else None
    whole = "" if offers_choice else next((phrase for phrase, _ in _TEXTS if phrase in words), "")
    return expression, whole


def _gnu(header: str, words: str) -> Iterator[Expression | None]:
    # A licence of GNU's that is only mentioned is none.
    if not re.search(_GRANT + r"(?:gnu |lesser |library |affero )*(?:general public|[al]?gpl)\b", words):
        return
    named = [
        f"{name}-{'or-later' if later else 'only'}" for name, later in sorted(grants(header)) if name[-1].isdigit()
    ]
    short = _GNU.search(words) if not named else None
    if short:
        name, version = f"{short[1].upper()}GPL", short[2]
        named = [f"{name}-{version if '.' in version else f'{version}.0'}-only" if version else name]
    yield from map(read, named)


def _by_name(header: str, words: str) -> Iterator[Expression | None]:
    """Licences with names of their own; None for one whose version SPDX does not know."""
    for word, pattern, made in _PATTERNS:
        found = pattern.search(words) if word in words else None
        if found:
            yield read(made.format((found.lastindex and found[found.lastindex]) or "1.0"))
    creative = _CREATIVE.search(header)
    # A link to Creative Commons alone licenses nothing.
    if creative and re.search(r"\blicen[cs]ed\b|\bunder (?:a|the)\b", words):
        yield read(f"CC-{creative[1].upper()}-{creative[2]}")
    named = _CREATIVE_NAME.search(words) if creative is None else None
    if named:
        parts = (("non", "-NC"), ("deriv", "-ND"), ("share", "-SA"))
        kind = "".join(short for word, short in parts if word in named["parts"])
        yield read(f"CC-BY{kind}-{named['version']}")
    if _DUAL_MIT.search(words):
        yield Atom("MIT")


def _stated(header: str) -> Iterator[Expression]:
    """`License: MIT`, `@license MIT`: the line says an expression of known ids, and nothing else."""
    for line in header.split("\n"):
        found = _STATED.match(line.strip())
        said = read(found[1].strip().rstrip(".*/ ")) if found else None
        if said is not None and all(atom.license in spdx.lists().licenses for atom in atoms(said)):
            yield said


def _in_banner(content: str) -> Expression | None:
    """`/*! name v1.2 | (c) holder | MIT License | address */`: the one field that is the name of a licence and nothing else."""
    found = _BANNER.match(content)
    fields = [part.strip().removeprefix("@license ") for part in found[1].split("|")] if found else []
    listed = spdx.lists().licenses
    said = [
        expression
        for expression in map(read, fields)
        if expression is not None
        and all(atom.license in listed or atom.license in FAMILIES for atom in atoms(expression))
    ]
    return said[0] if len(fields) > 1 and len(said) == 1 else None  # Two may be a choice or both.


def _line(content: str, expression: Expression) -> int:
    first = expression.parts[0] if isinstance(expression, And | Or) else expression
    name = first.license if isinstance(first, Atom) else ""
    kind = "gpl" if "GPL" in name else name.partition("-")[0].lower()
    marks = {
        "gpl": ("general", "public"), "apache": ("apache", "licen"), "mpl": ("mozilla", "public"), "epl": ("eclipse", "public"),
        "licenseref": ("confidential",), "cddl": ("common", "development"), "cc": ("creativecommons",), "busl": ("business", "source"), "sspl": ("server", "side"),
    }  # fmt: skip
    return _line_of(content, marks.get(kind, (kind,)))


def _line_of(content: str, words: tuple[str, ...] | list[str]) -> int:
    found = re.search(r"[\s*/#;%-]{1,12}".join(map(re.escape, words)), content[: 2 * HEADER_CHARACTERS], re.IGNORECASE)
    # Else the first line that speaks of a licence.
    found = found or re.search("licen[cs]e|gpl", content[: 2 * HEADER_CHARACTERS], re.IGNORECASE)
    return content.count("\n", 0, found.start()) + 1 if found else 1
