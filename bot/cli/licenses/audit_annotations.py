"""An audit as GitHub Actions reads it: an annotation at the line of each violation and finding, and no line of others' text."""

from collections.abc import Iterator

from agreements.domains.masking import visible
from audit import display_text
from audit.facts import Cell, Place
from audit.licenses import data_age
from audit.licenses.expression import spelled
from audit.output.audit_run import AuditRun
from audit.verdict.advice import what_to_do
from audit.verdict.grouping import by_reason, called, listed
from audit.verdict.unknown_license import is_not_looked_up
from audit.verdict.unreadable_input import COULD_NOT_JUDGE, unjudged
from bot.cli.verdicts.workflow_annotations import annotation

_MAX_FINDINGS = 50
"""Findings of a repository that are annotated; a run shows ten of a step, its log all of these."""


def lines(whole: AuditRun) -> Iterator[str]:
    """The conclusion, a workflow command a line, and the age of the data; what was waived is no annotation."""
    yield visible(f"countersign: {conclusion(whole)}")
    alone = len(whole.repositories) == 1  # With several, a path could be of any: it stands in the text alone.
    for repository in whole.repositories:
        name = "" if alone else f"{repository.repository.name}: "
        own = repository.own_license_violation(whole.fail_on)
        failing = [cell for cell in repository.cells if cell.fails(whole.fail_on)]
        for cell in failing:
            if not is_not_looked_up(cell):
                yield _violation(cell, name, alone=alone)
        # One annotation for all of them: a run shows only ten of a step.
        for group in by_reason(filter(is_not_looked_up, failing)):
            yield _not_looked_up(group, name, alone=alone)
        doubts = {*unjudged(repository)}
        failed = {*doubts, own}
        # What fails the run comes first, as not all are shown.
        for found in sorted(repository.findings, key=lambda found: found in failed, reverse=True)[:_MAX_FINDINGS]:
            kind = "error" if found in failed else "warning"
            title = f"{COULD_NOT_JUDGE}: {found.code}" if found in doubts else found.code
            yield annotation(kind, title, *_placed(f"{name}{found.message}", found.place, alone=alone))
    if old := data_age.warning(whole.data_versions, whole.at):
        yield annotation("warning", "licence data", old, None)
    yield visible(f"countersign: {data_line(whole)}")


def conclusion(whole: AuditRun) -> str:
    """The conclusion in a line: violations, what was not looked up, and what could not be judged."""
    open_places, waiting = len(whole.unjudged()), len(whole.not_looked_up())
    told = [display_text.count(whole.violation_count(), "violation", "violations")]
    told += [f"{waiting:,} not looked up"] if waiting else []
    told += [f"{display_text.count(open_places, 'place', 'places')} could not be judged"] if open_places else []
    told += [str(whole.not_read())] if any(whole.not_read()) else []
    return "; ".join(told)


def data_line(whole: AuditRun) -> str:
    """The line on the days and the age of the licence data."""
    return f"licence data of {data_age.said(whole.data_versions, whole.at)}"


def _violation(cell: Cell, name: str, *, alone: bool) -> str:
    # An annotation has one place: the first file that names the dependency.
    dependency, judged = cell.dependency, cell.judgement
    text = (
        f"{name}{spelled(dependency.license.expression) or 'licence not known'}, {dependency.usage}: {judged.reason}\n"
    )
    text += what_to_do(judged.rule, judged.verdict)
    return annotation(
        "error", f"{judged.verdict}: {called(cell)}", *_placed(text, next(iter(dependency.places), None), alone=alone)
    )


def _not_looked_up(group: list[Cell], name: str, *, alone: bool) -> str:
    judged, place = group[0].judgement, next(iter(group[0].dependency.places), None)
    text = f"{name}{listed(group)}: {judged.reason}\n{what_to_do(judged.rule, judged.verdict)}"
    return annotation("error", f"not looked up: {len(group):,}", *_placed(text, place, alone=alone))


def _placed(text: str, place: Place | None, *, alone: bool) -> tuple[str, Place | None]:
    return (text, place) if alone or place is None else (f"{text.rstrip()}\n{place}", None)
