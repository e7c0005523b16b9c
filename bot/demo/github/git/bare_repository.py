"""Real bare repositories: everything this GitHub knows of commits is what git says."""

import re
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from signal import SIGINT

ISOLATED: Mapping[str, str] = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "maintenance.auto",  # each commit and each push would start processes that find nothing to do
    "GIT_CONFIG_VALUE_0": "false",
}
"""The whole environment of every git process here: nothing of the machine's own settings or helpers gets in."""

_FIELDS = ("%H", "%T", "%P", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%B")
_FORMAT = "".join(field + "%x00" for field in _FIELDS)

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
"""The heads of pull requests are GitHub's own references: fetched by anybody, pushed by nobody."""

_COMMITS_READ: dict[str, "GitCommit"] = {}
_KNOWN_HASHES: set[tuple[Path, str]] = set()
_HASH = re.compile(r"[0-9a-f]{40}").fullmatch


class GitFailed(Exception):
    """git ended with an error; the message is what it wrote."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A name, an address and a time as git wrote them."""

    name: str
    email: str
    at: datetime


@dataclass(frozen=True, slots=True)
class GitCommit:
    """One commit object."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signed
    committer: Signed
    message: str


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One path that a range of commits touches; `status` in GitHub's words, `previous` the name before a rename."""

    path: str
    status: str
    sha: str
    additions: int
    deletions: int
    previous: str = ""


def run(*arguments: str, cwd: Path | None = None, feed: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
    """Run git in isolation and give its output; raises GitFailed with its complaint."""
    done = _started(arguments, cwd, feed, env)
    while done.returncode == -SIGINT:  # a Ctrl-C between the fork and the new session: git had not begun
        done = _started(arguments, cwd, feed, env)
    if done.returncode != 0:
        raise GitFailed(done.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed")
    return done.stdout


def line(*arguments: str, cwd: Path, feed: bytes = b"", env: Mapping[str, str] | None = None) -> str:
    """Run git and give the one line that it writes; raises GitFailed."""
    return run(*arguments, cwd=cwd, feed=feed, env=env).decode().strip()


def line_if_any(*arguments: str, cwd: Path) -> str | None:
    """The same; None where git fails, because what was asked for is not there."""
    with suppress(GitFailed):
        return line(*arguments, cwd=cwd)
    return None


def verified(folder: Path, name: str) -> str | None:
    """The hash that a revision or `commit:path` stands for; None when there is none."""
    return line_if_any("rev-parse", "--verify", "--quiet", "--end-of-options", name, cwd=folder)


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
    """Make a repository with the branches of another: the two find each other's objects, as all of a network at GitHub."""
    initialise(folder, branch)
    for one, other in ((folder, source), (source, folder)):
        with (one / "objects/info/alternates").open("a", encoding="utf-8") as alternates:
            alternates.write(f"{other.resolve() / 'objects'}\n")
    for name, sha in references(source).items():
        if name.startswith("refs/heads/"):
            _point(folder, name, sha)


def references(folder: Path) -> dict[str, str]:
    """All references and the objects they point at, as git's files say: a process for it would take ten times as long."""
    found = _packed(folder)
    for file in (folder / "refs").rglob("*"):
        name = file.relative_to(folder).as_posix()
        if not name.endswith(".lock") and (sha := _loose(folder, name)):
            found[name] = sha
    return dict(sorted(found.items()))


def _loose(folder: Path, name: str) -> str | None:
    with suppress(OSError, ValueError):  # it is not there, is a folder, or no name of a file
        said = (folder / name).read_text(encoding="ascii").strip()
        return said if _HASH(said) else None
    return None


def _packed(folder: Path) -> dict[str, str]:
    with suppress(FileNotFoundError):
        entries = (line.partition(" ") for line in (folder / "packed-refs").read_text(encoding="utf-8").splitlines())
        return {name: sha for sha, _, name in entries if _HASH(sha)}
    return {}


def current_branch(folder: Path) -> str | None:
    """The reference that HEAD stands for, which may not be there yet; None when HEAD is a commit itself."""
    kind, _, name = (folder / "HEAD").read_text(encoding="utf-8").strip().partition(": ")
    return name if kind == "ref" else None


def _point(folder: Path, name: str, sha: str) -> None:
    """Write a reference that nobody else writes."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.lock")  # as git does: no reader takes that for a reference
    fresh.write_text(f"{sha}\n", encoding="utf-8")
    fresh.replace(file)


def resolve(folder: Path, revision: str) -> str | None:
    """The commit that a revision names, None when there is none."""
    if revision.startswith("-"):
        return None
    if revision == "HEAD":
        revision = current_branch(folder) or revision
    if revision.startswith("refs/heads/") and ".." not in revision:
        return _loose(folder, revision) or _packed(folder).get(revision)
    if (folder, revision) in _KNOWN_HASHES:  # a hash that was there once stays: nothing is ever collected here
        return revision
    found = revision if _is_loose_commit(folder, revision) else verified(folder, revision + "^{commit}")
    if found == revision:
        _KNOWN_HASHES.add((folder, revision))
    return found


def _is_loose_commit(folder: Path, sha: str) -> bool:
    """True for a commit in a file of its own; git has to be asked about all else."""
    with suppress(OSError):
        start = (folder / "objects" / sha[:2] / sha[2:]).read_bytes() if _HASH(sha) else b""
        return zlib.decompressobj().decompress(start, 7) == b"commit "
    return False


@lru_cache(maxsize=2048)
def between(folder: Path, base: str, head: str) -> tuple[GitCommit, ...]:
    """Commits reachable from head and not from base, oldest first; both are full hashes, so the answer never changes."""
    return _commits(folder, "--reverse", "--topo-order", f"{base}..{head}")


def commit(folder: Path, sha: str) -> GitCommit:
    """One commit by its full hash; each is read from git once, as a hash never means another."""
    return _COMMITS_READ.get(sha) or _commits(folder, "--no-walk", sha)[0]


def _commits(folder: Path, *selection: str) -> tuple[GitCommit, ...]:
    out = run("-c", "i18n.logOutputEncoding=UTF-8", "log", f"--format={_FORMAT}", *selection, "--", cwd=folder)
    fields = out.decode(errors="replace").split("\0")[:-1]
    found = tuple(_commit(fields[start : start + len(_FIELDS)]) for start in range(0, len(fields), len(_FIELDS)))
    _COMMITS_READ.update({one.sha: one for one in found})
    return found


def _commit(fields: list[str]) -> GitCommit:
    sha, tree, parents, name, email, at, cname, cemail, cat, message = fields
    return GitCommit(
        sha=sha.strip(),
        tree=tree,
        parents=tuple(parents.split()),
        author=Signed(name, email, _moment(at)),
        committer=Signed(cname, cemail, _moment(cat)),
        message=message.rstrip("\n"),
    )


def _moment(text: str) -> datetime:
    """A commit may name a time that no calendar has; then git and we say the epoch."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC)


@lru_cache(maxsize=1024)
def merge_base(folder: Path, base: str, head: str) -> str | None:
    """The newest common ancestor of two commits by their full hashes; None when the two have no common past."""
    return line_if_any("merge-base", base, head, cwd=folder)


_DIFF = ("--find-renames", "--raw", "--abbrev=40", "--numstat", "-z")


@lru_cache(maxsize=1024)
def files(folder: Path, base: str, head: str) -> tuple[ChangedFile, ...]:
    """Paths that differ between the merge base and head; without a common past, between base and head themselves."""
    start = merge_base(folder, base, head) or base
    return _changed_files(_parts(run("diff", *_DIFF, start, head, cwd=folder)))


def files_of_each(folder: Path, commits: Sequence[GitCommit]) -> dict[str, tuple[ChangedFile, ...]]:
    """What each of these commits changes of its first parent, by its hash; nothing of one without a parent."""
    parents = {one.sha: one.parents[:1] for one in commits}
    pairs = "".join(f"{sha} {first}\n" for sha, above in parents.items() for first in above)
    found: dict[str, list[str]] = {sha: [] for sha in parents}
    if not pairs:
        return dict.fromkeys(found, ())
    listed: list[str] = []
    for part in _parts(run("diff-tree", "--stdin", "-r", *_DIFF, cwd=folder, feed=pairs.encode())):
        if part in found:
            listed = found[part]
        else:
            listed.append(part)
    return {sha: _changed_files(parts) for sha, parts in found.items()}


def _parts(out: bytes) -> list[str]:
    return out.decode(errors="replace").split("\0")[:-1]


def _changed_files(parts: list[str]) -> tuple[ChangedFile, ...]:
    """What git wrote of one comparison: first a kind for each path, then its lines."""
    words = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "T": "changed"}
    kinds: dict[str, tuple[str, str, str]] = {}
    found = []
    rest = iter(parts)
    for first in rest:
        if first.startswith(":"):
            *_, sha, kind = first.split()
            previous = next(rest) if kind[0] == "R" else ""
            kinds[next(rest)] = (words.get(kind[0], "modified"), sha, previous)
            continue
        added, deleted, path = first.split("\t", 2)
        if not path:  # a renamed one: both names follow
            _, path = next(rest), next(rest)
        status, sha, previous = kinds[path]
        more, less = (int(count.replace("-", "0")) for count in (added, deleted))
        found.append(ChangedFile(path, status, sha, more, less, previous))
    return tuple(found)


def patch(folder: Path, base: str, head: str, path: str) -> list[str]:
    """The changed lines of one path, each with its `+`, `-` or blank, by their places; none for a binary file."""
    start = merge_base(folder, base, head) or base
    lines = run(
        "diff", "--no-color", "--no-ext-diff", "--find-renames", start, head, "--", f":(literal){path}", cwd=folder
    )
    text = lines.decode(errors="replace").splitlines()
    return text[next((number for number, line in enumerate(text) if line.startswith("@@")), len(text)) :]


def blob(folder: Path, revision: str, path: str) -> tuple[str, bytes] | None:
    """The object id and bytes of a file at a revision; None when it is not there or no file."""
    sha = resolve(folder, revision)
    return None if sha is None else _blob(folder, sha, path)


@lru_cache(maxsize=1024)
def _blob(folder: Path, sha: str, path: str) -> tuple[str, bytes] | None:
    out = run("cat-file", "--batch", "-z", cwd=folder, feed=f"{sha}:{path}\0".encode())
    heading, _, data = out.partition(b"\n")
    found, *kind = heading.decode(errors="replace").split(" ")
    is_file = _HASH(found) and kind[:1] == ["blob"]  # else a folder, or not there
    return (found, data.removesuffix(b"\n")) if is_file else None


def bring(folder: Path, source: Path, sha: str, reference: str) -> None:
    """Copy a commit with its history from another repository of ours and point a reference at it."""
    if source != folder and resolve(folder, sha) is None:
        allow = {
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_1": "uploadpack.allowAnySHA1InWant",
            "GIT_CONFIG_VALUE_1": "true",
        }
        run("fetch", "--quiet", "--no-tags", str(source), sha, cwd=folder, env=allow)
    _point(folder, reference, sha)


def write(folder: Path, reference: str, content: Mapping[str, str], *, message: str, by: Signed) -> str:
    """Add one commit that sets these files, on top of the reference, else of HEAD, else as the first; gives its hash."""
    who = f"{by.name} <{by.email}> {int(by.at.timestamp())} +0000"
    lines = [f"commit {reference}", f"author {who}", f"committer {who}", f"data {len(message.encode())}", message]
    parent = resolve(folder, reference) or resolve(folder, "HEAD")
    feed = "\n".join([*lines, *([f"from {parent}"] if parent else [])]).encode() + b"\n"
    for path, text in content.items():
        feed += f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n".encode()
    run("fast-import", "--quiet", "--date-format=raw", cwd=folder, feed=feed)
    return resolve(folder, reference) or ""


def commit_tree(
    folder: Path, message: str, tree: str, parents: Sequence[str], *, author: Signed, committer: Signed
) -> str:
    """Write a commit that is on no branch yet; gives its hash."""
    who = {
        f"GIT_{role}_{part}": value
        for role, one in (("AUTHOR", author), ("COMMITTER", committer))
        for part, value in (("NAME", one.name), ("EMAIL", one.email), ("DATE", f"{int(one.at.timestamp())} +0000"))
    }
    above = [word for sha in parents for word in ("-p", sha)]
    return line("commit-tree", tree, *above, cwd=folder, env=who, feed=message.encode())


def merge_commit(folder: Path, base: str, head: str, *, message: str, by: Signed) -> str:
    """Write the merge of two commits on no branch yet; gives its hash, raises GitFailed on a conflict."""
    tree = line("merge-tree", "--write-tree", base, head, cwd=folder).splitlines()[0]
    return commit_tree(folder, message, tree, [base, head], author=by, committer=by)


def merge(folder: Path, branch: str, head: str, *, message: str, by: Signed) -> str:
    """Merge a commit into a branch with a merge commit and give its hash; raises GitFailed on a conflict."""
    base = line("rev-parse", f"refs/heads/{branch}", cwd=folder)
    made = merge_commit(folder, base, head, message=message, by=by)
    run("update-ref", f"refs/heads/{branch}", made, base, cwd=folder)
    return made
