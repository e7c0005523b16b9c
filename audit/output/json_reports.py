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
    one = audited.repository
    return json_layout.written(
        {
            "schema": SCHEMA_VERSION,
            "repository": one.name,
            "head": one.head,
            "license": _learned(one.license),
            "delivery": one.delivery,
            "dependencies": [_full(cell) for cell in audited.cells],
            "findings": [_finding(found, unjudged(audited)) for found in audited.findings],
        }
    )


def report(run: AuditRun) -> str:
    """report.json: every cell of every repository. A cell names its judgement by its place in `judgements`."""
    # Many cells share a judgement: it is written once.
    judgements: dict[Judgement, int] = {}
    repositories = [_repository(one, judgements) for one in run.repositories]
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


def _repository(one: RepositoryAudit, judgements: dict[Judgement, int]) -> dict[str, Any]:
    return {
        "name": one.repository.name,
        "head": one.repository.head,
        "license": spelled(one.repository.license.expression),
        **_declared(one.repository.license),
        "delivery": one.repository.delivery,
        "not_read": sum(not_read(one.findings)),
        "findings": [_finding(found, unjudged(one)) for found in one.findings],
        "cells": [_cell(cell, judgements.setdefault(cell.judgement, len(judgements))) for cell in one.cells],
    }


def _cell(cell: Cell, judged: int) -> dict[str, Any]:
    one = cell.dependency
    return {
        "name": one.name,
        "version": one.version,
        "purl": one.purl,
        "usage": one.usage,
        "license": spelled(one.license.expression),
        **_declared(one.license),
        "judgement": judged,
        # Keys that say nothing are left out: there are hundreds of thousands of cells.
        **({"component": one.component} if one.component else {}),
        **({"waived": True} if cell.waiver else {}),
    }


def _full(cell: Cell) -> dict[str, Any]:
    one = cell.dependency
    return {
        "name": one.name,
        "version": one.version,
        "purl": one.purl,
        **({"range": one.version_range} if one.version_range and not one.version else {}),
        "license": _learned(one.license),
        "usage": one.usage,
        "why": one.why,
        "places": list(map(asdict, one.places)),
        "direct": one.direct,
        "optional": one.optional,
        "modified": one.modified,
        "component": one.component,
        "supplier": one.supplier,
        "download": one.download,
        "checksums": list(map(asdict, one.checksums)),
        "needs": one.needs,
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
