"""Real repositories for tests: a project, people who clone it, and commits that git itself would never write."""

import shutil
import subprocess
from pathlib import Path

import pytest

ADA = ("Ada", "ada@huawei.com")
BO = ("Bo", "bo@x.org")


class Desk:
    """A work tree at which a person works."""

    def __init__(self, folder: Path, who: tuple[str, str] | None = ADA) -> None:
        self.folder = folder
        if who is not None:
            self.identify(*who)

    def identify(self, name: str, email: str) -> None:
        """Configure who works here from now on."""
        self.git("config", "user.name", name)
        self.git("config", "user.email", email)

    def git(self, *arguments: str, feed: str | bytes = "") -> str:
        """Run git here; fails the test when git fails."""
        data = feed.encode() if isinstance(feed, str) else feed
        done = subprocess.run(["git", *arguments], cwd=self.folder, input=data, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode(errors="replace").strip()

    def commit(self, message: str = "Change", *, by: tuple[str, str] | None = None, **files: str) -> str:
        """Commit files (by default a fresh one), `by` as author; gives the object name."""
        for name, text in (files or {f"file{self.count()}": message}).items():
            (self.folder / name).write_text(text)
        self.git("add", "--all")
        author = ("--author", f"{by[0]} <{by[1]}>") if by else ()
        self.git("commit", "--quiet", "--allow-empty", "--file=-", *author, feed=message)
        return self.head()

    def signed(self, message: str = "Change", *, by: tuple[str, str] = ADA, **files: str) -> str:
        """Commit with the sign-off of `by`."""
        return self.commit(f"{message}\n\nSigned-off-by: {by[0]} <{by[1]}>\n", by=by, **files)

    def write(self, path: str, text: str) -> None:
        """A file in the work tree, not committed."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def raw(self, data: bytes) -> str:
        """A commit of exactly these bytes, checked out on the branch; gives its object name."""
        sha = self.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", feed=data)
        self.git("update-ref", "HEAD", sha)
        return sha

    def head(self) -> str:
        """What is checked out."""
        return self.git("rev-parse", "HEAD")

    def count(self) -> int:
        """How many commits there are."""
        return len(self.git("rev-list", "--all").split())


@pytest.fixture(name="home")
def _home(tmp_path, monkeypatch):
    """A home of its own for git: none of this machine's settings, and no person to ask."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "EMAIL", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in _isolated(tmp_path).items():
        monkeypatch.setenv(name, value)
    return tmp_path


def _isolated(home: Path) -> dict[str, str]:
    (home / "gitconfig").write_text("[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n")
    return {
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        "GIT_EDITOR": "true",
        "GIT_TERMINAL_PROMPT": "0",
    }


@pytest.fixture(scope="session", name="pattern")
def _pattern(tmp_path_factory):
    """The project and two clones of it, made once: each test works on copies."""
    folder = tmp_path_factory.mktemp("pattern")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _isolated(folder).items():
            patch.setenv(name, value)
        subprocess.run(["git", "init", "--quiet", "--bare", folder / "project.git"], check=True)
        desk = clone(folder / "project.git", folder / "maintainer", BO)
        desk.signed("Begin", by=BO)
        desk.git("push", "--quiet", "origin", "main")
        clone(folder / "project.git", folder / "ada").git("checkout", "--quiet", "-b", "fix")
    return folder


@pytest.fixture(name="project")
def _project(home, pattern):
    """The desk of a maintainer, Bo, who pushed one signed commit to the project's own bare repository."""
    shutil.copytree(pattern / "project.git", home / "project.git")
    return _copy(pattern / "maintainer", home)


@pytest.fixture(name="desk")
def _desk(project, pattern):
    """Ada's clone of the project, on a branch `fix` that has no upstream."""
    return _copy(pattern / "ada", project.folder.parent)


def _copy(folder: Path, home: Path) -> Desk:
    shutil.copytree(folder, home / folder.name, symlinks=True)
    config = home / folder.name / ".git" / "config"
    config.write_text(config.read_text().replace(folder.parent.as_uri(), home.as_uri()))
    return Desk(home / folder.name, None)


def clone(source: Path, folder: Path, who: tuple[str, str] = ADA, *options: str) -> Desk:
    """Clone and sit down."""
    subprocess.run(["git", "clone", "--quiet", *options, source.as_uri(), folder], check=True, capture_output=True)
    return Desk(folder, who)
