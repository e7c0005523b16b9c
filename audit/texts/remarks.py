"""Sentences around a licence's text that leave it as it is and are worth being shown: which version counts, what else is in the work.

Each was read and stands for itself, beside the licence that it speaks of. A sentence that grants more, asks for more or takes
something away is not among them: it leaves the text not known. A permission that stands beside the GPL may be left out (section 7 of
version 3), so a reviewed one is put aside: the work then counts as under the GPL alone.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

from audit.texts.forewords import is_plain

_ANY: Final = frozenset[str]()
_GPL_2: Final = frozenset({"GPL-2.0-only"})
_NAME: Final = r"(?P<name>(?:[^ ]+ ){1,4}?)"
_FILES: Final = r"(?P<files>(?:[^ ]+ ){1,120})"
_LIST: Final = frozenset(
    [
        "a",
        "all",
        "and",
        "are",
        "as",
        "available",
        "based",
        "be",
        "by",
        "clause",
        "copyright",
        "contained",
        "derived",
        "distributed",
        "exception",
        "from",
        "implementation",
        "implementations",
        "in",
        "is",
        "it",
        "its",
        "license",
        "licensed",
        "licenses",
        "of",
        "on",
        "or",
        "per",
        "reference",
        "released",
        "see",
        "source",
        "terms",
        "the",
        "this",
        "to",
        "under",
        "used",
        "version",
        "which",
        "with",
        "works",
    ]
)
_CONTACT: Final = frozenset({"license", "licenses", "licensing", "sales", "sale"})
_PATTERNS: Final = (
    (frozenset({"GPL-2.0-only", "GPL-3.0-only"}), (r"(?:regarding (?:[^ ]+ ){1,5}?)?in addition as a special exception the copyright holders give permission to (?:dynamically )?link (?P<name>(?:[^ ]+ ){1,4}?)with the "
             r"(?P<other>(?:[^ ]+ ){1,6}?)librar(?:y|ies) when th(?:ose|at|is|ese) librar(?:y|ies) (?:is|are) being distributed in compliance with (?:its|their) license terms and to distribute a "
             r"(?:dynamically )?linked combination of (?P<work>(?:[^ ]+ ){1,4}?)and th(?:ose|at|is|ese) librar(?:y|ies) (?:this is also considered to be covered under the gpl s system libraries exception )?")),
    (_GPL_2, (rf"(?:a note on gpl versions )?{_NAME}is distributed under version 2 of the (?:gnu )?general public license (?:included in its entirety below )?"
             r"version 2 is the only version of this license which this version of (?P<other>(?:[^ ]+ ){1,4}?)or modified versions derived from this one may be distributed under ")),
    (_GPL_2, (rf"(?:note )?(?:also )?(?:note )?(?:that )?the only valid version of the gpl as far as (?:this project |the kernel |{_NAME})is concerned is this particular version of the "
             r"license i ?e v2 not v2 2 or v3 x or whatever unless explicitly otherwise stated ")),
    (_ANY, (rf"(?:this (?:program|software|library|project) |{_NAME})is also available under (?:a |other |our )?commercial (?:proprietary )?licenses? "
           r"(?:for (?:more )?(?:information|details) (?:please )?contact (?:us )?(?:at )?(?P<contact>(?:[^ ]+ ){1,6}?)(?=gnu |\Z))?")),
    (_ANY, rf"for parts of {_NAME}that are licensed under different licenses see individual files names? (?:copying|license) in subdirectories where applicable "),
    (_ANY, rf"this license applies to all parts of {_NAME}that are not externally maintained libraries "),
    (_ANY, rf"the externally maintained libraries used by (?:this software |{_NAME})are {_FILES}"),
    (_ANY, (r"except where otherwise noted in the source code e g the files (?P<files>(?:[^ ]+ ){1,16}?)which are covered by a similar license but with different copyright "
           r"notices all the files are ")),
    (_ANY, rf"licenses? for {_NAME}(?:except|without) (?P<other>[^ ]+ )(?=permission |redistribution |~|\Z)"),
    (_ANY, r"any provisions made in individual files take precedence "),
    (_ANY, (r"(?:please )?(?:see|refer to) (?:the )?(?:file )?(?:(?:third ?party|third party|3rd ?party|3rdparty|notice|notices|third party notices?|thirdparty(?:notices?)?|third party licenses?|thirdpartylicenses?|licenses|dependencies|credits) )"
           r"(?:md |txt |rst |html )?(?:file )?for (?:the )?(?:full |complete )?(?:list of )?licen[cs](?:es|e|ing)? (?:information|details|terms|texts?|notices)?(?: )?"
           r"(?:of|for|about|on|regarding) (?:any |the |all )?(?:other|third party|bundled|included|additional|vendored|3rd party)(?: third party)? (?:software|code|components|libraries|dependencies|packages|works|parts) "
           r"(?:(?:used|included|bundled|contained|distributed|incorporated|shipped) )?(?:(?:in|by|with) (?:this |the )?(?:software|project|package|product|work|repository|distribution|library) )?")),
    (_ANY, r"this is for information only code is under the license at the top of its file "),
    (_ANY, r"the (?P<files>(?:[^ ]+ ){1,12}?)files are licensed under the isc license all other files have a license and copyright notice at their start typically "),
)  # fmt: skip

_SENTENCES: Final = (
    "Some of the benchmark data in testdata/ is licensed differently:",
    (
        "fireworks.jpeg is Copyright 2013 Steinar H. Gunderson, and is licensed under the Creative Commons Attribution 3.0 license (CC-BY-3.0). "
        "See https://creativecommons.org/licenses/by/3.0/ for more information."
    ),
    (
        "kppkn.gtb is taken from the Gaviota chess tablebase set, and is licensed under the MIT License. See "
        "https://sites.google.com/site/gaviotachessengine/Home/endgame-tablebases-1 for more information."
    ),
    (
        'paper-100k.pdf is an excerpt (bytes 92160 to 194560) from the paper "Combinatorial Modeling of Chromatin Features Quantitatively '
        'Predicts DNA Replication Timing in _Drosophila_" by Federico Comoglio and Renato Paro, which is licensed under the CC-BY license. See '
        "http://www.ploscompbiol.org/static/license for more ifnormation."
    ),
    (
        "alice29.txt, asyoulik.txt, plrabn12.txt and lcet10.txt are from Project Gutenberg. The first three have expired copyrights and are in "
        "the public domain; the latter does not have expired copyright, but is still in the public domain according to the license information "
        "(http://www.gutenberg.org/ebooks/53)."
    ),
    (
        'Releases 10.00 and above of PCRE2 are distributed under the terms of the "BSD" licence, as specified below, with one exemption for '
        "certain binary redistributions."
    ),
    'The documentation for PCRE2, supplied in the "doc" directory, is distributed under the same terms as the software itself.',
    "The data in the testdata directory is not copyrighted and is in the public domain.",
    (
        "Opus is subject to the royalty-free patent licenses which are specified at: Xiph.Org Foundation: "
        "https://datatracker.ietf.org/ipr/1524/ Microsoft Corporation: https://datatracker.ietf.org/ipr/1914/ Broadcom Corporation: "
        "https://datatracker.ietf.org/ipr/1526/"
    ),
    (
        "HOWEVER, in order to allow a migration to GPLv3 if that seems like a good idea, I also ask that people involved with the project make "
        "their preferences known. In particular, if you trust me to make that decision, you might note so in your copyright message, ie something "
        'like "This file is licensed under the GPL v2, or a later version at the discretion of Linus". Might avoid issues. But we can also just '
        "decide to synchronize and contact all copyright holders on record if/when the occasion arises. Linus Torvalds"
    ),
)


def texts() -> tuple[str, ...]:
    """Whole sentences, each as it stands in files that were read."""
    return _SENTENCES


def ends(text: str, at: int, beside: Collection[str]) -> Iterator[int]:
    """Where in the words a sentence ends that begins at this letter; `beside` are the ids of the licences beside."""
    for wanted, pattern in _compiled():
        if wanted and not wanted & set(beside):
            continue
        found = pattern.match(text, at)
        if found and all(_fits(group, said.split()) for group, said in found.groupdict().items() if said):
            yield found.end()


@cache
def _compiled() -> tuple[tuple[frozenset[str], re.Pattern[str]], ...]:
    return tuple((beside, re.compile(one)) for beside, one in _PATTERNS)


def _fits(group: str, words: list[str]) -> bool:
    allowed = _LIST if group == "files" else _CONTACT if group == "contact" else _ANY
    return all(is_plain(word) or word in allowed for word in words)
