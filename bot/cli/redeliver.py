"""`countersign redeliver`: have GitHub send again what did not reach us."""

import re
from datetime import UTC, datetime, timedelta

import click

from bot.cli import database, github_app

_AGO = re.compile(r"([1-9][0-9]{0,4})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def _moment(_context: click.Context, _option: click.Parameter, text: str) -> datetime:
    """`90m`, `12h`, `3d` ago, or a date-time of ISO 8601; without a zone it is UTC."""
    from bot import clock

    try:
        if ago := _AGO.fullmatch(text):
            return clock.now() - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise click.BadParameter(f"{text!r} is not a time such as 90m, 12h, 3d or 2026-11-21T08:00Z") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@click.command(name="redeliver")
@click.option(
    "--since",
    default="3d",
    show_default=True,
    metavar="TIME",
    callback=_moment,
    help="How far back: like 90m, 12h or 3d, or a date.",
)
def command(since: datetime) -> None:
    """Ask GitHub to redeliver failed webhook deliveries. GitHub keeps them for three days.

    Skips deliveries that arrived later, and events that Countersign does not use. One run redelivers at most 500.

    Exit codes: 0 done, 2 wrong settings, or GitHub or the database is unavailable.
    """
    from bot import clock, db
    from bot.flows import redelivery

    with database.opened() as opened, github_app.connected("GitHub is asked as the App") as hub:
        sent, failed = redelivery.redeliver(hub, db.sessions(opened), since=since, at=clock.now())
    click.echo(f"{sent} of {failed} failed deliver{'y' if failed == 1 else 'ies'} will be sent again")
    if sent < min(failed, redelivery.MAX_REDELIVERED):
        click.echo(
            f"Skipped: what arrived later, what Countersign does not use, what failed {redelivery.MAX_ATTEMPTS} times, and what GitHub no longer sends."
        )
