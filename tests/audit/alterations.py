"""Texts of SPDX's list with one word changed that nobody may change: seeded, for tests and benchmarks."""

import random
import re
from collections.abc import Iterator, Sequence

from audit.licenses.spdx import texts
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
    """So many of them: the id, what was done, and the altered text.

    A change that leaves the form as it was fell into a replaceable field (a notice, a name, a number of a list), or into the title,
    which may be missing; it is left out.
    """
    chance = random.Random(seed)
    ids = sorted({one.license for one in text_index().all if not one.notice})
    while count:
        license_id = chance.choice(ids)
        text = clean(texts()[license_id])
        one = chance.choice(list(_WORD.finditer(text)))
        kind, word = chance.choice(("drop", "insert", "replace")), chance.choice(WORDS)
        new = {"drop": "", "insert": f"{word} {one[0]}", "replace": word}[kind]
        altered = text[: one.start()] + new + text[one.end() :]
        without_title = normalize(text).form[len(text_index().title(license_id)) + 1 :]
        if not normalize(altered).form.endswith(without_title):
            count -= 1
            yield license_id, f"{kind} {word}: {text[max(one.start() - 60, 0) : one.end() + 20]!r}", altered


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
"""What somebody may put before a licence's text to narrow it, each close to what may stand there."""

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
"""What somebody may put behind it."""

ABUSED = ("MIT", "BSD-3-Clause", "Apache-2.0", "ISC", "EPL-2.0")


def abuses(ids: Sequence[str] = ABUSED) -> Iterator[tuple[str, str, str]]:
    """Texts with a sentence before, behind or inside that narrows them and is close to one that may stand there: id, what, text."""
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
