"""The words by which prose on licences is understood; each list is small, and what stands in none of them is not understood.

Sentences that leave statements of licences as they are were read one by one, and stand as their words in small letters.
"""

import re
from functools import cache
from typing import Final

from audit.texts.vocabulary import CONDITIONS, RESTRICTING, words

# Words between what is licensed and the licence.
GRANTING: Final = words(
    """
    a also and are available be been being both by can choice come comes conditions contain contains copied copy covered currently distribute
    distributed dual dually either following free freely governed granted has have in is jointly licence licences license licensed licenses made may
    modified modify multi now of offered on one open option or out project provided published redistribute redistributed release released software
    source subject terms the to tri two under use used uses with your
    """
)
SOME: Final = words("some several few certain handful many")
REST: Final = words("other rest remaining remainder else")
MOST: Final = words("most mostly primarily mainly majority generally predominantly")
# Words of what a statement is about where that is the whole work, beside its name.
WORK: Final = words(
    """
    a accompanying all also and application code collection complete content contents core distribution each entire every everything file files following framework
    implementation in its it itself library main material materials of our package packages product program programs project provided repository software source
    sources that the these this tool unless we whole work
    """
)
# One of these stands in what is a part of the work.
PARTS: Final = words(
    """
    part parts portion portions some several certain folder directory directories subdirectory subdirectories folders module modules script scripts test tests
    documentation docs document documents manual header headers example examples tools utility utilities plugin plugins component components subcomponents
    data fonts font icons images image driver drivers subproject filter filters optional few translations messages bindings extension extensions demo demos
    benchmark benchmarks build contrib those below them vendored bundled third logo logos artwork icon website contributions contribution patches pathname manpages
    manpage suite functions routines applications frontend backend
    """
)
CONDITIONAL: Final = words("if when should because since unless whenever though although for")
# Words between and behind the licences of a statement.
BESIDE: Final = words(
    """
    a also and any apache are as at available below both by choice choose choosing copy details directory each either eclipse explicitly expressly file files for
    found foundation free full given header headers here if in inc included indicated is its itself law licence licences license licensed licensee licensees licenses
    main more mozilla namely noted of on one option or organization otherwise out pathname per please published reproduced respectively see shown software source
    sources specified stated terms text that the their them these they this to too two under unless url use version which with you your
    """
)
CHOICE: Final = words("either dual dually tri choice option choose choosing")
# Words of a sentence that says where something is.
POINTING: Final = words(
    """
    a accompanying additional all also always an and any apply applicable are as associated at be below can case check code comment comments complete conditions contain contained
    copies copy copying copyright details directories directory distribution each either end exact file files folder following for found full further have header
    headers here implementation in included includes individual information is it its latest learn legal licence licences license licenses licensed licensing lists
    link links list more name names notice notices obtain of on opening or other our package pathname please precise presence project provided read refer relevant
    reminded repository reproduced respective root same see should source specific subdirectories subdirectory sure such terms text texts that the their them there
    these they this to top tree under url using vague version view was were where which with you your
    """
)
POINTS: Final = re.compile(
    r"\b(?:see|read|refer|check|found|included|reminded|view|contains?|provided|look|reproduced|follow(?:s|ing)?|available|obtain|learn)\b"
)
PLACES: Final = re.compile(r"\b(?:file|pathname|files|url|directory|directories|sources?|header|below|following)\b")
_AUXILIARY: Final = words(
    """
    after any are be because been before can copied distribution do had has have he her him his how however is it its just our she source such than that these
    they this those us use used user users using was we were what when where which who whom why will would you your
    """
)
# Words that give or take something: a sentence without one of these says nothing of rights.
AWAY: Final = (CONDITIONS | RESTRICTING) - _AUXILIARY
# Words that narrow for whom or for what: where one stands beside a licence, it is not that licence alone.
HARD: Final = words(
    """
    academia academic agreement charge commercial commercially companies company consent customer customers education educational evaluation expires fee fees forbidden
    internal noncommercial nonprofit paid pay personal private prohibited proprietary research royalty sale sell sold students subscription trial university
    """
)
NARROWING: Final = words("not may must shall cannot no require requires required only")
NEGATED: Final = words("not no none never neither nor")
# An option of the build with which another licence counts.
OPTIONS: Final = re.compile(
    r"\b(?:enable|disable|with|without) (?:[a-z0-9.]+ ){1,6}?(?:to )?configure\b|\bconfigure (?:option|parameter|flag)\b"
)
# A sentence that is followed by the licences between which one may choose, one an item.
LEAD: Final = re.compile(
    r"(?:.{0,200}?\b(?:under|from|of|choose|select|pick) )?(?:any |either |(?:only )?one )+of(?: (?:the|these|following|two|three|four|licen[cs]es?|terms|below|described|vague))*"
    r"|.{0,160}?\b(?:dual |dually |tri |multi )licensed(?: (?:under|as|as follows|the|following|terms|of|two|licen[cs]es?|vague))*"
    r"|(?:this means that )?you (?:must|may|can|should) choose (?:any |either )?one of the (?:two |three |following )?licen[cs]es (?:described |listed |given )?below"
    r"(?: then obey all its terms and conditions when using .{1,40}? in any of your projects or products)?"
)
# A heading above what is said of works by others.
OTHERS: Final = re.compile(
    r"(?:(?:external|third party|3rd party|bundled|included|vendored|other|optional|compatible|incompatible|dependent) )+"
    r"(?:libraries|components|software|code|dependencies|works|packages|projects|licen[cs]es|notices)"
)
DEPENDENCIES: Final = re.compile(r"\bdependenc(?:y|ies)\b|\bthird party (?:libraries|components|packages)\b")
HEADING: Final = re.compile(r"\blicen[cs](?:e|es|ing)\b")
HEADING_WORDS: Final = words(
    "license licence licenses licences licensing copyright copyrights and the of for notice terms information file legal pathname"
)
NAMES_LICENSE: Final = re.compile(r"§\d+|\b(?:the|text|full|licen[cs]e|of|url)\b")
JOINTS: Final = words("and but while whereas the some all other")  # Words with which a clause may begin.
_NAME: Final = r"[^ ]+(?: [^ ]+){0,4}?"
_PATTERNS: Final = (
    rf"(?:this (?:repository|project|package|software|program|library)|{_NAME}) (?:uses?|has|contains|comes with) (?:2|3|4|two|three|four|several|different) (?:vague|licen[cs]es)",
    r"(?:vague|different licen[cs]es) apply to (?:different|various) (?:files|parts) (?:in|of) this (?:package|project|repository|software)",
    r"here is a (?:rough )?summary of which licen[cs]es apply to which parts of this (?:package|project|repository)(?: but check the individual files to be sure)?",
    r"(?:at )?your option|at your (?:option|choice)",
    rf"(?:the )?{_NAME} is copyrighted work and cannot be used legally without a (?:vague|software licen[cs]e)",
    r"in order to make this project usable to a vast majority of developers we distribute it under (?:two|three) (?:mutually exclusive )?(?:vague|open source licen[cs]es)",
    rf"{_NAME} is (?:a )?free software",
    (rf"(?:this (?:program|library|software)|{_NAME}) is distributed in the hope that it will be useful but without any warranty without even the implied warranty of merchantability or fitness for a "
    r"particular purpose(?: see (?:§\d+|vague|pathname|the file pathname) for more details)?"),
    r"none of (?:these|the) [a-z ]{1,60}?(?:ends? up in|contributes? to|(?:is|are) part of|(?:is|are) used by|(?:is|are) linked into) [a-z0-9. ]{1,80}",
    r"for any copyright year range specified as yyyy zzzz in this package note that the range specifies every single year in that closed interval",
    r"see (?:§\d+|vague) for more details",
    r"you should have received a copy of (?:§\d+|vague)(?: along with this (?:file|program|library|software|package|work|distribution))?(?: (?:in )?(?:the )?(?:file )?pathname)?(?: if not (?:see|write to) .{1,200})?",
    r"if not see (?:url|pathname)",
    r"see the end for copying conditions",
    r"as usual this software is provided as is without any warranty",
    r"the following (?:license|licence) texts are included in the following files",
    r"(?:every|each|any|all) (?:patch|contribution|patches|contributions)(?: or contributions?)? provided by external people will by default comply with the licen[cs]e of the files? (?:it|they) affects?(?: or be rejected)?",
    (r"this model is selected to emphasize that files in the [a-z]+ directory are designed to be included into (?:3rd|third) party applications while all other files in .{1,80}? are intended to be used as is "
    r"as part of their intended scenarios with no intention to support (?:3rd|third) party integration use cases"),
    r"some files are available under (?:vague|more liberal terms) but we believe that in all cases each file may be used under either (?:the )?(?:vague|§\d+) or (?:the )?(?:vague|§\d+)",
    r"you can do whatever you want with the files that have been put into §\d+",
    r"if you find §\d+ legally problematic take the previous sentence as a licen[cs]e grant",
    r"if you still find the lack of copyright legally problematic you have too many lawyers",
    (rf"if you copy significant amounts of §\d+ code from {_NAME} into your project acknowledging this somewhere in your software is polite especially if it is proprietary non free software but naturally it is "
    r"not legally required"),
    r"here is an example of a good notice to put into about box or into documentation",
    rf"this software includes code from {_NAME}(?: url)?",
    r"note that the toolchain compiler linker etc may add some code pieces that are copyrighted",
    rf"thus it is possible that e.g {_NAME} binary wouldnt actually be in §\d+ in its entirety even though it contains no copyrighted code from the {_NAME} source package",
    r"if you have questions dont hesitate to ask the author s for more information",
    r"end of pathname",
)  # fmt: skip


def is_reviewed(words: str) -> bool:
    """Whether a sentence is one of these."""
    return any(pattern.fullmatch(words) for pattern in _compiled())


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, _PATTERNS))
