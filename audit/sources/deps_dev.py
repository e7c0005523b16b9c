"""What deps.dev says of a package's licences: SPDX expressions, and whatever it could not give an id."""

from typing import Any, Final

from audit.licenses.declared_license import NO_ID, Stated, known, together
from audit.sources.answers import rows, table

SYSTEMS: Final = {
    "cargo": "cargo", "gem": "rubygems", "golang": "go", "maven": "maven", "npm": "npm", "nuget": "nuget", "pypi": "pypi",
}  # fmt: skip
"""What deps.dev calls the types of package URLs."""


def path(kind: str, name: str, version: str) -> tuple[str, ...]:
    """One version of a package."""
    return ("v3", "systems", SYSTEMS[kind], "packages", name, "versions", version)


def read(answer: dict[str, Any]) -> Stated:
    """Its `licenses`; how several of them relate is unspecified, says its documentation, so all of them count.

    A licence without an id is `non-standard`: then the words that `licenseDetails` gives, where they are a licence's name.
    """
    details = [table(each) for each in rows(answer.get("licenseDetails"))]
    if details:
        return together(
            known(each.get("license")) if each.get("spdx") in (NO_ID, "") else each.get("spdx") for each in details
        )
    return together(rows(answer.get("licenses")))
