"""`countersign doctor`: what is wrong with this deployment, or with the manifests for one, and what to do about it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.command_error import CommandError
from bot.cli.options import form_option

if TYPE_CHECKING:
    from bot.doctor.report import Report


@click.command(name="doctor")
@click.option(
    "--manifests",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Check the Kubernetes manifests, Helm charts and compose files in this folder against the production checklist instead.",
)
@form_option("text", "json", help='json: one object, {"score", "grade", "items"}.')
def command(folder: Path | None, form: str) -> None:
    """Check this deployment: settings, keys, database, GitHub App, webhook, required checks, deliveries, agreements and licence data.

    It reads the settings of the server and changes nothing. Each item passes, fails, or could not be checked. An item that could
    not be checked does not count as passed. The grade is A from 90 points, B from 80, C from 70; a critical failure is D.

    Exit codes: 0 no problems, or advice only (severity low), 1 problems found, or something could not be checked, 2 wrong usage.
    """
    from bot.doctor import report

    found = _manifests(folder) if folder is not None else _deployment(form)
    click.echo(report.as_json(found) if form == "json" else report.as_text(found))
    raise click.exceptions.Exit(0 if found.is_fine else 1)


def _manifests(folder: Path) -> "Report":
    from bot.doctor.manifests import assessment
    from bot.doctor.manifests.documents import ManifestsInvalid

    try:
        return assessment.assess(folder)
    except ManifestsInvalid as error:
        raise CommandError(f"--manifests: {error}") from None


def _deployment(form: str) -> "Report":
    from bot import clock
    from bot.doctor import deployment
    from bot.settings import SettingsInvalid, load
    from bot.telemetry import logs

    logs.for_command()
    try:
        settings, problems = load(serving=True), tuple[str, ...]()
    except SettingsInvalid as error:
        settings, problems = error.rest, error.problems
    return deployment.examine(settings, problems, clock.now, _progress if form == "text" else lambda _what: None)


def _progress(what: str) -> None:
    click.echo(f"Checking {what}…", err=True)
