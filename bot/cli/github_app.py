"""Connects commands to GitHub as the App of the settings; every error is one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.cli.command_error import CommandError
from bot.cli.setting import settings

if TYPE_CHECKING:
    from bot.github.hub import Hub


@contextmanager
def connected(why: str, *, patience: float = 60.0) -> "Iterator[Hub]":
    """The hub, closed at the end; `why` begins the sentence about settings that are missing. Raises CommandError.

    What GitHub does not answer is a CommandError, too. `patience` is how many seconds a rate limit may be waited for.
    """
    from bot.github.connection import connect
    from bot.github.ports import HubError, Refused
    from bot.telemetry import logs

    logs.for_command()
    chosen = settings()
    # Both at once, so that they are set in one go.
    needed = (("COUNTERSIGN_APP_ID", chosen.app_id), ("COUNTERSIGN_PRIVATE_KEY", chosen.private_key))
    if missing := [name for name, value in needed if not value]:
        raise CommandError(f"{why}: set {' and '.join(missing)}")
    try:
        hub = connect(
            api_url=chosen.github_api_url,
            server=chosen.github_server,
            app_id=chosen.app_id,
            private_key=chosen.private_key.reveal(),
            patience=patience,
        )
    except Refused as error:
        raise CommandError(f"COUNTERSIGN_PRIVATE_KEY: {error}") from None
    try:
        yield hub
    except HubError as error:
        raise CommandError(f"GitHub: {error}") from None
    finally:
        hub.close()
