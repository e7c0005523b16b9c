"""The check at the end: GitHub accepts the key, everything is granted, the clock agrees, and webhooks arrive."""

from pathlib import Path
from typing import Final

from bot.clock import Clock
from bot.doctor import accounts, deployment, github, webhook, webhook_secret
from bot.doctor.report import DoctorResult, Report
from bot.github.hub import Hub
from bot.github.ports import HubError
from bot.settings import Settings, load
from bot.setup import settings_file
from bot.setup.webhook_receiver import WebhookReceiver

_TIMEOUT_SECONDS: Final = 15.0
"""Seconds; GitHub waits for ten."""


def verify(file: Path, receiver: WebhookReceiver, clock: Clock, *, patience: float = _TIMEOUT_SECONDS) -> Report:
    """What `doctor` says of everything that exists before the server runs, by the settings file. GitHub sends a webhook again for it.

    Raises SettingsInvalid, OSError.
    """
    settings = load(settings_file.read(file), serving=True)
    with deployment.connected(settings) as (hub, why):
        at_github = github.judge(hub, why, clock, settings.github_server)
        is_asked = all(one.is_met for one in at_github if one.id in (github.REACHABLE.id, github.APP.id))
        asked = hub if is_asked else None
        items = [*at_github, *accounts.judge(settings, asked)]
        if asked is not None:
            items += _webhook(settings, asked, receiver, patience)
    return Report(tuple(items))


def _webhook(settings: Settings, hub: Hub, receiver: WebhookReceiver, patience: float) -> list[DoctorResult]:
    """A webhook that came to us counts; otherwise, what GitHub was answered elsewhere."""
    if not receiver.has_arrived and _sent_again(hub):
        receiver.wait(patience)
    address, *others = webhook.delivered(settings, hub)
    if not receiver.has_arrived:
        return [address, *others]
    return [
        address,
        webhook_secret.SECRET.passed("A webhook arrived that was signed with this secret."),
        webhook.ANSWERED.passed("GitHub's webhooks arrive."),
    ]


def _sent_again(hub: Hub) -> bool:
    """Whether GitHub sends its newest webhook again: the ping of a new App could not be verified before there was its secret."""
    try:
        newest = next(iter(hub.newest_deliveries()), None)
        return newest is not None and hub.redeliver(newest.id)
    except HubError:
        return False
