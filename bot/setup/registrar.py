"""The steps of setup, one after the other: each checks its input, asks GitHub, does its part, and saves the progress."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from flask_babel import gettext as _

from agreements.facts import Account
from agreements.github_server import GitHubServer
from bot import app_yaml
from bot.clock import Clock
from bot.github.app_registration import convert, offered, told_features
from bot.github.by_rest import segment
from bot.github.connection import connect, connect_anonymously
from bot.github.hub import Hub
from bot.github.ports import HubError, Missing
from bot.github.reading import Garbled, account, understanding
from bot.settings import Settings
from bot.setup import settings_file, setup_answers
from bot.setup.setup_answers import SECRET, Mistakes
from bot.setup.setup_progress import SetupProgress

ORGANIZATION: Final = "Organization"
PERSON: Final = "User"
TYPES: Final = (ORGANIZATION, PERSON)  # Accounts of these types can own an App here.


def look_up(api_url: str, login: str) -> Account:
    """The account of that login, asked without credentials. Raises Missing, HubError."""
    with connect_anonymously(api_url) as anonymous, understanding():
        found = account(anonymous.read(f"/users/{segment(login)}"))
    if found is None:
        raise Garbled("GitHub's answer names no account")
    return found


def settle(given: Mapping[str, str], api_url: str, server: GitHubServer) -> tuple[dict[str, str], Mistakes]:
    """The answers with the account as GitHub knows it, and what is wrong with them."""
    login, chosen = given["organization"], given.get("owner_type", "")
    try:
        found = look_up(api_url, login)
    except Missing:
        # A server that requires signing in cannot be asked: there the person's own choice counts, `owner_type`.
        if chosen in TYPES and not server.is_github_com:
            return dict(given), {}
        return dict(given), _unknown(login, server)
    except HubError as error:
        if chosen in TYPES:
            return dict(given), {}
        why = _(
            "GitHub did not say whether %(login)s is an organisation or a person. Choose one, or try again (%(error)s)",
            login=login,
            error=error,
        )
        return dict(given), {"owner_type": why}
    if found.type not in TYPES:
        return dict(given), {"organization": _("%(login)s is neither an organisation nor a person", login=found.login)}
    return {**given, "organization": found.login, "owner_type": found.type}, {}


def registration_path(login: str, owner_type: str) -> str:
    """The page of GitHub to which the form posts. Source: GitHub's page "Registering a GitHub App from a manifest"."""
    return "/settings/apps/new" if owner_type == PERSON else f"/organizations/{login}/settings/apps/new"


def _unknown(login: str, server: GitHubServer) -> Mistakes:
    # On github.com all accounts are public; elsewhere perhaps only after signing in.
    if server.is_github_com:
        return {"organization": _("GitHub has no account named %(login)s", login=login)}
    return {
        "organization": _(
            "%(github)s shows no account named %(login)s without signing in. Check the spelling",
            github=server.host,
            login=login,
        ),
        "owner_type": _("If the spelling is right, choose what the account is"),
    }


class StepFailed(Exception):
    """A step could not be done; the message says what to do."""


class Registrar:
    """Does the steps of setup, one at a time, for any thread. `page_url` is where browsers reach the pages."""

    def __init__(self, progress: SetupProgress, *, api_url: str, page_url: str, clock: Clock) -> None:
        self.progress = progress
        self.page_url = page_url
        self._api_url = api_url
        self._clock = clock
        self._lock = threading.Lock()

    @property
    def server(self) -> GitHubServer:
        """The GitHub where the App is registered."""
        return Settings(github_url=self.progress.github_url).github_server

    def begin(self, given: Mapping[str, str]) -> setup_answers.Mistakes:
        """Take the public address and the account that will own the App; with a mistake, nothing is saved."""
        found = {name: given.get(name, "").strip() for name in ("url", "organization", "owner_type")}
        found["url"] = found["url"].rstrip("/")
        with self._lock:
            mistakes = setup_answers.judge_beginning(found, self.server)
            if mistakes or self.progress.app is not None:  # The App has these answers by now.
                return mistakes
            found, mistakes = settle(found, self._api_url, self.server)
            if not mistakes:
                self.progress.answers |= found
                self.progress.save()
            return mistakes

    def form(self) -> dict[str, Any]:
        """The form that the browser posts: its address, the manifest and a fresh state."""
        with self._lock:
            kept = self.progress.answers
            path = registration_path(kept["organization"], kept["owner_type"])
            slip = app_yaml.read(kept["url"], account=kept["organization"], redirect_url=f"{self.page_url}/registered")
            action, state = self.progress.github_url + path, self.progress.begin_registration()
            # There is no App yet that could ask.
            with connect_anonymously(self._api_url) as anonymous:
                features = told_features(anonymous, self.server)
            return {"action": action, "state": state, "manifest": offered(slip, features)}

    def registered(self, code: str, state: str) -> None:
        """Exchange the code for the App's secrets, and keep them at once. Raises StepFailed."""
        with self._lock:
            if self.progress.app is not None:
                raise StepFailed(_("The App is already registered."))
            if not code or not self.progress.is_pending(state):  # Else another site could give us its own App.
                raise StepFailed(_("This registration was not started here, or it has expired. Start it again."))
            try:
                with connect_anonymously(self._api_url) as anonymous:
                    self.progress.registered(convert(anonymous, code))  # GitHub gives them once.
            except Missing:
                raise StepFailed(
                    _(
                        "GitHub no longer accepts this code: it can be used once, within an hour. If the App already exists at"
                        " GitHub, delete it there, then register it again."
                    )
                ) from None
            except HubError as error:
                said = _("GitHub did not return the App's keys: %(error)s. Reload this page.", error=error)
                raise StepFailed(said) from None

    def installed(self) -> None:
        """Check that the App is installed on its owner's account. Raises StepFailed."""
        wanted = self.progress.answers.get("organization", "")
        with self._lock, self._hub() as hub:
            found = [
                installation
                for installation in hub.installations()
                if installation.account.login.lower() == wanted.lower()
            ]
            if not found:
                raise StepFailed(_("The App is not installed on %(organization)s yet.", organization=wanted))
            self.progress.answers["organization"] = found[0].account.login
            self.progress.installed = True
            self.progress.save()

    def complete(self, given: Mapping[str, str]) -> setup_answers.Mistakes:
        """Take the other answers, and write credentials and settings; with a mistake, nothing. Raises StepFailed."""
        names = ("administrators", "smtp_url", "mail_from", "database_url")
        # An address with a password is never shown again: left empty, the one that the environment gave counts.
        kept = {name: self.progress.answers.get(name, "") for name in SECRET}
        found = {name: given.get(name, "").strip() or kept.get(name, "") for name in names}
        with self._lock, self._hub() as hub:
            mistakes = setup_answers.judge_details(found)
            try:
                found["admin_team"] = setup_answers.administrators(found["administrators"], hub)
            except ValueError as error:
                mistakes["administrators"] = str(error)
            if not mistakes:
                self._write(found)
            return mistakes

    def _write(self, found: Mapping[str, str]) -> None:
        progress = self.progress
        progress.answers |= found
        try:
            values = settings_file.settings(progress, api_url=self._api_url, today=self._clock().date().isoformat())
            settings_file.write(progress.file, values)
            app = progress.app
            assert app is not None
            # From here on the secrets are in their own files alone.
            progress.app = replace(app, client_secret="", webhook_secret="", private_key="")
            progress.answers = {name: answer for name, answer in progress.answers.items() if name not in SECRET}
            progress.written = True
            progress.save()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            said = _("The settings could not be written to %(folder)s: %(why)s.", folder=progress.folder, why=why)
            raise StepFailed(said) from None

    def webhook_secret(self) -> str:
        """The App's webhook secret; "" before there is an App."""
        app = self.progress.app
        file = self.progress.folder / settings_file.FILES["COUNTERSIGN_WEBHOOK_SECRET"]
        if self.progress.written:  # The record holds no secrets any more.
            return file.read_text(encoding="utf-8").strip()
        return app.webhook_secret if app is not None else ""

    @contextmanager
    def _hub(self) -> Iterator[Hub]:
        """GitHub as the new App. Raises StepFailed for what it does not answer."""
        app = self.progress.app
        if app is None or not app.private_key:
            raise StepFailed(_("This step is already done.") if app else _("There is no App yet. Register it first."))
        # As `connect_anonymously` does: a person waits for the page.
        hub = connect(api_url=self._api_url, server=self.server, app_id=app.id, private_key=app.private_key, pause=0.0)
        try:
            yield hub
        except HubError as error:
            raise StepFailed(f"GitHub: {error}") from None
        finally:
            hub.close()
