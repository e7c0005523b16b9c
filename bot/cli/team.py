"""`countersign team`: lists the ids of the configured teams, and lets a name be looked up again."""

from types import SimpleNamespace

import click

from bot.cli import database
from bot.cli.command_error import CommandError
from bot.cli.options import list_form, print_rows


@click.group(name="team")
def command() -> None:
    """List the configured teams, or look one up again."""


@command.command(name="list", short_help="List the teams that were looked up.")
@list_form
def list_teams(form: str) -> None:
    """List the teams that were looked up, each with the id of its organisation and its own id.

    Exit codes: 0 printed, 2 the database cannot be used.
    """
    from bot.store import team_records

    with database.session() as session:
        known = team_records.all_known(session)
    rows = (
        SimpleNamespace(name=name, organization_id=team.organization_id, id=team.id) for name, team in known.items()
    )
    print_rows(rows, ("name", "organization_id", "id"), form)


@command.command(short_help="Look a team up again.")
@click.argument("name", metavar="ORGANISATION/TEAM")
def forget(name: str) -> None:
    """Look up again which team a name in COUNTERSIGN_ADMIN_TEAM or COUNTERSIGN_AUDITOR_TEAM means.

    The members of the team that has this name now get the role, so first find out who created it. A running server
    follows within ten minutes.

    Exit codes: 0 done, 2 this name was never looked up, or the database cannot be used.
    """
    from bot.store import team_records

    with database.session() as session:
        if not team_records.forget(session, name):
            raise CommandError(f"the team {name} was never looked up: `countersign team list` shows those that were")
    click.echo(f"{name.lower()} will be looked up again", err=True)
