"""`countersign team`: which teams the configured names mean, by their ids, and letting a name mean another team."""

import click

from bot.cli import database
from bot.cli.mistake import Mistake


@click.group(name="team")
def command() -> None:
    """List the configured teams, or look one up again."""


@command.command(name="list", short_help="List the teams that were looked up.")
def list_teams() -> None:
    """Print each team that was looked up, one a line: its name, the id of its organisation, its own id, apart by tabs.

    Exit codes: 0 printed, 2 the database cannot be used.
    """
    from bot.store import teams

    with database.session() as session:
        for name, team in teams.all_known(session).items():
            click.echo(f"{name}\t{team.organization_id}\t{team.id}")


@command.command(short_help="Look a team up again.")
@click.argument("name", metavar="ORGANISATION/TEAM")
def forget(name: str) -> None:
    """Forget which team a name of COUNTERSIGN_ADMIN_TEAM or COUNTERSIGN_AUDITOR_TEAM means: it is looked up anew.

    Whoever is in the team of that name now has the role then, so first find out who made it. A running server follows
    within ten minutes.

    Exit codes: 0 forgotten, 2 that name was never looked up, or the database cannot be used.
    """
    from bot.store import teams

    with database.session() as session:
        if not teams.forget(session, name):
            raise Mistake(f"no team {name} was looked up: see `countersign team list`")
    click.echo(f"forgot {name.lower()}: it is looked up anew", err=True)
