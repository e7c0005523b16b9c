"""Connects commands to GitHub as the App of the settings; every error is one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from bot.cli.command_error import CommandError
from bot.cli.setting import settings
from bot.settings import NAMES, Settings

if TYPE_CHECKING:
    from bot.github.hub import Hub


@contextmanager
def connected(*, patience: float = 60.0, otherwise: str = "") -> "Iterator[Hub]":
    """The hub, closed at the end. Raises CommandError, also for what GitHub does not answer.

    `patience` is how many seconds a rate limit may be waited for, `otherwise` a way that needs no App.
    """
    from bot.github.connection import connect_by
    from bot.github.ports import HubError, Refused
    from bot.telemetry import logs

    logs.for_command()
    chosen = settings(look=partial(_lacking, otherwise))
    try:
        hub = connect_by(chosen, patience=patience)
    except Refused as error:
        raise CommandError(f"COUNTERSIGN_PRIVATE_KEY: {error}") from None
    try:
        yield hub
    except HubError as error:
        raise CommandError(f"GitHub: {error}") from None
    finally:
        hub.close()


def _lacking(otherwise: str, chosen: Settings) -> tuple[str, ...]:
    needed = {"COUNTERSIGN_APP_ID": chosen.app_id, "COUNTERSIGN_PRIVATE_KEY": chosen.private_key}
    lacking = [f"{name} is not set: {NAMES[name]}" for name, value in needed.items() if not value]
    return tuple(f"{line} {otherwise}".rstrip() for line in lacking)
