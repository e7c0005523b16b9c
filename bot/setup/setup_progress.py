"""The progress of setup, kept in a file for its owner alone, so that an interrupted run resumes."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from bot import atomic_file
from bot.github.app_registration import NewApp

FILE: Final = "setup.json"
SETTINGS: Final = "countersign.env"  # Where only the folder of the settings file was named.
_MAX_PENDING: Final = 20  # In tabs that were left unfinished.
Step = Literal["begin", "register", "install", "details", "done"]


class ProgressInvalid(Exception):
    """The file is no record of ours: one line that says what to do."""


@dataclass(slots=True)
class SetupProgress:
    """The `answers` so far and the steps done. `app` holds its secrets only until they are in files of their own.

    `github_url` is the server of GitHub, `pending` are the states of registrations that were begun. `installed`: the App is
    installed; `written`: the settings are in their `file`.
    """

    file: Path  # Of the settings; secrets and this record are beside it
    github_url: str
    answers: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list, repr=False)
    app: NewApp | None = None
    installed: bool = False
    written: bool = False

    @property
    def folder(self) -> Path:
        """The folder in which everything is written."""
        return self.file.parent

    @property
    def step(self) -> Step:
        """The next step."""
        if self.written:
            return "done"
        if self.installed:
            return "details"
        if self.app is not None:
            return "install"
        return "register" if all(map(self.answers.get, ("url", "organization", "owner_type"))) else "begin"

    def begin_registration(self) -> str:
        """A fresh state, which GitHub gives back with the code."""
        state = secrets.token_urlsafe(32)
        self.pending = [*self.pending, state][-_MAX_PENDING:]  # The oldest gives way.
        self.save()
        return state

    def is_pending(self, state: str) -> bool:
        """Whether we made that state and it is unused; every pending one is compared, in constant time."""
        same = [secrets.compare_digest(candidate.encode(), state.encode()) for candidate in self.pending]
        return any(same)

    def registered(self, app: NewApp) -> None:
        """Keep the App. Raises OSError."""
        self.app, self.pending = app, []  # Every state is used up.
        self.save()  # Before anything else: GitHub gives the App's secrets only once.

    def save(self) -> None:
        """Write it, whole or not at all, with mode 0600. Raises OSError."""
        kept: dict[str, Any] = {name: value for name, value in asdict(self).items() if name != "file"}
        with atomic_file.replacement(self.folder / FILE, mode=atomic_file.PRIVATE_MODE) as file:
            file.write(json.dumps(kept, indent=1).encode())


def settings_path(out: Path) -> Path:
    """The settings file that `out` means: itself, or one of the usual name in that folder."""
    return out / SETTINGS if out.is_dir() or not out.suffix else out


def load(out: Path, *, github_url: str, answers: Mapping[str, str]) -> SetupProgress:
    """The progress that an earlier run kept beside the settings file `out`. Raises ProgressInvalid, OSError."""
    settings = settings_path(out)
    folder = settings.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # It will hold secrets.
    file = folder / FILE
    try:
        progress = _parsed(settings, file.read_bytes()) if file.exists() else SetupProgress(settings, github_url)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ProgressInvalid(f"{file} was not written by setup: move it away to start over") from None
    if progress.github_url != github_url:
        raise ProgressInvalid(
            f"{folder} has the setup of an App at {progress.github_url}: choose another folder with --out, or set COUNTERSIGN_GITHUB_URL"
        )
    fixed = {"url", "organization"} if progress.app is not None else set()  # The App has them by now.
    # Given answers replace kept ones until they are used: then no password comes back into this record.
    if not progress.written:
        new = {name: value for name, value in answers.items() if value and name not in fixed}
        if new.get("organization") not in (None, progress.answers.get("organization")):
            progress.answers.pop("owner_type", None)  # It was another account's
        progress.answers |= new
    progress.save()
    return progress


def _parsed(settings: Path, text: bytes) -> SetupProgress:
    kept = json.loads(text)
    app = NewApp(**kept["app"]) if kept["app"] else None
    answers = {str(name): str(value) for name, value in kept["answers"].items()}
    return SetupProgress(**{**kept, "file": settings, "app": app, "answers": answers})
