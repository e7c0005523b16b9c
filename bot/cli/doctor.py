"""`countersign doctor`: what is wrong with this deployment, or with the manifests for one, and what to do about it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli.command_error import CommandError
from bot.cli.options import FOLDER, PORT, form_option

if TYPE_CHECKING:
    from bot.doctor.doctor_report import Report


@click.command(name="doctor")
@click.option(
    "--manifests",
    "folder",
    metavar="DIR",
    type=FOLDER,
    help="Check the Kubernetes manifests, Helm charts and compose files in this folder against the production checklist instead.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The server's address on this machine, as given to `serve`."
)
@click.option(
    "--port", default=8080, show_default=True, type=PORT, help="The server's port on this machine, as given to `serve`."
)
@click.option(
    "--role",
    default="all",
    show_default=True,
    type=click.Choice(["all", "web", "worker"]),
    help="The server's role, as given to `serve`: what it would refuse in that role is found.",
)
@click.option("--mail-to", metavar="ADDRESS", help="Send one e-mail to this address as well.")
@form_option(help='json: one object, {"score", "grade", "items"}.')
@click.pass_context
def command(ctx: click.Context, /, folder: Path | None, form: str, **options: Any) -> None:
    """Check this deployment, or the manifests for one.

    The deployment's settings, keys, database, running server, mail server, GitHub App, client secret, webhook, required checks,
    deliveries, agreements and licence data are checked.

    It reads the settings of the server and changes nothing. It asks the running server, by its public address and on this machine,
    logs in to the mail server, and sends an e-mail only with --mail-to. Each item passes, fails, or could not be checked. An item
    that could not be checked does not count as passed. The grade is A from 90 points, B from 80, C from 70; a critical failure is D.
    It ends within about 15 seconds, even if something does not answer; with many repositories it takes longer.

    Exit codes: 0 no problems, or advice only (severity low), 1 problems found, or something could not be checked, 2 wrong usage.
    """
    from bot.doctor import doctor_report

    # Only what was typed contradicts --manifests: the defaults are there in any case.
    default = click.core.ParameterSource.DEFAULT
    about_server = ("host", "port", "role", "mail_to")
    given = [name for name in about_server if ctx.get_parameter_source(name) is not default]
    if folder is not None and given:
        named = f"--{given[0].replace('_', '-')}"
        raise click.UsageError(f"{named} does nothing with --manifests: files are checked, not a server")
    found = _manifests(folder) if folder is not None else _deployment(form, **options)
    click.echo(doctor_report.as_json(found) if form == "json" else doctor_report.as_text(found))
    raise click.exceptions.Exit(0 if found.is_fine else 1)


def _manifests(folder: Path) -> "Report":
    from bot.doctor.manifests import assessment
    from bot.doctor.manifests.manifest_files import ManifestsInvalid

    try:
        return assessment.assess(folder)
    except ManifestsInvalid as error:
        raise CommandError(str(error)) from None


def _deployment(form: str, *, host: str, port: int, role: str, mail_to: str | None) -> "Report":
    from bot import clock
    from bot.doctor import deployment
    from bot.doctor.server_checks import ListenAddress
    from bot.settings import SettingsInvalid, load
    from bot.telemetry import logs

    logs.for_command()  # Failures are items of the report, not lines of a log.
    try:
        settings, problems = load(serving=True), tuple[str, ...]()
    except SettingsInvalid as error:  # Each is an item; the valid rest is examined all the same.
        settings, problems = error.rest, error.problems
    options = deployment.Options(place=ListenAddress(host, port), role=role, mail_to=mail_to)

    def on_progress(what: str) -> None:
        if form == "text":
            click.echo(f"Checking {what}…", err=True)  # Beside the report, which may go into a file.

    return deployment.examine(settings, problems, clock.now, on_progress, options)
