"""An audit for people: each repository with its verdicts, and each violation with its reason and what to do."""

from collections import Counter
from collections.abc import Iterator, Sequence

from audit.facts import Cell, Finding
from audit.licenses.expression import spelled
from audit.output.audit_run import AuditRun
from audit.verdict import unknown_license
from audit.verdict.advice import what_to_do
from audit.verdict.grouping import by_reason, called, listed
from audit.verdict.unknown_license import is_not_looked_up
from audit.verdict.unreadable_input import COULD_NOT_JUDGE, not_read, nothing_found, unjudged
from bot.cli.licenses import audit_annotations

_MAX_FINDINGS = 20
"""Findings that are shown of each repository; the files of --out have all."""
_MAX_PLACES = 3
"""Places of a finding that are shown."""
_MAX_USES = 10
"""Uses of one reason that are shown."""


def lines(whole: AuditRun) -> Iterator[str]:
    """The conclusion, each repository with its violations, findings and advice, and the age of the data."""
    yield audit_annotations.conclusion(whole)
    for repository in whole.repositories:
        counts = Counter(map(_outcome, repository.cells))
        said = ", ".join(f"{counts[words]:,} {words[1]}" for words in sorted(counts))
        waived = sum(1 for cell in repository.cells if cell.waiver)
        told = [
            said or nothing_found(repository.findings),
            f"{waived:,} waived" if waived else "",
            str(not_read(repository.findings)),
        ]
        yield f"{repository.repository.name} ({spelled(repository.repository.license.expression) or 'licence not known'}): {'; '.join(filter(None, told))}"
        unknown = unknown_license.summary(repository.cells)
        yield from (f"  not known: {unknown}",) if unknown else ()
        own = repository.own_license_violation(whole.fail_on)
        yield from (f"  violation: {own.code} {own.place}: {own.message}",) if own else ()
        for group in by_reason(cell for cell in repository.cells if cell.fails(whole.fail_on)):
            yield from _failing(group)
        doubts = unjudged(repository)
        # Each finding once: among the doubts, as the licence's own violation, or here.
        rest = [found for found in repository.findings if found not in {*doubts, own}]
        yield from _findings(doubts, rest)
    yield audit_annotations.data_line(whole)


def _outcome(cell: Cell) -> tuple[int, str]:
    """A verdict for counting, worst first; what was not looked up is called that."""
    verdict = cell.judgement.verdict
    return (1 - verdict.rank, "not looked up") if is_not_looked_up(cell) else (-verdict.rank, verdict.value)


def _findings(doubts: Sequence[Finding], rest: Sequence[Finding]) -> Iterator[str]:
    # Findings of one text stand together: an ecosystem's could fill the screen.
    groups: dict[tuple[str, str], list[str]] = {}
    for label, found in ((f"{COULD_NOT_JUDGE}: ", doubts), ("", rest)):
        for finding in found:
            groups.setdefault((f"{label}{finding.code}", finding.message), []).append(str(finding.place))
    for (what, message), places in list(groups.items())[:_MAX_FINDINGS]:
        more = f" and {len(places) - _MAX_PLACES:,} more" if len(places) > _MAX_PLACES else ""
        yield f"  {what} {', '.join(places[:_MAX_PLACES])}{more}: {message}"
    if len(groups) > _MAX_FINDINGS:
        yield f"  and {len(groups) - _MAX_FINDINGS:,} findings more: --out FOLDER writes all"


def _failing(group: Sequence[Cell]) -> Iterator[str]:
    dependency, judged = group[0].dependency, group[0].judgement
    if is_not_looked_up(group[0]):  # A group has one rule.
        yield f"  not looked up: {len(group):,} ({listed(group)}): {judged.reason}"
        yield f"    {what_to_do(judged.rule, judged.verdict)}"
    elif len(group) == 1:
        said = (
            f"{called(group[0])} ({spelled(dependency.license.expression) or 'licence not known'}, {dependency.usage})"
        )
        yield f"  {judged.verdict}: {said}: {judged.reason}"
        yield from (f"    {place}" for place in dependency.places[:2])
        yield f"    {what_to_do(judged.rule, judged.verdict)}"
    else:
        yield f"  {judged.verdict}: {len(group):,} uses: {judged.reason}"
        for cell in group[:_MAX_USES]:
            used = cell.dependency
            where = f": {used.places[0]}" if used.places else ""
            yield f"    {called(cell)} ({spelled(used.license.expression) or 'licence not known'}, {used.usage}){where}"
        if len(group) > _MAX_USES:
            yield f"    and {len(group) - _MAX_USES:,} more: --out FOLDER writes all"
        yield f"    {what_to_do(judged.rule, judged.verdict)}"
