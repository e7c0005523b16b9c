"""Reports for programs: dependency-licenses.json of a repository with all that is known, report.json of all."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any, Final

from audit.facts import Cell, Finding, Judgement, Learned, RepositoryAudit
from audit.licenses import data_age
from audit.licenses.expression import spelled
from audit.output import json_layout
from audit.output.audit_run import AuditRun, stamp
from audit.verdict import unknown_license
from audit.verdict.unreadable_input import is_not_read, not_read, unjudged

SCHEMA_VERSION: Final = 1
"""The version of both forms: raised when a key changes its meaning or goes."""


def dependency_licenses(audited: RepositoryAudit) -> str:
    """dependency-licenses.json: each dependency with its licence, how it is used, where both were learned, and the verdict."""
    repository = audited.repository
    return json_layout.written(
        {
            "schema": SCHEMA_VERSION,
            "repository": repository.name,
            "head": repository.head,
            "license": _learned(repository.license),
            "delivery": repository.delivery,
            "dependencies": [_full(cell) for cell in audited.cells],
            "findings": [_finding(found, unjudged(audited)) for found in audited.findings],
        }
    )


def report(run: AuditRun) -> str:
    """report.json: every cell of every repository. A cell names its judgement by its place in `judgements`."""
    # Many cells share a judgement: it is written once.
    judgements: dict[Judgement, int] = {}
    repositories = [_repository(audit, judgements) for audit in run.repositories]
    return json_layout.written(
        {
            "schema": SCHEMA_VERSION,
            "generated_at": stamp(run.at),
            "data_versions": run.data_versions,
            "data_warning": data_age.warning(run.data_versions, run.at),
            "fail_on": run.fail_on,
            # Those that were not looked up count here, too; people are told of them apart.
            "violations": sum(1 for _ in run.violations()) + len(run.unknown_own()),
            "not_looked_up": len(run.not_looked_up()),
            "own_license_unknown": len(run.unknown_own()),
            "not_read": sum(run.not_read()),
            "unknown": unknown_license.counts(run.cells()),
            "could_not_judge": len(run.unjudged()),
            "judgements": list(map(asdict, judgements)),
            "repositories": repositories,
        }
    )


def _repository(audit: RepositoryAudit, judgements: dict[Judgement, int]) -> dict[str, Any]:
    return {
        "name": audit.repository.name,
        "head": audit.repository.head,
        "license": spelled(audit.repository.license.expression),
        **_declared(audit.repository.license),
        "delivery": audit.repository.delivery,
        "not_read": sum(not_read(audit.findings)),
        "findings": [_finding(found, unjudged(audit)) for found in audit.findings],
        "cells": [_cell(cell, judgements.setdefault(cell.judgement, len(judgements))) for cell in audit.cells],
    }


def _cell(cell: Cell, judged: int) -> dict[str, Any]:
    dependency = cell.dependency
    return {
        "name": dependency.name,
        "version": dependency.version,
        "purl": dependency.purl,
        "usage": dependency.usage,
        "license": spelled(dependency.license.expression),
        **_declared(dependency.license),
        "judgement": judged,
        # Keys that say nothing are left out: there are hundreds of thousands of cells.
        **({"component": dependency.component} if dependency.component else {}),
        **({"waived": True} if cell.waiver else {}),
    }


def _full(cell: Cell) -> dict[str, Any]:
    dependency = cell.dependency
    return {
        "name": dependency.name,
        "version": dependency.version,
        "purl": dependency.purl,
        **({"range": dependency.version_range} if dependency.version_range and not dependency.version else {}),
        "license": _learned(dependency.license),
        "usage": dependency.usage,
        "why": dependency.why,
        "places": list(map(asdict, dependency.places)),
        "direct": dependency.direct,
        "optional": dependency.optional,
        "modified": dependency.modified,
        "component": dependency.component,
        "supplier": dependency.supplier,
        "download": dependency.download,
        "checksums": list(map(asdict, dependency.checksums)),
        "needs": dependency.needs,
        "judgement": asdict(cell.judgement),
        "waiver": cell.waiver and asdict(cell.waiver) | {"until": cell.waiver.until.isoformat()},
    }


def _learned(said: Learned) -> dict[str, Any]:
    return {
        "expression": spelled(said.expression),
        **_declared(said),
        "source": said.source,
        "place": said.place and asdict(said.place),
        **({"unknown": said.unknown} if said.unknown else {}),
    }


def _declared(said: Learned) -> dict[str, str]:
    """The words in which a licence was stated, where SPDX spells it in others."""
    return {"declared": said.expression} if said.expression and said.expression != spelled(said.expression) else {}


def _finding(found: Finding, doubts: Collection[Finding]) -> dict[str, Any]:
    marks = {
        **({"could_not_judge": True} if found in doubts else {}),
        **({"not_read": True} if is_not_read(found) else {}),
        **({"files": found.files} if found.files > 1 else {}),
    }
    return {"code": found.code, "place": asdict(found.place), "message": found.message, **marks}
