"""Sentences above a licence's text that say what it is the licence of, and headings; parts of them are left open.

Each pattern is over the words of a form, a blank behind each. What is left open is checked word by word: a name holds
no word of a condition, and what a text is the licence of ("the files hostcheck.c and hostcheck.h") nothing that narrows
for whom or what for.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

from audit.texts import vocabulary
from audit.texts.vocabulary import CONDITIONS, GENERIC, RESTRICTING, SENTENCE

_LINKING: Final = frozenset(
    {"and", "of", "in", "for", "work", "as", "are", "is", "on", "or", "to", "with", "works", "which"}
)
# Words that may stand in what a text is the licence of, beside plain ones.
_SUBJECT: Final = _LINKING | frozenset(
    ["source", "this", "these", "that", "copy", "copies", "distribution", "all", "text", "including"]
)
# By the group of a pattern, the words that may stand in it beside plain ones.
_ALLOWED: Final = {
    "subject": _SUBJECT,
    "files": vocabulary.words("internal private source"),
    "name": vocabulary.words("distribution"),
    "other": vocabulary.words("distribution"),
    "people": vocabulary.words("distribution university research enterprise government education"),
}
_KINDS: Final = frozenset(
    ["clause", "clauses", "modified", "new", "revised", "style", "like", "type", "free", "permissive", "openbsd", "two", "three", "four", "called", "so", "old", "and", "standard", "improved"]
)  # fmt: skip
_THE: Final = r"(?:the |this |these |an? )?"
# "Unless noted otherwise in the file" leaves the text as it is: each file is looked at by itself.
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

# The beginnings of what may follow a sentence that ends with a name.
_NEXT: Final = (
    r"(?=~|permission |redistribution |copyright |this |the |all |written |email |emain |retired |licensed |contact |you |www |http |"
    r"(?:mit|bsd|isc|zlib|apache|gnu|boost|x11|expat|new|modified|simplified|original|license) |\Z)"
)
# A sentence that no pattern fits leaves the text not known.
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


def ends(text: str, at: int, names: Collection[str]) -> Iterator[int]:
    """The ends of sentences that begin at this letter; `names` are the words of the names of the licences beside."""
    for pattern in _compiled():
        found = pattern.match(text, at)
        if found and all(_fits(group, said.split(), names) for group, said in found.groupdict().items() if said):
            yield found.end()


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    # Compiled with the first file that needs them: most files hold a text alone.
    return tuple(map(re.compile, _PATTERNS))


def is_plain(word: str) -> bool:
    """True for a word that is no condition's and narrows nothing."""
    return word not in CONDITIONS and word not in RESTRICTING and word not in SENTENCE - _LINKING


def _fits(group: str, words: list[str], names: Collection[str]) -> bool:
    if group in {"license", "called"}:  # Only the licences beside may be named.
        return all(word in names or word in GENERIC or word in _KINDS or word.isdigit() for word in words)
    return all(is_plain(word) or word in _ALLOWED[group] for word in words)
