"""Every check of a deployment, by its settings. What cannot be checked is unknown, and the rest goes on."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from bot import db, startup
from bot.clock import Clock
from bot.doctor import (
    accounts,
    database,
    github,
    keys,
    license_data,
    operation,
    outgoing_webhooks,
    parties,
    required_check,
    texts,
    webhook,
    work,
)
from bot.doctor import settings as settings_checks
from bot.doctor.report import Report
from bot.github.client.pygithub import connect
from bot.github.hub import Hub
from bot.github.ports import Refused
from bot.settings import Settings

Progress = Callable[[str], None]


def examine(
    settings: Settings, problems: Sequence[str], clock: Clock, on_progress: Progress = lambda _what: None
) -> Report:
    """Check everything once. `problems` are those of the settings; `on_progress` gets what is checked next. Changes nothing."""
    on_progress("settings")
    items = settings_checks.judge(settings, (*problems, *startup.unreadable(settings, "all")))
    on_progress("database")
    with database.opened(settings) as (engine, found), connected(settings) as (hub, why):
        sessions = db.sessions(engine) if engine is not None else None
        items += [*found, *keys.judge(settings, sessions)]
        on_progress("GitHub")
        at_github = github.judge(hub, why, clock, settings.github_server)
        # While GitHub does not answer, or refuses the key, it is not asked again for everything else.
        asked = hub if all(one.is_met for one in at_github if one.id in (github.REACHABLE.id, github.APP.id)) else None
        items += [*accounts.judge(settings, asked), *at_github, *webhook.judge(settings, asked, sessions, clock)]
        on_progress("repositories")
        items += required_check.judge(settings, asked, sessions)
        on_progress("jobs and texts")
        items += outgoing_webhooks.judge(settings, sessions)
        items += [
            *operation.judge(engine, clock),
            *work.judge(sessions, clock),
            *texts.judge(settings, sessions),
            *parties.judge(sessions),
        ]
    return Report((*items, license_data.judge(settings, clock)))


@contextmanager
def connected(settings: Settings) -> Iterator[tuple[Hub | None, str]]:
    """GitHub as the App of these settings, or None and why not."""
    if not settings.app_id or not settings.private_key:
        yield None, "COUNTERSIGN_APP_ID or COUNTERSIGN_PRIVATE_KEY is not set"
        return
    try:
        hub = connect(
            api_url=settings.github_api_url,
            server=settings.github_server,
            app_id=settings.app_id,
            private_key=settings.private_key.reveal(),
        )
    except Refused as error:
        yield None, f"COUNTERSIGN_PRIVATE_KEY: {error}"
        return
    with closing(hub):
        yield hub, ""
