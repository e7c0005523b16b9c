"""The tables of the licence rules for counsel, as CSV files in docs/reference: `make reference` writes them."""

from collections.abc import Iterator, Mapping
from typing import Final

from audit.facts import Delivery, Usage
from audit.licenses import osadl
from audit.licenses.exceptions import FOR_INDEPENDENT_MODULES, LIFTS, made_for
from audit.licenses.osadl import OsadlAnswer
from audit.rules.combined_work import LINKED
from audit.rules.expression_compatibility import judge
from audit.rules.outbound_exception import PERMITTED_LICENSES
from audit.rules.published_answer import NAMED, OTHER_YES, published

_BY_ANSWER: Final[Mapping[str, str]] = {
    "2 3": "compatible with versions 2 and 3",
    "3": "compatible with version 3",
    "no": "free, but incompatible",
    "nonfree": "not free",
}
"""The FSF's answers about the GPL, as in audit/data/published-answers.json."""


def exceptions() -> Iterator[tuple[str, ...]]:
    """Each exception: the usages that it lifts, why, the licences that it was made for, and what a work that carries it may be linked with."""
    yield "exception", "lifts", "because", "made for", "a work that carries it may be linked with"
    for name, grant in LIFTS.items():
        lifted = ", ".join(usage for usage in Usage if usage in grant.usages) or "nothing"
        modules = ("independent modules",) if name in FOR_INDEPENDENT_MODULES else ()
        licenses = ", ".join(made_for(name))
        yield name, lifted, grant.reason, licenses, ", ".join((*modules, *sorted(PERMITTED_LICENSES.get(name, ()))))


def into_gpl() -> Iterator[tuple[str, ...]]:
    """Each pair that OSADL refuses into GPL or AGPL: the verdict on linking, by usage, and the reasons."""
    yield "inbound", "into", "usages", "verdict", "because"
    matrix = osadl.shipped()
    works = [one for one in matrix.names if one.startswith(("GPL-", "AGPL-"))]
    for used in matrix.names:
        for own in works:
            if matrix.answer(own, used) is OsadlAnswer.NO:
                said: dict[tuple[str, str], list[str]] = {}
                for usage in (one for one in Usage if one in LINKED):
                    found = judge(own, used, usage, Delivery.BINARY, matrix)
                    said.setdefault((found.verdict, found.reason), []).append(usage)
                for (verdict, reason), usages in said.items():
                    yield used, own, ", ".join(usages), verdict, reason


def answers() -> Iterator[tuple[str, ...]]:
    """Each published answer about a licence: by whom, and the words of its author."""
    yield "licence", "into", "answer", "by"
    fsf, asf = published()["fsf"], published()["asf"]
    for name, (answer, anchor) in fsf["gpl"].items():
        yield name, "GPL", _BY_ANSWER[answer], f"{fsf['url']}#{anchor}"
    yield from ((name, "GPL", _BY_ANSWER["2 3"], source) for name, source in OTHER_YES.items())
    for category, ids in asf["categories"].items():
        yield from ((name, "Apache-2.0", f"category {category}", asf["url"]) for name in ids)
    for name, (into, why) in NAMED.items():
        yield from ((name, own, "goes in", why) for own in into)
