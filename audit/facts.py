"""The nouns of the licence audit: what is used, how, under which licence, where that was learned, and what follows."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Final


class Usage(StrEnum):
    """The way in which a dependency is used by what depends on it."""

    SOURCE_MERGED = "source-merged"
    VENDORED = "vendored"
    STATIC_LINK = "static-link"
    BUNDLED = "bundled"
    DYNAMIC_LINK = "dynamic-link"
    RUNTIME_IMPORT = "runtime-import"
    HEADER_ONLY = "header-only"
    GENERATED_OUTPUT = "generated-output"
    DATA_OR_DOC = "data-or-doc"
    MODEL_WEIGHTS = "model-weights"
    """The learned numbers of a model: files in the tree, or the model from which these are derived."""
    TRAINING_DATA = "training-data"
    """A data set: in the tree under a licence of its own, or named as what a model was trained on."""
    BUILD_TOOL = "build-tool"
    DEV_TOOL = "dev-tool"
    TEST_ONLY = "test-only"
    AGGREGATE = "aggregate"
    """Handed on in one image with the work, as a program of its own (GPL-3.0, section 5: "aggregate")."""
    SEPARATE_PROCESS = "separate-process"
    NETWORK_SERVICE = "network-service"
    UNKNOWN = "unknown"


class Delivery(StrEnum):
    """The way in which a repository's work reaches the people who use it."""

    SOURCE = "source"
    BINARY = "binary"
    HOSTED = "hosted"
    INTERNAL = "internal"


class LicenseVerdict(StrEnum):
    """The verdicts on one use, from best to worst."""

    NOT_APPLICABLE = "not-applicable"
    COMPATIBLE = "compatible"
    OBLIGATIONS = "obligations"
    CONDITIONAL = "conditional"
    REVIEW = "review"
    UNKNOWN_LICENSE = "unknown-license"
    INCOMPATIBLE = "incompatible"

    @property
    def rank(self) -> int:
        """The place in the order above, 0 for the best."""
        return _RANK[self]


UNKNOWN_TERMS_RULE: Final = "model/unknown-terms"
"""The rule of weights and data whose terms are not known: to be reviewed, and never let through as known."""
_RANK = {verdict: rank for rank, verdict in enumerate(LicenseVerdict)}  # The class lists them from best to worst.


@dataclass(frozen=True, slots=True)
class Place:
    """A `path` below the repository's root, a `line` (from 1; None: the whole file), and what is `said` there."""

    path: str
    line: int | None = None
    said: str = ""

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where} ({self.said})" if self.said else where


class Source(StrEnum):
    """The origin of a statement about a licence."""

    RULEBOOK = "rulebook"
    LOCK_FILE = "lock-file"
    LICENSE_TEXT = "license-text"
    METADATA = "metadata"
    SBOM = "sbom"
    REGISTRY = "registry"
    DEPS_DEV = "deps.dev"
    DISTRIBUTION = "distribution"
    """A distribution of Linux, about the library of that name."""
    UNSTATED = "nobody"  # No source has said anything.


class Unknown(StrEnum):
    """The reason why a licence is not known; each has a way out of its own."""

    NOT_PINNED = "not-pinned"
    """Nothing says which version is used."""
    OFFLINE = "offline"
    """A registry would have been asked, and the audit ran offline."""
    UNREACHABLE = "unreachable"
    """A registry was asked and gave no answer."""
    PRIVATE = "private"
    """It comes from a private registry, or no public one knows it."""
    NO_REGISTRY = "no-registry"
    """It is of a kind that no registry is asked about."""
    UNREADABLE = "unreadable"
    """Something is stated, or a text comes with it, that cannot be read as a licence."""
    NOT_STATED = "not-stated"
    """Its registry knows it and states no licence."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A licence as it was learned: the `expression` as it was written (None: not known), its `source` and its `place`.

    `unknown` says why there is no expression (None: there is one, or no lookup was made); `place` then names the
    registry.
    """

    expression: str | None = None
    source: Source = Source.UNSTATED
    place: Place | None = None
    unknown: Unknown | None = None


UNLEARNED = Learned()  # No source has stated a licence.


@dataclass(frozen=True, slots=True)
class Text:
    """A file of a dependency or a repository: its `path`, whole `text`, and `sha256` of its bytes (hexadecimal)."""

    path: str
    text: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Checksum:
    """The digest of a package's archive: `algorithm` as SPDX 2.3 spells it (`SHA256`), `value` in hexadecimal."""

    algorithm: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """A package, file or program that a repository uses, once for each `usage`.

    `name` is its name in its ecosystem, `version` the one in use (None: not known), `version_range` what is asked for
    in its ecosystem's own notation where that is no single version (`^1.2`; `*`: any; empty: no file says it), `purl`
    its package URL in canonical form (None: it has none). `direct` is None where no file says it, `optional` true if
    the work does without it, `modified` if its source was changed. `why` says where the usage comes from
    ("package-lock.json: dev"), `places` where it is named; `component` is the part of the repository that uses it, for
    an outbound `AND`. `license` is what was learned; `licenses` and `notices` are the texts that came with it.

    `supplier` publishes it, `download` is the address of its archive or commit (without credentials and query),
    `checksums` are those of that archive, `needs` the package URLs of what it brings: empty where no lock file,
    registry or SBOM says it.
    """

    name: str
    version: str | None = None
    purl: str | None = None
    usage: Usage = Usage.UNKNOWN
    why: str = ""
    license: Learned = UNLEARNED
    places: tuple[Place, ...] = ()
    direct: bool | None = None
    optional: bool = False
    modified: bool = False
    component: str | None = None
    licenses: tuple[Text, ...] = ()
    notices: tuple[Text, ...] = ()
    supplier: str | None = None
    download: str | None = None
    checksums: tuple[Checksum, ...] = ()
    needs: tuple[str, ...] = ()
    version_range: str = ""

    @property
    def version_or_range(self) -> str:
        """The version that people are told: the one in use, else the range asked for; empty where no file says it."""
        return self.version or self.version_range


OWN_UNKNOWN = "license/own-unknown"  # The finding that the licence of the work itself is not known.
UNDECIDED = "outbound/unknown"  # The rule of a use that cannot be judged before the work's own licence is known.


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to be looked at that is no cell of the matrix: a broken file, a licence that its text contradicts.

    `code` is `noun/what` (`file/broken`), documented in docs/reference/findings.md, `message` one clause. `files` is
    the number of files of the same kind for which it stands, of which `place` is the first.
    """

    code: str
    place: Place
    message: str
    files: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """All that was learned of the repository `name` (`owner/name`) at the commit `head` (None: not known).

    `license` is that of its own work, `delivery` how this reaches people, `licenses` and `notices` are its own texts.
    `dependencies` are its uses, `findings` those of the reading. `suppliers` are the authors that the manifests at its
    root name, else the accounts of the repositories that they name.
    """

    name: str
    license: Learned = UNLEARNED
    delivery: Delivery = Delivery.BINARY
    dependencies: tuple[Dependency, ...] = ()
    findings: tuple[Finding, ...] = ()
    licenses: tuple[Text, ...] = ()
    notices: tuple[Text, ...] = ()
    head: str | None = None
    suppliers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The `verdict` of the licences on one use.

    `rule` is the id of the rule that hit (docs/reference/license-rules.md), `basis` its source (`osadl`, `exception`,
    `category`, `review`, `usage`, `published`, `curated`, `policy`, `none`), `reason` one sentence, `data_version` the
    date of the data, `branch` the part of an `OR` that was chosen (None: there was no choice).
    """

    verdict: LicenseVerdict
    rule: str
    basis: str
    reason: str
    data_version: str
    branch: str | None = None

    @property
    def counts_as(self) -> LicenseVerdict:
        """The verdict by which a rulebook's `fail_on` takes it: unknown terms are an unknown licence."""
        return LicenseVerdict.UNKNOWN_LICENSE if self.rule == UNKNOWN_TERMS_RULE else self.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """The responsibility of `by` for `purl` with the text `sha256` (None: any), with a `reason`, before `until`."""

    purl: str
    until: date
    reason: str
    by: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One `dependency` of one repository, its `judgement`, and the `waiver` in force (None: there is none)."""

    dependency: Dependency
    judgement: Judgement
    waiver: Waiver | None = None

    def fails(self, fail_on: Collection[LicenseVerdict]) -> bool:
        """Whether it is a violation: its verdict is one of these, and no waiver covers it."""
        judged = self.judgement
        return (
            self.waiver is None
            and judged.rule != UNDECIDED  # An unknown own licence is one violation, not one for each use.
            and not {judged.verdict, judged.counts_as}.isdisjoint(fail_on)
        )


@dataclass(frozen=True, slots=True)
class RepositoryAudit:
    """The audit of one `repository`: its `cells` in the order of the dependencies' names, and all `findings`."""

    repository: Repository
    cells: tuple[Cell, ...] = ()
    findings: tuple[Finding, ...] = field(default=())

    def own_license_violation(self, fail_on: Collection[LicenseVerdict]) -> Finding | None:
        """The finding that the own licence is not known, where that is a violation: something is used that is part of the work."""
        found = next((finding for finding in self.findings if finding.code == OWN_UNKNOWN), None)
        if found is None:
            return None
        used = [cell for cell in self.cells if cell.waiver is None]  # A waived use does not need the own licence.
        is_used = any(cell.judgement.verdict is not LicenseVerdict.NOT_APPLICABLE for cell in used)
        waits = any(cell.judgement.rule == UNDECIDED for cell in used)
        # Any use that is judged needs a known licence; with `review` alone, only a use that waits for it does.
        fails = (LicenseVerdict.UNKNOWN_LICENSE in fail_on and is_used) or (LicenseVerdict.REVIEW in fail_on and waits)
        return found if fails else None


class ChangeCause(StrEnum):
    """The cause of another verdict, or of a dependency that is judged for the first time or no longer."""

    DEPENDENCY = "dependency"
    """It came, it went, or its version is another one."""
    LICENSE = "licence"
    """Its own licence, or that of the repository."""
    USAGE = "usage"
    """The way in which it is used, or in which the repository's work is delivered."""
    WAIVER = "waiver"
    """A waiver was added, or has ended."""
    DATA = "data"
    """The data that judges is of another day."""
    RULE = "rule"
    """All else is the same: the rules are others, or what the rulebook lets fail."""
