"""Texts of SPDX's list with one word changed that nobody may change: seeded, for tests and benchmarks."""

import random
import re
from collections.abc import Iterator

from audit.forms import forms
from audit.normal import clean, normal
from audit.spdx import texts

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
    ids = sorted({one.license for one in forms().all if not one.notice})
    while count:
        license_id = chance.choice(ids)
        text = clean(texts()[license_id])
        one = chance.choice(list(_WORD.finditer(text)))
        kind, word = chance.choice(("drop", "insert", "replace")), chance.choice(WORDS)
        new = {"drop": "", "insert": f"{word} {one[0]}", "replace": word}[kind]
        altered = text[: one.start()] + new + text[one.end() :]
        without_title = normal(text).form[len(forms().title(license_id)) + 1 :]
        if not normal(altered).form.endswith(without_title):
            count -= 1
            yield license_id, f"{kind} {word}: {text[max(one.start() - 60, 0) : one.end() + 20]!r}", altered
