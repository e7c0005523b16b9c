"""Texts of SPDX's list, each with one word changed that must not change: seeded, for tests and benchmarks."""

import random
import re
from collections.abc import Iterator, Sequence

from audit.licenses.spdx import data_file, texts
from audit.texts.normalization import clean, normalize
from audit.texts.text_index import text_index

WORDS = (
    "not",
    "never",
    "only",
    "non-commercial",
    "hereby",
    "except",
    "banana",
    "must",
    "7",
    "without",
    "may",
    "royalty",
)
_WORD = re.compile(r"[^\W_]+")


def alterations(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """So many altered texts: the id, what was done, and the text.

    A change that leaves the form as it was fell into a replaceable field (a notice, a name, a number of a list), or
    into the title, which may be missing; it is left out. So is a change in the field with which a template begins
    ("Portions of this code Copyright …").
    """
    chance = random.Random(seed)
    ids = sorted({fingerprint.license for fingerprint in text_index().all if not fingerprint.notice})
    while count:
        license_id = chance.choice(ids)
        text = clean(texts()[license_id])
        match = chance.choice(list(_WORD.finditer(text)))
        kind, word = chance.choice(("drop", "insert", "replace")), chance.choice(WORDS)
        new = {"drop": "", "insert": f"{word} {match[0]}", "replace": word}[kind]
        altered = text[: match.start()] + new + text[match.end() :]
        without_title = normalize(text).form[len(text_index().title(license_id)) + 1 :]
        if not normalize(altered).form.endswith(without_title) and not _is_in_opening_field(
            license_id, text[: match.start()]
        ):
            count -= 1
            yield license_id, f"{kind} {word}: {text[max(match.start() - 60, 0) : match.end() + 20]!r}", altered


def _is_in_opening_field(license_id: str, before: str) -> bool:
    """Whether a word with this before it stands in a field with which SPDX's template begins: whose the work is."""
    fields = data_file("license-fields.json")["fields"].get(license_id, ())
    return any(start == 0 and len(normalize(before).form.split()) < end for start, end, _ in fields)


BEFORE = (
    "For non-commercial use only.",
    "Non-commercial",
    "Academic edition",
    "Students, hobbyists and schools",
    "Free for personal use",
    "Foo, a library for academics",
    "Foo is licensed under the {name}, except for the folder enterprise.",
    "Foo is released under the {name} except where it is sold:",
    "Foo is released under the {name} to individuals:",
    "Foo is released under the {name} until 2027:",
    "Foo is released under the {name} with the Commons Clause:",
    "Foo is released under the {other}:",
    "This software is released under the {other}:",
    "All contributions towards Foo are {other} licensed.",
    "{other}",
    "{other} or later",
    "Unless otherwise agreed, all code in this project is licensed under the {name}.",
    "Unless otherwise noted, all code in this project is licensed under the {other}.",
    "Unless otherwise noted, all code in this project is confidential.",
    "By downloading and using this software you agree to pay.",
    "Foo is based on code that nobody may sell.",
    "Foo was written by Ada, who forbids its sale",
    "Foo was written by Ada and may not be sold",
    "Copyright 2020 Ada, evaluation only",
    "Copyright 2020 Ada Lovelace\nFor evaluation only",
    "Copyright 2020 Ada Lovelace\nAnd whoever pays",
    "2020 (c) Ada, free of charge for students",
    '"Foo" Copyright (c) 2020 Ada, subject to a fee',
    "Portions written in 2005 by Ada and not placed in the public domain.",
    "Authors: Ada Lovelace, who reserves the right to revoke this license",
    "This license applies to parts of Foo originating from the https://github.com/foo/foo repository before 2020",
    "This license is approved by Ada.",
    "Redistributions must pay.",
    "You must ask first.",
    "This evaluation copy is released under the {name}:",
    "Authors: each download costs ten euros payable to Ada",
    "Foo is available to students under the following {name}:",
    "The files a.c and b.c bear the following license, which expires in 2030:",
    "License for internal use",
    "Unless you sell it, files in Foo are subject to the following license:",
    "Foo is subject to the patents of Foo Inc.",
    "Choose either the following license or pay:",
    "Revoked",
    "Foo is released under the {name}, revoked:",
    "The Software shall be used for Good, not Evil.",
    (
        '"Commons Clause" License Condition v1.0. The Software is provided to you by the Licensor under the License, as defined below, subject '
        "to the following condition. Without limiting other conditions in the License, the grant of rights under the License will not include, "
        "and the License does not grant to you, the right to Sell the Software."
    ),
)
"""Sentences before a licence's text that narrow it, each close to a sentence that may stand there."""

AFTER = (
    "For non-commercial use only.",
    "-- NOTE: Third party dependency used by this software -- This software depends on the fmt lib (MIT License), and users must pay.",
    (
        "-- NOTE: Third party dependency used by this software -- This software depends on the fmt lib (MIT License), and users must comply to "
        "its license: https://github.com/fmtlib/fmt/blob/master/LICENSE and may not sell it"
    ),
    (
        "-- NOTE: Third party dependency used by this software -- This software depends on the fmt lib (Commercial License), and users must comply "
        "to its license: https://github.com/fmtlib/fmt/blob/master/LICENSE"
    ),
    "This license expires in 2027.",
    "Revoked.",
    "Nonfree",
    "Authors: whose price is ten euros",
    "See the additional terms in TERMS.md.",
    "The license text can also be found here: https://example.com/terms",
    "Foo is released under the {name} for individuals.",
    "Code generated by Foo is owned by Foo Inc.",
    "Copyright (c) 2020 Ada, non-commercial",
    "END OF TERMS AND CONDITIONS Redistributions must pay.",
    "Please also refer to the file TERMS, which you accept.",
    '"Commons Clause" License Condition v1.0',
    "&#83;ale is &lt;b&gt;forbidden&lt;/b&gt;.",
    "6. You must pay.",
    "See THIRDPARTY.md for license information of other software that you must buy",
    "This program is also available under a commercial license, which you need to sell it.",
    "The externally maintained libraries used by Foo are: tree.h, which you may not sell.",
    "Ada Lovelace <ada@example.org> forbids its sale",
    "## 6. Fees\n6.1 You must pay.",
)
"""Sentences behind a licence's text that narrow it."""

ABUSED = ("MIT", "BSD-3-Clause", "Apache-2.0", "ISC", "EPL-2.0")


def abuses(ids: Sequence[str] = ABUSED) -> Iterator[tuple[str, str, str]]:
    """Texts with a sentence before, behind or inside that narrows them: id, what, text.

    Each is close to a sentence that may stand there.
    """
    names = {
        "MIT": "MIT License",
        "BSD-3-Clause": "BSD License",
        "Apache-2.0": "Apache License 2.0",
        "ISC": "ISC License",
        "EPL-2.0": "EPL",
    }
    for license_id in ids:
        text, other = texts()[license_id], "ISC License" if license_id == "MIT" else "MIT License"
        for sentence in BEFORE:
            said = sentence.format(name=names[license_id], other=other)
            yield license_id, f"before: {said}", f"{said}\n\n{text}"
        for sentence in AFTER:
            said = sentence.format(name=names[license_id], other=other)
            yield license_id, f"behind: {said}", f"{text}\n\n{said}\n"
            yield license_id, f"joined: {said}", f"{text.rstrip()} {said}\n"


CHANGED = (
    "0BSD", "AFL-2.1", "AGPL-3.0-only", "Apache-1.1", "Apache-2.0", "Artistic-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSD-4-Clause", "BSL-1.0",
    "bzip2-1.0.6", "CDDL-1.0", "curl", "EPL-2.0", "FTL", "GFDL-1.3-only", "GPL-2.0-only", "GPL-3.0-only", "HPND", "HPND-sell-variant", "IJG",
    "ISC", "LGPL-2.1-only", "Libpng", "libtiff", "MIT", "MPL-2.0", "NCSA", "OFL-1.1", "OLDAP-2.8", "OpenSSL", "PHP-3.01", "PostgreSQL", "Unlicense",
    "X11", "Zlib",
)  # fmt: skip
"""Licences whose texts are changed as an owner changes them who wants more, or gives less."""

ADDED = (
    "You may not use this software for commercial purposes.",
    "This software may not be used for military purposes.",
    "The Software shall be used for Good, not Evil.",
    "Use in nuclear facilities is prohibited.",
    "Any use of this software by a company requires the prior written consent of the author.",
    "All advertising materials mentioning features or use of this software must display the following acknowledgement: This product includes software developed by Foo.",
    "Modified versions must be sent to the author within thirty days.",
    "The author is Ada Lovelace, and each user owes her a postcard.",
)
"""Restrictions, each a paragraph of its own."""

_CLAUSE = re.compile(r"permi|must|shall|may |warrant|liab|redistribut|grant|condition|notice", re.IGNORECASE)
_TAIL = re.compile(r"how to (?:apply|use) (?:these|this|the)|end of terms and conditions|exhibit [ab]\b", re.IGNORECASE)
_NEGATED = (
    (re.compile(r"\b(may|must|shall|does|is|are) not\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\b(may|must|shall)\b(?! not\b)", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\bwithout fee\b", re.IGNORECASE), "for a fee"),
    (re.compile(r"\bfree of charge\b", re.IGNORECASE), "for a charge"),
    (re.compile(r"\bfor any purpose\b", re.IGNORECASE), "for any non-commercial purpose"),
    (re.compile(r"\bany person\b", re.IGNORECASE), "any student"),
    (re.compile(r"\b(?:and/or sell|sell) copies\b", re.IGNORECASE), "copies"),
    (re.compile(r"\broyalty-free\b", re.IGNORECASE), "royalty-bearing"),
)  # fmt: skip


def changes() -> Iterator[tuple[str, str, str]]:
    """Texts of `CHANGED`, changed on purpose: id, what was done, the text.

    A paragraph dropped (of conditions, or of the warranty), one of `ADDED` put in between two paragraphs or behind, a word of a grant or
    a condition turned round. What SPDX's template of the licence may leave out is no change, nor is what tells how to apply it.
    """
    for license_id in CHANGED:
        text = _TAIL.split(clean(texts()[license_id]), maxsplit=1)[0].rstrip() + "\n"
        parts = re.split(r"\n[ \t]*\n", text)
        legal = [at for at, part in enumerate(parts) if _CLAUSE.search(part) and len(part.split()) > 8]
        for at in {legal[0], legal[len(legal) // 2], legal[-1]} if len(legal) > 1 else ():
            dropped = "\n\n".join(parts[:at] + parts[at + 1 :])
            if not _is_omittable(license_id, parts[at]):
                yield license_id, f"drop: {parts[at][:60]!r}", dropped
        for number, sentence in enumerate(ADDED):
            at = legal[number % len(legal)] + 1
            yield license_id, f"add: {sentence}", "\n\n".join([*parts[:at], sentence, *parts[at:]])
        for pattern, new in _NEGATED:
            found = list(pattern.finditer(text))
            for match in found[:1] + found[-1:]:
                yield (
                    license_id,
                    f"turn: {match[0]} {new}",
                    text[: match.start()] + match.expand(new) + text[match.end() :],
                )


def _is_omittable(license_id: str, part: str) -> bool:
    words = normalize(f"x {part}").form[3:].strip()
    return license_id.startswith("HPND") or any(
        words in part for part in data_file("license-optional.json").get(license_id, ())
    )
