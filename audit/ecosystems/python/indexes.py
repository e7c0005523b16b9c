"""Package indexes of somebody's own that pyproject.toml and Pipfile name, for all of their packages or for some."""

from dataclasses import dataclass, field, replace
from typing import Any

from audit.ecosystems import origins
from audit.ecosystems.parsed_file import rows, table, text, texts
from audit.facts import Dependency

_PUBLIC = frozenset({"", "pypi"})


@dataclass(frozen=True, slots=True)
class Indexes:
    """Addresses by name, and the first one of somebody's own in which any package of the file may be (empty: none)."""

    addresses: dict[str, str] = field(default_factory=dict)
    anywhere: str = ""

    def applied(self, one: Dependency, index: str) -> Dependency:
        """The dependency with the index that it comes from in its package URL; `index` is the one that it names."""
        if index.lower() in _PUBLIC:
            address = "" if index else self.anywhere
            return replace(one, purl=origins.taken(one.purl, address))
        address = self.addresses.get(index, "")
        purl = origins.taken(one.purl, address) if address else origins.named(one.purl, index)
        return replace(one, purl=purl)


def indexes(data: dict[str, Any]) -> Indexes:
    """Those of Poetry, uv and PDM in a pyproject.toml, or of a Pipfile; explicit ones hold only what names them."""
    tools = table(data.get("tool"))
    poetry, uv, pdm = (table(tools.get(name)) for name in ("poetry", "uv", "pdm"))
    listed = [table(one) for holder in (poetry, pdm, data) for one in rows(holder.get("source"))]
    listed += [table(one) for one in rows(uv.get("index"))]
    shared = [
        text(one.get("url")) for one in listed if one.get("priority") != "explicit" and one.get("explicit") is not True
    ]
    for holder in (uv, table(uv.get("pip"))):
        shared += [text(holder.get("index-url")), *texts(holder.get("extra-index-url") or [])]
    addresses = {text(one.get("name")): text(one.get("url")) for one in listed}
    return Indexes(addresses, next((one for one in shared if origins.host(one)), ""))


def named_by_uv(data: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """`tool.uv.sources`: index, and address or path, of a package by its name as it is written there; of each one is empty."""
    sources = table(table(table(data.get("tool")).get("uv")).get("sources"))
    found = {}
    for name, rule in sources.items():
        terms = table(rows(rule)[0] if rows(rule) else rule)
        git = text(terms.get("git"))
        address = f"git+{git}" if git else text(terms.get("url")) or text(terms.get("path"))
        found[text(name)] = (text(terms.get("index")), address)
    return found
