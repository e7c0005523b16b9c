"""Credentials in files of their own with mode 0600, and the settings file that systemd, compose and a shell read alike."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from agreements.vault import KeyRing
from bot import atomic_file
from bot.setup.setup_progress import FILE, SetupProgress

# Settings that are secrets, or may hold one, and the file of each.
FILES: Final[Mapping[str, str]] = {
    "COUNTERSIGN_PRIVATE_KEY": "private-key.pem",
    "COUNTERSIGN_WEBHOOK_SECRET": "webhook-secret",
    "COUNTERSIGN_CLIENT_SECRET": "client-secret",
    "COUNTERSIGN_KEYS": "keys",
    "COUNTERSIGN_DATABASE_URL": "database-url",
    "COUNTERSIGN_SMTP_URL": "smtp-url",
}
_PLAIN: Final = re.compile(r"[A-Za-z0-9_@%+:,./=-]*")  # These need no quotes.


def settings(progress: SetupProgress, *, api_url: str, today: str) -> dict[str, str]:
    """Every setting with its value; the key ring is made here, named after the day. Raises OSError."""
    app, answers = progress.app, progress.answers
    assert app is not None, "there is no App yet"
    keys = progress.folder / FILES["COUNTERSIGN_KEYS"]
    found = {
        "COUNTERSIGN_URL": answers["url"],
        "COUNTERSIGN_GITHUB_URL": progress.github_url,
        "COUNTERSIGN_GITHUB_API_URL": api_url,
        "COUNTERSIGN_APP_ID": str(app.id),
        "COUNTERSIGN_CLIENT_ID": app.client_id,
        "COUNTERSIGN_ACCOUNTS": answers["organization"],
        "COUNTERSIGN_ADMIN_TEAM": answers.get("admin_team", ""),
        "COUNTERSIGN_MAIL_FROM": answers.get("mail_from", ""),
        "COUNTERSIGN_PRIVATE_KEY": app.private_key,
        "COUNTERSIGN_WEBHOOK_SECRET": app.webhook_secret,
        "COUNTERSIGN_CLIENT_SECRET": app.client_secret,
        # A ring that is there may have encrypted records already.
        "COUNTERSIGN_KEYS": keys.read_text(encoding="utf-8")
        if keys.exists()
        else KeyRing.generate(KeyRing.new_id(today)),
        "COUNTERSIGN_DATABASE_URL": answers.get("database_url", ""),
        "COUNTERSIGN_SMTP_URL": answers.get("smtp_url", ""),
    }
    return {name: value.strip() for name, value in found.items() if value.strip()}  # Empty ones have defaults.


def write(file: Path, values: Mapping[str, str]) -> None:
    """Write the settings file and the secrets beside it, each whole or not at all, for its owner. Raises OSError."""
    folder = file.parent
    lines = ["# Settings of Countersign, written by `countersign setup`. The secrets are in the files that it names."]
    for name, value in values.items():
        if name in FILES:
            _write(folder / FILES[name], value + "\n")
            lines.append(f"{name}_FILE={_quoted(str((folder / FILES[name]).resolve()))}")
        else:
            lines.append(f"{name}={_quoted(value)}")
    # Last, so that it never names a file that is not there.
    _write(file, "\n".join(lines) + "\n")


def read(file: Path) -> dict[str, str]:
    """The settings file, as a server's start reads it. Raises OSError."""
    lines = file.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name: value.strip("'") for name, _, value in pairs}


def for_secret_store(file: Path) -> str:
    """All settings with their values, as one JSON object. Raises OSError."""
    found = {}
    for name, value in read(file).items():
        if name.endswith("_FILE"):
            found[name.removesuffix("_FILE")] = Path(value).read_text(encoding="utf-8").strip()
        else:
            found[name] = value
    return json.dumps(found, indent=2, ensure_ascii=False)


def remove(file: Path) -> None:
    """Take away everything that was written here, once it is kept elsewhere. Raises OSError."""
    for name in (*FILES.values(), file.name, FILE):
        (file.parent / name).unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    with atomic_file.replacement(path, mode=atomic_file.PRIVATE_MODE) as file:
        file.write(text.encode())


def _quoted(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    # systemd, compose and a shell read single quotes literally; none of these values may hold one.
    if "'" in value or not value.isprintable():
        raise ValueError(f"{value!r} cannot be written into a settings file: it holds a quote or a line's end")
    return f"'{value}'"
