"""`countersign audit`: do the licences of checkouts and of all that they use fit together, and what follows from it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agreements.domains.domains import visible
from audit.verdict.advice import what_to_do
from audit.verdict.grouping import by_reason, called, listed
from audit.verdict.unknown_license import is_not_looked_up
from audit.verdict.unreadable_input import COULD_NOT_JUDGE
from bot.cli.command_error import CommandError, file_access
from bot.cli.licenses import audit_input
from bot.cli.options import FILE, standard_output

if TYPE_CHECKING:
    from audit.facts import Cell, Finding
    from audit.output.audit_run import AuditRun
    from bot.licenses.checkouts import AuditResult

_MAX_FINDINGS = 20
"""Findings that are shown of each repository; the files of --out have all."""
_MAX_PLACES = 3
"""Places of a finding that are shown."""
_MAX_USES = 10
"""Uses of one reason that are shown."""


class _Formats(click.Choice[str]):
    """Our formats, and those that plugins add: these are loaded for a name that is not ours."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The format of that name."""
        if value in self.choices:
            return value  # No plugin is loaded for one of ours.
        from audit.output.all_reports import FORMATS
        from bot.cli.setting import load_plugins

        load_plugins()
        return click.Choice(tuple(dict.fromkeys((*self.choices, *FORMATS)))).convert(value, param, ctx)


@click.command(
    name="audit", short_help="Check the licences of checkouts, or of an organisation, and their dependencies."
)
@click.argument("paths", metavar="[PATH…]", nargs=-1, type=FILE)
@click.option("--organization", metavar="ORG", help="Check all repositories of this organisation, through the App.")
@audit_input.rulebook_option
@click.option("--out", type=FILE, help="Write all reports into this folder.")
@click.option(
    "--validate",
    is_flag=True,
    help="Validate each sbom.spdx.json with spdx-tools, and print what is wrong.",
)
@audit_input.offline_option
@click.option(
    "--supplier",
    metavar="NAME",
    help="Who distributes the work, for the SBOMs. Default: the owner of the repository.",
)
@click.option(
    "--format",
    "form",
    type=_Formats(("text", "json", "github", "sarif", "html")),
    default="text",
    show_default=True,
    help="A plugin can add formats (COUNTERSIGN_PLUGINS).",
)
def command(  # noqa: PLR0913 - one argument for each option, as click hands them over
    paths: tuple[Path, ...],
    organization: str | None,
    rulebook: Path | None,
    out: Path | None,
    supplier: str | None,
    form: str,
    *,
    offline: bool,
    validate: bool,
) -> None:
    """Check every dependency of the checkouts at PATH by its licence and usage. Nothing in them is executed.

    With --organization, check all repositories of an organisation instead. They are read through the App
    (COUNTERSIGN_APP_ID and COUNTERSIGN_PRIVATE_KEY). No database is needed. If interrupted, run it again: it resumes.

    With --out, write LICENSE-COMPATIBILITY.md, report.json and report.html, and for each repository NOTICE,
    THIRD-PARTY-LICENSES, sbom.spdx.json, bom.cdx.json (CycloneDX), dependency-licenses.json, dependencies.csv and
    licenses.sarif.

    Exit codes: 0 fine, 1 something in the rulebook's `fail_on` was found, a file could not be read, nothing was judged
    and not all was read, or an SBOM is not valid, 2 wrong usage or input.
    """
    # Imported late: `--help` and a mistake in the options need none of it.
    from audit.licenses import data_age
    from bot import clock
    from bot.licenses import checkouts

    whole = checkouts.written(_found(paths, organization, rulebook, offline=offline), clock.now())
    # Files first: a reader of the output that goes away must not keep them from being written.
    answer = _made(form, whole, out, supplier)
    with standard_output() as to:
        to.writelines(answer)
    if old := data_age.warning(whole.data_versions, whole.at):
        click.echo(f"warning: {old}", err=True)  # Not in the answer, which programs read.
    invalid = validate and _invalid(whole, out)
    raise click.exceptions.Exit(0 if whole.passes() and not invalid else 1)


def _made(form: str, whole: "AuditRun", out: Path | None, supplier: str | None) -> list[str]:
    """The lines to print, once the files of --out are written. Raises CommandError."""
    from bot.plugins import PluginFailed

    try:
        if out is not None:
            _write(out, whole, supplier)
        return list(_answer(form, whole))  # Whole before it is printed: a plugin's format may fail.
    except PluginFailed as failed:
        raise CommandError(str(failed)) from None


def _answer(form: str, whole: "AuditRun") -> Iterator[str]:
    if form == "sarif":
        from audit.output.sarif import sarif

        yield sarif(whole)
    elif form == "github":
        from bot.cli.licenses import audit_annotations

        yield from (f"{line}\n" for line in audit_annotations.lines(whole))
    elif form == "text":
        yield from (f"{visible(line)}\n" for line in _lines(whole))  # Others' text may hold escape sequences.
    else:
        from audit.output.all_reports import FORMATS

        yield FORMATS[form](whole)


def _invalid(whole: "AuditRun", out: Path | None) -> bool:
    """Whether an SBOM is not valid; what is wrong goes to standard error. Raises CommandError."""
    from audit.output import spdx_validation
    from audit.output.all_reports import sboms

    # With --out the files are read again: these are passed on.
    with file_access("read"):
        made = ((name, (out / name).read_text("utf-8") if out else data.decode()) for name, data in sboms(whole))
        lines, valid = spdx_validation.report(made)
    click.echo("".join(f"{visible(line)}\n" for line in lines), err=True, nl=False)
    return not valid


def _found(
    paths: tuple[Path, ...], organization: str | None, rulebook: Path | None, *, offline: bool
) -> "list[AuditResult]":
    """The checkouts of the command, judged. Raises CommandError, UsageError."""
    if bool(paths) == bool(organization):
        raise click.UsageError("give either checkouts (PATH…) or --organization ORG")
    if organization and offline:
        raise click.UsageError("--offline and --organization cannot be combined, because --organization asks GitHub")
    options = audit_input.options(rulebook, offline=offline)
    if organization:  # The other way asks no GitHub.
        from bot.cli.licenses import organization_audit

        return organization_audit.audited(organization, options)
    return audit_input.audited(paths, options)


def _lines(whole: "AuditRun") -> Iterator[str]:
    from audit.licenses.expression import spelled
    from audit.verdict import unknown_license
    from audit.verdict.unreadable_input import not_read, nothing_found, unjudged
    from bot.cli.licenses import audit_annotations

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


def _outcome(cell: "Cell") -> tuple[int, str]:
    """A verdict for counting, worst first; what was not looked up is called that."""
    verdict = cell.judgement.verdict
    return (1 - verdict.rank, "not looked up") if is_not_looked_up(cell) else (-verdict.rank, verdict.value)


def _findings(doubts: "Sequence[Finding]", rest: "Sequence[Finding]") -> Iterator[str]:
    # Findings of one text stand together: an ecosystem's could fill the screen.
    groups: dict[tuple[str, str], list[str]] = {}
    for label, found in ((f"{COULD_NOT_JUDGE}: ", doubts), ("", rest)):
        for one in found:
            groups.setdefault((f"{label}{one.code}", one.message), []).append(str(one.place))
    for (what, message), places in list(groups.items())[:_MAX_FINDINGS]:
        more = f" and {len(places) - _MAX_PLACES:,} more" if len(places) > _MAX_PLACES else ""
        yield f"  {what} {', '.join(places[:_MAX_PLACES])}{more}: {message}"
    if len(groups) > _MAX_FINDINGS:
        yield f"  and {len(groups) - _MAX_FINDINGS:,} findings more: --out FOLDER writes all"


def _failing(group: "Sequence[Cell]") -> Iterator[str]:
    from audit.licenses.expression import spelled

    one, judged = group[0].dependency, group[0].judgement
    if is_not_looked_up(group[0]):  # A group has one rule.
        yield f"  not looked up: {len(group):,} ({listed(group)}): {judged.reason}"
        yield f"    {what_to_do(judged.rule, judged.verdict)}"
    elif len(group) == 1:
        said = f"{called(group[0])} ({spelled(one.license.expression) or 'licence not known'}, {one.usage})"
        yield f"  {judged.verdict}: {said}: {judged.reason}"
        yield from (f"    {place}" for place in one.places[:2])
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


def _write(folder: Path, whole: "AuditRun", supplier: str | None) -> None:
    from audit.output import all_reports
    from bot import spreadsheet

    try:
        # Names of packages are others' text: a spreadsheet would compute what begins with `=`.
        for name, data in all_reports.each(whole, spreadsheet.escape, supplier):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        raise CommandError(f"cannot write {error.filename or folder}: {error.strerror}") from None
