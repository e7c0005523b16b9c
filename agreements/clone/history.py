"""A local clone, asked through git alone: the commits of a range, and the files of its base."""

import os
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from agreements.clone import clean_reverts, commit_objects, merges
from agreements.domains.masking import visible
from agreements.facts import Commit, FileDiff

_BATCH_COMMITS: Final = 2_000  # few processes for a long history, and never all of it in memory
"""The commits that one process of git reads."""
_MAX_BLOB_BYTES: Final = 1_000_000
"""The largest file that is read, in bytes; of a larger one GitHub's interface gives no text either."""
# A file monitor and a fetch for a partial clone would run programs that the clone's own settings name.
_ALONE: Final = tuple(
    part
    for setting in (
        "core.fsmonitor=false",
        "protocol.allow=never",
        *(f"protocol.{protocol}.allow=never" for protocol in ("ext", "file", "git", "http", "https", "ssh")),
    )
    for part in ("-c", setting)
)
"""Options for each run of git that keep it from running other programs."""
_ELSEWHERE: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE")
"""Variables that lead git to a repository wherever it stands; git sets them for hooks."""
_WHOLE = "fetch the whole history: `git fetch --unshallow` (actions/checkout: `fetch-depth: 0`)"
_CUSTOM: Final = ("main", "master")
"""Names of a default branch that are looked for where the remote's own word is not known."""
_COMPLETE = "fetch all of it: `git fetch --refetch --no-filter`"


class HistoryUnreadable(Exception):
    """The clone can't answer; the message says why, and what to do, in one line."""


class NoText(Exception):
    """The path is no text: a folder, binary, or too large."""


@dataclass(frozen=True, slots=True)
class PushTarget:
    """The `remote` (a name or an address) that a branch was pushed to; `is_tracked`: the clone knows the branch's state there."""

    remote: str
    is_tracked: bool


@dataclass(frozen=True, slots=True)
class Range:
    """The commits that `head` has and `base` has not, both as full object names; `base_name` and `head_name` are the branches' names, "" for none."""

    base: str
    head: str
    base_name: str = ""
    head_name: str = ""

    def __str__(self) -> str:
        """The range as one would write it, object names in their first 12 digits."""
        return f"{self.base_name or self.base[:12]}..{self.head_name or self.head[:12]}"


def _without_repository() -> dict[str, str]:
    """The environment for git, without variables that lead it to a repository."""
    handed_on = os.environ  # noqa: TID251 - handed on to git, not read
    return {name: value for name, value in handed_on.items() if name not in _ELSEWHERE}


class Clone:
    """A repository on this machine: a work tree or any folder in it, or a bare one.

    Only git's plumbing is asked, which runs no hook, filter, pager or helper of the repository's, and fetches nothing.
    Every method raises HistoryUnreadable when git can't answer.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        # A path other than `.` is meant, also where a hook's environment names another repository.
        self._environment = None if path == "." else _without_repository()
        self.folder = self._said("rev-parse", "--path-format=absolute", "--git-common-dir")

    def range(self, wanted: str | None, project: str | None = None) -> Range:
        """The range `BASE..HEAD`; without a HEAD what is checked out.

        Without a BASE it is the upstream of HEAD; where that is only the branch's own copy, or there is none, the
        default branch of the remote: of the one whose address is that of `project` (`owner/name`), if there is one.
        """
        base, dots, head = (wanted or "..").partition("..")
        if not dots:
            raise HistoryUnreadable(f"{visible(base)!r} is not a range; write BASE..HEAD")
        head = head.removeprefix(".") or "HEAD"  # Three dots count as two: a range is what HEAD adds to BASE.
        head_sha = self._commit(head)
        base = base or self._default_base(head, project)
        return Range(self._commit(base), head_sha, self._branch(base), self._branch(head))

    def commits(self, span: Range) -> Iterator[Commit]:
        """The commits of the range, parents first. No account is known, and no signature was checked."""
        # A shallow clone would give old commits as new ones.
        if self._shallow and self._try("merge-base", span.base, span.head) is None:
            raise HistoryUnreadable(f"this clone is shallow, base and head have no common past in it; {_WHOLE}")
        lines = self._git("rev-list", "--topo-order", "--reverse", "--parents", span.head, f"^{span.base}")
        every = lines.splitlines(keepends=True)
        for start in range(0, len(every), _BATCH_COMMITS):
            yield from self._read(b"".join(every[start : start + _BATCH_COMMITS]))

    def with_merge_changes(self, commits: Sequence[Commit]) -> tuple[Commit, ...]:
        """The commits, each merge with whether it brings more than its parents; unknown where git can't tell."""
        try:
            known = merges.merge_changes([commit for commit in commits if commit.is_merge], self._git)
        except HistoryUnreadable:  # git before 2.39, or a missing object
            return tuple(commits)
        return tuple(
            replace(commit, merge_changes=known[commit.sha]) if commit.sha in known else commit for commit in commits
        )

    def with_reverts(self, commits: Sequence[Commit], base: str) -> tuple[Commit, ...]:
        """The commits, each with whether it is a clean revert of one that `base` has; unknown where git can't tell."""

        def in_base(sha: str) -> bool:
            return self._try("merge-base", "--is-ancestor", sha, base) is not None

        try:
            clean = clean_reverts.clean_reverts(commits, self._git, in_base)
        except HistoryUnreadable:  # a missing object
            return tuple(commits)
        return tuple(replace(commit, reverts=commit.sha in clean) for commit in commits)

    def file(self, commit: str, path: str) -> str | None:
        """The text of a file as a commit has it, None when it is not there. Raises NoText."""
        entry = self._git("ls-tree", "-z", "-l", "--full-tree", commit, "--", path).partition(b"\0")[0]
        if not entry:
            return None
        _mode, kind, name, size, _path = entry.split(maxsplit=4)
        if kind != b"blob" or int(size) > _MAX_BLOB_BYTES:
            raise NoText(path)
        data = self._git("cat-file", "blob", name.decode())
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise NoText(path) from None
        if "\0" in text:
            raise NoText(path)
        return text

    def files(self, span: Range) -> tuple[str, ...]:
        """The paths that the range adds or gives new content, since it left the base."""
        # From where it left the base: changes of the base since then are not the range's.
        start = self._try("merge-base", span.base, span.head) or span.base
        raw = self._git("diff-tree", "-r", "-z", "--raw", "--find-renames", "--diff-filter=d", start, span.head)
        parts = raw.decode(errors="surrogateescape").split("\0")[:-1]
        found = []
        while parts:
            _modes, _mode, old, new, kind = parts.pop(0).split()
            if kind[0] in "RC":
                parts.pop(0)  # the name before
            path = parts.pop(0)
            if old != new or kind[0] in "RC":  # a change of the mode alone is no new content
                found.append(path)
        return tuple(found)

    def changes(self, span: Range) -> tuple[FileDiff, ...]:
        """The changes of the range by their lines, since it left the base; how long these are is not looked at."""
        start = self._try("merge-base", span.base, span.head) or span.base
        raw = self._git("diff-tree", "-r", "-z", "--raw", "--numstat", "--find-renames", start, span.head)
        parts = iter(raw.decode(errors="surrogateescape").split("\0")[:-1])
        plain, found = set[str](), []
        for part in parts:
            if part.startswith(":"):  # First each file's kind, then each file's lines.
                _old, mode, *_shas, kind = part.split()
                names = [next(parts) for _ in range(2 if kind[0] in "RC" else 1)]
                if kind[0] in "AMRD" and mode in ("100644", "000000"):  # No link, submodule or program; 0: it is gone.
                    plain.add(names[-1])
                continue
            added, deleted, path = part.split("\t", 2)
            before, path = ("", path) if path else (next(parts), next(parts))
            more, less = (int(lines.replace("-", "0")) for lines in (added, deleted))  # A binary file has dashes.
            is_text = path in plain and more + less > 0
            found.append(FileDiff(path=path, previous_path=before, additions=more, deletions=less, text=is_text))
        return tuple(found)

    def listed(self) -> tuple[str, ...]:
        """The files below the folder that git does not ignore; some may be gone, or no files."""
        raw = self._git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return tuple(dict.fromkeys(raw.decode(errors="surrogateescape").split("\0")[:-1]))

    def not_checked_out(self) -> tuple[str, ...]:
        """The files that git tracks and has not written into the work tree, as in a sparse checkout."""
        listed = self._git("ls-files", "-z", "-t").decode(errors="surrogateescape").split("\0")[:-1]
        if listed:
            return tuple(entry[2:] for entry in listed if entry.startswith("S "))  # S: git's mark for "skip-worktree"
        return tuple((self._try("ls-tree", "-r", "-z", "--name-only", "HEAD") or "").split("\0")[:-1])

    def name(self) -> str:
        """`owner/name` by the address of the remote; the bare name where that is a path, or the folder's."""
        for remote in self._remotes():
            if name := self._named(remote):
                return name
        parts = [part for part in self.folder.replace("\\", "/").split("/") if part not in ("", ".git")]
        return parts[-1].removesuffix(".git") if parts else ""

    def identity(self) -> tuple[str, str]:
        """The name and address under which git would commit here; empty where none are set."""
        # Else git makes one up of the machine's name.
        said = self._try("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT") or ""
        name, _, rest = said.partition(" <")
        return name, rest.partition(">")[0]

    def pushed_to(self, branch: str) -> PushTarget | None:
        """The remote on which the branch has a copy of the same name; None: none that this clone knows."""
        # First that of its upstream, then `origin`; `gh pr checkout` names an address instead of a remote.
        found = [remote for remote in self._remotes() if self._full_name(f"refs/remotes/{remote}/{branch}")]
        remote = self._try("config", "--get", f"branch.{branch}.remote") or ""
        merged = self._try("config", "--get", f"branch.{branch}.merge") == f"refs/heads/{branch}"
        if merged and remote not in (".", *found) and any(char in remote for char in "/:"):
            return PushTarget(without_login(remote), is_tracked=False)
        preferred = (remote if merged else "", "origin", *found)
        return next((PushTarget(name, is_tracked=True) for name in preferred if name in found), None)

    def is_head(self, commit: str) -> bool:
        """Whether this commit is checked out here."""
        return self._try("rev-parse", "--verify", "--quiet", "HEAD^{commit}") == commit

    def head(self) -> str:
        """The commit that is checked out, with `-dirty` behind it where a tracked file was changed."""
        sha = self._commit("HEAD")
        named = self._try("config", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process)$") or ""
        filters = [name for name in named.split("\n") if name]
        none = [  # A filter is a program that the clone's own settings may name.
            part for name in filters for part in ("-c", f"{name}=", "-c", f"{name.rpartition('.')[0]}.required=false")
        ]
        asked = (*none, "--no-optional-locks", "status", "--porcelain", "-uno", "--ignore-submodules=all")
        # A name with `=` can't be switched off by `-c`.
        is_clean = not any("=" in name for name in filters) and self._try(*asked) == ""
        return sha if is_clean else f"{sha}-dirty"

    def _read(self, lines: bytes) -> Iterator[Commit]:
        data = self._git("cat-file", "--buffer", "--batch=%(objectname) %(objectsize) %(rest)", feed=lines)
        place = 0
        while place < len(data):
            end = data.index(b"\n", place)
            sha, size, *parents = data[place:end].decode().split()
            if size == "missing":
                raise HistoryUnreadable(f"commit {sha} is missing here, `git fsck` tells more")
            place = end + 1 + int(size) + 1
            commit = commit_objects.read(sha, data[end + 1 : place - 1])
            if set(commit.parents) != set(parents):  # A graft or a shallow clone hides parents.
                hint = _WHOLE if self._shallow else "remove the old file `info/grafts` of git, which says so"
                raise HistoryUnreadable(f"the history of this clone is cut off at {sha[:12]}; {hint}")
            yield commit

    def _commit(self, revision: str) -> str:
        found = None
        if not revision.startswith(("-", "^")) and "\0" not in revision:  # `-` would be an option, `^` an exclusion.
            found = self._try("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if found is None and revision == "HEAD":
            raise HistoryUnreadable("there are no commits here yet")
        if found is None:
            hint = f"; this clone is shallow, {_WHOLE}" if self._shallow else ", fetch it or correct its name"
            raise HistoryUnreadable(f"{visible(revision)!r} is not a commit here{hint}")
        return found

    def _branch(self, revision: str) -> str:
        full = self._full_name(revision)
        kind, _, name = full.removeprefix("refs/").partition("/")
        return name if kind in ("heads", "remotes") else ""

    def _default_base(self, head: str, project: str | None) -> str:
        branch = self._full_name(head)
        known = branch.startswith("refs/heads/")
        configured = self._said("for-each-ref", "--format=%(upstream) %(upstream:remoteref)", branch) if known else ""
        upstream, _, source = configured.partition(" ")
        if source not in ("", branch) and self._full_name(
            upstream
        ):  # Else the upstream is gone, was never fetched, or is a copy.
            return upstream
        names = self._remotes()
        if project:  # Its address counts: a remote's name is anyone's choice.
            names = [name for name in names if self._named(name).casefold() == project.casefold()] or names
        found = next((found for remote in names if (found := self._default_branch(remote))), None)
        if found is None:
            raise HistoryUnreadable(self._no_base(names))
        return found

    def _default_branch(self, remote: str) -> str | None:
        """The default branch of a remote: as last fetched; else by the name that another remote tells, or by custom."""
        branch = self._head_of(remote)
        if branch:
            return f"refs/remotes/{remote}/{branch}"
        names = [name for other in self._remotes() if (name := self._head_of(other))]
        for candidates in (names[:1], _CUSTOM):
            there = [full for name in candidates if self._full_name(full := f"refs/remotes/{remote}/{name}")]
            if len(there) == 1:  # Two candidates: neither is sure.
                return there[0]
        return None

    def _head_of(self, remote: str) -> str:
        """The branch that the remote itself calls its default one, "" where that is not known here."""
        start = f"refs/remotes/{remote}/"
        full = self._try("symbolic-ref", "--quiet", f"{start}HEAD") or ""
        return full.removeprefix(start) if full.startswith(start) and self._full_name(full) else ""

    def _no_base(self, names: list[str]) -> str:
        """The error about a missing base, with the commands that fetch it."""
        if not names:
            return "there is no remote to compare with: name the commits, such as --range HEAD~3..HEAD"
        remote = names[0]
        name = shlex.quote(remote)
        every = any("*" in spec for spec in (self._try("config", "--get-all", f"remote.{remote}.fetch") or "").split())
        commands = [
            *([] if every else [f"git remote set-branches {name} '*'"]),
            f"git fetch {'--unshallow ' if self._shallow else ''}{name}",
            f"git remote set-head {name} --auto",
        ]
        looked = ", ".join(f"{remote}/{branch}" for branch in ("HEAD", *_CUSTOM))
        return visible(
            f"the branch to compare with is not known here (looked for {looked}): "
            f"fetch it by `{' && '.join(commands)}`, or give --range BASE..HEAD"
        )

    def _full_name(self, revision: str) -> str:
        return self._try("rev-parse", "--verify", "--quiet", "--symbolic-full-name", revision) or ""

    def _named(self, remote: str) -> str:
        return repository_name(self._try("remote", "get-url", "--", remote) or "")

    def _remotes(self) -> list[str]:
        """The remotes, the project's own first: by custom `upstream` for people who work in a fork, else `origin`."""
        order = {"upstream": 0, "origin": 1}
        names = (name for name in self._said("remote").split("\n") if name)
        return sorted(names, key=lambda name: (order.get(name, 2), name))

    @cached_property
    def _shallow(self) -> bool:
        return self._said("rev-parse", "--is-shallow-repository") == "true"

    def _said(self, *arguments: str) -> str:
        return self._git(*arguments).decode(errors="surrogateescape").strip("\n")

    def _try(self, *arguments: str) -> str | None:
        """The output of git, None when it fails."""
        done = self._run(*arguments)
        return done.stdout.decode(errors="surrogateescape").strip("\n") if done.returncode == 0 else None

    def _git(self, *arguments: str, feed: bytes | None = None, git_dir: str | None = None) -> bytes:
        done = self._run(*arguments, feed=feed, git_dir=git_dir)
        if done.returncode != 0:
            said = " ".join(done.stderr.decode(errors="replace").split())
            if "not a git repository" in said:
                raise HistoryUnreadable("this is not a git repository: go to your clone, or give its path")
            if "promisor" in said.lower():
                raise HistoryUnreadable(f"this clone is partial and lacks what is asked for; {_COMPLETE}")
            raise HistoryUnreadable(visible(said) or f"git {arguments[0]} failed")
        return done.stdout

    def _run(
        self, *arguments: str, feed: bytes | None = None, git_dir: str | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        where = ("-C", self.path) if git_dir is None else ("--git-dir", git_dir)
        # `refs/replace` would show other commits than GitHub has.
        command = ["git", *where, "--no-replace-objects", *_ALONE, *arguments]
        try:
            return subprocess.run(  # noqa: S603 - git itself, no shell
                command, input=feed or b"", capture_output=True, check=False, env=self._environment
            )
        except FileNotFoundError:
            raise HistoryUnreadable("git is not installed here, or not on the PATH") from None
        except ValueError:
            raise HistoryUnreadable("a name holds a NUL") from None


def without_login(url: str) -> str:
    """The address without name and password; the `git@` of SSH stays."""
    scheme, colons, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{colons}{host.rpartition('@')[2]}{slash}{path}" if scheme in ("http", "https") else url


def repository_name(url: str) -> str:
    """`owner/name` of https://host/owner/name.git, ssh://host/owner/name and host:owner/name; else the last part."""
    _scheme, remote, rest = url.partition("://")
    host, colon, path = url.partition(":")
    if remote and not url.startswith("file:"):
        whole = rest.partition("/")[2]
    elif not remote and colon and "/" not in host and len(host) > 1:
        whole = path
    else:
        whole = url.replace("\\", "/").rstrip("/").rpartition("/")[2]
    parts = [part for part in whole.split("/") if part]
    return "/".join(parts[-2:]).removesuffix(".git")
