"""Sentences that stand around a licence's text and neither give nor take anything: a closed grammar, reviewed sentence by sentence.

Words around a text are boilerplate when they can be read, from the first to the last, as a row of such sentences: titles of the
licences beside, "Foo is released under the MIT license" (of the licence beside), where code comes from, and sentences that were
reviewed as they stand. A sentence that fits none of them leaves the text not known. Work is bounded: at most 240 words are read.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import accumulate

from audit.licenses.spdx import data_file, lists
from audit.texts import forewords, remarks, vocabulary
from audit.texts.normalization import normalize
from audit.texts.vocabulary import CONDITIONS, GENERIC, RESTRICTING, SENTENCE

MAX_WORDS = 240
"""Words around one text; there are no more in a file whose licence is plain."""
_MAX_TITLE_WORDS = 14  # Words of a title.
_MAX_NAME_WORDS = 4  # Words of a work's name; more would take in a sentence.
_MAX_SOURCE_WORDS = 9  # Words of a source: a work, its author or its address.
_MAX_AUTHORS = 40  # Words of a list of authors.
_MAX_LICENSE_WORDS = 16  # Words of a licence's name, its joints included.

_THINGS = "software|project|package|library|module|code|program|work|file|files|font software|source code|repository|product|plugin|tool"
_THIS = re.compile(rf"this (?:{_THINGS}) ")
_GRANT = re.compile(
    rf"(?:(?P<name>(?:this (?:{_THINGS}) )|(?:[^ ]+ ){{1,{_MAX_NAME_WORDS}}}?)(?:is |are ))?(?:free (?:and open source )?software |open source (?:software )?)?"
    r"(?:also |now )?(?:and )?(?:is )?(?:made available |available |released |distributed |(?:dual |dually )?licensed |provided |published )?"
    r"(?:under|covered by) (?:the terms (?:and conditions )?of )?(?=[^ ])"
)
_IS = re.compile(r"this is (?=[^ ]+ (?:[^ ]+ ){0,7}?license )")
_CONTRIBUTED = re.compile(
    rf"all contributions (?:towards|to) (?P<name>(?:[^ ]+ ){{1,{_MAX_NAME_WORDS}}}?)are (?=[^ ]+ (?:[^ ]+ ){{0,4}}?licensed )"
)
_SOURCE = re.compile(
    rf"(?:(?P<name>(?:this (?:{_THINGS}) )|(?:[^ ]+ ){{1,{_MAX_NAME_WORDS}}}?)(?:is|are|was|were|has been) |portions |parts |)(?:originally |partly |partially |loosely |heavily )?"
    r"(?:based on|derived from|extracted from|forked from|inspired by|ported from|adapted from|(?:a )?fork of|a port of|(?:originally )?written by|created by|"
    r"developed by|maintained by) (?:the )?(?=[^ ])"
)
_INCLUDED = re.compile(
    rf"(?P<name>(?:[^ ]+ ){{1,{_MAX_NAME_WORDS}}}?)(?:(?:incorporates|includes|contains|bundles) (?:code|source code|parts|portions) (?:from|of)|has an optional "
    r"dependency on) (?:the )?(?P<other>(?:[^ ]+ ){1,4}?)which is (?:also )?(?:made available|available|released|distributed|licensed) under (?=[^ ])"
)
_COPYRIGHT = re.compile(
    r"(?P<name>(?:[^ ]+ ){0,3}?)(?:is )?(?:portions )?(?:copyright (?:c )?(?:(?:19|20)\d\d (?:(?:19|20)?\d\d |present )*)?|(?:(?:19|20)\d\d )+c |c (?:(?:19|20)\d\d )+)(?:by )?(?=[^ ])"
)
_AUTHORS = re.compile(r"(?:authors?|maintainers?|contributors?) (?=[^ ])")
_NOTED = re.compile(r"copyright (?:c )?\d{4} (?P<name>(?:[^ ]+ ){1,4}?)unless otherwise noted ")
_OTHERWISE = re.compile(
    r"(?:unless|except when) otherwise (?:indicated|noted|stated) (?:look for license files in directories or information at the beginning of each file |"
    r"look at the beginning of each file )?(?:all code|all files|the files|all code in this repository except where explicitly noted otherwise|all software and documentation|the software and the documentation) "
    r"(?:in this project |in the (?P<name>(?:[^ ]+ ){1,3}?)project |in (?P<other>(?:[^ ]+ ){1,3}?))?(?:is|are) (?:licensed )?"
    r"(?:(?P<how>as follows |copyrighted by (?P<who>(?:[^ ]+ ){1,8}?)(?:and the contributors (?:www [^ ]+ [^ ]+ )?))|under (?=[^ ]))"
)
"""Files that say themselves what they are under keep to that: so it is of every repository, and each of them is looked at."""
_DESCRIBED = re.compile(
    rf"(?P<name>(?:[^ ]+ ){{1,{_MAX_NAME_WORDS}}}?)(?:(?:is )?an? )?(?P<what>(?:[^ ]+ ){{0,4}}?)(?:library|parser|module|package|framework|tool|toolkit|generator|"
    r"client|server|plugin|compiler|engine|utilities|utility|implementation|bindings|wrapper|interface|extension|driver) "
    r"(?:(?:for|in|of) (?P<where>(?:[^ ]+ ){1,3}))?"
)
# Addresses of people who publish licences: a link to one says no more than the text.
_PLACE = re.compile(
    r"(?:for (?:more )?(?:information|details) )?(?:please )?(?:see |visit |read |you can obtain a copy at )?(?:the )?(?:full )?(?:license )?(?:text )?(?:at |is available at )?(?:www )?"
    r"(?:opensource org|creativecommons org|apache org|gnu org|choosealicense com|spdx org|mozilla org|scripts sil org|openfontlicense org|eclipse org|mit license org) "
    r"(?:(?:licenses?|publicdomain|zero|by|sa|legal|copyleft|mpl|ofl|mit|bsd|isc|apache|gpl|lgpl|agpl|epl|txt|html|htm|php|en|v?\d{1,2}|clause|epl|v20) )*"
)
_LINK = r"(?:www )?(?:raw )?(?:github|githubusercontent|gitlab) com (?:[^ ]+ ){2,8}"
# Sentences with a name in them, each as it stands in files that were read.
_REVIEWED = (
    re.compile(r"here are the licenses applicable to the use of the (?P<name>(?:[^ ]+ ){1,3}?)library (?:(?P<other>(?:[^ ]+ ){1,3}?)copyright and license )?"),
    re.compile(r"the (?P<name>(?:[^ ]+ ){1,3}?)licensing terms "),
    re.compile(r"as code derived from (?P<name>[^ ]+ )"),
    re.compile(r"for more details "),
    re.compile(r"license for (?:the )?(?P<name>(?:[^ ]+ ){1,3})(?=unless )"),
    re.compile(r"(?:original|additional) (?:javascript |python |java |c |go |rust )?(?:library|functionality|code|work|version|software|author|authors|implementation) "),
    re.compile(r"port to (?P<name>[^ ]+ )"),
    re.compile(r"legalese "),
    re.compile(r"others (?:www )?github com (?P<name>[^ ]+ )(?P<other>[^ ]+ )(?:graphs )?contributors "),
    re.compile(r"this project includes code from the (?P<name>(?:[^ ]+ ){1,3}?)project which is licensed as below "),
    re.compile(
        r"this is the software license for (?P<name>(?:[^ ]+ ){1,6}?)(?P<other>[^ ]+ )has been designed implemented by (?P<who>(?:[^ ]+ ){1,7}?)"
        r"see (?P<where>(?:[^ ]+ ){2,5}?)for further information "
    ),
    re.compile(r"this license applies to parts of (?P<name>(?:[^ ]+ ){1,3}?)originating from the (?:www )?github com (?P<other>(?:[^ ]+ ){2,4}?)repository "),
    re.compile(r"(?P<name>(?:[^ ]+ ){1,3}?)(?:is|was) written by (?P<other>(?:[^ ]+ ){1,4}?)and placed in the public domain "),
    re.compile(r"portions written in \d{4} by (?P<name>(?:[^ ]+ ){1,4}?)and placed in the public domain "),
    re.compile(
        r"note third party dependency used by this software this software depends on the (?P<name>(?:[^ ]+ ){1,3}?)lib (?:mit|bsd|isc|boost|apache|apache 2 0) license "
        rf"and users must comply to its license (?P<link>{_LINK})\Z"
    ),
    re.compile(
        r"this software consists of voluntary contributions made by many individuals for exact contribution history see the revision history "
        r"available at (?:www )?github com (?P<name>[^ ]+ )(?P<other>[^ ]+ )"
    ),
    re.compile(r"(?P<name>(?:[^ ]+ ){1,3}?)is released under two licenses new bsd and mit you may pick the license that best suits your development needs the text of both licenses are provided below "),
)  # fmt: skip

Titled = Callable[[Sequence[str]], bool]
"""Whether some words are a title of one of the licences beside."""


def is_boilerplate(
    words: Sequence[str],
    titles: Collection[str],
    is_title: Titled,
    *,
    opens: bool = False,
    closes: bool = False,
    beside: remarks.Beside | None = None,
) -> bool:
    """True when these words of a form are a row of such sentences; `titles` are the words of the names of the licences beside.

    `opens` says that they begin the file: there the name of a work may stand, before everything else. `closes` says that they end
    it: no text follows of which the last word could be the heading. With `beside`, sentences count as well that say something
    that a reader should see (audit/texts/remarks.py).
    """
    if not words or len(words) > MAX_WORDS:
        return False
    row = _Row(tuple(words), frozenset(titles) | GENERIC, is_title, beside)
    # All places where a sentence may begin: a sentence that fits adds its end, so no order is tried twice.
    reached = {0, *(_ends(words, 0, _MAX_NAME_WORDS, _is_heading) if opens else ())}
    for at in range(len(words)):
        if at in reached:
            reached.update(row.ends(at))
    # The last word may be the heading of the text that follows.
    return len(words) in reached or (not closes and len(words) - 1 in reached and _is_heading(words[-1]))


class _Row:
    def __init__(
        self, words: tuple[str, ...], names: frozenset[str], is_title: Titled, beside: remarks.Beside | None
    ) -> None:
        self._words, self._names, self._is_title, self._beside = words, names, is_title, beside
        self._text = " ".join(words) + " "
        self._starts = [0, *accumulate(len(word) + 1 for word in words)]
        self._places = {start: at for at, start in enumerate(self._starts)}

    def ends(self, at: int) -> Iterator[int]:
        """The places where a sentence ends that begins at this word: of every kind that fits."""
        # A title begins with a word of a licence's name: no other place is tried.
        if self._words[at] in self._names:
            most = min(_MAX_TITLE_WORDS, len(self._words) - at)
            yield from (at + count for count in range(1, most + 1) if self._is_title(self._words[at : at + count]))
        for pattern in (_GRANT, _IS, _CONTRIBUTED, _INCLUDED, _OTHERWISE):
            for end, said in self._matched(pattern, at):
                yield from [end] if said.get("how") else _licenses(self._words, end, self._names)
        for pattern, most in _OPEN.items():
            for end, _ in self._matched(pattern, at):
                yield from _ends(self._words, end, most, _is_plain)
        for pattern in (_DESCRIBED, _PLACE, _NOTED, *_REVIEWED):
            yield from (end for end, _ in self._matched(pattern, at))
        start = self._starts[at]
        yield from (self._places[end] for end in forewords.ends(self._text, start, self._names) if end > start)
        if self._beside is not None:
            found = remarks.ends(self._text, start, self._beside.ids)
            yield from (self._places[end] for end in found if end > start)
            yield from remarks.described(self._words, at, self._beside.proper)
        for sentence in _sentences(telling=self._beside is not None):
            if self._text.startswith(sentence, self._starts[at]):
                yield self._places[self._starts[at] + len(sentence)]

    def _matched(self, pattern: re.Pattern[str], at: int) -> Iterator[tuple[int, dict[str, str]]]:
        found = pattern.match(self._text, self._starts[at])
        # A pattern leaves open what may be a name; anything else could narrow the licence.
        if found and _are_names(found):
            yield self._places[found.end()], found.groupdict()


# Sentences that end with names, and the most words of those.
_OPEN = {_SOURCE: _MAX_SOURCE_WORDS, _COPYRIGHT: _MAX_SOURCE_WORDS, _AUTHORS: _MAX_AUTHORS}


def _are_names(found: re.Match[str]) -> bool:
    said = {group: part for group, part in found.groupdict().items() if part and not _THIS.fullmatch(part)}
    link = said.pop("link", "").split()
    said.pop("how", None)  # Words of the pattern, and no name.
    names = [word for part in said.values() for word in part.split()]
    return all(map(_is_plain, names)) and all(_is_plain(word) or word == "license" for word in link)


def _is_plain(word: str) -> bool:
    """True for a word that is no condition's and narrows nothing."""
    return (
        word not in CONDITIONS and word not in RESTRICTING and word not in SENTENCE - {"and", "of", "in", "for", "work"}
    )


def _is_heading(word: str) -> bool:
    """True for a word that may be a work's name: a plain one, and no licence's."""
    return _is_plain(word) and word not in _JOINING and word not in _license_words()


def _licenses(words: Sequence[str], at: int, names: Collection[str]) -> Iterator[int]:
    """The ends of a licence's name that begins here; words that say less than which licence it is are none."""
    said = False
    for end in range(at, min(at + _MAX_LICENSE_WORDS, len(words))):
        word = _FIGURES.get(words[end], words[end])
        if word not in names and word not in _JOINTS:
            if said and word == "licensed":
                yield end + 1
            return
        said = said or (word in names and word not in GENERIC) or word in {"expat", "following"}
        if said:
            yield end + 1


_JOINING = vocabulary.words("for and in of or nor but")
_FIGURES = {"two": "2", "three": "3", "four": "4"}
_JOINTS = vocabulary.words(
    "a also and approved aka as below following follows known or osi permissive reproduced see standard terms the"
)


def _ends(words: Sequence[str], at: int, most: int, fits: Callable[[str], bool]) -> Iterator[int]:
    for end in range(at, min(at + most, len(words))):
        if not fits(words[end]):
            return
        yield end + 1


@cache
def _license_words() -> frozenset[str]:
    # "MIT" above the text of another licence is no work's name.
    return frozenset(
        word for license_id in lists().licenses for word in re.split(r"[-.+]", license_id.lower()) if len(word) > 2
    )


@cache
def _sentences(*, telling: bool) -> tuple[str, ...]:
    known = data_file("known-sentences.toml")
    listed = "\n".join(known[section] for section in ("boilerplate", "forewords", *(["remarks"] if telling else [])))
    # Behind a word, so that nothing of it is taken for a notice or for the number of an item.
    return tuple(normalize(f"x {part}").form[3:] for part in re.split(r"^- ", listed, flags=re.MULTILINE)[1:])
