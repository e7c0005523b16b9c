"""Everything this GitHub knows, and how to find it: by id, by name as of now, or by a name it once had."""

import re
import secrets
import threading
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from inspect import isfunction
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from agreements.github_server import GitHubServer, github_server
from bot.clock import Clock
from bot.demo.github.git.bare_repository import GitIdentity
from bot.demo.github.rate_limit import ContentLimit, RateLimit
from bot.demo.github.refusal import existing, not_found
from bot.demo.github.state import (
    LEVELS,
    Call,
    Label,
    OAuthCode,
    RegisteredApp,
    StoredAccount,
    StoredApp,
    StoredCheckRun,
    StoredComment,
    StoredEmail,
    StoredInstallation,
    StoredIssue,
    StoredPull,
    StoredRepository,
    StoredToken,
)

# Before the no-reply domain stand the account's number and its login, once the login alone.
_NOREPLY = re.compile(r"(?:(\d+)\+)?([^+@]+)")
# These stand in an address as they are: names are encoded, as the brackets of a bot's login are at GitHub.
_IN_ADDRESSES = "/:?&=%{}+,;@!$'()*#"
_WEB_FLOW_ID = 901  # Any: each Enterprise Server has its own
# Ranges of their own, so that an id of another kind is noticed.
_RANGES = {
    "account": 1001,
    "repository": 200001,
    "pull": 3000001,
    "label": 40001,
    "comment": 5000001,
    "issue": 8000001,
    "check run": 60000001,
    "check suite": 70000001,
    "app": 801,
    "installation": 9000001,
    "reaction": 1100001,
    "activity": 1500001,
    "team": 21001,
}


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def holding(self: "SimulatedState", /, *positional: Any, **named: Any) -> Any:
        with self.lock:
            return method(self, *positional, **named)

    return holding


class SimulatedState:
    """State in memory behind one lock, which requests and deeds hold: each public method of a subclass takes it."""

    def __init_subclass__(cls) -> None:
        for name, method in list(vars(cls).items()):
            # `close` waits for those who need the lock.
            if isfunction(method) and not name.startswith("_") and name != "close":
                setattr(cls, name, _locked(method))

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.clock = clock
        self.url = "http://127.0.0.1"  # The advertised address, which the server sets
        self.lock = threading.RLock()  # Deeds call each other.
        self.latency = 0.0
        # Like an Enterprise Server in our network; github.com takes public addresses of webhooks alone.
        self.reaches_private = False
        self.rate_limit, self.content_limit = RateLimit(), ContentLimit(clock)
        self.tree_limit = 100_000  # Entries of a tree with its folders; GitHub cuts it short beyond
        self.accounts: dict[int, StoredAccount] = {}
        self.repositories: dict[int, StoredRepository] = {}
        self.former_names: dict[str, int] = {}
        self.apps: dict[int, StoredApp] = {}
        self.installations: dict[int, StoredInstallation] = {}
        self.check_runs: dict[int, StoredCheckRun] = {}
        self.suites: dict[tuple[int, int, str], int] = {}
        self.tokens: dict[str, StoredToken] = {}
        self.allowed: set[tuple[int, int]] = set()
        self.codes: dict[str, OAuthCode] = {}
        self.registered: dict[str, RegisteredApp] = {}  # By the code that the browser carries back
        self.verified_commits: set[str] = set()
        self.reports: dict[str, tuple[int, int]] = {}  # Of SBOMs: the repository, how often it is not ready yet
        self.sbom_patience = 0
        self.stored_files: dict[str, bytes] = {}  # The files at the other host, by their address there
        self.storage_url = "http://127.0.0.1:9"  # No call is answered there until the server is.
        self.calls: list[Call] = []
        self.refused: list[str] = []
        self._ids = {kind: count(first) for kind, first in _RANGES.items()}
        self.web_flow = StoredAccount(
            _WEB_FLOW_ID, "web-flow", "GitHub Web Flow", "User", self.now(), self.server.noreply_domain
        )
        self.web_flow.emails.append(StoredEmail(self.server.web_flow_email, primary=True))
        self.accounts[self.web_flow.id] = self.web_flow

    @property
    def server(self) -> GitHubServer:
        """The server's own identities, as they follow from its host."""
        return github_server(urlsplit(self.url).hostname or "")

    def by_web_flow(self) -> GitIdentity:
        """The committer of edits in the browser."""
        return GitIdentity("GitHub", self.server.web_flow_email, self.now())

    def now(self) -> datetime:
        """The present moment, to the second as GitHub tells it."""
        return self.clock().replace(microsecond=0)

    def api_url(self, path: str) -> str:
        """An address of the REST API."""
        return f"{self.url}/api/v3{quote(path, safe=_IN_ADDRESSES)}"

    def web_url(self, path: str = "") -> str:
        """An address of a page for people."""
        return f"{self.url}{quote(path, safe=_IN_ADDRESSES)}"

    def next_id(self, kind: str) -> int:
        """A fresh id of that kind's range."""
        return next(self._ids[kind])

    def fresh_token(self, prefix: str) -> str:
        """A random token in GitHub's form."""
        return prefix + secrets.token_hex(18)

    def find_account(self, login: str) -> StoredAccount | None:
        """The account that has this login now, in any case."""
        return next((account for account in self.accounts.values() if account.login.lower() == login.lower()), None)

    def account(self, login: str) -> StoredAccount:
        """The account that has this login now; 404 otherwise."""
        return existing(self.find_account(login))

    def account_of_token(self, token: str) -> StoredAccount | None:
        """The person whose personal token this is."""
        for account in self.accounts.values():
            if account.token and secrets.compare_digest(account.token.encode(), token.encode()):
                return account
        return None

    def account_of_email(self, address: str) -> StoredAccount | None:
        """The account to which GitHub links a commit's address, verified or a noreply form; a claim, never a proof."""
        local, _, domain = address.rpartition("@")
        noreply = _NOREPLY.fullmatch(local) if domain.lower() == self.server.noreply_domain else None
        if noreply is not None:
            number, login = noreply.groups()
            # Accounts made before July 2017 have a no-reply address without their number.
            return self.find_account(login) if number is None else self.accounts.get(int(number))
        for account in self.accounts.values():
            if any(email.verified and email.address.lower() == address.lower() for email in account.emails):
                return account
        return None

    def find_repository(self, owner: str, name: str) -> StoredRepository | None:
        """The repository with that name now, in any case."""
        wanted = f"{owner}/{name}".lower()
        return next((repo for repo in self.repositories.values() if repo.full_name.lower() == wanted), None)

    def formerly(self, owner: str, name: str) -> StoredRepository | None:
        """The repository that had that name before it was renamed or transferred."""
        return self.repositories.get(self.former_names.get(f"{owner}/{name}".lower(), 0))

    def repositories_of(self, account: StoredAccount) -> list[StoredRepository]:
        """The account's repositories, oldest first."""
        return [repository for repository in self.repositories.values() if repository.owner is account]

    def permission(self, account: StoredAccount | None, repository: StoredRepository) -> str:
        """The account's role in the repository: one of LEVELS."""
        of_all = "none" if repository.private else "read"
        if account is None:
            return of_all
        if account is repository.owner or repository.owner.members.get(account.id) == "admin":
            return "admin"  # An organisation's owners administer all its repositories.
        granted = [of_all, repository.collaborators.get(account.id, "none")]
        if account.id in repository.owner.members:
            granted.append("read")  # GitHub's default for members.
        return max(granted, key=LEVELS.index)

    def may(self, account: StoredAccount | None, repository: StoredRepository, level: str) -> bool:
        """True when the account has at least that role."""
        return LEVELS.index(self.permission(account, repository)) >= LEVELS.index(level)

    def open_pulls(self, repository: StoredRepository, *, branch: str) -> list[StoredPull]:
        """Open pull requests, anywhere, that this branch is the head of."""
        return [
            pull
            for base in self.repositories.values()
            for pull in base.pulls.values()
            if pull.head_repository is repository and pull.head == branch and pull.closed_at is None
        ]

    def comment_of(self, repository: StoredRepository, comment_id: int) -> tuple[StoredIssue, StoredComment]:
        """A comment of the repository and the issue or pull request that it is on; 404 otherwise."""
        for issue in (*repository.issues.values(), *repository.pulls.values()):
            for comment in issue.comments:
                if comment.id == comment_id:
                    return issue, comment
        raise not_found()

    def find_label(self, repository: StoredRepository, name: str) -> Label | None:
        """The repository's label with that name, in any case."""
        return next((label for label in repository.labels.values() if label.name.lower() == name.lower()), None)

    def label_of(self, repository: StoredRepository, name: str) -> Label:
        """The repository's label, created with GitHub's grey when it did not exist."""
        found = self.find_label(repository, name)
        if found is None:
            found = repository.labels[name] = Label(self.next_id("label"), name)
        return found

    def runs_on(self, repository: StoredRepository, head_sha: str) -> list[StoredCheckRun]:
        """The check runs on a commit, oldest first."""
        return [run for run in self.check_runs.values() if run.repository is repository and run.head_sha == head_sha]

    def suite_of(self, app: StoredApp, repository: StoredRepository, head_sha: str) -> int:
        """The id of the App's check suite on that head; one for each App and head."""
        key = (app.id, repository.id, head_sha)
        if key not in self.suites:
            self.suites[key] = self.next_id("check suite")
        return self.suites[key]
