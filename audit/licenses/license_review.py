"""The review of licence texts: how far each permission goes, and which condition stands beside the notices."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from audit.licenses.spdx import data_file

FILE: Final = "license-review.json"


class Grade(StrEnum):
    """The grades of what a licence lets people do with the work."""

    NOTICES = "notices"
    """Everything, if its notices are kept and changes are marked where it asks for that."""
    CONDITION = "condition"
    """Everything, if one more condition is met."""
    LIMITED = "limited"
    """Not everything: changing it or passing it on is limited. Using it is free."""
    USE = "use"
    """Not even every use."""
    COPYLEFT_FILE = "file"
    """Everything, if its own part stays under it."""
    COPYLEFT_STRONG = "strong"
    """Everything, if what is made of it is under it."""
    UNCLEAR = "unclear"
    """Unclear: a permission is missing or cannot be understood."""


PERMISSIVE: Final = frozenset({Grade.NOTICES, Grade.CONDITION})  # Everything is allowed.


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A row of the review: the `grade` of a licence.

    `like` is the licence of OSADL's matrix that asks for as much ("" where none does), `condition` the clause of what
    is asked for ("mark what you change") or stands in the way ("forbids commercial use"); "" where there is nothing but
    notices.
    """

    grade: Grade
    like: str
    condition: str


@cache
def rows() -> Mapping[str, Reviewed]:
    """The review by licence id (audit/data/README.md says what was read)."""
    found = data_file(FILE)["licenses"]
    return {license_id: Reviewed(Grade(grade), like, said) for license_id, (grade, like, said) in found.items()}


def of(license_id: str) -> Reviewed | None:
    """The row of a licence; None for a licence whose text was not read for this review."""
    return rows().get(license_id)


def condition(license_id: str) -> str:
    """The condition beside the notices, as words that follow "you must"; "" where there is none, or no row."""
    found = of(license_id)
    return found.condition if found is not None and found.grade in PERMISSIVE else ""


def limit(license_id: str) -> str:
    """The limit that its text sets, as words that follow "it"; "" where there is no such limit, or no row."""
    found = of(license_id)
    return found.condition if found is not None and found.grade in (Grade.LIMITED, Grade.USE) else ""
