"""Real bare repositories: everything this GitHub knows of commits is what git says."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from signal import SIGINT

from bot.demo.github.git import loose_objects

# The whole environment of every git process here: nothing of the machine's own settings or helpers gets in.
ISOLATED: Mapping[str, str] = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "maintenance.auto",  # Each commit and each push would start processes that find nothing to do
    "GIT_CONFIG_VALUE_0": "false",
}

_FIELDS = ("%H", "%T", "%P", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%B")
_FORMAT = "".join(field + "%x00" for field in _FIELDS)

# `refs/pull`, the heads of pull requests, are GitHub's own: all readers may fetch them, no push may change them.
_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[http]
\treceivepack = true
[gc]
\tauto = 0
[receive]
\thideRefs = refs/pull
"""

_COMMITS_READ: dict[str, "GitCommit"] = {}  # A hash never means another commit.
_KNOWN_HASHES: set[tuple[Path, str]] = set()  # A hash stays: nothing is ever collected here.
_HASH = re.compile(r"[0-9a-f]{40}").fullmatch
_PERSON = rb"([^\s<>\0](?:[^\n<>\0]*[^\s<>\0])?) <([^\s<>\0]*)> (\d{1,10}) [+-](?:0\d|1[0-4])\d\d\n"
# A commit with other lines in its head, such as a signature or an encoding, is left to git.
_PLAIN_COMMIT = re.compile(
    rb"tree (\w{40})\n((?:parent \w{40}\n)*)author " + _PERSON + rb"committer " + _PERSON + rb"\n([^\0]*)"
).fullmatch


class GitFailed(Exception):
    """git ended with an error; the message is what it wrote."""


@dataclass(frozen=True, slots=True)
class GitIdentity:
    """A `name`, an address (`email`) and a time (`at`) as git wrote them."""

    name: str
    email: str
    at: datetime


@dataclass(frozen=True, slots=True)
class GitCommit:
    """A commit: the hashes of itself (`sha`), its `tree` and its `parents`; its `author`, `committer` and `message`."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: GitIdentity
    committer: GitIdentity
    message: str


def run(*arguments: str, cwd: Path | None = None, feed: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
    """Run git in isolation and give its output; raises GitFailed with its complaint."""
    done = _started(arguments, cwd, feed, env)
    while done.returncode == -SIGINT:  # A Ctrl-C between the fork and the new session: git had not begun
        done = _started(arguments, cwd, feed, env)
    if done.returncode != 0:
        raise GitFailed(done.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed")
    return done.stdout


def line_if_any(*arguments: str, cwd: Path) -> str | None:
    """Run git and give the one line that it writes; None where it fails, because what was asked for is not there."""
    with suppress(GitFailed):
        return run(*arguments, cwd=cwd).decode().strip()
    return None


def _started(
    arguments: tuple[str, ...], cwd: Path | None, feed: bytes, env: Mapping[str, str] | None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - git itself, arguments never through a shell
        ["git", *arguments],  # noqa: S607 - found on the isolated PATH
        cwd=cwd,
        input=feed,
        env={**ISOLATED, **(env or {})},
        capture_output=True,
        check=False,
        start_new_session=True,  # Ctrl-C in a terminal is for who runs us: what git is at comes to its end
    )


def initialise(folder: Path, branch: str) -> None:
    """Make an empty bare repository that accepts pushes over HTTP."""
    for part in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (folder / part).mkdir(parents=True)
    (folder / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8")
    (folder / "config").write_text(_CONFIG, encoding="utf-8")


def fork(folder: Path, source: Path, branch: str) -> None:
    """Make a repository with the branches of another."""
    initialise(folder, branch)
    # Both find each other's objects, as in a network at GitHub: a fork's commits are in the base, too.
    for repository, other in ((folder, source), (source, folder)):
        with (repository / "objects/info/alternates").open("a", encoding="utf-8") as alternates:
            alternates.write(f"{other.resolve() / 'objects'}\n")
    for name, sha in references(source).items():
        if name.startswith("refs/heads/"):
            point(folder, name, sha)


def references(folder: Path) -> dict[str, str]:
    """All references and the objects they point at."""
    # As git's files say: a process for it would take ten times as long.
    found = _packed(folder)
    for file in (folder / "refs").rglob("*"):
        name = file.relative_to(folder).as_posix()
        if not name.endswith(".lock") and (sha := _loose(folder, name)):
            found[name] = sha  # A loose one is newer than a packed one.
    return dict(sorted(found.items()))


def _loose(folder: Path, name: str) -> str | None:
    with suppress(OSError, ValueError):  # It is not there, is a folder, or no name of a file
        said = (folder / name).read_text(encoding="ascii").strip()
        return said if _HASH(said) else None
    return None


def _packed(folder: Path) -> dict[str, str]:
    with suppress(FileNotFoundError):
        entries = (line.partition(" ") for line in (folder / "packed-refs").read_text(encoding="utf-8").splitlines())
        # Other lines are a comment, or the commit that a tag stands for.
        return {name: sha for sha, _, name in entries if _HASH(sha)}
    return {}


def current_branch(folder: Path) -> str | None:
    """The reference that HEAD stands for, which may not be there yet; None when HEAD is a commit itself."""
    kind, _, name = (folder / "HEAD").read_text(encoding="utf-8").strip().partition(": ")
    return name if kind == "ref" else None


def point(folder: Path, name: str, sha: str) -> None:
    """Write a reference that no other writer changes meanwhile."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.lock")  # As git does: no reader takes that for a reference
    fresh.write_text(f"{sha}\n", encoding="utf-8")
    fresh.replace(file)


def resolve(folder: Path, revision: str) -> str | None:
    """The commit that a revision names, None when there is none."""
    if revision.startswith("-"):  # Git would take it for an option.
        return None
    if revision == "HEAD":
        revision = current_branch(folder) or revision
    if revision.startswith("refs/heads/") and ".." not in revision:  # `..` would lead out of the folder.
        return _loose(folder, revision) or _packed(folder).get(revision)
    if (folder, revision) in _KNOWN_HASHES:  # A hash that was there once stays: nothing is ever collected here
        return revision
    kind, _ = loose_objects.read(folder, revision) or ("", b"")
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    found = revision if kind == "commit" else line_if_any(*asked, cwd=folder)
    if found == revision:  # A full hash; a name may move.
        _KNOWN_HASHES.add((folder, revision))
    return found


@lru_cache(maxsize=2048)
def between(folder: Path, base: str, head: str) -> tuple[GitCommit, ...]:
    """Commits reachable from head and not from base, oldest first; both are full hashes."""
    old, new = _straight_history(folder, base), _straight_history(folder, head)
    if old is not None and new is not None:
        return tuple(git_commit for git_commit in reversed(new.values()) if git_commit.sha not in old)
    return _commits(folder, "--reverse", "--topo-order", f"{base}..{head}")


def commit(folder: Path, sha: str) -> GitCommit:
    """One commit by its full hash; each is read from git once, as a hash never means another."""
    return _COMMITS_READ.get(sha) or _loose_commit(folder, sha) or _commits(folder, "--no-walk", sha)[0]


def _loose_commit(folder: Path, sha: str) -> GitCommit | None:
    """None where git has to be asked: it is packed, or more than names, times and a message in UTF-8."""
    kind, content = loose_objects.read(folder, sha) or ("", b"")
    parts = _PLAIN_COMMIT(content) if kind == "commit" else None
    if parts is None:
        return None
    try:
        tree, parents, name, email, at, cname, cemail, cat, message = (part.decode() for part in parts.groups())
    except UnicodeDecodeError:
        return None
    author, committer = GitIdentity(name, email, _seconds(at)), GitIdentity(cname, cemail, _seconds(cat))
    above = tuple(parents.replace("parent ", "").split())
    return _COMMITS_READ.setdefault(sha, GitCommit(sha, tree, above, author, committer, message.rstrip("\n")))


def _seconds(since_epoch: str) -> datetime:
    return datetime.fromtimestamp(int(since_epoch), UTC)


def _straight_history(folder: Path, sha: str) -> dict[str, GitCommit] | None:
    """A commit and all those before it by their hashes, newest first; None where git has to be asked, as of merges."""
    found: dict[str, GitCommit] = {}
    above: tuple[str, ...] = (sha,)
    while above:
        git_commit = _COMMITS_READ.get(above[0]) or _loose_commit(folder, above[0])
        if git_commit is None or len(git_commit.parents) > 1:
            return None
        found[git_commit.sha] = git_commit
        above = git_commit.parents
    return found


def _commits(folder: Path, *selection: str) -> tuple[GitCommit, ...]:
    # Messages in other encodings are converted by git.
    out = run("-c", "i18n.logOutputEncoding=UTF-8", "log", f"--format={_FORMAT}", *selection, "--", cwd=folder)
    fields = out.decode(errors="replace").split("\0")[:-1]
    found = tuple(_commit(fields[start : start + len(_FIELDS)]) for start in range(0, len(fields), len(_FIELDS)))
    _COMMITS_READ.update({git_commit.sha: git_commit for git_commit in found})
    return found


def _commit(fields: list[str]) -> GitCommit:
    sha, tree, parents, name, email, at, cname, cemail, cat, message = fields
    return GitCommit(
        sha=sha.strip(),
        tree=tree,
        parents=tuple(parents.split()),
        author=GitIdentity(name, email, _moment(at)),
        committer=GitIdentity(cname, cemail, _moment(cat)),
        message=message.rstrip("\n"),
    )


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):  # No calendar has that time: git says the epoch, too.
        return datetime.fromtimestamp(0, UTC)


@lru_cache(maxsize=1024)
def merge_base(folder: Path, base: str, head: str) -> str | None:
    """The newest common ancestor of two commits by their full hashes; None when the two have no common past."""
    old, new = _straight_history(folder, base), _straight_history(folder, head)
    if old is not None and new is not None:
        return next((sha for sha in new if sha in old), None)
    return line_if_any("merge-base", base, head, cwd=folder)


def blob(folder: Path, revision: str, path: str) -> tuple[str, bytes] | None:
    """The object id and bytes of a file at a revision; None when it is not there or no file."""
    sha = resolve(folder, revision)
    return None if sha is None else _blob(folder, sha, path)


@lru_cache(maxsize=1024)
def _blob(folder: Path, sha: str, path: str) -> tuple[str, bytes] | None:
    found = commit(folder, sha).tree
    for name in path.encode().split(b"/"):
        kind, content = read_object(folder, found)
        below = loose_objects.entries(content) if kind == "tree" else {}
        if name not in below:
            return None
        _, found = below[name]
    kind, content = read_object(folder, found)
    return (found, content) if kind == "blob" else None


def read_object(folder: Path, sha: str) -> tuple[str, bytes]:
    """Kind and content of an object by its full hash; nothing of one that is not there."""
    if (found := loose_objects.read(folder, sha)) or not _HASH(sha):  # Names are not looked up.
        return found or ("", b"")
    heading, _, content = run("cat-file", "--batch", cwd=folder, feed=f"{sha}\n".encode()).partition(b"\n")
    _, kind, *size = heading.decode().split()
    return (kind, content.removesuffix(b"\n")) if size else ("", b"")


def write(folder: Path, reference: str, content: Mapping[str, str], *, message: str, by: GitIdentity) -> str:
    """Add one commit that sets these files, on top of the reference, else HEAD, else as the first; its hash."""
    parent = resolve(folder, reference) or resolve(folder, "HEAD")
    sha = commit_files(folder, parent, content, message=message, author=by, committer=by)
    point(folder, reference, sha)
    return sha


def commit_files(
    folder: Path,
    parent: str | None,
    content: Mapping[str, str],
    *,
    message: str,
    author: GitIdentity,
    committer: GitIdentity,
) -> str:
    """Write a commit on no branch yet that sets these files on top of its parent; gives its hash."""
    files = {
        path.encode(): (loose_objects.FILE, loose_objects.write(folder, "blob", text.encode()))
        for path, text in content.items()
    }
    tree = tree_with(folder, commit(folder, parent).tree if parent else None, files)
    return commit_tree(folder, message, tree, [parent] if parent else [], author=author, committer=committer)


def tree_with(folder: Path, start: str | None, files: loose_objects.Entries) -> str:
    """Store a tree that has these paths, also in folders, on top of another (None: of nothing); gives its hash."""
    items = loose_objects.entries(read_object(folder, start)[1]) if start else {}
    deeper: dict[bytes, loose_objects.Entries] = {}
    for path, item in files.items():
        name, _, rest = path.partition(b"/")
        if rest:
            deeper.setdefault(name, {})[rest] = item
        else:
            items[name] = item
    for name, below in deeper.items():
        mode, sha = items.get(name, (b"", ""))
        there = sha if mode == loose_objects.FOLDER else None
        items[name] = (loose_objects.FOLDER, tree_with(folder, there, below))
    return loose_objects.write_tree(folder, items)


def commit_tree(
    folder: Path, message: str, tree: str, parents: Sequence[str], *, author: GitIdentity, committer: GitIdentity
) -> str:
    """Write a commit that is on no branch yet; gives its hash."""
    signed = (f"{role} {identity.name} <{identity.email}> {int(identity.at.timestamp())} +0000"
              for role, identity in (("author", author), ("committer", committer)))  # fmt: skip
    lines = [f"tree {tree}", *(f"parent {sha}" for sha in parents), *signed, "", message]
    return loose_objects.write(folder, "commit", "\n".join(lines).encode())


def merge_commit(
    folder: Path, base: str, head: str, *, message: str, by: GitIdentity, squashed_as: GitIdentity | None = None
) -> str:
    """Write the merge of two commits on no branch yet, or (`squashed_as` its author) one commit of all that head has more.

    Gives its hash, raises GitFailed on a conflict.
    """
    tree = run("merge-tree", "--write-tree", base, head, cwd=folder).decode().splitlines()[0]  # Since git 2.38.
    parents = [base] if squashed_as else [base, head]
    return commit_tree(folder, message, tree, parents, author=squashed_as or by, committer=by)


def rebase(folder: Path, base: str, head: str, *, by: GitIdentity) -> list[str]:
    """Write the commits that head has more than base anew, on top of base; their hashes. GitFailed where base has more, too."""
    if merge_base(folder, base, head) != base:
        raise GitFailed("this small GitHub rebases nothing onto a base that went on")
    made = [base]
    # GitHub gives them another committer, so that each has a new hash ("About merge methods on GitHub").
    for git_commit in between(folder, base, head):
        made.append(
            commit_tree(folder, git_commit.message, git_commit.tree, made[-1:], author=git_commit.author, committer=by)
        )
    return made[1:]
