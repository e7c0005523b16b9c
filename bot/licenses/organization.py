"""An organisation audited in the foreground, at GitHub and without a database; what was read is remembered, so that a second run goes on."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from audit.scan.serialization import CannotUnpack, RepositorySnapshot, pack, unpack
from audit.verdict.repository_verdict import Judge
from bot import atomic_file
from bot.github.hub import Hub
from bot.github.ports import Installation, Missing, RepositoryPlace, RuleFile, Unreachable
from bot.licenses import remote_repository
from bot.licenses.applied_rules import OrganizationRules, organization, without
from bot.licenses.checkouts import AuditOptions, AuditProgress, AuditResult, OnStep
from bot.report import words
from bot.rulebook import effective


class NoOrganization(Exception):
    """The organisation can't be audited; one clause that says why."""


class ReadingCache:
    """A folder with the facts that were read of each repository; one that can't be used costs only time (`say` is told so once)."""

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._say: Callable[[str], None] | None = say

    def get(self, repository_id: int) -> tuple[str, str, RepositorySnapshot] | None:
        """The commit, the fingerprint and the facts of a repository; None where there are none that can be used."""
        try:
            head, fingerprint, packed = (self._folder / str(repository_id)).read_bytes().split(b"\n", 2)
            return head.decode(), fingerprint.decode(), unpack(packed)
        except (OSError, ValueError, CannotUnpack):
            return None  # Such a file costs time alone: the repository is read again.

    def put(self, repository_id: int, head: str, fingerprint: str, kept: RepositorySnapshot) -> None:
        """Store the facts, whole or not at all; only the file's owner may read them."""
        data = b"\n".join([head.encode(), fingerprint.encode(), pack(kept)])
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # Repositories may be private.
            with atomic_file.replacement(self._folder / str(repository_id)) as made:
                made.write(data)
        except OSError as error:
            if self._say is not None:
                self._say(f"what is read is not remembered in {self._folder}: {error.strerror}")
                self._say = None  # Told once.


def audit(
    login: str, hub: Hub, options: AuditOptions, memory: ReadingCache, on_step: OnStep = lambda _step: None
) -> Iterator[AuditResult]:
    """Each repository in turn, by name. Raises NoOrganization, DocumentInvalid for its rulebook, HubError."""
    # GitHub ignores the case of logins.
    found = [
        installation
        for installation in hub.installations()
        if installation.account.login.casefold() == login.casefold()
    ]
    if not found:
        raise NoOrganization(f"the App is not installed at {login}")
    if found[0].suspended:
        raise NoOrganization(f"the App's installation at {login} is suspended")
    here = found[0]
    rules = _rules(here, hub, options.rulebook)
    listed = sorted(hub.listed(here.id), key=lambda repository: repository.place.full_name.casefold())
    shas = hub.heads(here.id, [repository.node for repository in listed])
    # Without it the audit would seem to be of the whole organisation.
    if hidden := [repository.place.full_name for repository in listed if repository.node not in shas]:
        raise Unreachable(f"GitHub does not show the newest commit of {', '.join(hidden[:10])}; try again")
    heads = [(repository, sha) for repository in listed if (sha := shas.get(repository.node)) is not None]
    for number, (repository, sha) in enumerate(heads, 1):
        step = AuditProgress(repository.place.full_name, number, len(heads))
        on_step(step)
        try:
            kept = _read(repository.place, sha, hub, memory)
        except Missing:  # Deleted since it was listed
            continue
        yield _judged(kept, sha, step, rules, options, on_step)


def _judged(
    kept: RepositorySnapshot,
    sha: str,
    step: AuditProgress,
    rules: OrganizationRules,
    options: AuditOptions,
    on_step: OnStep,
) -> AuditResult:
    applied = rules.applied(step.name, kept.rulebook)
    judge = Judge(applied.policy, options.data, options.today)
    repository = replace(kept.repository, name=step.name, head=sha)
    failed: Mapping[str, int] = {}
    if options.learner:
        learnt = options.learner.learned(
            repository, judge, lambda done, of: on_step(replace(step, done=done, asked=of))
        )
        repository, failed = learnt.repository, learnt.failed
    found = judge.audited(repository)
    return AuditResult(replace(found, findings=(*found.findings, *applied.findings)), applied.policy, failed)


def _rules(here: Installation, hub: Hub, file: tuple[str, str] | None) -> OrganizationRules:
    if file is not None:
        return organization(RuleFile(*file)) or without()
    found = hub.organization_file(here.id, here.account)
    if not isinstance(found, RuleFile):  # Unread is not absent.
        said = words.text(effective.unreachable(here.account.login, found).problem(), "en").message
        raise NoOrganization(f"{said} Let the App read it, or give its rulebook with --rulebook FILE.")
    return organization(found) or without()


def _read(place: RepositoryPlace, sha: str, hub: Hub, memory: ReadingCache) -> RepositorySnapshot:
    # The facts of another commit count where the same would be read of it.
    known = memory.get(place.repository_id)
    if known is not None and known[0] == sha and remote_repository.is_current(known[1]):
        return known[2]
    tree = hub.tree(place, sha)
    if known is not None and remote_repository.is_same(known[1], tree):
        kept, fingerprint = known[2], known[1]
    else:
        found = remote_repository.of_tree(place, tree, hub)
        kept, fingerprint = RepositorySnapshot(found.repository, found.rulebook), found.fingerprint
    memory.put(place.repository_id, sha, fingerprint, kept)
    return kept
