"""Licences of models and data sets: what cards call them, and what each one demands, from a reviewed table with a source per row."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from audit.licenses.spdx import data_file

_FIRST_CHARACTERS: Final = 400  # Characters of a text in which its title stands.
_WORD: Final = re.compile(r"[^\s*_#`\\]+")  # Words without the signs of Markdown.
_ADDRESS: Final = re.compile(r"https?://[^/\s]++/")  # Cards name some licences by an address.


class TermsKind(StrEnum):
    """The demand of a licence of models or data that weighs most."""

    ATTRIBUTION = "attribution"
    """To keep its notices and credits."""
    SHARE_ALIKE = "share-alike"
    """To keep what is passed on under it."""
    RESTRICTED = "restricted"
    """Not to use it for some purposes, by some people, or in some places."""
    NON_COMMERCIAL = "noncommercial"
    """To use it without a commercial purpose, or for research alone."""
    NO_DERIVATIVES = "no-derivatives"
    """To pass on nothing that is changed; a model that is trained further is changed."""


@dataclass(frozen=True, slots=True)
class ModelTerms:
    """One licence: its id (`license`), its `name`, and what it demands (`kind`).

    `limits` says how it may be used, `duties` what is to be done by people who pass it on (each a clause, or empty),
    `notice` is the line that it asks for in a file of notices, `heading` the beginning of its text, `source` the
    address of its text.
    """

    license: str
    name: str
    kind: TermsKind
    source: str
    limits: str = ""
    duties: str = ""
    notice: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class PublishedLicense:
    """The publisher's statement on a model or data set: the `license` that its card names, and the card (`source`)."""

    license: str
    source: str


# Each version and port of a licence of Creative Commons has the same demands.
_CREATIVE_COMMONS: Final = re.compile(r"CC-BY(?P<parts>(?:-(?:NC|ND|SA)){0,3})-[1-9][0-9.]*+(?:-[A-Z]++)?+")
_CC_SOURCE: Final = "https://creativecommons.org/share-your-work/cclicenses/"
_CREDIT: Final = "credit its authors, name its licence, and say what was changed"


def terms(license_id: str) -> ModelTerms | None:
    """The terms of a licence by its id; None for one that is not of models or data."""
    return _table()[0].get(license_id) or _creative_commons(license_id)


def all_terms() -> tuple[ModelTerms, ...]:
    """All licences of the table, as it has them."""
    return tuple(_table()[0].values())


def unclear_names() -> Mapping[str, str]:
    """The names that stand for no licence of the table, each with what it stands for, in words."""
    return dict(_table()[2])


def published() -> tuple[tuple[str, PublishedLicense], ...]:
    """The beginnings of the names of well-known models, then of data sets, and what their publishers state."""
    rows = (row for kind in ("models", "datasets") for row in _file()[kind])
    return tuple((row["begins"], PublishedLicense(row["license"], row["source"])) for row in rows)


def ids() -> frozenset[str]:
    """The ids of all licences of the table."""
    return frozenset(_table()[0])


def names() -> Mapping[str, str]:
    """The id of each name of the table, in small letters."""
    return dict(_table()[1])


def of_name(name: str) -> str | None:
    """The id of what cards call a licence (`llama3.1`, a `license_name`); None for a name that the table does not have."""
    return _table()[1].get(_plain(name))


def unclear(name: str) -> str | None:
    """The meaning, in words, of a name that is of no single licence (`other`, `openrail`); None for any other name."""
    return _table()[2].get(_plain(name))


def of_digest(digest: str) -> str | None:
    """The id of the licence whose normalised text has this digest; None for any other text."""
    return _table()[3].get(digest)


def by_heading(text: str) -> ModelTerms | None:
    """The licence after which a text calls itself in its first lines; its terms may be changed all the same."""
    words = " ".join(_WORD.findall(text[:_FIRST_CHARACTERS])).casefold()
    named = [row for row in _table()[0].values() if row.heading and row.heading in words]
    return max(named, key=lambda row: len(row.heading), default=None)  # One heading may hold another.


def by_notice(text: str) -> tuple[ModelTerms, ...]:
    """The licences whose line for a file of notices stands in a text, however it is broken into lines."""
    words = _spaced(text)
    return tuple(row for row in _table()[0].values() if row.notice and _spaced(row.notice) in words)


def of_model(name: str) -> PublishedLicense | None:
    """The statement of a well-known model's publisher, by the model's name on Hugging Face; None for all others."""
    return _published("models", name)


def of_data_set(name: str) -> PublishedLicense | None:
    """The statement of a well-known data set's publisher, by its name on Hugging Face; None for all others."""
    return _published("datasets", name)


def _published(kind: str, name: str) -> PublishedLicense | None:
    found = [row for row in _file()[kind] if name.casefold().startswith(row["begins"].casefold())]
    # The longest beginning is that of the closest kin: newer versions of a model have other terms.
    longest = max(found, key=lambda row: len(row["begins"]), default=None)
    return PublishedLicense(longest["license"], longest["source"]) if longest else None


def _spaced(text: str) -> str:
    return " ".join(text.casefold().replace("©", "(c)").replace('"', "").rstrip(". \n").split())


def _plain(name: str) -> str:
    return "-".join(_ADDRESS.sub("", name).casefold().replace("_", "-").split())


def _creative_commons(license_id: str) -> ModelTerms | None:
    found = _CREATIVE_COMMONS.fullmatch(license_id)
    if found is None:
        return None
    kind, limits, duties = TermsKind.ATTRIBUTION, "", _CREDIT
    # The strictest part decides.
    if "NC" in found["parts"]:
        kind, limits = TermsKind.NON_COMMERCIAL, "use it for non-commercial purposes alone"
    elif "ND" in found["parts"]:
        kind, limits = TermsKind.NO_DERIVATIVES, "pass on no changed version of it"
    elif "SA" in found["parts"]:
        kind, duties = TermsKind.SHARE_ALIKE, f"{_CREDIT}, and keep adaptations of it under the same licence"
    return ModelTerms(license_id, license_id, kind, _CC_SOURCE, limits, duties)


@cache
def _file() -> Mapping[str, list[Mapping[str, str]]]:
    found: Mapping[str, list[Mapping[str, str]]] = data_file("model-licenses.json")
    return found


@cache
def _table() -> tuple[Mapping[str, ModelTerms], Mapping[str, str], Mapping[str, str], Mapping[str, str]]:
    """Terms by id, ids by name, names of several licences, and ids by the digests of texts."""
    by_id: dict[str, ModelTerms] = {}
    whole = data_file("model-licenses.json")
    names: dict[str, str] = dict(whole["names"])
    digests: dict[str, str] = dict(data_file("model-forms.json"))
    for row in whole["licenses"]:
        named = {key: row[key] for key in ("limits", "duties", "notice", "heading") if key in row}
        by_id[row["id"]] = ModelTerms(row["id"], row["name"], TermsKind(row["kind"]), row["source"], **named)
        names |= dict.fromkeys(row.get("names", ()), row["id"])
        digests |= dict.fromkeys(row.get("forms", ()), row["id"])
    return by_id, names, whole["unclear"], digests
