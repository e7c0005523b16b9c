"""The registries that are asked for licences, and where they are: the public ones, or what the operator names."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from bot.network.addresses import address_parts

PUBLIC: Final[Mapping[str, str]] = MappingProxyType(  # By the names under which an operator speaks of them.
    {
        "pypi": "https://pypi.org",
        "npm": "https://registry.npmjs.org",
        "crates": "https://crates.io",
        "rubygems": "https://rubygems.org",
        "packagist": "https://repo.packagist.org",
        "hex": "https://hex.pm",
        "anaconda": "https://api.anaconda.org",
        "maven": "https://repo1.maven.org/maven2",
        "nuget": "https://api.nuget.org/v3-flatcontainer",
        "deps.dev": "https://api.deps.dev",
    }
)


@dataclass(frozen=True, slots=True)
class Registries:
    """The `addresses` of those that are asked, by name; a user name and a password in one are never shown."""

    addresses: tuple[tuple[str, str], ...] = tuple(PUBLIC.items())

    def __repr__(self) -> str:
        return f"Registries({', '.join(name for name, _ in self.addresses)})"

    @classmethod
    def parse(cls, text: str) -> "Registries":
        """`none`, or `name=address` and `name=none`, separated by commas; the others stay. Raises ValueError."""
        if text.strip() == "none":
            return cls(())
        found = dict(PUBLIC)
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, address = (piece.strip() for piece in part.partition("="))
            if name not in PUBLIC or not equals:
                raise ValueError(
                    f"each part must be NAME=ADDRESS or NAME=none, NAME one of {', '.join(PUBLIC)}; or none alone"
                )
            found.pop(name)
            if address == "none":
                continue
            parts = address_parts(address)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
                # It may hold a password, so it is not repeated.
                raise ValueError(f"the address of {name} is not an http(s) address")
            found[name] = address.rstrip("/")  # Paths are joined with a slash.
        return cls(tuple(found.items()))


USUAL: Final = Registries()  # Where the operator says nothing.
