"""Sentences around a licence's text that leave it as it is and are worth being shown: which version counts, what else is in the work.

Each was read and stands for itself, beside the licence that it speaks of. A sentence that grants more, asks for more or takes
something away is not among them: it leaves the text not known. A permission that stands beside the GPL may be left out (section 7 of
version 3), so a reviewed one is put aside: the work then counts as under the GPL alone.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from audit.texts import vocabulary
from audit.texts.forewords import is_plain
from audit.texts.vocabulary import DESCRIBED, DESCRIBING, DOUBTFUL

_ANY: Final = frozenset[str]()
_MIN_DESCRIBED: Final = 4  # Words of a description; fewer may be anything.
_MAX_DESCRIBED: Final = 240
_GPL_2: Final = frozenset({"GPL-2.0-only"})
_NAME: Final = r"(?P<name>(?:[^ ]+ ){1,4}?)"
_GNU: Final = r"(?:the )?(?:gnu )?(?:lesser |library |affero )?general public license (?:v|version )?[123] (?:[01] )?"
_UNICODE: Final = frozenset({"Unicode-3.0", "Unicode-DFS-2015", "Unicode-DFS-2016", "Unicode-TOU"})
_OPENSSL: Final = frozenset({"OpenSSL", "OpenSSL-standalone", "SSLeay-standalone"})
_FILES: Final = r"(?P<files>(?:[^ ]+ ){1,120})"
# By the group of a pattern, the words that may stand in it beside plain ones.
_ALLOWED: Final = {
    "files": vocabulary.words(
        """
        a all and are as available based be by clause copyright contained derived distributed exception from
        implementation implementations in is it its license licensed licenses of on or per reference released see source
        terms the this to under used version which with works
        """
    ),
    "contact": vocabulary.words("license licenses licensing sales sale"),
}
_PATTERNS: Final = (
    # A permission beside the GPL may be left out (section 7 of version 3): the work counts as under the GPL alone.
    (frozenset({"GPL-2.0-only", "GPL-3.0-only"}), (r"(?:regarding (?:[^ ]+ ){1,5}?)?in addition as a special exception the copyright holders give permission to (?:dynamically )?link (?P<name>(?:[^ ]+ ){1,4}?)with the "
             r"(?P<other>(?:[^ ]+ ){1,6}?)librar(?:y|ies) when th(?:ose|at|is|ese) librar(?:y|ies) (?:is|are) being distributed in compliance with (?:its|their) license terms and to distribute a "
             r"(?:dynamically )?linked combination of (?P<work>(?:[^ ]+ ){1,4}?)and th(?:ose|at|is|ese) librar(?:y|ies) (?:this is also considered to be covered under the gpl s system libraries exception )?")),
    (_GPL_2, (rf"(?:a note on gpl versions )?{_NAME}is distributed under version 2 of the (?:gnu )?general public license (?:included in its entirety below )?"
             r"version 2 is the only version of this license which this version of (?P<other>(?:[^ ]+ ){1,4}?)or modified versions derived from this one may be distributed under ")),
    (_GPL_2, (rf"(?:note )?(?:also )?(?:note )?(?:that )?the only valid version of the gpl as far as (?:this project |the kernel |{_NAME})is concerned is this particular version of the "
             r"license i ?e v2 not v2 2 or v3 x or whatever unless explicitly otherwise stated ")),
    (_ANY, (rf"(?:this (?:program|software|library|project) |{_NAME})is also available under (?:a |other |our )?commercial (?:proprietary )?licenses? "
           r"(?:for (?:more )?(?:information|details) (?:please )?contact (?:us )?(?:at )?(?P<contact>(?:[^ ]+ ){1,6}?)(?=gnu |\Z))?")),
    # Files that say themselves what they are under are looked at one by one.
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
    (_ANY, r"note that only (?:a few|some|very few) files are (?:distributed|licensed|available) under this license "),
    (_ANY, rf"you may use distribute and copy {_NAME}under the terms of {_GNU}that license references {_GNU}(?:that|which) is (?:displayed|reproduced|included) below "),
    (_ANY, rf"other portions of {_NAME}may be licensed directly under this license "),
    (_ANY, rf"this license makes reference to (?:the )?(?:version [123] of )?{_GNU.replace('(?:v|version )?[123] (?:[01] )?', '(?:version [123] )?')}which you can find in the (?P<files>(?:[^ ]+ ){{1,4}}?)file "),
    (_ANY, rf"this is {_GNU}annotated with (?:the )?{_NAME}exception (?:\d \d )?"),
    (_ANY, (rf"(?:regarding {_NAME})?(?:in addition )?(?:as a special exception )?the (?:copyright holders|authors?|copyright holders of [^ ]+) gives? (?:you )?permission to (?:dynamically )?"
           r"(?:link|combine) (?P<other>(?:[^ ]+ ){1,6}?)with (?:the )?(?P<files>(?:[^ ]+ ){1,4}?)(?:library|libraries) (?:when those libraries are being distributed in compliance with their license terms )?"
           r"and to distribute (?:a |the )?(?:dynamically )?linked combinations? (?:of [^ ]+ and (?:this|these) (?:library|libraries) |including the two )"
           r"(?:this is also considered to be covered under the gpl s system libraries exception )?")),
    (_GPL_2, (r"any non gpl usage of this software or parts of this software is strictly forbidden (?:commercial non gpl licensing of this software is possible )?"
             r"(?:for more (?:info|information) contact (?P<contact>(?:[^ ]+ ){1,8}?)(?=gnu |\Z))?")),
    (_ANY, (rf"(?:various )?(?:portions|parts) of (?:the )?{_NAME}are licensed under different open source licenses see the top of (?:the|each) file (?:test )?in question for the exact license that applies "
           r"the full texts? of the various applicable licenses (?:is|are) listed here as required by those licenses ")),
    (_ANY, (rf"(?:like the original {_NAME}whose copyright and license statements are reproduced below )all new work on (?:the )?(?P<other>(?:[^ ]+ ){{1,3}}?)(?:library )?is licensed under the "
           r"(?:mit|bsd|isc|apache)(?: expat)? license (?:opensource org licenses [^ ]+ )?")),
    (_UNICODE, r"this software contains data (?P<files>(?:[^ ]+ ){1,4}?)derived from processing the unicode data files the following license applies to that data "),
    (_UNICODE, (r"(?:unicode inc license agreement data files and software )?see (?:the )?terms of use (?:www )?(?:unicode org )?copyright html for definitions of unicode inc s data files and software "
               r"(?:notice to user carefully read the following legal agreement by downloading installing copying or otherwise using unicode inc s data files data files and or software software you "
               r"unequivocally accept and agree to be bound by all of the terms and conditions of this agreement if you do not agree do not download install copy distribute or use the data files or software )?")),
    (_UNICODE, r"(?:copyright and permission notice )?distributed under the terms of use in (?:www )?unicode org (?:terms of use|copyright) html "),
    (_OPENSSL, (r"license issues the openssl toolkit stays under a d(?:ual|ouble) license i e both the conditions of the openssl license and the original ssleay license apply to the toolkit "
               r"see below for the actual license texts (?:actually both licenses are bsd style open source licenses )?(?:in case of any license issues related to openssl please contact openssl core openssl org )?"
               r"(?:openssl license )?")),
    (_OPENSSL, r"original ssleay license "),
    (_ANY, r"this (?:code|file|software|work) (?:is|was|has been) (?:hereby |explicite?ly )?(?:released |placed |put )?in(?:to)? the public domain (?:do with it what you wish )?"),
    (_ANY, r"no copyright is claimed "),
    (_ANY, r"this is for information only code is under the license at the top of its file "),
    (_ANY, r"the (?P<files>(?:[^ ]+ ){1,12}?)files are licensed under the isc license all other files have a license and copyright notice at their start typically "),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Beside:
    """The licences beside the words (`ids`), and the words that are only names in the file (`proper`)."""

    ids: Collection[str]
    proper: Collection[str] = ()


def described(words: Sequence[str], at: int, proper: Collection[str]) -> Iterator[int]:
    """The ends of descriptions of code that begin at this word: plain words of such, and names among them."""
    plain = said = 0
    for end in range(at, min(at + _MAX_DESCRIBED, len(words))):
        word = words[end]
        # None of these words can allow, ask or forbid anything; a description is shown, as every remark.
        if word in DESCRIBING:
            plain += 1
            said += word in DESCRIBED
        elif not (word.isdigit() or (word in proper and is_plain(word) and word not in DOUBTFUL)):
            return
        count = end + 1 - at
        # A third of the words has to be plain: a row of names describes nothing.
        if said and count >= _MIN_DESCRIBED and plain * 3 >= count:
            yield end + 1


def ends(text: str, at: int, beside: Collection[str]) -> Iterator[int]:
    """The ends of sentences that begin at this letter; `beside` are the ids of the licences beside."""
    for wanted, pattern in _compiled():
        if wanted and not wanted & set(beside):
            continue
        found = pattern.match(text, at)
        if found and all(
            is_plain(word) or word in _ALLOWED.get(group, _ANY)
            for group, said in found.groupdict(default="").items()
            for word in said.split()
        ):
            yield found.end()


@cache
def _compiled() -> tuple[tuple[frozenset[str], re.Pattern[str]], ...]:
    return tuple((beside, re.compile(pattern)) for beside, pattern in _PATTERNS)
