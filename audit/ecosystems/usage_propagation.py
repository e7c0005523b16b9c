"""Usages along a lock file's graph: a package that only a test tool needs is for tests, one that a running one needs runs.

Where the lock file says the use itself and a manifest says more, the manifest counts: a flag in a generated file hides nothing.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from audit import usage
from audit.ecosystems import purls
from audit.ecosystems.parsed_file import Graph, ParsedFile
from audit.facts import Dependency, Usage

MAX_NEEDS: Final = 1_000  # Packages that are kept as needed by one entry.
_MAX_ENTRIES_PER_KEY: Final = 10  # Entries that one key may stand for, of which the needs are kept.
# Here one version in a manifest is that version. Gradle and NuGet take a higher one that another package needs.
_PINNING: Final = frozenset({"cargo", "composer", "gem", "npm", "pypi"})


@dataclass(frozen=True, slots=True)
class _EntryUsage:
    """The `usage` of an entry, `optional` if only what is optional needs it, and `why`, in words."""

    usage: Usage
    optional: bool
    why: str


def _bare(version: str | None) -> str:
    """A version as it is compared: `v2.0.0+x` is `2`."""
    found = (version or "").removeprefix("v").partition("+")[0]
    while found.endswith(".0"):
        found = found.removesuffix(".0")
    return found


class _Index:
    """The entries of a lock file by key and by package."""

    def __init__(self, lock: ParsedFile, graph: Graph) -> None:
        self.by_key: dict[str, list[int]] = {}
        self.by_package: dict[str, list[int]] = {}
        for at, names in enumerate(graph.keys):
            for name in names:
                self.by_key.setdefault(name, []).append(at)
        for at, dependency in enumerate(lock.dependencies):
            self.by_package.setdefault(purls.without_version(dependency.purl) or dependency.name, []).append(at)
        self.own = {at for needed in graph.own.values() for key in needed for at in self.by_key.get(key, ())}
        self.tools = {at: why for key, why in graph.tools.items() for at in self.by_key.get(key, ())}

    def needs(self, at: int, lock: ParsedFile, graph: Graph) -> tuple[str, ...]:
        """The package URLs of an entry's needs; a key that several entries share stands for them all."""
        meant = (
            other for key in graph.needs[at][:MAX_NEEDS] for other in self.by_key.get(key, ())[:_MAX_ENTRIES_PER_KEY]
        )
        return tuple(sorted({url for other in meant if (url := lock.dependencies[other].purl)}))[:MAX_NEEDS]

    def of(self, asked: Dependency, lock: Sequence[Dependency]) -> list[int]:
        """Entries that a manifest's dependency means: by its descriptor, by its name, then by its package."""
        for key in (asked.places[0].said if asked.places else "", asked.name):
            if key in self.by_key and (key != asked.name or asked.purl is None):
                return self.by_key[key]
        listed = self.by_package.get(purls.without_version(asked.purl) or asked.name, [])
        exact = [at for at in listed if asked.version and _bare(lock[at].version) == _bare(asked.version)]
        # The lock file is out of date, or another project's.
        if asked.version and not exact and purls.kind_of(asked.purl) in _PINNING:
            return []
        own = [at for at in listed if at in self.own]
        direct = [at for at in listed if lock[at].direct]
        return exact or own or direct or listed


@dataclass(frozen=True, slots=True)
class MatchedLock:
    """The `entries` of a lock file with what the manifests know of them.

    `guessed` are those of which no file says how they are used; `missing` are places in the list of all the manifests'
    dependencies, one manifest after the other, that the lock file lacks.
    """

    entries: tuple[Dependency, ...]
    guessed: frozenset[int]
    missing: frozenset[int]


def match_manifests(lock: ParsedFile, manifests: Sequence[ParsedFile]) -> MatchedLock:
    """Versions from the lock file, scopes from the manifests."""
    graph = lock.graph or Graph()
    index = _Index(lock, graph)
    asked = [dependency for manifest in manifests for dependency in manifest.dependencies]
    meant = [index.of(dependency, lock.dependencies) for dependency in asked]
    wanted: dict[int, list[Dependency]] = {}
    for dependency, entries in zip(asked, meant, strict=True):
        for at in entries:
            wanted.setdefault(at, []).append(dependency)
    reached = (_contradicted if graph.decided else _propagated)(lock, graph, index, wanted)
    bundler = next((manifest.bundler for manifest in manifests if manifest.bundler), "")
    complete = any(manifest.complete for manifest in manifests)
    found: list[Dependency] = []
    guessed = set()
    for at, entry in enumerate(lock.dependencies):
        # go.mod of Go 1.17 and later names all that is built in, and go.sum more.
        if (complete and at not in wanted) or (graph.catalogue and at not in reached):
            continue
        dependency, need = entry, reached.get(at)
        if not graph.decided:
            dependency = _settled(entry, need)
        elif need and entry.usage in usage.NOT_SHIPPED:
            # The lock file says the use itself, but what is shipped needs it.
            why = f"{entry.why}, but needed by {need.why}"
            dependency = replace(entry, usage=need.usage, optional=entry.optional or need.optional, why=why)
        elif need and need.usage is Usage.BUNDLED:  # The manifest alone says what is packed with the work.
            dependency = replace(entry, usage=need.usage, why=f"{entry.why}, needed by {need.why}")
        if bundler and dependency.usage is _default(dependency):  # Only what runs is bundled.
            dependency = replace(dependency, usage=Usage.BUNDLED, why=f"{dependency.why}, bundled by {bundler}")
        if not graph.decided and at not in reached:
            guessed.add(len(found))
        needs = index.needs(at, lock, graph) if at < len(graph.needs) else dependency.needs
        known = bool(asked) or bool(graph.own)
        found.append(_matched(dependency, wanted.get(at, []), needs, known=known, direct=at in index.own))
    return MatchedLock(
        tuple(found), frozenset(guessed), frozenset(at for at, entries in enumerate(meant) if not entries)
    )


def _propagated(
    lock: ParsedFile, graph: Graph, index: _Index, wanted: dict[int, list[Dependency]]
) -> dict[int, _EntryUsage]:
    starts = [
        (at, _EntryUsage(root.usage, root.optional, root.why))
        for root in graph.roots
        for at in index.by_key.get(root.key, ())
    ]
    starts += [
        (at, _EntryUsage(dependency.usage, dependency.optional, dependency.why))
        for at, listed in wanted.items()
        for dependency in listed
    ]
    if not starts:
        # No manifest says more: what the repository's own packages need runs.
        own = sorted(index.own - set(index.tools))
        starts = [(at, _EntryUsage(_default(lock.dependencies[at]), optional=False, why="")) for at in own]
    starts += [(at, _EntryUsage(Usage.BUILD_TOOL, optional=False, why=why)) for at, why in index.tools.items()]
    return _spread(starts, graph, index)


# Those who install the package bring these; here they are what the lock file says, most often for development.
_PEERS: Final = "package.json: peerDependencies"


def _contradicted(
    lock: ParsedFile, graph: Graph, index: _Index, wanted: dict[int, list[Dependency]]
) -> dict[int, _EntryUsage]:
    """The entries that a manifest bundles, or ships although the lock file says that they are not; and all that they need."""
    starts = [
        (at, _EntryUsage(dependency.usage, dependency.optional, dependency.why))
        for at, listed in wanted.items()
        for dependency in listed
        if (dependency.usage is Usage.BUNDLED or lock.dependencies[at].usage in usage.NOT_SHIPPED)
        and dependency.usage not in usage.NOT_SHIPPED
        and not dependency.why.startswith(_PEERS)
    ]
    return _spread(starts, graph, index)


def _spread(starts: Iterable[tuple[int, _EntryUsage]], graph: Graph, index: _Index) -> dict[int, _EntryUsage]:
    """From these entries on: the first to reach another one decides, and the most binding begin."""
    reached: dict[int, _EntryUsage] = {}
    for at, start in sorted(starts, key=lambda pair: (usage.rank(pair[1].usage), pair[1].optional, pair[0])):
        _walk(at, start, graph, index, reached)
    return reached


def _walk(start: int, reached_as: _EntryUsage, graph: Graph, index: _Index, reached: dict[int, _EntryUsage]) -> None:
    """Gives a usage to each entry below one that was not reached before."""
    if start in reached:
        return
    reached[start] = reached_as
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        for key in graph.needs[at] if at < len(graph.needs) else ():
            for next_one in index.by_key.get(key, ()):
                # A build tool's own needs are followed only from what is not shipped.
                if next_one not in reached and (next_one not in index.tools or reached_as.usage in usage.NOT_SHIPPED):
                    reached[next_one] = reached_as
                    waiting.append(next_one)


def _default(dependency: Dependency) -> Usage:
    return usage.default(purls.kind_of(dependency.purl))


def _settled(entry: Dependency, reached: _EntryUsage | None) -> Dependency:
    """An entry with the usage that has reached it; one that no entry reaches is taken for something that runs."""
    if reached is None:
        how = entry.usage if entry.usage is not Usage.UNKNOWN else _default(entry)
        why = f"{entry.why}: nothing is listed that needs it, so it is counted as needed at run time"
        return replace(entry, usage=how, why=why)
    why = f"{entry.why}, needed by {reached.why}" if reached.why else f"{entry.why}: what runs"
    return replace(entry, usage=reached.usage, optional=entry.optional or reached.optional, why=why)


def _matched(
    entry: Dependency, asked: Iterable[Dependency], needs: tuple[str, ...], *, known: bool, direct: bool
) -> Dependency:
    """An entry with the manifests' entries that mean it, and its needs; without such an entry it is not direct."""
    listed = list(asked)
    same = next((dependency for dependency in listed if dependency.usage is entry.usage), None)
    is_direct = entry.direct  # go.mod lists what others need as well, and says so.
    if direct or entry.direct or any(dependency.direct is not False for dependency in listed):
        is_direct = True
    elif (known or listed) and entry.direct is None:
        is_direct = False
    return replace(
        entry,
        why=same.why if same else entry.why,
        places=tuple(dict.fromkeys([*(place for dependency in listed for place in dependency.places), *entry.places])),
        direct=is_direct,
        optional=entry.optional or (bool(listed) and all(dependency.optional for dependency in listed)),
        needs=needs,
    )
