"""What stands above a licence's text and says what it is the licence of, and headings: sentences with parts that are left open.

Each pattern is over the words of a form, a blank behind each. What is left open is checked word by word: a name holds no word of a
condition, and what a text is the licence of ("the files hostcheck.c and hostcheck.h") nothing that narrows for whom or what for.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

from audit.texts import vocabulary
from audit.texts.vocabulary import CONDITIONS, GENERIC, RESTRICTING, SENTENCE, sentences

_LINKING: Final = frozenset(
    {"and", "of", "in", "for", "work", "as", "are", "is", "on", "or", "to", "with", "works", "which"}
)
_SUBJECT: Final = _LINKING | frozenset(
    ["source", "this", "these", "that", "copy", "copies", "distribution", "all", "text", "including"]
)
"""Words that may stand in what a text is the licence of, beside plain ones."""
_ALLOWED: Final = {
    "subject": _SUBJECT,
    "files": vocabulary.words("internal private source"),
    "name": vocabulary.words("distribution"),
    "other": vocabulary.words("distribution"),
    "people": vocabulary.words("distribution university research enterprise government education"),
}
"""By the group of a pattern, the words that may stand in it beside plain ones."""
_KINDS: Final = frozenset(
    ["clause", "clauses", "modified", "new", "revised", "style", "like", "type", "free", "permissive", "openbsd", "two", "three", "four", "called", "so", "old", "and", "standard", "improved"]
)  # fmt: skip
_THE: Final = r"(?:the |this |these |an? )?"
_UNLESS: Final = (
    r"(?:(?:unless|except|except where|except when|where not) (?:otherwise )?(?:specified|noted|stated|indicated|mentioned)(?: otherwise)? "
    r"(?:in (?:the )?(?:header of )?(?:specific |individual )?(?:source |source code |files? |individual files? )?)?)?"
)
_UNDER: Final = (
    r"(?:(?:is|are|was|were) (?:also |all )?(?:made )?(?:available|released|distributed|licensed|provided|covered|published|governed|subject|used) "
    r"(?:for use |together )?(?:under|by|to|with|as) |(?:is|are) under |bears? |carr(?:y|ies) |ha(?:s|ve) |uses? |comes? with |"
    r"(?:available|released|distributed|licensed|provided|covered) (?:under|by) )"
)
_OF_LICENSE: Final = (
    r"(?:licen[cs]es?|terms|copyrights?|copyright notices?|conditions|notices?|copyright and licen[cs]e|license terms) "
)
_CALLED: Final = rf"(?:(?:which is )?(?:also |sometimes |commonly )?(?:also )?(?:known as|called) {_THE}(?P<called>(?:[^ ]+ ){{1,7}}?)license )?"

_NEXT: Final = (
    r"(?=~|permission |redistribution |copyright |this |the |all |written |email |emain |retired |licensed |contact |you |www |http |"
    r"(?:mit|bsd|isc|zlib|apache|gnu|boost|x11|expat|new|modified|simplified|original|license) |\Z)"
)
"""What follows a sentence that ends with a name."""
_PATTERNS: Final = (
    (
        rf"{_UNLESS}(?P<subject>(?:[^ ]+ ){{0,24}}?){_UNDER}(?:the )?(?:terms of )?(?:the |this )(?:following |below |same )?(?P<license>(?:[^ ]+ ){{0,6}}?){_OF_LICENSE}"
        rf"(?:and copyright )?{_CALLED}(?:below |shown below |as follows )?"
    ),
    rf"{_UNLESS}(?P<subject>(?:[^ ]+ ){{1,24}}?)(?:has|have) the license shown below ",
    rf"{_UNLESS}(?P<subject>(?:[^ ]+ ){{0,24}}?){_UNDER}the following (?:sometimes |commonly |also )(?:called |known as )the (?P<called>(?:[^ ]+ ){{1,7}}?)license ",
    r"(?P<subject>(?:[^ ]+ ){1,24}?)(?:is|are) licensed for use as follows ",
    rf"{_UNLESS}the following (?P<license>(?:[^ ]+ ){{0,6}}?){_OF_LICENSE}appl(?:y|ies) to (?P<subject>(?:[^ ]+ ){{1,24}}?)"
    + _NEXT,
    r"(?:part \d{1,2} )?(?P<name>(?:[^ ]+ ){0,7}?)copyright(?: and license)? notice (?:(?:bsd|mit|isc) (?:like |style )?)?(?:and license )?",
    r"(?:copyright(?: notices?)?|licensing|license|licenses)(?: disclaimer)? and (?:the )?(?:license|licenses|licensing|permission)(?: information| terms| text| notice)? ",
    r"license for (?P<name>(?:[^ ]+ ){1,5}?)" + _NEXT,
    r"copyright notices? and licen[cs](?:e|ing) terms for (?P<name>(?:[^ ]+ ){1,16}?)" + _NEXT,
    r"terms of the (?P<license>(?:[^ ]+ ){1,6}?)license ",
    r"(?P<license>(?:[^ ]+ ){1,6}?)license (?:text )?(?:applied to|for) (?P<name>(?:[^ ]+ ){1,4}?)" + _NEXT,
    r"(?:begin|end)(?: of)?(?: quote| license| copying)? ",
    r"(?P<subject>(?:[^ ]+ ){0,20}?)(?:is |are |was |were )?(?:originally |partly |partially |loosely |heavily |directly )?(?:derives?|derived|based|taken|adapted) "
    r"(?:from|on) (?:the )?(?P<name>(?!software |code )(?:[^ ]+ ){1,9}?)(?:with (?:some |minor |local )?(?:modifications|changes) )?"
    + _NEXT,
    r"(?:this|the) (?:code|software|file) (?:is |was )(?:derived|based) (?:from|on) (?:software|code) (?:contributed|provided|donated|written) "
    r"(?:to (?P<name>(?:[^ ]+ ){1,6}?))?by (?P<people>(?:[^ ]+ ){1,9}?)" + _NEXT,
    r"sponsored in part by (?P<name>(?:[^ ]+ ){1,24}?)under agreement number [^ ]+(?: \d+){0,4} ",
    r"(?P<subject>(?:[^ ]+ ){1,24}?)(?:is|are) (?:also )?copyright (?:by |c )*(?:\d{4} )*(?P<people>(?:[^ ]+ ){1,8}?)(?:all rights reserved )?"
    + _NEXT,
    r"(?P<name>(?:[^ ]+ ){1,9}?)version (?:\d+ )+of \d{1,2} [a-z]+ \d{4} ",
    r"(?P<subject>(?:[^ ]+ ){1,6}?)are based on works by others also made available by them under the (?P<license>(?:[^ ]+ ){1,5}?)license above ",
    r"the copyright notices are available in the corresponding source files the license is as above ",
    r"here s a list (?P<files>(?:[^ ]+ ){1,60}?)(?=the |\Z)",
    r"(?P<subject>(?:[^ ]+ ){1,20}?)(?:is|are) (?:derived|based|taken) (?:from|on) code (?=c \d{4} |copyright )",
    r"this software is copyrighted by (?P<people>(?:[^ ]+ ){1,30}?)" + _NEXT,
    r"the following terms (?:the (?P<license>(?:standard |improved |bsd |mit |tcl ){1,4}?)license )?apply to all files associated with the software unless explicitly disclaimed in individual files ",
    r"contact (?:www )?(?P<name>(?:[^ ]+ ){1,4}?)(?:licensing )?(?=you )",
    r"you may use distribute and copy (?P<subject>(?:[^ ]+ ){1,6}?)under the terms of (?:the )?(?P<license>(?:[^ ]+ ){1,9}?)(?:which is |that is )?(?:displayed |reproduced |included |printed )?below ",
    r"original (?P<name>[^ ]+ )license ",
    r"(?:software )?licen[cs]e agreement ",
    r"(?P<license>(?:[^ ]+ ){1,3}?)style license ",
    r"the licen[cs]e (?:of|for) this (?:code|file|software|library|function) is ",
    r"(?:the )?unicode (?:data )?license ",
    r"and (?:many )?other contributors ",
    r"for full copyright notices consult the individual files in the package ",
    r"each commit is copyright by its respective author or author s employer ",
    r"(?P<name>(?:[^ ]+ ){1,4}?)is licensed under the so called (?P<license>(?:[^ ]+ ){1,5}?)license (?:details follow )?",
    r"x window system is a trademark of (?P<name>(?:[^ ]+ ){1,4}?)" + _NEXT,
    r"(?P<name>(?:[^ ]+ ){1,4}?)distribution is copyright (?:c )?(?:\d{4} )+(?P<other>(?:[^ ]+ ){1,6}?)" + _NEXT,
    r"(?:written by|contributed by|email local part|emai[ln] domain|retired from|authors?) (?P<people>(?:[^ ]+ ){1,12}?)"
    + _NEXT.replace("written ", "written |pcre2 |pcre |stack |contributed |end "),
    r"(?:please )?see (?:the )?(?:source|individual|header) (?:files?|sources) for (?:more )?(?:details|information|authors|copyrights?) ",
    r"(?:optional |special |additional )?exceptions? (?:to|granted by) (?:the )?(?:license|copyright holders?) ",
    r"additional copyrights may follow ",
    r"this software is open source ",
    r"(?:the )?(?:software and )?licenses? information ",
)

_SENTENCES: Final = sentences(
    """
    - This formulation of W3C's notice and license became active on December 31 2002. This version removes the copyright
      ownership notice such that this license can be used with materials other than those owned by the W3C, reflects
      that ERCIM is now a host of the W3C, includes references to this specific dated version of the license, and
      removes the ambiguous grant of "use". Otherwise, this version is the same as the previous version and is written
      so as to preserve the Free Software Foundation's assessment of GPL compatibility and OSI's certification under the
      Open Source Definition. Please see our Copyright FAQ for common questions about using materials from our site,
      including specific terms and conditions for packages like libwww, Amaya, and Jigsaw. Other questions about this
      notice can be directed to site-policy@w3.org.
    - https://www.w3.org/Consortium/Legal/2002/copyright-software-20021231
    - This license came from: http://www.megginson.com/SAX/copying.html However please note future versions of SAX may
      be covered under http://saxproject.org/?selected=pd
    - This is derived from material copyright RSA Data Security, Inc. Their notice is reproduced below in its entirety.
    - This is work is derived from material Copyright RSA Data Security, Inc. The RSA copyright statement and Licence
      for that original material is included below. This is followed by the Apache copyright statement and licence for
      the modifications made to that material.
    - PCRE2 is a library of functions to support regular expressions whose syntax and semantics are as close as possible
      to those of the Perl 5 language.
    - The basic library functions are written in C and are freestanding.
    - Also included in the distribution is a just-in-time compiler that can be used to optimize pattern matching. This
      is an optional feature that can be omitted when the library is built.
    - THE BASIC LIBRARY FUNCTIONS
    - PCRE is a library of functions to support regular expressions whose syntax and semantics are as close as possible
      to those of the Perl 5 language.
    - Also included in the distribution is a set of C++ wrapper functions, and a just-in-time compiler that can be used
      to optimize pattern matching. These are both optional features that can be omitted when the library is built.
    - THE C++ WRAPPER FUNCTIONS
    - The following licenses are 'legacy' - usually MIT/X11 licenses with the name of the copyright holder(s) in the
      license statement:
    - This is source code modified by FUJITSU LIMITED under the Joint Development Agreement for the CDE/Motif PST.
    - PCRE JUST-IN-TIME COMPILATION SUPPORT
    - Use is subject to license terms.
    - Most files in this release are marked with the copyrights of the organizations who have edited them. The
      copyrights below are in no particular order and generally reflect members of the Open MPI core team who have
      contributed code to this release. The copyrights for code used under license from other parties are included in
      the corresponding files.
    - PCRE2 JUST-IN-TIME COMPILATION SUPPORT
    - STACK-LESS JUST-IN-TIME COMPILER
    - The following is the MIT license, agreed upon by most contributors.
    - The following is the 'standard copyright' agreed upon by most contributors, and is currently the canonical
      license, preferred by the X.Org Foundation.
    - The following is the 'standard copyright' agreed upon by most contributors, and is currently the canonical license
      preferred by the X.Org Foundation.
    - This is a slight variant of the common MIT license form published by the Open Source Initiative at
      http://www.opensource.org/licenses/mit-license.php
    - Copyright holders of new code should use this license statement where possible.
    - Copyright holders of new code should use this license statement where possible, and insert their name to this
      list.
    - They may also add themselves to the list below.
    - Please sort by surname for people, and by the full name for other entities (e.g. Juliusz Chroboczek sorts before
      Intel Corporation sorts before Daniel Stone).
    - See each individual source file or directory for the license that applies to that file.
    - The above is the version of the MIT "Expat" License used by X.org:
      http://cgit.freedesktop.org/xorg/xserver/tree/COPYING
    - Note: Individual files contain the following tag instead of the full license text. This enables machine processing
      of license information based on the SPDX License Identifiers that are here available: http://spdx.org/licenses/
    - This is version 2009-Jan-02 of the Info-ZIP license. The definitive version of this document should be available
      at ftp://ftp.info-zip.org/pub/infozip/license.html indefinitely and a copy at
      http://www.info-zip.org/pub/infozip/license.html.
    - This is version 2007-Mar-4 of the Info-ZIP license. The definitive version of this document should be available at
      ftp://ftp.info-zip.org/pub/infozip/license.html indefinitely and a copy at
      http://www.info-zip.org/pub/infozip/license.html.
    """
)


def texts() -> tuple[str, ...]:
    """Whole sentences, each as it stands in files that were read."""
    return _SENTENCES


def ends(text: str, at: int, names: Collection[str]) -> Iterator[int]:
    """Where in the words a sentence ends that begins at this letter; `names` are the words of the names of the licences beside."""
    for pattern in _compiled():
        found = pattern.match(text, at)
        if found and all(_fits(group, said.split(), names) for group, said in found.groupdict().items() if said):
            yield found.end()


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, _PATTERNS))


def is_plain(word: str) -> bool:
    """True for a word that is no condition's and narrows nothing."""
    return word not in CONDITIONS and word not in RESTRICTING and word not in SENTENCE - _LINKING


def _fits(group: str, words: list[str], names: Collection[str]) -> bool:
    """Whether these words are what that group of a pattern leaves open; of a licence only its names count."""
    if group in {"license", "called"}:
        return all(word in names or word in GENERIC or word in _KINDS or word.isdigit() for word in words)
    return all(is_plain(word) or word in _ALLOWED[group] for word in words)
