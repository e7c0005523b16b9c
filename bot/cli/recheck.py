"""`countersign recheck OWNER/REPO[#N]`: judge open pull requests again; the running worker does it."""

import re

import click

from bot.cli import database
from bot.cli.mistake import Mistake

TARGET = re.compile(r"([\w.-]+)/([\w.-]+)(?:#([1-9][0-9]{0,8}))?", re.ASCII)


@click.command(name="recheck")
@click.argument("target", metavar="OWNER/REPO[#N]")
def command(target: str) -> None:
    """Judge the known open pull requests of a repository again, or just number N.

    Exit codes: 0 they will be, 2 none is known, wrong usage, or the database cannot be used.
    """
    from bot import db
    from bot.jobs.durable import DurableEngine
    from bot.store.pulls import named_pulls, review_mailbox

    found = TARGET.fullmatch(target)
    if found is None:
        raise click.UsageError(f"{target!r} is neither owner/repository nor owner/repository#number")
    with database.opened() as opened:
        engine = DurableEngine(opened, executor_id="recheck")
        with db.sessions(opened)() as session:
            known = named_pulls.open_ids(session, found[1], found[2], number=int(found[3]) if found[3] else None)
            for pull_id in known:
                review_mailbox.enqueue_review(session, engine, pull_id, queue="now")
    if not known:
        raise Mistake(f"no open pull request of {target} is known; the name is as GitHub last gave it")
    click.echo(f"{len(known)} pull request{'s' if len(known) != 1 else ''} will be judged again")
