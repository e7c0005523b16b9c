"""Settings: complete and readable, an address that browsers may trust, somebody who administers, mail that is sent."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from bot.access.roles import NOBODY
from bot.doctor.report import Check, Item
from bot.settings import Settings

_VALID: Final = Check("settings.valid", "critical")
_ADDRESS: Final = Check("settings.address", "high")
_MAIL: Final = Check("settings.mail", "low")
ADMINISTRATORS: Final = Check("settings.administrators", "medium")


def judge(settings: Settings, problems: Sequence[str]) -> list[Item]:
    """What the settings alone tell; `problems` are those of reading them, a line each."""
    return [_valid(problems), _address(settings), _mail(settings), *_administrators(settings)]


def _valid(problems: Sequence[str]) -> Item:
    if problems:
        return _VALID.failed(
            "; ".join(problems), "Correct these settings; `countersign serve --help` says what each means."
        )
    return _VALID.passed("all settings that serving needs are there and can be read")


def _address(settings: Settings) -> Item:
    parts = urlsplit(settings.url)
    if not settings.url:
        return _ADDRESS.unknown(
            "COUNTERSIGN_URL is not set", "Set COUNTERSIGN_URL to the public address of this server."
        )
    if parts.scheme == "https":
        return _ADDRESS.passed(f"{settings.url} is reached with TLS")
    if parts.hostname in ("127.0.0.1", "::1", "localhost"):
        return _ADDRESS.not_applicable(f"{settings.url} is on this machine alone")
    return _ADDRESS.failed(
        f"{settings.url} is reached without TLS", "Put a reverse proxy with TLS before it (docs/how-to/proxy.md), and begin COUNTERSIGN_URL with https://."
    )  # fmt: skip


def _mail(settings: Settings) -> Item:
    if settings.smtp_url:
        return _MAIL.passed("mail is sent")
    return _MAIL.failed(
        "COUNTERSIGN_SMTP_URL is not set: receipts and codes are kept and not sent",
        "Set COUNTERSIGN_SMTP_URL and COUNTERSIGN_MAIL_FROM (docs/how-to/operating.md).",
    )


def _administrators(settings: Settings) -> list[Item]:
    """Whether a team is there, GitHub says (`bot.doctor.accounts`)."""
    chosen = settings.administrators
    if chosen == NOBODY:
        remedy = "Set COUNTERSIGN_ADMIN_TEAM to organisation/team, or to account ids."
        return [ADMINISTRATORS.failed("nobody administers: COUNTERSIGN_ADMIN_TEAM is not set", remedy)]
    if chosen.team is None:
        return [ADMINISTRATORS.passed(f"administrators by account id: {len(chosen.ids)}")]
    return []
