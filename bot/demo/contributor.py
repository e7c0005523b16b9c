"""Somebody at their desk: real clones, real commits under any name they like, real pushes over HTTP."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.demo.github.state import Account, Repository


class GitRefused(Exception):  # noqa: N818 - reads as what happened
    """git did not do it; the message is its own."""


@dataclass(frozen=True, slots=True)
class Contributor:
    """A person with a folder of clones; `server` is the address of the GitHub they push to."""

    account: Account
    folder: Path
    server: str

    @property
    def email(self) -> str:
        """The address in their git configuration: their first one."""
        return self.account.emails[0].address if self.account.emails else self.account.noreply

    def branch(self, repository: Repository, name: str, *, of: Repository | None = None) -> "Desk":
        """A fresh clone of `repository` on a new branch, grown from the default branch of `of` (itself when None)."""
        clone = self.folder / f"{self.account.login}-{repository.full_name.replace('/', '-')}-{name}"
        shutil.rmtree(clone, ignore_errors=True)
        source = of or repository
        desk = Desk(self, clone)
        desk.git("clone", "--quiet", self.address(source), str(clone), at=self.folder)
        desk.git("remote", "set-url", "origin", self.address(repository))
        desk.git("switch", "--quiet", "--create", name)
        return desk

    def address(self, repository: Repository) -> str:
        """The clone address with the credentials that GitHub knows them by."""
        scheme, _, host = self.server.partition("://")
        return f"{scheme}://{self.account.login}:{self.account.token}@{host}/{repository.full_name}.git"


@dataclass(frozen=True, slots=True)
class Desk:
    """One clone on one branch."""

    who: Contributor
    clone: Path

    def commit(
        self,
        message: str,
        files: Mapping[str, str] | None = None,
        *,
        author: str = "",
        sign_off: bool = False,
        amend: bool = False,
    ) -> str:
        """Commit these files (a new one when None) and give the hash; `author` is any `Name <address>`, as git allows."""
        for name, text in (files or {f"{len(list(self.clone.iterdir()))}.txt": message + "\n"}).items():
            (self.clone / name).parent.mkdir(parents=True, exist_ok=True)
            (self.clone / name).write_text(text, encoding="utf-8")
        self.git("add", "--all")
        options = [f"--author={author}"] * bool(author) + ["--signoff"] * sign_off + ["--amend"] * amend
        self.git("commit", "--quiet", "--allow-empty", "--message", message, *options)
        return self.git("rev-parse", "HEAD").strip()

    def push(self, *, force: bool = False) -> None:
        """Push the branch as the person who sits here."""
        self.git("push", "--quiet", *(["--force"] * force), "origin", "HEAD")

    def git(self, *arguments: str, at: Path | None = None) -> str:
        """Run git apart from this machine's own settings. Raises `GitRefused`."""
        name, email = self.who.account.name, self.who.email
        done = subprocess.run(  # noqa: S603 - git itself, arguments never through a shell
            ["git", *arguments],  # noqa: S607 - found on the path
            cwd=at or self.clone,
            env={
                "PATH": "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin",
                "GIT_CONFIG_GLOBAL": "/dev/null",
                "GIT_CONFIG_SYSTEM": "/dev/null",
                "GIT_TERMINAL_PROMPT": "0",
                "GIT_AUTHOR_NAME": name,
                "GIT_AUTHOR_EMAIL": email,
                "GIT_COMMITTER_NAME": name,
                "GIT_COMMITTER_EMAIL": email,
                "HOME": str(self.who.folder),
            },
            capture_output=True,
            check=False,
        )
        if done.returncode != 0:
            raise GitRefused(done.stderr.decode(errors="replace").strip())
        return done.stdout.decode(errors="replace")
