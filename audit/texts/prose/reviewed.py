"""Sentences beside statements of licences that leave them as they are: each was read, and stands as its words in small letters."""

import re
from functools import cache
from typing import Final

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
    return any(one.fullmatch(words) for one in _compiled())


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, _PATTERNS))
