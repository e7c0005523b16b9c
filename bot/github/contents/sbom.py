"""GitHub's own list of a repository's dependencies: asked for, waited for, fetched from where GitHub puts it."""

import json
import re
from typing import Any

from bot.github.audit_ports import Pending
from bot.github.by_rest import root
from bot.github.client.transport import Transport
from bot.github.ports import Missing, Place
from bot.github.reading import Garbled, understanding
from bot.github.renames import RepositoryClient, current

LARGEST = 64_000_000
"""Bytes of a document at most."""

_REPORT = re.compile(r"[0-9A-Za-z_-]{1,100}")


class GitHubSboms(RepositoryClient):
    """Fulfils the SBOM of Trees."""

    def dependency_sbom(self, place: Place, report: str = "") -> str | Pending | None:
        """Work that GitHub has forgotten (it keeps reports a week at most) is begun anew."""
        return self._following(place, lambda line, there: _ask(line, there, report))


def _ask(line: Transport, place: Place, report: str) -> str | Pending | None:
    where = f"{root(place)}/dependency-graph/sbom"
    if report:
        try:
            return _fetch(line, where, report)
        except Missing:
            pass
    try:
        made = line.read(f"{where}/generate-report")
    except Missing:
        current(line, place)  # the repository itself is there: then its dependency graph is off
        return None
    with understanding():
        report = str(made["sbom_url"]).rpartition("/")[2]
    return _fetch(line, where, report)


def _fetch(line: Transport, where: str, report: str) -> str | Pending:
    if not _REPORT.fullmatch(report):
        raise Garbled("GitHub's report has a name that is none")
    data = line.elsewhere(f"{where}/fetch-report/{report}", LARGEST)
    return Pending(report) if data is None else _document(data)


def _document(data: bytes) -> str:
    """The document itself: some of GitHub's answers wrap it in `sbom`."""
    with understanding():
        answer = _parsed(data)
        document = answer.get("sbom", answer)
        if not str(document["spdxVersion"]).startswith("SPDX-2."):
            raise ValueError("not SPDX 2")
    return data.decode() if document is answer else json.dumps(document, ensure_ascii=False)


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except RecursionError:
        raise Garbled("GitHub's document is nested beyond all measure") from None
