"""An audit as GitHub Actions reads it: an annotation at the line of each violation and finding, and no line of others' text."""

from collections.abc import Iterator

from agreements.domains.domains import visible
from audit import display_text
from audit.facts import Cell, Place
from audit.licenses import data_age
from audit.licenses.expression import spelled
from audit.output.audit_run import AuditRun
from audit.verdict.advice import what_to_do
from audit.verdict.unreadable_input import COULD_NOT_JUDGE, is_unreadable
from bot.cli.verdicts.annotations import annotation

_MAX_FINDINGS = 50
"""Findings of a repository that are annotated; a run shows ten of a step, its log all of these."""


def lines(whole: AuditRun) -> Iterator[str]:
    """Workflow commands, one a line, and the whole as the last line; what was waived is no annotation.

    Paths are those of the repository: of several checkouts nobody could tell whose, so they stand in the text alone.
    """
    alone = len(whole.repositories) == 1
    for one in whole.repositories:
        name = "" if alone else f"{one.repository.name}: "
        for cell in one.cells:
            if cell.fails(whole.fail_on):
                yield _violation(cell, name, alone=alone)
        for found in sorted(one.findings, key=is_unreadable, reverse=True)[:_MAX_FINDINGS]:
            kind, title = (
                ("error", f"{COULD_NOT_JUDGE}: {found.code}") if is_unreadable(found) else ("warning", found.code)
            )
            yield annotation(kind, title, *_placed(f"{name}{found.message}", found.place, alone=alone))
    if old := data_age.warning(whole.data_versions, whole.at):
        yield annotation("warning", "licence data", old, None)
    yield visible(f"countersign: {conclusion(whole)}")


def conclusion(whole: AuditRun) -> str:
    """What follows from all of it, in a line: violations, what could not be judged, by data of which day."""
    unjudged = len(whole.unjudged())
    said = display_text.count(sum(1 for _ in whole.violations()), "violation", "violations")
    said += f"; {display_text.count(unjudged, 'place', 'places')} could not be judged" if unjudged else ""
    return f"{said}; licence data of {data_age.said(whole.data_versions, whole.at)}"


def _violation(cell: Cell, name: str, *, alone: bool) -> str:
    """What, why, what to do; at the first file that names it."""
    one, judged = cell.dependency, cell.judgement
    called = f"{one.name} {one.version_or_range}".rstrip()
    text = f"{name}{spelled(one.license.expression) or 'licence not known'}, {one.usage}: {judged.reason}\n"
    text += what_to_do(judged.rule, judged.verdict)
    return annotation("error", f"{judged.verdict}: {called}", *_placed(text, next(iter(one.places), None), alone=alone))


def _placed(text: str, place: Place | None, *, alone: bool) -> tuple[str, Place | None]:
    return (text, place) if alone or place is None else (f"{text.rstrip()}\n{place}", None)
