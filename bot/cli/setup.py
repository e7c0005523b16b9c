"""`countersign setup`: registers the App, asks for the rest, and writes the settings that `serve` starts with."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot import clock
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE, PORT
from bot.cli.setting import public_address, settings

if TYPE_CHECKING:
    from bot.doctor.doctor_report import Report
    from bot.setup.registrar import Registrar


@click.command(name="setup")
@click.option("--url", help="Public address of the server; default COUNTERSIGN_URL.")
@click.option("--organization", metavar="LOGIN", help="Organisation, or person, that will own the App.")
@click.option("--administrators", help="Team as organisation/team, or logins separated by commas.")
@click.option(
    "--mail-from",
    help="Sender address of e-mails; default COUNTERSIGN_MAIL_FROM. Set the mail server in COUNTERSIGN_SMTP_URL.",
)
@click.option(
    "--out",
    type=FILE,
    default="countersign-settings/countersign.env",
    show_default=True,
    help="Settings file, or a folder for it. The secrets are written next to it.",
)
@click.option(
    "--print",
    "is_printed",
    is_flag=True,
    help="Print all settings as JSON at the end, for a secret store, and write no files.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8080, show_default=True, type=PORT, help="Port to listen on.")
@click.option("--address", metavar="URL", help="Address of the setup pages in the browser; default http://HOST:PORT.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def command(  # noqa: PLR0913 - one for each option
    *, url: str | None, organization: str | None, administrators: str | None, mail_from: str | None, out: Path, is_printed: bool,
    host: str, port: int, address: str | None, no_browser: bool,
) -> None:  # fmt: skip
    """Set up Countersign in the browser: register the GitHub App, install it, and write the settings.

    For GHE.com or a GitHub Enterprise Server, set COUNTERSIGN_GITHUB_URL first. If it listens on the
    server's own port, behind its proxy, it also checks that GitHub's webhooks arrive. If interrupted, run it again: it resumes.

    Exit codes: 0 done, 1 interrupted or problems found, 2 wrong usage.
    """
    from bot.doctor.required_check import REQUIRE
    from bot.setup import settings_file, setup_answers, setup_progress

    out = setup_progress.settings_path(out)
    chosen = settings()
    if address and (why := setup_answers.address_mistake(address.rstrip("/"))):
        raise click.UsageError(f"--address: {why}")
    given = {
        "url": public_address(url, chosen, is_required=False),
        "organization": organization or "",
        "administrators": administrators or "",
        "mail_from": mail_from or chosen.mail_from,
        "smtp_url": chosen.smtp_url.reveal(),
        "database_url": _database(chosen.database_url),
    }
    page_url = (address or f"http://{host}:{port}").rstrip("/")
    found = _run(given, out, (host, port), page_url, browser=not no_browser)
    if found is None:  # Interrupted: the next run goes on from there.
        raise click.exceptions.Exit(1)
    if is_printed:
        with file_access("read"):
            click.echo(settings_file.for_secret_store(out))
        with file_access("write"):
            settings_file.remove(out)  # No secret stays in a second place.
    else:
        click.echo(_NEXT.format(file=out.resolve(), keys=out.resolve().parent / "keys", require=REQUIRE), err=True)
    raise click.exceptions.Exit(0 if found.is_fine else 1)


_NEXT = """
Setup is finished.

  Settings  {file}
  Key ring  {keys}

Copy the key ring to another place, apart from the database and its backups. Without it nobody can read the records.

Next steps:

  1. Start the server:  set -a; . {file}; set +a; countersign serve
  2. Check it:          countersign doctor
  3. {require}
"""


def _database(url: str) -> str:
    # By its absolute path: the server may be started in another folder.
    name = url.removeprefix("sqlite:///")
    return f"sqlite:///{Path(name).resolve()}" if name != url and not name.startswith(("/", "file:")) else url


def _run(given: dict[str, str], out: Path, place: tuple[str, int], page_url: str, *, browser: bool) -> "Report | None":
    from bot.doctor import doctor_report
    from bot.server import listening
    from bot.setup import page_server, setup_progress
    from bot.setup.registrar import Registrar

    chosen = settings()
    try:
        with file_access("write", out):
            kept = setup_progress.load(out, github_url=chosen.github_url, answers=given)
        registrar = Registrar(kept, api_url=chosen.github_api_url, page_url=page_url, clock=clock.now)
        _look_up_owner(registrar)
        listener = listening.listener(*place)
    except (setup_progress.ProgressInvalid, listening.CannotListen) as error:
        raise CommandError(str(error)) from None
    found = page_server.run(registrar, listener, clock.now, lambda line: click.echo(line, err=True), browser=browser)
    if found is not None:
        click.echo(doctor_report.as_text(found), err=True)
    return found


def _look_up_owner(registrar: "Registrar") -> None:
    kept = registrar.progress
    if kept.step != "begin" or not (kept.answers.get("url") and kept.answers.get("organization")):
        return
    mistakes = registrar.begin(kept.answers)
    if "owner_type" in mistakes:  # GitHub did not tell: the page asks.
        click.echo(f"{'. '.join(mistakes.values())}. The page asks for it.", err=True)
    elif mistakes:
        # Not kept: the next run would begin with the mistake.
        kept.answers = {name: value for name, value in kept.answers.items() if name not in mistakes}
        with file_access("write", kept.file):
            kept.save()
        raise click.UsageError("; ".join(f"--{name}: {why}" for name, why in mistakes.items()))
