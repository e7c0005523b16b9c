"""A contributor at work: a real clone, commits under any identity, pushes over HTTP with the person's token."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import urlsplit

from bot.demo.github.git import bare_repository
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.state import StoredAccount, StoredRepository

Identity = tuple[str, str]
"""Name and address, as `git config user.name` and `user.email` would hold them."""


def clone_url(world: SimulatedGitHub, repo: StoredRepository, who: StoredAccount | None = None) -> str:
    """The address to clone from; with a person it carries their login and token, for git alone."""
    parts = urlsplit(world.url)
    proof = f"{who.login}:{who.token}@" if who else ""
    return f"{parts.scheme}://{proof}{parts.netloc}/{repo.full_name}.git"


class ContributorClone:
    """A working copy in a folder; `who` pushes, commits name whomever they want to, as in any git."""

    def __init__(
        self,
        world: SimulatedGitHub,
        repo: StoredRepository,
        who: StoredAccount,
        folder: Path,
        *,
        of: StoredRepository | None = None,
    ) -> None:
        """Clone `repo`, or what it was forked from (`of`), whose branches may be newer; pushes go to `repo`."""
        self._world = world
        self.who = who
        self.repository = repo
        self.folder = folder
        bare_repository.run("clone", "--quiet", clone_url(world, of or repo, who), str(folder))
        if of is not None:
            self.git("remote", "set-url", "origin", clone_url(world, repo, who))

    def git(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        """Run git in the working copy; raises GitFailed with its complaint."""
        return bare_repository.run(*arguments, cwd=self.folder, env=env).decode().strip()

    def commit(
        self, message: str, files: Mapping[str, str] | None = None, *, author: Identity | str | None = None,
        committer: Identity | None = None, sign_off: bool = False, amend: bool = False,
    ) -> str:  # fmt: skip
        """Commit these files (or nothing) and give the hash.

        `author` as a pair is the identity that git is set up with, so it commits, too; as text (`Name <address>`) it is
        what `--author` takes, and the person commits. Without it everything is the person's.
        """
        author, committer = self.identities(author, committer)
        for path, text in (files or {}).items():
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        if files:
            self.git("add", "--", *files)
        at = f"{int(self._world.now().timestamp())} +0000"  # By the simulated clock, which may be set.
        env = {
            "GIT_AUTHOR_NAME": author[0], "GIT_AUTHOR_EMAIL": author[1], "GIT_AUTHOR_DATE": at,
            "GIT_COMMITTER_NAME": committer[0], "GIT_COMMITTER_EMAIL": committer[1], "GIT_COMMITTER_DATE": at,
        }  # fmt: skip
        chosen = ["--signoff"] * sign_off + ["--amend"] * amend
        # Verbatim: git would tidy the white space of the message.
        self.git("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", *chosen, "-m", message, env=env)
        return self.head

    def identities(self, author: Identity | str | None, committer: Identity | None) -> tuple[Identity, Identity]:
        """Author and committer of a commit: those given, else this person."""
        if isinstance(author, str):
            author, committer = parseaddr(author), committer or self.identity
        author = author or self.identity
        return author, committer or author

    @property
    def identity(self) -> Identity:
        """The person's name and primary address, their noreply address when they have none."""
        address = next((email.address for email in self.who.emails if email.primary), self.who.noreply)
        return self.who.name, address

    @property
    def head(self) -> str:
        """The hash of what is checked out."""
        return bare_repository.resolve(self.folder / ".git", "HEAD") or self.git("rev-parse", "HEAD")

    def branch(self, name: str, *, start: str = "") -> None:
        """Make a branch and check it out, from what is checked out or from `start`."""
        self.git("switch", "--quiet", "--create", name, *([start] if start else []))

    def push(self, branch: str = "", *, force: bool = False) -> None:
        """Push what is checked out to a branch (its own name by default); raises GitFailed when refused."""
        target = branch or (bare_repository.current_branch(self.folder / ".git") or "").removeprefix("refs/heads/")
        self.git("push", "--quiet", *(["--force"] if force else []), "origin", f"HEAD:refs/heads/{target}")


@dataclass(frozen=True, slots=True)
class Contributor:
    """A person at their desk: an `account` of the `world`, and a `folder` with a clone for each of their branches."""

    world: SimulatedGitHub
    account: StoredAccount
    folder: Path

    def branch(
        self, repository: StoredRepository, name: str, *, of: StoredRepository | None = None
    ) -> ContributorClone:
        """A fresh clone of `repository` on a new branch, grown from the default branch of `of` (itself when None)."""
        folder = self.folder / f"{self.account.login}-{repository.full_name.replace('/', '-')}-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        clone = ContributorClone(self.world, repository, self.account, folder, of=of)
        clone.branch(name)
        return clone
