"""An audit as SARIF 2.1.0 (OASIS), which code scanning shows at the line that names a dependency.

A result is a use that fails, one that a person has to look at, or a finding; what is fine is none. Nothing is offered as a fix
to be applied, since no edit of a manifest settles a licence: what to do stands in the message.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from audit import display_text
from audit.ecosystems import purls
from audit.facts import Cell, Finding, LicenseVerdict, Place, RepositoryAudit
from audit.licenses.expression import spelled
from audit.output import json_layout
from audit.output.audit_run import AuditRun, stamp
from audit.verdict.advice import FINDINGS, RULES, help_of, what_to_do
from audit.verdict.unreadable_input import COULD_NOT_JUDGE, unjudged

_MAX_RESULTS: Final = 5_000  # Results of a run: GitHub shows no more.
_MAX_RELATED_PLACES: Final = 10  # Related places of one result.
_ERROR, _WARNING, _NOTE = "error", "warning", "note"
# Levels of what does not fail by the rulebook; verdicts that are not here are no results.
_LEVELS: Final = {
    LicenseVerdict.INCOMPATIBLE: _WARNING,
    LicenseVerdict.UNKNOWN_LICENSE: _WARNING,
    LicenseVerdict.REVIEW: _WARNING,
    LicenseVerdict.CONDITIONAL: _NOTE,
}
_RANKS: Final = {_ERROR: 0, _WARNING: 1, _NOTE: 2}
_ROOT: Final = "%SRCROOT%"  # The reader puts its own root there.
# The characters that need no escape in a path (RFC 3986), and the slash.
_SAFE: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_PLACEHOLDER: Final = re.compile(r"\{(\d++)\}")
_ODD: Final = re.compile(r"[^A-Za-z0-9._/-]+")


def sarif(run: AuditRun) -> str:
    """The log as JSON text: a run for each repository, with the worst of its results, as many as are shown.

    But for the moment, all of it follows from what was found.
    """
    return json_layout.written(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [_run(run, audit) for audit in run.repositories],
        }
    )


def _run(run: AuditRun, audit: RepositoryAudit) -> dict[str, Any]:
    # The worst stay where there are too many.
    results = sorted(
        _results(run, audit), key=lambda result: (_RANKS[result["level"]], result["ruleId"], json_layout.line(result))
    )
    cut = len(results) - _MAX_RESULTS
    results = results[:_MAX_RESULTS]
    identity = _ODD.sub("-", display_text.line(audit.repository.name)) or "repository"
    said = f"{cut:,} more results, see report.json" if cut > 0 else ""
    notes = {"toolExecutionNotifications": [{"level": _WARNING, "message": {"text": said}}]} if said else {}
    return {
        "tool": {"driver": {"name": "Countersign", "rules": list(_rules(results))}},
        "automationDetails": {"id": f"countersign-licenses/{identity}/"},  # GitHub's category of the analysis.
        "invocations": [{"executionSuccessful": True, "endTimeUtc": stamp(run.at), **notes}],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "results": _distinct(results),
    }


def _results(run: AuditRun, audit: RepositoryAudit) -> Iterator[dict[str, Any]]:
    for cell in audit.cells:
        level = _ERROR if cell.fails(run.fail_on) else _LEVELS.get(cell.judgement.verdict)
        if level:
            yield _use(cell, level)
    own, doubts = audit.own_license_violation(run.fail_on), {*unjudged(audit)}
    yield from (
        _finding(found, is_error=found in doubts or found == own, in_doubt=found in doubts) for found in audit.findings
    )


def _use(cell: Cell, level: str) -> dict[str, Any]:
    dependency, judged = cell.dependency, cell.judgement
    under = spelled(dependency.license.expression)
    called = f"{dependency.name} {dependency.version}" if dependency.version else dependency.name
    said = f"{called} ({under or 'no licence known'}, {dependency.usage}) is {judged.verdict}: {judged.reason}."
    text = f"{said} {what_to_do(judged.rule, judged.verdict)}"
    # Without the waiver's reason and name: the rulebook may be private, and who sees the results need not see it.
    said_so = [f"Waived in the rulebook until {waiver.until.isoformat()}." for waiver in [cell.waiver] if waiver]
    suppressions = [
        {"kind": "external", "status": "accepted", "justification": justification} for justification in said_so
    ]
    return {
        "ruleId": judged.rule,
        "level": level,
        "message": {"text": _plain(text)},
        **_located(dependency.places),
        "partialFingerprints": _fingerprint(
            judged.rule, purls.without_version(dependency.purl) or dependency.name, dependency.usage, dependency.places
        ),
        **({"suppressions": suppressions} if suppressions else {}),
        "properties": {
            "verdict": judged.verdict,
            "usage": dependency.usage,
            **({"license": display_text.line(under)} if under else {}),
            **({"purl": display_text.line(dependency.purl, 1_000)} if dependency.purl else {}),
        },
    }


def _finding(found: Finding, *, is_error: bool, in_doubt: bool) -> dict[str, Any]:
    return {
        "ruleId": found.code,
        "level": _ERROR if is_error else _WARNING,
        "message": {"text": _plain(f"{found.message}. {help_of(found.code)}")},
        **_located((found.place,)),
        "partialFingerprints": _fingerprint(found.code, found.message, "", (found.place,)),
        **({"properties": {"verdict": COULD_NOT_JUDGE}} if in_doubt else {}),
    }


def _located(places: Iterable[Place]) -> dict[str, Any]:
    first, *others = [*map(_location, list(places)[: _MAX_RELATED_PLACES + 1])] or [_location(Place("."))]
    return {"locations": [first], **({"relatedLocations": others} if others else {})}


def _location(place: Place) -> dict[str, Any]:
    """A file, by its path below the root; of a file as a whole the first line, where code scanning shows it."""
    where = {"uri": _uri(place.path), "uriBaseId": _ROOT}
    return {"physicalLocation": {"artifactLocation": where, "region": {"startLine": max(place.line or 1, 1)}}}


def _uri(path: str) -> str:
    """A relative reference (RFC 3986); the root itself for what is outside of it."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    # A path out of the tree names no file that a reader could open.
    inside = "" if ".." in parts or path.startswith("/") else "/".join(parts)
    return "".join(chr(byte) if byte in _SAFE else f"%{byte:02X}" for byte in inside.encode("utf-8", "replace")) or "."


def _fingerprint(rule: str, what: str, usage: str, places: Iterable[Place]) -> dict[str, str]:
    """A fingerprint that stays for the same thing in the same file, also when lines move or its version goes up."""
    path = next((place.path for place in places), "")
    return {"countersign/v1": json_layout.digest(json_layout.line([rule, what, usage, path]))[:32]}


def _plain(words: str) -> str:
    # A link or a placeholder (SARIF 2.1.0, sections 3.11.5 and 3.11.6) is escaped: strangers' words are in it.
    said = display_text.line(words, 2_000)
    return _PLACEHOLDER.sub(r"{{\1}}", said.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]"))


def _distinct(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    # Results of one fingerprint are told apart by their number, or only one of them would be shown.
    seen: dict[str, int] = {}
    for result in results:
        mark = result["partialFingerprints"]["countersign/v1"]
        seen[mark] = seen.get(mark, 0) + 1
        result["partialFingerprints"] = {"countersign/v1": f"{mark}:{seen[mark]}"}
    return results


def _rules(results: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for result in results:
        found.setdefault(result["ruleId"], result)
    for name, result in sorted(found.items()):
        verdict = result.get("properties", {}).get("verdict")
        is_use = verdict in set(LicenseVerdict)
        title = f"A licence that does not simply fit: {name}" if is_use else f"Finding of the licence audit: {name}"
        page = RULES if is_use else FINDINGS
        advice = what_to_do(name, LicenseVerdict(verdict)) if is_use else help_of(name)
        yield {
            "id": name,
            "shortDescription": {"text": title},
            "fullDescription": {"text": f"{title}. See {page}."},
            "help": {"text": advice or f"See {page}."},
            "defaultConfiguration": {"level": result["level"]},
            "properties": {"tags": ["license"]},
        }
