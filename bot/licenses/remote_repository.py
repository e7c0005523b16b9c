"""A repository at GitHub at one commit becomes a Repository: its tree, then only the files that the audit reads; no clone.

The same walk as that of a checkout, gone twice: first to see which files are wanted, so that they are fetched together, then to
read them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Protocol

from audit.ecosystems import PLUGINS, family, go_imports
from audit.ecosystems.parsed_file import finding
from audit.facts import Repository
from audit.scan import gathering
from audit.scan.assembly import assemble
from audit.scan.file_licenses import states_licenses
from audit.scan.own_license_finding import explained
from audit.scan.serialization import SHAPE
from audit.scan.walk import walk
from audit.scan.walk_limits import Limits
from audit.texts.detector import DetectionCache, Detector
from audit.texts.mismatch import contradicted
from audit.verdict.policy import RULEBOOK
from bot import __version__
from bot.github.ports import UNREADABLE, GitTree, RepositoryPlace, TreeEntry
from bot.licenses.remote_tree import RemoteTree

MAX_SOURCES: Final = 2_000
"""Sources that are read, in the order of the walk: all of a kernel's would be too many requests."""
MAX_HEADS: Final = 1_000
MAX_HEADED_BYTES: Final = 100_000
"""Other text files whose heads are looked at for licences, and bytes of one: GitHub gives the whole of it."""
LIMITS: Final = Limits(sources=MAX_SOURCES, heads=MAX_HEADS, headed=MAX_HEADED_BYTES)
_MEMORY: Final = DetectionCache()  # For all repositories: the same texts come with many packages.
_MAX_RULEBOOK_BYTES: Final = 1_000_000
"""Bytes of a repository's own rulebook; a larger one counts as unreadable."""


class Blobs(Protocol):
    """Gives files of a repository; the part of Trees that reading a tree needs."""

    def blobs(self, place: RepositoryPlace, sizes: Mapping[str, int]) -> Mapping[str, bytes]:
        """See Trees."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A `repository` as read, its `fingerprint`, own `rulebook` (None: none), and the `blobs` that it comes from."""

    repository: Repository
    fingerprint: str
    rulebook: str | None = None
    blobs: frozenset[str] = frozenset()


def of_tree(
    place: RepositoryPlace,
    tree: GitTree,
    blobs: Blobs,
    documents: Mapping[str, str] | None = None,
    limits: Limits = LIMITS,
    touched: Collection[str] | None = None,
) -> Remote:
    """The repository with that tree; `documents` are files that count as if they were in it, by path. Raises HubError.

    Of text files that are read for nothing else only those that are `touched` are looked at for licences (None: all, as
    far as the limits go).
    """
    ground = RemoteTree(
        _worth_fetching(tree.entries, limits),
        lambda sizes: blobs.blobs(place, sizes),
        own=(RULEBOOK, _MAX_RULEBOOK_BYTES),
    )

    def is_asked(path: str) -> bool:
        return touched is None or path in touched

    # The first walk only notes what is wanted, so that a request fetches many files.
    walk(ground, limits, is_asked=is_asked)
    ground.fetch()
    gathered = walk(ground, limits, is_asked=is_asked)
    for path, content in sorted((documents or {}).items()):
        gathered.take(path, content, "")
    detector = Detector(_MEMORY, limits.identified)
    found = assemble(gathered, place.full_name, detector.license)
    # GitHub cuts off trees of more than 100,000 entries or 7 MB.
    cut = () if tree.complete else (finding("tree/cut-short", ".", None, "GitHub gives only a part of its files"),)
    found = contradicted(replace(found, head=tree.commit, findings=(*cut, *found.findings)), detector.detect)
    found = explained(found, detector.detect)
    found = replace(found, findings=(*found.findings, *detector.findings()))
    return Remote(found, fingerprint(tree, everything=ground.leads), _rulebook(tree, ground), ground.used)


def _worth_fetching(entries: tuple[TreeEntry, ...], limits: Limits) -> tuple[TreeEntry, ...]:
    # Of a part of Go's sources nothing could be told, so that none is fetched where there are too many.
    sources = {entry.path for entry in entries if family(entry.path) == go_imports.FAMILY}
    if len(sources) <= limits.sources:
        return entries
    return tuple(entry for entry in entries if entry.path not in sources)


def reader() -> str:
    """Names the reader, a release with its plugins: another one may find something else in the same files."""
    return "+".join((f"{__version__}-{SHAPE}", *PLUGINS))


def fingerprint(tree: GitTree, *, everything: bool = False) -> str:
    """A digest that is equal for trees of which this reader reads the same; `everything`: over all files."""
    everything = everything or any(states_licenses(entry.path) for entry in tree.entries)
    counted = sorted(
        (entry.path, entry.sha, entry.link)
        for entry in tree.entries
        if everything or entry.path == RULEBOOK or gathering.is_read(entry.path)
    )
    digest = sha256(repr((tree.complete, counted)).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{reader()}:{'all' if everything else 'read'}:{digest}"


def is_current(known: str) -> bool:
    """Whether this release made that fingerprint."""
    return known.startswith(f"{reader()}:")


def is_same(known: str, tree: GitTree) -> bool:
    """Whether the same would be read of this tree as of the one with that fingerprint."""
    return is_current(known) and known == fingerprint(tree, everything=":all:" in known)


def _rulebook(tree: GitTree, ground: RemoteTree) -> str | None:
    if all(entry.path != RULEBOOK for entry in tree.entries):
        return None
    data = ground.own
    try:
        return UNREADABLE if data is None else data.decode()  # Unread is not absent.
    except UnicodeDecodeError:
        return UNREADABLE
