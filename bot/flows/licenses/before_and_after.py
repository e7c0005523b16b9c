"""Before and after: the repository at the commit from which a pull request forks, and at its head, both judged alike.

Of the files that the pull request adds it tells which lack the licence header that the rulebook asks for.
"""

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

_MAX_FILES: Final = 1_000
_MAX_BYTES: Final = 50_000_000
"""How many new files of one change are looked at, and how much of them is held at once."""
_MAX_FINDINGS: Final = 100
"""Files that are named one by one."""


class RegistriesUnavailable(NotAnswered):
    """Registries could not be asked about licences; the text names them and how many packages that are. Worth trying again."""


def touches(files: Files, header: HeaderRule | None = None) -> bool:
    """Whether a change may matter: a file that may change uses is added, changed, moved or removed, or not all files are known.

    Where source files are to bear a licence header, each new one matters, too.
    """
    if not files.complete or any(map(may_change_uses, (*files.paths, *files.gone))):
        return True
    return header is not None and any(is_asked(path, header) for path in files.added)


def change(snapshot: PullRequestSnapshot, files: Files, judge: Judge, services: Services) -> ChangeVerdict:
    """The change of the pull request, by today's rules and data on both sides. Raises HubError, RegistriesUnavailable."""
    comparing = _CompareRun(snapshot.place, files, judge, services.learner(), services)
    start = services.hub.merge_base(snapshot.place, snapshot.base_sha, snapshot.head_sha)
    before, after = comparing.audited(start), comparing.audited(snapshot.head_sha)
    if judge.policy.headers is not None:
        lacking = comparing.headers(start, snapshot.head_sha, judge.policy.headers)
        after = replace(after, findings=(*after.findings, *lacking))
    return proposed(before, after, judge.policy, frozenset(files.paths) if files.complete else None)


@dataclass(frozen=True, slots=True)
class _BlobCache:
    """Gives each blob once from GitHub, then from memory: most are on both sides."""

    source: Blobs
    held: dict[str, bytes] = field(default_factory=dict)

    def blobs(self, place: RepositoryPlace, sizes: Mapping[str, int]) -> Mapping[str, bytes]:
        """See Trees."""
        missing = {sha: size for sha, size in sizes.items() if sha not in self.held}
        if missing:
            self.held.update(self.source.blobs(place, missing))
        return {sha: self.held[sha] for sha in sizes if sha in self.held}


class _CompareRun:
    """The values that both sides share."""

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
        """What is to be said of the new files' licence headers, both sides having been audited."""
        fetch = partial(self._blobs.blobs, self._place)
        return lacking(self._files, (self._whole[start], self._whole[head]), header, fetch)

    def _touched(self) -> frozenset[str] | None:
        """The text files that can make a difference; None for all, where the change says licences of others, or not all of it is known."""
        paths = {*self._files.paths, *self._files.gone}
        is_wide = any(
            states_licenses(path) or path.startswith("LICENSES/") or installed_packages.legal(path.rpartition("/")[2])
            for path in paths
        )
        return None if is_wide or not self._files.complete else frozenset(paths)

    def _trimmed(self, tree: GitTree) -> GitTree:
        """Of more sources than are read of one repository only those that the change touches, which are all that can differ."""
        sources = sum(map(_is_source, tree.entries))
        if not self._files.complete or sources <= remote_repository.MAX_SOURCES:
            return tree
        touched = {*self._files.paths, *self._files.gone}
        return replace(tree, entries=tuple(one for one in tree.entries if one.path in touched or not _is_source(one)))


def _is_source(one: TreeEntry) -> bool:
    return ecosystems.family(one.path) == "linux"


def lacking(files: Files, trees: tuple[GitTree, GitTree], header: HeaderRule, fetch: Fetch) -> tuple[Finding, ...]:
    """A finding for each new file without the header, and one where not all could be looked at; `trees` before and after.

    New is what GitHub calls so; of a change with more files than it lists, every path that was not there before.
    """
    before = frozenset(entry.path for entry in trees[0].entries)
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
    """The findings about the headers of these files, and one for each file that GitHub no longer has."""
    held = fetch({one.sha: one.size for one in asked}) if asked else {}
    states, gone = [], []
    for one in asked:
        if one.sha not in held:
            gone.append(Finding("file/unreadable", Place(one.path), "can't be read: GitHub no longer has it"))
            continue
        text = decode(held[one.sha])[0]
        if not left_out(text, one.path):
            states.append((one.path, check_header(one.path, text, header)))
    return (*findings(states, _MAX_FINDINGS), *gone)
