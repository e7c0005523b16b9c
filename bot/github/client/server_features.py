"""The version of GitHub Enterprise Server that answers, and what that version lacks of what Countersign uses."""

import re
import threading
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from bot.github.ports import Unsupported

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.(\d{1,6}))?")
# GitHub's messages for the same, for errors that come without a code.
_MESSAGES = tuple(map(re.compile, (
    r"Field '(\w+)' doesn't exist on type '\w+'", r"Field '\w+' doesn't accept argument '(\w+)'", r"No such type (\w+)",
)))  # fmt: skip
# GitHub's codes for a name that the schema does not have, and the key of that name beside the code.
_CODES: Final[Mapping[str, str]] = {
    "undefinedField": "fieldName", "argumentNotAccepted": "argumentName", "undefinedType": "typeName",
}  # fmt: skip


class ServerVersion(NamedTuple):
    """The version of an Enterprise Server: `major`, `minor` and `patch`."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return ".".join(map(str, self))

    @classmethod
    def read(cls, text: object) -> "ServerVersion | None":
        """The first version number in a text such as `3.14.2`; None where there is none."""
        found = _VERSION.search(str(text or ""))
        return cls(int(found[1]), int(found[2]), int(found[3] or 0)) if found else None


OLDEST_SUPPORTED: Final = ServerVersion(3, 14)  # The oldest version that has all that a verdict needs.
NEWEST_PUBLISHED: Final = ServerVersion(3, 19)  # A later version may have what its description lacks.


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFeature:
    """Something that Countersign uses and an Enterprise Server may lack; `what` names it in the plural.

    `since`: the first version that has it; None: no version that was published. `path`: of its calls of REST. `names`:
    of GraphQL fields, arguments and types. `part`: what is cut out of documents that can do without it. `permission`,
    `event`: what an App cannot ask for there. `instead`: what Countersign does without it.
    """

    what: str
    since: ServerVersion | None
    instead: str
    path: str = "(?!)"  # It matches no path.
    names: frozenset[str] = frozenset()
    part: str = ""
    permission: str = ""
    event: str = ""


# Sources, read on 2026-11-28: GitHub's descriptions of its REST API and its GraphQL schemas, by version.
FEATURES: Final = (
    ServerFeature(
        what="merge queues",
        since=ServerVersion(3, 12),
        instead="no merge group is judged: if one is asked about, its check does not pass and says why",
        names=frozenset(
            {"mergeQueue", "mergeQueueEntry", "MergeQueue", "MergeQueueEntry", "MergeQueueEntryConnection"}
        ),
        part=" mergeQueueEntry { headCommit { oid } }",
    ),
    ServerFeature(
        what="Apps with the permission merge_queues",
        since=OLDEST_SUPPORTED,
        instead="`setup` does not ask for it",
        permission="merge_queues",
    ),
    ServerFeature(
        what="documented merge_group webhooks",
        since=None,
        instead="`setup` does not subscribe to them, and a merge group is judged when its branch is pushed",
        event="merge_group",
    ),
    ServerFeature(
        what="activity logs of repositories",
        since=ServerVersion(3, 11),
        instead="who pushed is known from webhooks and forced pushes alone; where neither tells, the check says so",
        path=r"^/repos/[^/]+/[^/]+/activity$",
    ),
    ServerFeature(
        what="rulesets",
        since=ServerVersion(3, 11),
        instead="whether the check is required is read from branch protection alone",
        path=r"^/repos/[^/]+/[^/]+/rules/branches/",
    ),
    ServerFeature(
        what="SBOMs of the dependency graph",
        since=ServerVersion(3, 9),
        instead="licences are read from lock files and registries alone",
        path=r"^/repos/[^/]+/[^/]+/dependency-graph/sbom$",
    ),
    ServerFeature(
        what="SBOM reports made in the background",
        since=None,
        instead="the SBOM is asked for directly",
        path=r"^/repos/[^/]+/[^/]+/dependency-graph/sbom/(?:generate|fetch)-report",
    ),
    ServerFeature(
        what="look-ups of repositories that follow no renames",
        since=ServerVersion(3, 12),
        instead="a rulebook is refused whose repository has another name now",
        names=frozenset({"followRenames"}),
        part=", followRenames: false",
    ),
)


class ServerFeatures:
    """The version and features of one server; many threads may use one.

    A server that is no Enterprise Server tells no version and lacks nothing, until GraphQL refuses a name.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: object = None
        self._learned: frozenset[ServerFeature] = frozenset()
        self._lacking: tuple[ServerFeature, ...] = ()
        self.version: ServerVersion | None = None
        self.sunset: str = ""
        """When GitHub ends the version of its REST API that we ask for, as its answers say; "" while they do not."""

    def saw(self, version: object) -> None:
        """Take the version that an answer tells (`X-GitHub-Enterprise-Version`, `installed_version`)."""
        if version is None or version == self._told:
            return
        with self._lock:
            self._told, self.version = version, ServerVersion.read(version)
            self._learned = frozenset()  # After an upgrade all is asked for again.
            self._lacking = self._known()

    def learn(self, names: Collection[str]) -> bool:
        """GraphQL knows none of these names; False when that tells nothing new of a feature."""
        with self._lock:
            found = {feature for feature in FEATURES if not feature.names.isdisjoint(names)} - self._learned
            self._learned |= found
            self._lacking = self._known()
        return bool(found)

    def lacking(self) -> tuple[ServerFeature, ...]:
        """The features that this server lacks, by its version or by its own refusals."""
        return self._lacking

    def is_published(self, feature: ServerFeature) -> bool:
        """Whether GitHub's description of this version has it; of later versions only what an earlier one has is known."""
        version = self.version
        return feature not in self._learned and (
            version is None or (feature.since is not None and version >= feature.since)
        )

    def check(self, path: str) -> None:
        """Raises `Unsupported` for a path of REST that this server does not have."""
        for feature in self._lacking:
            if re.search(feature.path, path):
                raise self._unsupported(feature)

    def supported(self, document: str) -> str:
        """The GraphQL document without what this server lacks. Raises `Unsupported` when that is what it asks for."""
        for feature in self._lacking:
            if feature.part:
                document = document.replace(feature.part, "")
            if any(re.search(rf"\b{name}\b", document) for name in feature.names):
                raise self._unsupported(feature)
        return document

    def _known(self) -> tuple[ServerFeature, ...]:
        version = self.version
        missing = self._learned
        if version is not None and version[:2] <= NEWEST_PUBLISHED[:2]:  # Of later ones nothing is known.
            missing |= {feature for feature in FEATURES if feature.since is None or version < feature.since}
        return tuple(feature for feature in FEATURES if feature in missing)

    def _unsupported(self, feature: ServerFeature) -> Unsupported:
        named = f"this GitHub Enterprise Server {self.version}" if self.version else "this GitHub"
        return Unsupported(f"{named} has no {feature.what}")


def undefined_names(errors: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The names in a document that the schema does not have, by GraphQL's errors; no value of the document is among them."""
    found: set[str] = set()
    for error in errors:
        extensions = error.get("extensions")
        detail: Mapping[str, Any] = extensions if isinstance(extensions, Mapping) else {}
        name = detail.get(_CODES.get(str(detail.get("code")), ""))
        matches = [match[1] for pattern in _MESSAGES if (match := pattern.search(str(error.get("message"))))]
        found |= {name} if isinstance(name, str) else set(matches)
    return frozenset(found)
