"""Before and after: the repository at the commit from which a pull request forks, and at its head, judged alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from audit import ecosystems
from audit.facts import Finding, Place, RepositoryAudit
from audit.headers.header_rule import HeaderRule
from audit.headers.license_headers import MAX_SOURCE_BYTES, check_header, findings, is_asked, left_out
from audit.scan import installed_packages
from audit.scan.decoding import decode
from audit.scan.file_licenses import states_licenses
from audit.scan.gathering import may_change_uses
from audit.verdict.pull_request import ChangeVerdict, proposed
from audit.verdict.repository_verdict import Judge
from bot.flows.flow_services import Services
from bot.flows.journey import NotAnswered
from bot.github.ports import Files, GitTree, PullRequestSnapshot, RepositoryPlace, TreeEntry
from bot.licenses import remote_repository
from bot.licenses.registry_lookup import LicenseLookup
from bot.licenses.remote_repository import Blobs
from bot.licenses.remote_tree import Fetch

_MAX_FILES: Final = 1_000  # New files of one change that are looked at for their licence headers.
_MAX_BYTES: Final = 50_000_000  # All of them together: they are held at once.
_MAX_FINDINGS: Final = 100  # Files that are named one by one.


class RegistriesUnavailable(NotAnswered):
    """Registries could not be asked about licences; the text names them and how many packages that are. Worth trying again."""


def touches(files: Files, header: HeaderRule | None = None) -> bool:
    """True if a change may matter: it touches a file that may change uses, or not all of its files are known."""
    if not files.complete or any(map(may_change_uses, (*files.paths, *files.gone))):
        return True
    # Where source files are to bear a licence header, each new one matters, too.
    return header is not None and any(is_asked(path, header) for path in files.added)


def change(snapshot: PullRequestSnapshot, files: Files, judge: Judge, services: Services) -> ChangeVerdict:
    """The pull request's change, by today's rules and data on both sides. Raises HubError, RegistriesUnavailable."""
    comparing = _CompareRun(snapshot.place, files, judge, services.learner(), services)
    # Not the base's head: what others merged since is no part of this change.
    start = services.hub.merge_base(snapshot.place, snapshot.base_sha, snapshot.head_sha)
    before, after = comparing.audited(start), comparing.audited(snapshot.head_sha)
    if judge.policy.headers is not None:
        lacking = comparing.headers(start, snapshot.head_sha, judge.policy.headers)
        after = replace(after, findings=(*after.findings, *lacking))
    # GitHub lists at most 3,000 files of a change.
    return proposed(before, after, judge.policy, frozenset(files.paths) if files.complete else None)


@dataclass(frozen=True, slots=True)
class _BlobCache:
    """Gives each blob once from its `source`, GitHub, then from memory, `held`: most are on both sides."""

    source: Blobs
    held: dict[str, bytes] = field(default_factory=dict)

    def blobs(self, place: RepositoryPlace, sizes: Mapping[str, int]) -> Mapping[str, bytes]:
        missing = {sha: size for sha, size in sizes.items() if sha not in self.held}
        if missing:
            self.held.update(self.source.blobs(place, missing))
        return {sha: self.held[sha] for sha in sizes if sha in self.held}


class _CompareRun:
    """One comparison, with the values that both sides share."""

    def __init__(
        self, place: RepositoryPlace, files: Files, judge: Judge, learner: LicenseLookup, services: Services
    ) -> None:
        self._place, self._files, self._judge, self._learner = place, files, judge, learner
        self._trees, self._blobs = services.hub, _BlobCache(services.hub)
        self._whole: dict[str, GitTree] = {}

    def audited(self, commit: str) -> RepositoryAudit:
        """One side."""
        self._whole[commit] = self._trees.tree(self._place, commit)
        tree = self._trimmed(self._whole[commit])
        read = remote_repository.of_tree(self._place, tree, self._blobs, touched=self._touched()).repository
        found = self._learner.learned(read, self._judge)
        if found.failed:
            raise RegistriesUnavailable("; ".join(f"{why} ({count:,})" for why, count in sorted(found.failed.items())))
        return self._judge.audited(found.repository)

    def headers(self, start: str, head: str, header: HeaderRule) -> tuple[Finding, ...]:
        """The findings about the new files' licence headers, both sides having been audited."""
        fetch = partial(self._blobs.blobs, self._place)
        return lacking(self._files, (self._whole[start], self._whole[head]), header, fetch)

    def _touched(self) -> frozenset[str] | None:
        paths = {*self._files.paths, *self._files.gone}
        # Such a file says licences of others, so that all of them may read otherwise.
        is_wide = any(
            states_licenses(path) or path.startswith("LICENSES/") or installed_packages.legal(path.rpartition("/")[2])
            for path in paths
        )
        return None if is_wide or not self._files.complete else frozenset(paths)

    def _trimmed(self, tree: GitTree) -> GitTree:
        sources = sum(map(_is_source, tree.entries))
        if not self._files.complete or sources <= remote_repository.MAX_SOURCES:
            return tree
        # More than are read of one repository: only those that the change touches can differ.
        touched = {*self._files.paths, *self._files.gone}
        return replace(
            tree, entries=tuple(entry for entry in tree.entries if entry.path in touched or not _is_source(entry))
        )


def _is_source(entry: TreeEntry) -> bool:
    return ecosystems.family(entry.path) == "linux"


def lacking(files: Files, trees: tuple[GitTree, GitTree], header: HeaderRule, fetch: Fetch) -> tuple[Finding, ...]:
    """A finding for each new file without the header, and one if not all were looked at; `trees` before and after."""
    before = frozenset(entry.path for entry in trees[0].entries)
    # Of more files than GitHub lists: every path that was not there before.
    new = frozenset(files.added) if files.complete else None
    asked: list[TreeEntry] = []
    room = _MAX_BYTES
    for entry in trees[1].entries:
        is_new = entry.path not in before if new is None else entry.path in new
        if not is_new or entry.link or entry.size > MAX_SOURCE_BYTES or not is_asked(entry.path, header):
            continue
        room -= entry.size
        if room < 0 or len(asked) >= _MAX_FILES:
            rest = Finding("tree/cut-short", Place("."), "more new files than are looked at for their licence headers")
            return (*_looked_at(asked, header, fetch), rest)
        asked.append(entry)
    return _looked_at(asked, header, fetch)


def _looked_at(asked: Sequence[TreeEntry], header: HeaderRule, fetch: Fetch) -> tuple[Finding, ...]:
    held = fetch({entry.sha: entry.size for entry in asked}) if asked else {}
    states, gone = [], []
    for entry in asked:
        if entry.sha not in held:
            gone.append(Finding("file/unreadable", Place(entry.path), "can't be read: GitHub no longer has it"))
            continue
        text = decode(held[entry.sha])[0]
        if not left_out(text, entry.path):
            states.append((entry.path, check_header(entry.path, text, header)))
    return (*findings(states, _MAX_FINDINGS), *gone)
