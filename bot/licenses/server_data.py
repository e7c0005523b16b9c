"""Data that a server's audits need beside the repositories: it is loaded for the first of them."""

from typing import TYPE_CHECKING

from bot.clock import Clock
from bot.db import Sessions
from bot.settings import Settings

if TYPE_CHECKING:
    from audit.licenses.osadl import Matrix
    from bot.licenses.registry_lookup import LicenseLookup


def matrix(settings: Settings) -> "Matrix":
    """The licence data in use. Raises MatrixInvalid, OSError."""
    from bot.licenses import matrix_file  # noqa: PLC0415 - see above

    return matrix_file.current(settings.license_data)


def lookup(settings: Settings, sessions: Sessions, clock: Clock) -> "LicenseLookup":
    """The lookup at registries for one job."""
    from bot.licenses import registry_lookup  # noqa: PLC0415 - see above

    return registry_lookup.of_server(settings, sessions, clock)
