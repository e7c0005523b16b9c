"""The nouns of the licence audit: what is used, how, under which licence, where that was learned, and what follows."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Final


class Usage(StrEnum):
    """How a dependency is used by what depends on it."""

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
    """How a repository's work reaches those who use it."""

    SOURCE = "source"
    BINARY = "binary"
    HOSTED = "hosted"
    INTERNAL = "internal"


class LicenseVerdict(StrEnum):
    """What may be done, from best to worst."""

    NOT_APPLICABLE = "not-applicable"
    COMPATIBLE = "compatible"
    OBLIGATIONS = "obligations"
    CONDITIONAL = "conditional"
    REVIEW = "review"
    UNKNOWN_LICENSE = "unknown-license"
    INCOMPATIBLE = "incompatible"

    @property
    def rank(self) -> int:
        """0 for the best."""
        return _RANK[self]


UNKNOWN_TERMS_RULE: Final = "model/unknown-terms"
"""The rule of weights and data whose terms are not known: to be reviewed, and never let through as known."""
_RANK = {verdict: rank for rank, verdict in enumerate(LicenseVerdict)}


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file below the repository's root, its line (from 1; None: the file as a whole), what is said there."""

    path: str
    line: int | None = None
    said: str = ""

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where} ({self.said})" if self.said else where


class Source(StrEnum):
    """Who says under which licence something is."""

    RULEBOOK = "rulebook"
    LOCK_FILE = "lock-file"
    LICENSE_TEXT = "license-text"
    METADATA = "metadata"
    SBOM = "sbom"
    REGISTRY = "registry"
    DEPS_DEV = "deps.dev"
    DISTRIBUTION = "distribution"
    """What a distribution of Linux says of the library of that name."""
    NOBODY = "nobody"


class Unknown(StrEnum):
    """Why it is not known under which licence something is; each has a way out of its own."""

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
    """A licence as it was learned: the expression as it was written (None: not known), who says so, and where.

    `unknown` says why there is no expression (None: there is one, or no lookup was made); then `place` is who was asked.
    """

    expression: str | None = None
    source: Source = Source.NOBODY
    place: Place | None = None
    unknown: Unknown | None = None


UNLEARNED = Learned()
"""No source has stated a licence."""


@dataclass(frozen=True, slots=True)
class Text:
    """A file that came with a dependency or a repository: its path, its whole text, and SHA-256 of its bytes in hexadecimal."""

    path: str
    text: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Checksum:
    """The digest of a package's archive: its algorithm as SPDX 2.3 spells it (`SHA1`, `SHA256`, `SHA512`), its value in hexadecimal."""

    algorithm: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """Something that a repository uses, once for each way in which it is used.

    `purl` is a package URL in its canonical form (None: it has none), `version_range` what is asked for in its ecosystem's
    own notation where that is no single version (`^1.2`; `*`: any; empty: no file says it). `direct` is None where no file says it. `why` says in
    words where the usage comes from ("package-lock.json: dev"); `component` names the part of the repository that uses it,
    for an outbound `AND`. `licenses` and `notices` are the texts that came with it.

    `supplier` is who publishes it, `download` the address of its archive or of its commit (without credentials and query),
    `checksums` those of that archive, and `needs` the package URLs of what it brings: each as a lock file, a registry or an
    SBOM says it, and empty where none does.
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
        """Which version people are told: the one that is used, else the range that is asked for; empty where no file says it."""
        return self.version or self.version_range


OWN_UNKNOWN = "license/own-unknown"
"""The code of the finding that the licence of the work itself is not known."""
UNDECIDED = "outbound/unknown"
"""The rule of a use that cannot be judged before the licence of the work itself is known."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is to be looked at and is no cell of the matrix: a broken file, a licence that its text contradicts.

    `code` is `noun/what` (`file/broken`, `license/mismatch`), documented in docs/reference/findings.md. `files` is for how many
    files of the same kind it stands, of which `place` is the first.
    """

    code: str
    place: Place
    message: str
    files: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """What was learned of one repository. `head` is the commit that was read (None: not known).

    `suppliers` are the authors that the manifests at its root name, else the accounts of the repositories that they name.
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
    """What the licences say of one use.

    `rule` is the id of the rule that hit (docs/reference/license-rules.md), `basis` who answered (`osadl`, `exception`, `category`,
    `review`, `usage`, `published`, `curated`, `policy`, `none`), `reason` one sentence in words, `data_version` the date of the data, `branch` the part of
    an `OR` that was chosen (None: there was no choice).
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
    """A person took the responsibility for one dependency, until a day (which no longer counts)."""

    purl: str
    until: date
    reason: str
    by: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One dependency of one repository, judged; `waiver` is the one in force."""

    dependency: Dependency
    judgement: Judgement
    waiver: Waiver | None = None

    def fails(self, fail_on: Collection[LicenseVerdict]) -> bool:
        """Whether it is a violation: its verdict is one of these, and no waiver covers it.

        One that waits for the work's own licence is none: that the own licence is not known is one violation, and not many.
        """
        judged = self.judgement
        return (
            self.waiver is None
            and judged.rule != UNDECIDED
            and not {judged.verdict, judged.counts_as}.isdisjoint(fail_on)
        )


@dataclass(frozen=True, slots=True)
class RepositoryAudit:
    """One repository and what was found of all it uses, in the order of the dependencies' names."""

    repository: Repository
    cells: tuple[Cell, ...] = ()
    findings: tuple[Finding, ...] = field(default=())

    def own_license_violation(self, fail_on: Collection[LicenseVerdict]) -> Finding | None:
        """The finding that the own licence is not known, where that is a violation: something is used that is part of the work."""
        found = next((one for one in self.findings if one.code == OWN_UNKNOWN), None)
        if found is None:
            return None
        used = [cell for cell in self.cells if cell.waiver is None]
        is_used = any(cell.judgement.verdict is not LicenseVerdict.NOT_APPLICABLE for cell in used)
        waits = any(cell.judgement.rule == UNDECIDED for cell in used)
        fails = (LicenseVerdict.UNKNOWN_LICENSE in fail_on and is_used) or (LicenseVerdict.REVIEW in fail_on and waits)
        return found if fails else None


class ChangeCause(StrEnum):
    """Why a verdict is another one, or a dependency is judged for the first or no longer."""

    DEPENDENCY = "dependency"
    """It came, it went, or its version is another one."""
    LICENSE = "licence"
    """Its own licence, or that of the repository."""
    USAGE = "usage"
    """How it is used, or how the repository's work is delivered."""
    WAIVER = "waiver"
    """A waiver was added, or has ended."""
    DATA = "data"
    """The data that judges is of another day."""
    RULE = "rule"
    """All else is the same: the rules are others, or what the rulebook lets fail."""
