"""GitHub's own list of a repository's dependencies: asked for, waited for, fetched from where GitHub puts it."""

import json
import re

from bot.github.client.transport import Transport
from bot.github.ports import Missing, PendingReport, Refused, RepositoryPlace
from bot.github.reading import Garbled, understanding
from bot.github.renames import RepositoryClient, current, root

MAX_SBOM_BYTES = 64_000_000  # Of one document, which is held in memory.

_REPORT = re.compile(r"[0-9A-Za-z_-]{1,100}")  # It becomes a part of a path.


class GitHubSboms(RepositoryClient):
    """GitHub's own SBOM of a repository."""

    def dependency_sbom(self, place: RepositoryPlace, report: str = "") -> str | PendingReport | None:
        """The SPDX 2.3 document (JSON) of the default branch as GitHub knows it; None: the dependency graph is off.

        `report` is that of a PendingReport, whose work is asked for again. Without it, and where GitHub has forgotten the work
        (it keeps reports a week at most), new work begins.
        """
        may_be_old = not self._pool.server.is_github_com  # Then it may make no reports.
        return self._following(place, lambda transport, there: _ask(transport, there, report, may_be_old=may_be_old))


def _ask(transport: Transport, place: RepositoryPlace, report: str, *, may_be_old: bool) -> str | PendingReport | None:
    where = f"{root(place)}/dependency-graph/sbom"
    if report:
        try:
            return _fetch(transport, where, report)
        except Missing:  # GitHub keeps reports a week at most: new work begins.
            pass
    try:
        made = transport.read(f"{where}/generate-report")
    except Missing:
        found = _at_once(transport, where) if may_be_old else None
        if found is None:
            current(transport, place)  # The repository itself is there: then its dependency graph is off
        return found
    with understanding():
        report = str(made["sbom_url"]).rpartition("/")[2]
    return _fetch(transport, where, report)


def _at_once(transport: Transport, where: str) -> str | None:
    """The document as a server gives it that makes no reports; None where it gives none."""
    try:
        answer = transport.read(where)
    except Missing:
        return None
    document = json.dumps(answer, ensure_ascii=False).encode()
    if len(document) > MAX_SBOM_BYTES:
        raise Refused(f"the SBOM that GitHub offers is larger than {MAX_SBOM_BYTES:,} bytes")
    return _document(document)


def _fetch(transport: Transport, where: str, report: str) -> str | PendingReport:
    if not _REPORT.fullmatch(report):
        raise Garbled("GitHub's SBOM report has an invalid name")
    data = transport.fetch_redirected(f"{where}/fetch-report/{report}", MAX_SBOM_BYTES)
    return PendingReport(report) if data is None else _document(data)


def _document(data: bytes) -> str:
    try:
        with understanding():
            answer = json.loads(data)
            document = answer.get("sbom", answer)  # Some of GitHub's answers wrap it.
            if not str(document["spdxVersion"]).startswith("SPDX-2."):
                raise ValueError("not SPDX 2")
    except RecursionError:
        raise Garbled("GitHub's SBOM is nested too deeply") from None
    return data.decode() if document is answer else json.dumps(document, ensure_ascii=False)
