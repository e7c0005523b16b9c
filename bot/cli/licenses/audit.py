"""`countersign audit`: do the licences of checkouts and of all that they use fit together, and what follows from it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agreements.domains.domains import visible
from bot.cli.command_error import CommandError, file_access
from bot.cli.licenses import audit_input
from bot.cli.options import FILE, form_option

if TYPE_CHECKING:
    from audit.facts import Cell
    from audit.output.audit_run import AuditRun
    from bot.licenses.checkouts import AuditResult

_MAX_FINDINGS = 20
"""Findings that are shown of each repository; the files of --out have all."""


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
@form_option("text", "json", "github", "sarif")
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

    Exit codes: 0 fine, 1 something in the rulebook's `fail_on` was found, a file could not be read, or an SBOM is not
    valid, 2 wrong usage or input.
    """
    from bot import clock
    from bot.cli.verdicts import verdict_text
    from bot.licenses import checkouts

    whole = checkouts.written(_found(paths, organization, rulebook, offline=offline), clock.now())
    if out is not None:
        _write(out, whole, supplier)
    with verdict_text.standard_output() as to:
        to.writelines(_answer(form, whole))
    _warn(whole)
    invalid = validate and _invalid(whole, out)
    raise click.exceptions.Exit(1 if invalid or any(whole.violations()) or whole.unjudged() else 0)


def _answer(form: str, whole: "AuditRun") -> Iterator[str]:
    if form == "json":
        from audit.output.json_reports import report

        yield report(whole)
    elif form == "sarif":
        from audit.output.sarif import sarif

        yield sarif(whole)
    elif form == "github":
        from bot.cli.licenses import audit_annotations

        yield from (f"{line}\n" for line in audit_annotations.lines(whole))
    else:
        yield from (f"{visible(line)}\n" for line in _lines(whole))


def _warn(whole: "AuditRun") -> None:
    """Of data older than three years, on standard error."""
    from audit.licenses import data_age

    if old := data_age.warning(whole.data_versions, whole.at):
        click.echo(f"warning: {old}", err=True)


def _invalid(whole: "AuditRun", out: Path | None) -> bool:
    """Whether an SBOM is not valid; what is wrong goes to standard error. Those that were written are read again. Raises CommandError."""
    from audit.output import spdx_validation
    from audit.output.all_reports import sboms

    with file_access("read"):
        made = ((name, (out / name).read_text("utf-8") if out else data.decode()) for name, data in sboms(whole))
        lines, valid = spdx_validation.report(made)
    click.echo("".join(f"{visible(line)}\n" for line in lines), err=True, nl=False)
    return not valid


def _found(
    paths: tuple[Path, ...], organization: str | None, rulebook: Path | None, *, offline: bool
) -> "list[AuditResult]":
    """What was asked for, judged. Raises CommandError, UsageError."""
    if bool(paths) == bool(organization):
        raise click.UsageError("give either checkouts (PATH…) or --organization ORG")
    if organization and offline:
        raise click.UsageError("--offline and --organization cannot be combined, because --organization asks GitHub")
    options = audit_input.options(rulebook, offline=offline)
    if organization:
        from bot.cli.licenses import organization_audit

        return organization_audit.audited(organization, options)
    return audit_input.audited(paths, options)


def _lines(whole: "AuditRun") -> Iterator[str]:
    """Each repository: how its dependencies came out, what fails and why, what else was found."""
    from audit.licenses.expression import spelled
    from audit.verdict import unknown_license
    from audit.verdict.unreadable_input import COULD_NOT_JUDGE, is_unreadable, nothing_found
    from bot.cli.licenses import audit_annotations

    for one in whole.repositories:
        counts = Counter(cell.judgement.verdict for cell in one.cells)
        said = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in sorted(counts, key=lambda one: -one.rank))
        waived = sum(1 for cell in one.cells if cell.waiver)
        said = f"{said or nothing_found(one.findings)}{f'; {waived:,} waived' if waived else ''}"
        yield f"{one.repository.name} ({spelled(one.repository.license.expression) or 'licence not known'}): {said}"
        unknown = unknown_license.summary(one.cells)
        yield from (f"  not known: {unknown}",) if unknown else ()
        yield from (line for cell in one.cells if cell.fails(whole.fail_on) for line in _failing(cell))
        for found in sorted(one.findings, key=is_unreadable, reverse=True)[:_MAX_FINDINGS]:
            what = f"{COULD_NOT_JUDGE}: {found.code}" if is_unreadable(found) else found.code
            yield f"  {what} {found.place}: {found.message}"
        if len(one.findings) > _MAX_FINDINGS:
            yield f"  and {len(one.findings) - _MAX_FINDINGS:,} findings more: --out FOLDER writes all"
    yield audit_annotations.conclusion(whole)


def _failing(cell: "Cell") -> Iterator[str]:
    """A violation: what, why, where it stands."""
    from audit.licenses.expression import spelled

    one, judged = cell.dependency, cell.judgement
    name = f"{one.name} {one.version_or_range}".rstrip()
    yield f"  {judged.verdict}: {name} ({spelled(one.license.expression) or 'licence not known'}, {one.usage}): {judged.reason}"
    for place in one.places[:2]:
        yield f"    {place}"


def _write(folder: Path, whole: "AuditRun", supplier: str | None) -> None:
    """All files of the audit. Raises CommandError."""
    from audit.output import all_reports
    from bot import spreadsheet

    try:
        for name, data in all_reports.each(whole, spreadsheet.escape, supplier):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        raise CommandError(f"cannot write {error.filename or folder}: {error.strerror}") from None
