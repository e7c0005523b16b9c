"""The replaceable fields of licence texts: names of people where a licence lets all people put their own, and equal spellings.

SPDX's own templates mark them; they are written down here once more, by hand, as phrases with a place for a name, since the
vendored texts hold no marks. A name fills a field only when it reads like one: no word of a condition, and of the words that
licences use themselves ("the copyright holders") only whole phrases. What is written here is reviewed line by line.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from audit.licenses.spdx import data_file
from audit.texts.vocabulary import CONDITIONS, words

_MAX_WORDS = 25  # Words of a name.
NAME = rf"((?:[^ ]+ ){{1,{_MAX_WORDS}}}?)"
"""A name: up to 25 words of the form, as few as fit."""

SPELLINGS: Mapping[str, str] = data_file("equal-spellings.json")
"""Spellings that SPDX's matching guidelines call equal; "owner" is "holder" there after "copyright"."""

# The licences' own words for their holders. Without "the" only where SPDX has them so: a word left out is no field.
_WHOLE = frozenset(
    f"{the}{holder}".strip()
    for the in ("the ", "")
    for holder in (
        "author", "authors", "authors and contributors", "author and contributors", "author or contributors", "authors or contributors",
        "authors or copyright holders", "author or copyright holder", "author or copyright holders", "author or authors",
        "contributors", "contributors or copyright holders", "copyright holders or contributors", "copyright holder or contributors",
        "copyright holders and contributors", "copyright holder and contributors", "copyright holder", "copyright holders",
        "copyright holder s", "copyright holders or any contributors", "copyright holders or their contributors",
        "above listed copyright holder s", "above listed copyright holders", "copyright holder nor the contributors",
        "regents", "regents and contributors", "regents or contributors", "regents and its contributors", "organization",
        "foundation", "foundation or contributors", "foundation and contributors", "foundation or its contributors",
        "copyright holder or its contributors", "authors or any contributors", "author s", "author s or contributors", "university",
        "copyright holder or any contributors", "copyright holders and other contributors", "copyright holder s or author s",
        "copyright holder s or contributors", "copyright holder s and contributors", "above copyright holders", "above copyright holder",
    )
    if the or holder.startswith(("copyright holder", "contributors", "author"))
) - {"authors or copyright holders", "copyright holder or contributors", "copyright holders and contributors"}  # fmt: skip
_WHOLE |= {
    f"{the}{word} {joint}contributors"
    for the in ("the ", "")
    for word in words(
        "project university foundation company institute developers organization consortium author contributor"
    )
    for joint in ("and ", "or ", "and its ", "or its ", "or any ")
}
# Holders who disclaim by their role, where a licence's own words do not name them.
_WHOLE |= {f"the {word}" for word in words("contributor project university company developers institute")}
_WHOLE |= {"the contributors to this software", "any contributors to this software", "any contributors"}
_WHOLE |= {"its author", "its authors", "its contributors"}
# Names of many works' holders with a word of a condition in them.
_NAMES_OF_CONDITIONS = {"free software foundation": "software foundation", "ask solem": "solem"}
_OWN = frozenset({"copyright", "holder", "holders"})
_LAST = frozenset(
    {"author", "authors", "contributor", "contributors", "developers", "maintainers", "foundation", "project"}
)
_JOINT = re.compile(r" (?:and|or|nor) ")
_SMALL = frozenset({"the", "its", "any", "other", "all", "their", "a", "an", "of", "by", "in", "for", "to"})


def is_name(words: str) -> bool:
    """True for one of the licences' own phrases, or names of people joined by and, or."""
    words = words.strip()
    for whole, part in _NAMES_OF_CONDITIONS.items():
        words = words.replace(whole, part)
    if words in _WHOLE:
        return True
    parts = _JOINT.split(words)
    # A licence's own words alone name no holder.
    if all(part in _WHOLE or part in _SMALL or set(part.split()) <= _LAST | _SMALL for part in parts):
        return False
    return all(part in _WHOLE or _is_part(part.split()) for part in parts)


def _is_part(words: list[str]) -> bool:
    """Words of one name: none of a condition's, and the licences' own only at its end ("the foo project contributors")."""
    if not words or set(words) <= _SMALL or not CONDITIONS.isdisjoint(words) or not _OWN.isdisjoint(words):
        return (
            set(words) <= {"its", "other", "individual", "any", "the", "contributors", "developers", "authors"}
            and len(words) > 1
        )
    return words[-1] not in _SMALL


@dataclass(frozen=True, slots=True)
class ReplaceableField:
    """A replaceable field: the `hint` that a form has with it, its pattern (`expression`), and the `new` words."""

    hint: str
    expression: str
    new: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled with the first form that has the hint: few forms have any."""
        return _compiled(self.expression)

    def replacement(self, found: re.Match[str]) -> str | None:
        """The words that replace what was found; None for a field without a name: it stays, and nothing is equal."""
        if not all(is_name(group) for group in found.groups() if group):
            return None
        return self.new


# The Free Software Foundation's addresses, from 1989 on: SPDX calls all of them equal.
ADDRESS = (
    r"(?:59 temple (?:place|pl)|51 franklin (?:street|st)|675 mass(?:achusetts)? ave(?:nue)?|31 milk (?:street|st)) "
    r"(?:suite (?:330|500) |(?:fifth|5th) floor |960789 |pmb 960789 )?(?:boston |cambridge )(?:ma |massachusetts )?"
    r"(?:\d{4,5} (?:\d{4} )?)?(?:usa |u s a )?"
)


_compiled = cache(re.compile)


def _field(pattern: str, new: str, hint: str) -> ReplaceableField:
    return ReplaceableField(hint, pattern.replace("NAME ", NAME), new)


# In this order: a later one may build on the mark of an earlier.
FIELDS = (
    _field(r" including the next paragraph (?=shall be included)", " ", " the next paragraph "),
    _field(r" modify and or distribute this ", " modify and distribute this ", " and or distribute this "),
    _field(r" any expressed or implied ", " any express or implied ", " expressed or implied "),
    _field(r" without any express or implied warranty ", " without express or implied warranty ", " without any express or "),
    _field(r" redistribution (?=of source code must |in binary form must )", " redistributions ", " redistribution "),
    # Numbers of BSD's clauses that lost their sign.
    _field(
        r" (?:[1-4]|[abcd]|i{1,3}|iv) (?=redistributions (?:of source|in binary) |~nobody |neither (?:the )?names? )", " ", " redistributions "
    ),
    _field(r" redistribution and use of (?:this|the) (?:software|program|library|code) in source ", " redistribution and use in source ", " redistribution and use of "),
    _field(r" the above copyright notice(?: s|s) (?=this list of conditions )", " the above copyright notice ", " the above copyright notice"),
    _field(r" retain the copyright notice (?=this list of conditions )", " retain the above copyright notice ", " retain the copyright "),
    _field(r" specific prior written permission (?:of|from) NAME (?=this software is provided )", " specific prior written permission ", " prior written permission "),
    _field(r" all rights reserved (?=permission is hereby granted to copy and distribute this license )", " ", " all rights reserved "),
    _field(r" copyright c (?=(?:19|20)\d\d )", " copyright ", " copyright c "),
    # ImageMagick renews the years of its notice.
    _field(r" 1999 20\d\d (?=imagemagick studio llc a non profit )", " 1999 2013 ", " imagemagick studio llc "),
    _field(r" specific written prior permission ", " specific prior written permission ", " written prior permission "),
    _field(r" documentation and or materials provided ", " documentation and or other materials provided ", " and or materials provided "),
    _field(r" makes? no representation about ", " makes no representations about ", " no representation about "),
    # Berkeley withdrew the advertising clause, and copies say so in its place.
    _field(r" this (?:condition|clause) was removed (?=neither |~nobody |the names? |redistributions )", " ", " was removed "),
    _field(r" the copyright holder has authorized the removal of this clause (?=neither )", " ", " authorized the removal of "),
    _field(
        r" deleted as of 22nd july 1999 see (?:ftp )?ftp cs berkeley edu pub 4bsd readme impt license change for details (?=neither |~nobody )",
        " ",
        " deleted as of 22nd ",
    ),
    _field(
        r" (?:copyright (?:c )?\d{4} )?(?:the regents of the university of california through )?lawrence berkeley national laboratory subject to receipt of any required "
        r"approvals from the u s dept of energy (?:all rights reserved )?",
        " ",
        " berkeley national laboratory subject ",
    ),
    _field(r" one line to give the (?:program|library) s name and (?:a brief|an) idea of what it does ", " ", " idea of what it does "),
    _field(r" gnu (?:library |lesser |affero )?general public license (?=terms and conditions )", " ", " public license terms and "),
    _field(rf" {ADDRESS}", " ", " boston "),
    _field(rf" {ADDRESS}", " ", " cambridge "),
    _field(r" (?:www )?fsf org (?=everyone is permitted )", " ", " fsf org "),
    # Older texts of GNU's licences give an address, newer ones a page.
    _field(
        r" if not write to the (?:gnu )?free software foundation (?:inc )?(?=also add information |this |the |you |$)",
        " if not see www gnu org licenses ",
        " if not write to the ",
    ),
    _field(r" copyright c (?:yyyy|year|19yy) name of author ", " ", " name of author "),
    # The Library GPL became the Lesser GPL.
    _field(
        r" software is covered by the gnu library general public license instead ",
        " software is covered by the gnu lesser general public license instead ",
        " is covered by the gnu library ",
    ),
    _field(
        r" sections 3 1 3 2 3 3 3 4 and 3 5 have been met ",
        " section 3 1 3 5 have been met ",
        " sections 3 1 3 2 3 3 3 4 and 3 5 ",
    ),
    _field(
        r" this general public license does not permit incorporating your program into proprietary programs if your program is a "
        r"subroutine library you may consider it more useful to permit linking proprietary applications with the library if this is "
        r"what you want to do use the gnu (?:lesser|library) general public license instead of this license ",
        " ",
        " does not permit incorporating your ",
    ),
    _field(r" gnu org (?:copyleft|philosophy) ", " gnu org licenses ", " gnu org "),
    _field(r" non infringement ", " noninfringement ", " non infringement "),
    _field(r" sub (?=licens)", " sub", " sub licens"),
    _field(r" software is provided by NAME as is ", " software is provided as is ", " is provided by "),
    _field(r" this is provided by NAME as is ", " this is provided as is ", " this is provided by "),
    _field(r" software and documentation is provided by NAME as is ", " software and documentation is provided as is ", " documentation is provided by "),
    _field(r" in no event shall NAME be liable ", " in no event shall ~holder be liable ", " in no event shall "),
    _field(
        r"(?:(?<= considerations for licensors)|(?<= considerations for the public)) wiki creativecommons org "
        r"(?:considerations for licens(?:ors|ees) )?",
        " ",
        " wiki creativecommons org ",
    ),
    _field(r" this file is automatically added by npmcli template oss do not edit ", " ", " npmcli template oss "),
    _field(
        r" the text of the creative commons public licenses is dedicated to the public domain under the cc0 public domain "
        r"dedication ",
        " ",
        " creative commons public licenses is dedicated ",
    ),
    # BSD's clause against endorsement, with any names in it.
    _field(
        r" neither (?:the )?names? (?:s )?(?:of )?NAME nor (?:(?:the )?names?|those) of (?:its |his |her |any |any other |their |other |specific |the |project |any of its |any of the )?"
        r"(?:authors and )?contributors may be ",
        " ~nobody may be ",
        " neither ",
    ),
    _field(
        r" neither (?:the )?(?:names? (?:s )?)?(?:of )?NAME nor (?:the )?names? (?:s )?(?:of )?(?:the )?NAME (?:nor (?:the )?names? of (?:its|their) contributors )?may (?:not )?be "
        r"(?=used to endorse )",
        " ~nobody may be ",
        " neither ",
    ),
    _field(
        r" neither (?:the )?names? of nor (?:the )?names? of (?:its |his |her |any |any other |their |other )?contributors may be ",
        " ~nobody may be ",
        " neither ",
    ),
    _field(
        r" neither the package name nor (?:the )?names? of its contributors may be ",
        " ~nobody may be ",
        " neither the package name ",
    ),
    _field(
        r" neither (?:the )?names? of (?:(?:this|the) (?:software|project|library|package) |the )nor (?:the )?names? of "
        r"(?:its |any |their |other |specific |the |project |any of its |any of the )?(?:authors and )?contributors may be ",
        " ~nobody may be ",
        " neither ",
    ),
    _field(r" (?:the )?names? of NAME may not be (?=used to endorse )", " ~nobody may be ", " may not be used to endorse "),
    _field(r" clause 252 227 701[34] b 3 of dfars ", " clause 252 227 7013 c 1 of dfars ", " b 3 of dfars "),
    _field(
        r" except as contained in this notice the names? (?:s )?of NAME shall not be used in ",
        " except as contained in this notice the name of ~holder shall not be used in ",
        " except as contained in this notice ",
    ),
    _field(r" as is and NAME disclaims? all ", " as is and ~holder disclaims all ", " as is and "),
    _field(
        r" software developed by NAME (?=~nobody |neither the name |alternat(?:iv)?ely |the name |redistributions )",
        " software developed by ~holder ",
        " software developed by ",
    ),
    _field(r" that the names? (?:of )?NAME not be used in advertising ", " that the name of ~holder not be used in advertising ", " used in advertising "),
    _field(r" written permission NAME makes? no representations ", " written permission ~holder makes no representations ", " no representations "),
    _field(r" implied warranty NAME disclaims? all warranties with ", " implied warranty ~holder disclaims all warranties with ", " all warranties with "),
    _field(r" written permission NAME disclaims? all warranties with ", " written permission ~holder disclaims all warranties with ", " all warranties with "),
    _field(r" documentation NAME makes? no representations ", " documentation ~holder makes no representations ", " no representations "),
)  # fmt: skip
