"""The statements of one file about weights or a data set: their licence, and what they were made from."""

import re
from dataclasses import dataclass, replace
from typing import Final

from audit.ecosystems.parsed_file import said, texts
from audit.facts import UNLEARNED, Finding, Learned, Place, Source, Unknown
from audit.licenses import aliases, declared_license, model_terms

_MAX_NAMED: Final = 100  # Models, or data sets, of one file.
_HUB_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,99}(?:/[A-Za-z0-9][\w.-]{0,99})?")
_HUB_ADDRESS: Final = re.compile(
    r"https?://(?:www\.)?huggingface\.co/(?:datasets/)?([\w.-]{1,100}/[\w.-]{1,100})(?:[/?#].*)?", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A model or data set `name` that a file gives at `place` as a source, and `how` in its own word (`adapter`)."""

    name: str
    place: Place
    how: str = ""


@dataclass(frozen=True, slots=True)
class CardStatement:
    """The statements of a file: the `license`, the `base_models` and `data_sets` it was made from, and `findings`.

    `is_model` and `is_data`: it has keys that only files of models, or of data sets, have; `is_own`: it speaks of the
    whole repository at its root (`CITATION.cff`).
    """

    license: Learned = UNLEARNED
    base_models: tuple[NamedSource, ...] = ()
    data_sets: tuple[NamedSource, ...] = ()
    is_model: bool = False
    is_data: bool = False
    is_own: bool = False
    findings: tuple[Finding, ...] = ()


NOTHING: Final = CardStatement()  # Of weights or data.


def stated(place: Place, names: object, more: str = "", link: str = "") -> Learned:
    """The licence that a card names: one or several, by Hugging Face's ids, SPDX's, or their names.

    `more` is the name of a licence that is on no list (`license_name`), `link` the address of its text. What names no
    licence that is known is Unknown.UNREADABLE, with the words in the place.
    """
    listed = [name for name in texts(names) if name.strip()]
    if not listed and not more:
        return UNLEARNED
    found = [_expression(name) or _named(more) or _named(link) for name in listed or [more]]
    words = said(", ".join([*listed, *([more] if more else [])]))
    # An unknown one of several may be the stricter one: then none is known.
    different = list(dict.fromkeys(expression for expression in found if expression)) if all(found) else []
    # A list does not say that one may choose: `OR` would let GPL and MIT pass as MIT.
    joined = declared_license.joined("AND", different) if len(different) > 1 else next(iter(different), None)
    if joined:
        return Learned(joined, Source.METADATA, replace(place, said=f"license: {words}"))
    stands = next((f", which stands for {meant}" for name in listed if (meant := model_terms.unclear(name))), "")
    called = f", and calls it {said(more)}" if more and listed else ""
    why = f"{place.path} says {said(', '.join(listed) or more)}{stands}{called}"
    return Learned(None, Source.UNSTATED, replace(place, said=why), Unknown.UNREADABLE)


def _expression(name: str) -> str | None:
    """The licence of one name; None for a name of several (`other`), and for one that is not known."""
    if model_terms.unclear(name):
        return None
    return model_terms.of_name(name) or aliases.license_of(name) or declared_license.known(name)


def _named(words: str) -> str | None:
    return _expression(words) if words else None


def sources(value: object, place: Place, how: str = "") -> tuple[NamedSource, ...]:
    """The models or data sets of a list, by their names on Hugging Face; paths and other words are left out."""
    found = dict.fromkeys(hub_name(name) for name in texts(value)[:_MAX_NAMED])
    return tuple(NamedSource(name, replace(place, said=name), how) for name in found if name)


def hub_name(words: str) -> str:
    """A name as Hugging Face has it (`owner/name`, or one word), also of an address there; empty for anything else."""
    address = _HUB_ADDRESS.fullmatch(words.strip()) if len(words) < 1_000 else None  # The text is a stranger's.
    plain = address[1] if address else words.strip()
    return plain if _HUB_NAME.fullmatch(plain) else ""
