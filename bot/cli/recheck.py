"""`countersign recheck`: judge open pull requests, or compare a commit, again; the running worker does it."""

import re
from typing import TYPE_CHECKING

import click

from bot import clock
from bot.cli import database, github_app
from bot.cli.command_error import CommandError
from bot.cli.setting import settings

if TYPE_CHECKING:
    from sqlmodel import Session

    from bot.db import Sessions
    from bot.job_queue import Engine as Jobs

TARGET = re.compile(r"([\w.-]+)/([\w.-]+)(?:#([1-9][0-9]{0,8})|@([0-9A-Fa-f]{7,64}))?", re.ASCII)


@click.command(name="recheck")
@click.argument("target", metavar="OWNER/REPO[#N|@COMMIT]")
def command(target: str) -> None:
    """Check the open pull requests of a repository again, or only number N.

    With a COMMIT, at least 7 digits of its SHA, compare that unchecked commit of a protected branch again.

    If COUNTERSIGN_APP_ID and COUNTERSIGN_PRIVATE_KEY are set, GitHub is asked for pull requests that are not known yet.

    Exit codes: 0 queued, 2 there is none, wrong usage or settings, or the database or GitHub is unavailable.
    """
    from bot import db
    from bot.jobs.durable import DurableEngine
    from bot.store.pulls import named_pulls, review_mailbox

    found = TARGET.fullmatch(target)
    if found is None:
        raise click.UsageError(
            f"{target!r} is none of owner/repository, owner/repository#number and owner/repository@commit"
        )
    owner, name, number = found[1], found[2], int(found[3]) if found[3] else None
    with database.opened() as opened:
        engine, sessions = DurableEngine(opened, executor_id="recheck"), db.sessions(opened)
        if found[4]:
            _compare_again(engine, sessions, (owner, name), found[4].lower())
            return
        with sessions() as session:
            owners = named_pulls.open_owners(session, owner, name, number=number)
            known = [pull_id for pull_id, account_id in owners.items() if _may_be_served(session, account_id)]
        if owners and not known:  # Its reviews would leave it alone.
            raise _not_served(owner)
        # GitHub may know pull requests of which no webhook told us.
        is_asked = _may_ask() and not (number and known)
        asked = _of_github(engine, sessions, (owner, name), number, is_known=bool(known)) if is_asked else 0
        with sessions() as session:
            for pull_id in known:
                review_mailbox.enqueue_review(session, engine, pull_id, queue="now")  # A person waits.
        count = max(len(known), asked)  # GitHub names the known ones, too.
    if not count:
        ask = "" if _may_ask() else "; to ask GitHub for it, set COUNTERSIGN_APP_ID and COUNTERSIGN_PRIVATE_KEY"
        raise CommandError(f"no open pull request of {target} is known{ask}")
    click.echo(f"{count} pull request{'s' if count != 1 else ''} will be checked again")


def _compare_again(engine: "Jobs", sessions: "Sessions", repository: tuple[str, str], sha: str) -> None:
    from bot.job_queue import Job
    from bot.store.pulls import commit_findings

    with sessions() as session:
        found = commit_findings.ids_of(session, *repository, sha)
        for ids in found:
            engine.enqueue(session, Job("pushed-commits", tuple(ids)))
    if not found:
        raise CommandError(f"{'/'.join(repository)}@{sha} is not among the unchecked commits (/admin/commits)")
    click.echo(f"{len(found)} commit{'s' if len(found) != 1 else ''} will be compared again")


def _may_ask() -> bool:
    chosen = settings()
    return bool(chosen.app_id and chosen.private_key)


def _not_served(owner: str) -> CommandError:
    from bot.access.served_accounts import SETTING

    return CommandError(f"{owner} is not served: {SETTING} does not name it")


def _may_be_served(session: "Session", account_id: int) -> bool:
    """False for an account that is certainly not served, by the settings and the logins that were resolved."""
    from bot.store import owners

    accounts, resolved = settings().accounts, owners.resolved(session)
    found = [int(word) if word.isdecimal() else resolved.get(word.lower()) for word in accounts]
    return not accounts or None in found or account_id in found


def _of_github(
    engine: "Jobs", sessions: "Sessions", repository: tuple[str, str], number: int | None, *, is_known: bool
) -> int:
    """Queue what GitHub says is open; how many. Raises CommandError, also where the App reaches no such repository any more."""
    from bot.access.served_accounts import ServedAccounts
    from bot.github.ports import Missing, Moved
    from bot.store.pulls import posts
    from bot.store.pulls.posts import PullRequestIdentity

    accounts = settings().accounts
    with github_app.connected() as hub:
        try:
            place, owner = hub.repository_by_name(*repository)
        except Moved:
            return 0
        except Missing:
            if is_known:
                raise CommandError(f"the App does not reach {'/'.join(repository)} any more") from None
            return 0
        # Strangers may install a public App, too.
        if owner.id not in ServedAccounts(accounts, hub, sessions, engine=engine, clock=clock.now):
            raise _not_served(owner.login)
        numbers = [pull_number for pull_number in hub.open_numbers(place) if number in (None, pull_number)]
    with sessions() as session:
        for pull_number in numbers:
            posts.post(session, engine, PullRequestIdentity.of(place, pull_number, owner.id), queue="now")
    return len(numbers)
