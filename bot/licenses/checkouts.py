"""Checkouts on this machine, audited: each is scanned, its texts are named, its uses judged by the rulebook; nothing in it is run."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from agreements.clone.history import Clone, HistoryUnreadable
from audit import display_text
from audit.facts import Finding, Place, RepositoryAudit
from audit.licenses.osadl import Matrix
from audit.output.audit_run import AuditRun, build
from audit.scan.checkout import scan
from audit.scan.decoding import shown
from audit.scan.gathering import is_read
from audit.scan.own_license_finding import explained
from audit.scan.source_languages import is_known
from audit.scan.walk_limits import LIMITS, Limits
from audit.texts.detector import DetectionCache, Detector
from audit.texts.mismatch import contradicted
from audit.verdict.policy import RULEBOOK, Policy
from audit.verdict.repository_verdict import Judge
from audit.verdict.unreadable_input import SPARSE
from bot.github.ports import RuleFile, RuleFiles
from bot.licenses import source_headers
from bot.licenses.registry_lookup import LicenseLookup
from bot.rulebook import effective as rulebook

_MAX_RULEBOOK_BYTES = 1_000_000
"""Bytes of a checkout's own rulebook; more than that is none."""


@dataclass(frozen=True, slots=True)
class AuditProgress:
    """Checkout `number` of `of`, called `name`: `done` files and folders seen, or answers to the `asked` questions."""

    name: str
    number: int
    of: int
    done: int = 0
    asked: int | None = None  # None: its files are still being read.


Told = TypeVar("Told")
OnStep = Callable[[AuditProgress], None]
"""Is told each step."""


class RulebookBroken(Exception):
    """The rulebook cannot be used; one line for each mistake."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(lines))


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """The basis of all verdicts: the organisation's `rulebook` (path and text, or None), the `data`, the day `today`.

    `learner` learns licences that a checkout doesn't tell (None: they stay unknown); `limits` bound what is read of each.
    """

    rulebook: tuple[str, str] | None
    data: Matrix
    today: date
    learner: LicenseLookup | None = None
    limits: Limits = LIMITS


@dataclass(frozen=True, slots=True)
class AuditResult:
    """One checkout, `audited` by the `policy` in force; `failed` counts by reason what could not be asked about."""

    audited: RepositoryAudit
    policy: Policy
    failed: Mapping[str, int] = field(default_factory=dict)


def audit(paths: Sequence[Path], options: AuditOptions, on_step: OnStep = lambda _step: None) -> Iterator[AuditResult]:
    """Each checkout in turn. Raises RulebookBroken, OSError for a folder that is none."""
    memory = DetectionCache()  # One for all: the same texts come with many packages.
    for number, (path, name) in enumerate(zip(paths, names(paths), strict=True), 1):
        if not path.is_dir():
            raise NotADirectoryError(20, "not a folder" if path.exists() else "no such folder", str(path))
        rules = policy(path, name, options.rulebook)
        judge = Judge(rules, options.data, options.today)
        step = AuditProgress(name, number, len(paths))
        on_step(step)
        detector = Detector(memory, options.limits.identified)
        advance = partial(_advance, on_step, step)
        found = scan(path, name=name, detect=detector.license, progress=advance, limits=options.limits)
        repository = replace(found, head=_told(path, Clone.head), findings=(*_left_out(path), *found.findings))
        failed: Mapping[str, int] = {}
        if options.learner:
            learnt = options.learner.learned(repository, judge, advance)
            repository, failed = learnt.repository, learnt.failed
        # After the registries: what they state may be contradicted by texts, too.
        repository = contradicted(explained(repository, detector.detect), detector.detect)
        repository = replace(repository, findings=(*repository.findings, *detector.findings()))
        repository = source_headers.noted(repository, path, rules.headers)
        yield AuditResult(judge.audited(repository), rules, failed)


def _advance(on_step: OnStep, step: AuditProgress, done: int, asked: int | None = None) -> None:
    on_step(replace(step, done=done, asked=asked))


def written(found: Sequence[AuditResult], at: datetime) -> AuditRun:
    """All of them as one run; of several checkouts the strictest `fail_on` counts for all."""
    fail_on = {verdict for result in found for verdict in result.policy.fail_on}
    return build((result.audited for result in found), at, tuple(fail_on))


def names(paths: Sequence[Path]) -> tuple[str, ...]:
    """The names of the checkouts: as the remote says, else the folder; a name that is taken gets a number."""
    found: list[str] = []
    for path in paths:
        plain = name = _told(path, Clone.name) or path.resolve().name or "root"  # The folder `/` has no name.
        number = 2
        while name in found:
            name, number = f"{plain}-{number}", number + 1
        found.append(name)
    return tuple(found)


def policy(root: Path, name: str, above: tuple[str, str] | None) -> Policy:
    """The licence rules for a checkout: the organisation's file, tightened by its own. Raises RulebookBroken."""
    own = _own(root)
    if above is None and own is None:
        return Policy()
    files = RuleFiles(RuleFile(RULEBOOK, None), RuleFile(RULEBOOK, own), RuleFile("", None))
    found = rulebook.read(files, above, name, texts=None)
    if isinstance(found, rulebook.Rulebook):
        return found.policy
    errors = found.values["errors"]
    raise RulebookBroken([f"{name}: {error}" for error in (errors if isinstance(errors, tuple) else (str(errors),))])


def _own(root: Path) -> str | None:
    # A link out of the checkout would read any file of this machine.
    place = os.path.realpath(root / RULEBOOK)
    if os.path.commonpath([place, os.path.realpath(root)]) != os.path.realpath(root) or not Path(place).is_file():
        return None
    with Path(place).open("rb") as file:
        data = file.read(_MAX_RULEBOOK_BYTES + 1)  # One more shows that there is more.
    if len(data) > _MAX_RULEBOOK_BYTES:
        raise RulebookBroken([f"{root / RULEBOOK}: larger than {_MAX_RULEBOOK_BYTES:,} bytes"])
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise RulebookBroken([f"{root / RULEBOOK}: not UTF-8 text"]) from None


def _left_out(path: Path) -> Iterator[Finding]:
    # In a sparse checkout git leaves files out, and the audit would miss what stands in them.
    missing = [file for file in _told(path, Clone.not_checked_out) or () if is_read(file) or is_known(file)]
    if missing:
        counted = display_text.count(len(missing), "file", "files")
        message = f"{counted} that would be read, from here on, not checked out: run `git sparse-checkout disable`, or `git checkout`"
        yield Finding(SPARSE, Place(shown(missing[0])), message, len(missing))


def _told(path: Path, question: Callable[[Clone], Told | None]) -> Told | None:
    if not (path / ".git").exists():  # Else git answers for a repository around it.
        return None
    try:
        return question(Clone(str(path)))
    except HistoryUnreadable:
        return None
