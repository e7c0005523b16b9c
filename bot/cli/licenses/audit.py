"""`countersign audit`: do the licences of checkouts and of all that they use fit together, and what follows from it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agreements.domains.masking import visible
from bot.cli.command_error import CommandError, file_access
from bot.cli.licenses import audit_input
from bot.cli.options import FILE, form_option, standard_output

if TYPE_CHECKING:
    from audit.output.audit_run import AuditRun
    from bot.licenses.checkouts import AuditResult


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
@form_option("github", "sarif", "html", kind=_Formats, help="A plugin can add formats (COUNTERSIGN_PLUGINS).")
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
        from bot.cli.licenses import audit_text

        yield from (f"{visible(line)}\n" for line in audit_text.lines(whole))  # Others' text may hold escape sequences.
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
