"""The small GitHub to try things in: the verbs by which the demo and the tests make people, places and deeds."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from cryptography.hazmat.primitives.serialization import load_pem_public_key

from bot.clock import Clock, now
from bot.demo.github import event_payloads
from bot.demo.github.changes import Changes
from bot.demo.github.faults import Faults
from bot.demo.github.git import bare_repository
from bot.demo.github.json import account_json
from bot.demo.github.refusal import invalid
from bot.demo.github.state import (
    StoredAccount,
    StoredApp,
    StoredEmail,
    StoredInstallation,
    StoredMail,
    StoredRepository,
)
from bot.demo.github.webhooks import Hooks
from bot.github.permissions import in_rest

# The permissions of an App here unless told otherwise.
PERMISSIONS: Mapping[str, str] = {
    "metadata": "read", "contents": "read", "checks": "write", "pull_requests": "write", "issues": "write",
    "members": "read", "merge_queues": "read", "email_addresses": "read",
}  # fmt: skip

# The events that an App subscribes to here unless told otherwise.
EVENTS: Sequence[str] = (
    "pull_request", "issue_comment", "check_run", "check_suite", "push", "repository", "member", "membership",
    "merge_group", "organization",
)  # fmt: skip


class SimulatedGitHub(Changes):
    """All of a small GitHub. `folder` holds the bare repositories; close it when done.

    `enterprise` is the version of Enterprise Server that it is, "" for github.com's; one that is hidden stands in no
    header and not in /meta; `sunsets` has when versions of the REST API end; `undefined` has what GraphQL refused because that version does not have it. `faults` has what goes wrong on the wire; `mailbox` gives people's mail; `zone` has the names that a small DNS shows, each with its texts.
    """

    def __init__(self, folder: Path, clock: Clock = now) -> None:
        super().__init__(folder, clock)
        self.hooks = Hooks(clock)
        self.faults = Faults()
        self.enterprise = ""
        self.tells_version = True
        self.undefined: list[str] = []
        self.sunsets: dict[str, datetime] = {}
        self.mailbox: Callable[[], Sequence[StoredMail]] | None = None
        self.zone: dict[str, list[str]] | None = None

    def close(self) -> None:
        """Stop sending webhooks."""
        self.hooks.close()

    def user(
        self,
        login: str,
        *,
        name: str = "",
        emails: Sequence[str | StoredEmail] = (),
        type: str = "User",  # noqa: A002 - GitHub's word
    ) -> StoredAccount:
        """A person; plain addresses count as verified, the first one as primary. The token is made up."""
        if self.find_account(login):
            raise invalid("User", "login", f"the login {login} is taken")
        noreply, token = self.server.noreply_domain, self.fresh_token("ghp_")
        who = StoredAccount(self.next_id("account"), login, name or login, type, self.now(), noreply, token)
        for place, email in enumerate(emails):
            who.emails.append(email if isinstance(email, StoredEmail) else StoredEmail(email, primary=place == 0))
        self.accounts[who.id] = who
        return who

    def organization(self, login: str, *, name: str = "", admins: Sequence[StoredAccount] = ()) -> StoredAccount:
        """An organisation, and who administers it."""
        who = self.user(login, name=name, type="Organization")
        who.token = ""  # An organisation does not sign in.
        who.members = {admin.id: "admin" for admin in admins}
        return who

    def repository(self, owner: StoredAccount, name: str, *, private: bool = False, description: str = "",
               files: Mapping[str, str] | None = None) -> StoredRepository:  # fmt: skip
        """A repository with a first commit of these files (a README when None; {} leaves it empty)."""
        repo = self._fresh(owner, name)
        repo.private, repo.description = private, description
        bare_repository.initialise(repo.git, repo.default_branch)
        self.write(repo, {"README.md": f"# {name}\n"} if files is None else files)
        # To Apps that are installed on all of the owner's repositories; the owner counts as the maker.
        self.emit(repo, "repository", owner, action="created")
        return repo

    def _fresh(self, owner: StoredAccount, name: str) -> StoredRepository:
        if self.find_repository(owner.login, name) is not None:
            raise invalid("Repository", "name", "name already exists on this account")
        number = self.next_id("repository")
        repo = StoredRepository(number, owner, name, self.folder / f"{number}.git", self.now())
        self.former_names.pop(repo.full_name.lower(), None)  # Its redirect ends.
        self.repositories[number] = repo
        return repo

    def write(
        self, repo: StoredRepository, files: Mapping[str, str], *, message: str = "Set things up", branch: str = ""
    ) -> str:
        """Commit files straight to a branch, as the web editor does, without events; the hash ("" for no files)."""
        if not files:
            return ""
        by = self.by_web_flow()
        sha = bare_repository.write(
            repo.git, f"refs/heads/{branch or repo.default_branch}", files, message=message, by=by
        )
        self.verified_commits.add(sha)  # GitHub signs edits in the browser.
        repo.pushed_at = self.now()
        return sha

    def fork(self, repo: StoredRepository, owner: StoredAccount) -> StoredRepository:
        """The account's fork of a repository; the existing one when it has one."""
        for mine in self.repositories_of(owner):
            if mine.fork_of is repo:
                return mine
        fork = self._fresh(owner, repo.name)
        bare_repository.fork(fork.git, repo.git, repo.default_branch)
        fork.default_branch, fork.fork_of, fork.private = repo.default_branch, repo, repo.private
        fork.pushed_at = repo.pushed_at
        return fork

    def delete(self, repo: StoredRepository) -> None:
        """Delete a repository; pull requests from it keep their commits and lose their head repository."""
        self.emit(repo, "repository", repo.owner, action="deleted")  # While it is there to be described.
        for other in self.repositories.values():
            for pull in other.pulls.values():
                if pull.head_repository is repo:
                    pull.head_repository = None  # The commits stay.
            if other.fork_of is repo:
                other.fork_of = None
        del self.repositories[repo.id]

    def rename(self, repo: StoredRepository, name: str, by: StoredAccount) -> None:
        """Give a repository another name; the old one redirects until another repository takes it."""
        if self.find_repository(repo.owner.login, name) is not None:
            raise invalid("Repository", "name", "name already exists on this account")
        former = repo.name
        self.former_names[repo.full_name.lower()] = repo.id  # GitHub redirects from it.
        repo.name = name
        self.emit(repo, "repository", by, action="renamed", changes={"repository": {"name": {"from": former}}})

    def transfer(self, repo: StoredRepository, owner: StoredAccount, by: StoredAccount) -> None:
        """Give a repository to another owner: the old name redirects, and only Apps installed at the new one see it."""
        if self.find_repository(owner.login, repo.name) is not None:
            raise invalid("Repository", "name", "name already exists on this account")
        is_organization = repo.owner.type == "Organization"
        former = (account_json.organization if is_organization else account_json.account)(self, repo.owner)
        changes = {"owner": {"from": {"organization" if is_organization else "user": former}}}
        self.former_names[repo.full_name.lower()] = repo.id
        for installation in self.installations.values():
            (installation.repositories or set()).discard(repo.id)
        repo.owner = owner
        self.emit(repo, "repository", by, action="transferred", changes=changes)

    def app(  # noqa: PLR0913 - the fields of GitHub's registration form
            self, slug: str, owner: StoredAccount, key: str, *, webhook_secret: str = "", hook_url: str = "", name: str = "",
            callbacks: Sequence[str] = (), permissions: Mapping[str, str] = PERMISSIONS,
            events: Sequence[str] = EVENTS) -> StoredApp:  # fmt: skip
        """Register an App; `key` is its public key in PEM form, `callbacks` the addresses OAuth may return to."""
        load_pem_public_key(key.encode())  # A text that is no key fails here, not at the first call.
        bot = self.user(f"{slug}[bot]", name=name or slug, type="Bot")
        bot.token = ""  # A bot does not sign in.
        # `permissions` may have the names of a manifest or of REST.
        made = StoredApp(
            self.next_id("app"), slug, owner, bot, key, self.now(), webhook_secret, hook_url,
            f"Iv23{self.fresh_token('')[:16]}", self.fresh_token(""), list(callbacks), in_rest(permissions), list(events),
        )  # fmt: skip
        self.apps[made.id] = made
        return made

    def install(
        self,
        app: StoredApp,
        account: StoredAccount,
        by: StoredAccount,
        *,
        repositories: Sequence[StoredRepository] | None = None,
    ) -> StoredInstallation:
        """Install an App on an account, on all repositories or on these."""
        chosen = None if repositories is None else {repo.id for repo in repositories}
        made = StoredInstallation(self.next_id("installation"), app, account, self.now(), chosen)
        self.installations[made.id] = made
        self.emit_to(app, "installation", event_payloads.installation_changed(self, "created", made, by))
        return made

    def suspend(self, installation: StoredInstallation, by: StoredAccount, *, again: bool = True) -> None:
        """Suspend an installation, or with `again=False` end its suspension."""
        installation.suspended_at = self.now() if again else None
        self.emit_to(
            installation.app,
            "installation",
            event_payloads.installation_changed(self, "suspend" if again else "unsuspend", installation, by),
        )

    def choose(
        self,
        installation: StoredInstallation,
        by: StoredAccount,
        *,
        added: Sequence[StoredRepository] = (),
        removed: Sequence[StoredRepository] = (),
    ) -> None:
        """Change which repositories an installation covers; either adding or removing."""
        everything = {repo.id for repo in self.repositories_of(installation.account)}
        chosen = everything if installation.repositories is None else installation.repositories
        installation.repositories = (chosen | {repo.id for repo in added}) - {repo.id for repo in removed}
        body = event_payloads.installation_repositories(self, installation, by, added, removed)
        self.emit_to(installation.app, "installation_repositories", body)
