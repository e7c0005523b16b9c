"""Judges recorded facts again under changed rule files: what would change, for whom, or why that cannot be known."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from agreements.cla.party import party_of
from agreements.cla.small_changes import counted_lines
from agreements.facts import Account, Commit, Facts, FileDiff, Problem, Verdict
from agreements.identity.certifiers import perhaps_bots, with_bots
from agreements.identity.matching import noreply_owner
from agreements.identity.subjects import GHOST, participant_ids
from agreements.json.facts_reader import FactsInvalid, read
from agreements.judge import judge, merged_matters, reverts_matter, small_matters
from agreements.rulebook.rules import Rules, for_repository
from bot.github.ports import RuleFile, RuleFiles
from bot.rulebook import effective as rulebooks
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.rulebook.recorded_facts import CannotReplay, RecordedFacts, asked

_UNASKED = {
    "bots": "which authors are bots",
    "files": "which files it touches",
    "members": "who is a member of the organisation",
    "merged": "which commits a protected branch holds",
    "small": "which lines it changes",
    "lines": "how many lines its people have in other small changes",
    "reverts": "which commits are clean reverts",
}


@dataclass(frozen=True, slots=True)
class ProposedRules:
    """Rule files as they might become, None where one stays as it is: the organisation's (`organization`), the repository's (`own`)."""

    organization: RuleFile | None = None
    own: RuleFile | None = None

    def files(self, present: RuleFiles) -> RuleFiles:
        """The rule files in force, with the proposed ones in their places."""
        return replace(
            present, organization=self.organization or present.organization, repository=self.own or present.repository
        )


@dataclass(frozen=True, slots=True)
class ReplayProblem:
    """A problem of the check named `check`; `problem` says whose, on which commit, and why."""

    check: str
    problem: Problem

    @property
    def key(self) -> tuple[str, str, str | None, int | None]:
        """The values by which it is the same finding under other rules."""
        account = self.problem.account
        return self.check, self.problem.code, self.problem.sha, account.id if account else None


@dataclass(frozen=True, slots=True)
class ReplayOutcome:
    """The verdict on a pull request now (`before`) and then (`after`); findings that would be `new`, and those that would be `gone`.

    `mode`: that of its repository now and then, None when it stays or there are no rules. `unknown`: what decides about
    further findings and was not asked; empty when these are all.
    """

    before: str
    after: str
    new: tuple[ReplayProblem, ...] = ()
    gone: tuple[ReplayProblem, ...] = ()
    mode: tuple[str, str] | None = None
    unknown: str = ""

    @property
    def changes(self) -> bool:
        """True when people would see another verdict or reason, or see a verdict no longer or for the first time."""
        return self.before != self.after or bool(self.new or self.gone or self.mode)


@dataclass(frozen=True, slots=True)
class _PossibleVerdict:
    """A verdict as far as it is known: `conclusion`, `mode`, findings `surely` there and those `perhaps` there, and what is `unknown`."""

    conclusion: str
    mode: str | None
    surely: tuple[ReplayProblem, ...]
    perhaps: tuple[ReplayProblem, ...]
    unknown: str = ""


def replay(recorded: RecordedFacts, proposal: ProposedRules) -> ReplayOutcome:
    """The outcome at the time of the record. Raises CannotReplay with the reason, never guesses."""
    before = _known(recorded, recorded.files)
    after = _known(recorded, proposal.files(recorded.files))
    # New is what is certain then and not even possible now; gone, the other way round.
    return ReplayOutcome(
        before.conclusion,
        after.conclusion,
        _without(after.surely, before.perhaps),
        _without(before.surely, after.perhaps),
        (before.mode, after.mode) if before.mode and after.mode and before.mode != after.mode else None,
        after.unknown or before.unknown,
    )


def known_facts(recorded: RecordedFacts) -> Facts | None:
    """The facts as they were judged; None where the rulebook was broken, which passes nothing. Raises CannotReplay."""
    rules = known_rules(recorded)
    return None if rules is None else _facts(recorded, rules)


def known_rules(recorded: RecordedFacts) -> Rules | None:
    """The rules in force at the time of the record, without a look at its facts; None where the rulebook was broken."""
    found = _rulebook(recorded.files, recorded.full_name)
    return None if isinstance(found, RulebookProblem) else found.rules


def _known(recorded: RecordedFacts, files: RuleFiles) -> _PossibleVerdict:
    """The verdict under these files, if what was not asked makes no difference to its conclusion."""
    found = _rulebook(files, recorded.full_name)
    if isinstance(found, RulebookProblem):
        verdict = found.verdict()
        return _PossibleVerdict(verdict.conclusion.value, None, _findings(verdict), _findings(verdict))
    facts = _facts(recorded, found.rules)
    missing = asked(found.rules, recorded.full_name) - recorded.asked
    possible = tuple(_possible(facts, missing))
    small = tuple(_as_small(end) for end in possible if small_matters(end))
    is_quiet = _is_quiet(known_rules(recorded), recorded) and _is_quiet(found.rules, recorded)
    used_up = () if is_quiet else tuple(end for found in possible if (end := _as_used_up(found)) is not None)
    ends = (*possible, *small, *used_up)
    held = tuple(_as_held(end) for end in ends)
    unasked = missing.union(*(names for _, names in held), {"small"} if small else (), {"lines"} if used_up else ())
    unknown = " and ".join(_UNASKED[name] for name in sorted(unasked))
    verdicts = [judge(end) for end in (*ends, *(found for found, names in held if names))]
    conclusions = {verdict.conclusion.value for verdict in verdicts}
    # Nothing is guessed: where both ends differ, the verdict is not known.
    if len(conclusions) > 1:
        raise CannotReplay(f"cannot be known from the stored facts: {unknown}")
    surely = perhaps = _findings(verdicts[0])
    for findings in map(_findings, verdicts[1:]):
        surely = _without(surely, _without(surely, findings))
        perhaps = (*perhaps, *_without(findings, perhaps))
    mode = for_repository(found.rules, recorded.full_name).mode
    return _PossibleVerdict(conclusions.pop(), mode, surely, perhaps, unknown if len(surely) < len(perhaps) else "")


@lru_cache(maxsize=256)  # Many pull requests share their files.
def _rulebook(files: RuleFiles, full_name: str) -> Rulebook | RulebookProblem:
    return rulebooks.read(files, None, full_name, texts=None)


def _facts(recorded: RecordedFacts, rules: Rules) -> Facts:
    try:
        found = read({**recorded.facts, "rulebook": None}, lambda _none: rules)
    except FactsInvalid as error:
        raise CannotReplay(f"cannot be replayed: its stored facts cannot be read ({error})") from None
    # Facts of this release name every party.
    if None not in {
        *(signature.party for signature in found.signatures),
        *(company.party for company in found.companies),
    }:
        return found
    return _with_parties(found, known_rules(recorded))


def _with_parties(facts: Facts, rules_then: Rules | None) -> Facts:
    # Records of an earlier release count with the party of their time, not with that of other rules.
    party = party_of(rules_then, facts.owner_id) if rules_then else None
    if party is None:
        return facts
    return replace(
        facts,
        signatures=tuple(replace(signature, party=signature.party or party) for signature in facts.signatures),
        companies=tuple(replace(company, party=company.party or party) for company in facts.companies),
    )


def _possible(facts: Facts, missing: frozenset[str]) -> Iterator[Facts]:
    # At either end of what is not known: more members, files and bots only ever let more pass, person by person
    # and commit by commit, so what holds at both ends holds between them.
    path = facts.rules.changelog.path
    commits = (facts.commits, _by_bots(facts)) if "bots" in missing else (facts.commits,)
    everyone = participant_ids(facts.pull_request.opener, facts.senders, facts.commits, facts.server)
    everyone = everyone.union(facts.emails, (override.by.id for override in facts.overrides))
    # A personal account has no members but its owner.
    unasked = "members" in missing and not (facts.owner_type == "User" and facts.owner_id)
    members = (frozenset[int](), everyone) if unasked else (facts.members,)
    files = ((), (path,)) if "files" in missing else (facts.pull_request.files,)
    for some, touched, written in product(members, files, commits):
        request = replace(facts.pull_request, files=touched)
        yield replace(facts, members=some, pull_request=request, commits=written)


def _as_small(facts: Facts) -> Facts:
    """The facts, were the pull request a change of one line that its rule has as small."""
    rule = for_repository(facts.rules, facts.repository)
    assert rule.small is not None
    path = FileDiff(path="x", additions=1, text=True)
    loose = replace(rule, small=replace(rule.small, paths=(path.path,)))
    repositories = tuple(loose if other is rule else other for other in facts.rules.repositories)
    request = replace(facts.pull_request, changes=(path,), changed_files=1, files_complete=True)
    return replace(facts, rules=replace(facts.rules, repositories=repositories), pull_request=request, small_lines={})


def _is_quiet(rules: Rules | None, recorded: RecordedFacts) -> bool:
    # Where nothing is shown no lines are counted: of what was judged so, it is known that none were.
    return rules is not None and for_repository(rules, recorded.full_name).mode == "shadow"


def _as_used_up(facts: Facts) -> Facts | None:
    """The facts, had its people used up the total of small changes; None where their lines matter not, or were asked."""
    rule, request = for_repository(facts.rules, facts.repository), facts.pull_request
    if rule.small is None or counted_lines(facts) is None:
        return None
    people = small_matters(replace(facts, pull_request=replace(request, changes=None)))
    unasked = [person.id for person in people if person.id not in facts.small_lines]
    lines = {**facts.small_lines, **dict.fromkeys(unasked, rule.small.total)}
    return replace(facts, small_lines=lines) if unasked else None


def _as_held(facts: Facts) -> tuple[Facts, frozenset[str]]:
    """The facts, did protected branches hold all that was not asked, and what of it was not."""
    unasked = {"merged": merged_matters(facts), "reverts": reverts_matter(facts).keys()}
    commits = (
        replace(
            commit,
            merged=commit.merged or commit.sha in unasked["merged"],
            reverts=commit.reverts or commit.sha in unasked["reverts"],
        )
        for commit in facts.commits
    )
    return replace(facts, commits=tuple(commits)), frozenset(name for name, shas in unasked.items() if shas)


def _by_bots(facts: Facts) -> tuple[Commit, ...]:
    """The commits, were every address that may be a bot's linked to one: to who acted, where it is of that login."""
    acting = (facts.pull_request.opener, *(sender.account for sender in facts.senders))
    logins = {
        f"{account.login}@{facts.server.noreply_domain}".lower(): account
        for account in acting
        if account is not None and account.type == "Bot"
    }
    bots = {
        address: noreply_owner(address, facts.server) or logins.get(address.lower(), Account(GHOST.id, "[bot]", "Bot"))
        for address in perhaps_bots(facts.commits, facts.server)
    }
    return with_bots(facts.commits, bots)


def _findings(verdict: Verdict) -> tuple[ReplayProblem, ...]:
    return tuple(ReplayProblem(check.name, problem) for check in verdict.checks for problem in check.problems)


def _without(some: tuple[ReplayProblem, ...], others: tuple[ReplayProblem, ...]) -> tuple[ReplayProblem, ...]:
    """The findings without the others, counting repeats."""
    left = Counter(problem.key for problem in others)
    found = []
    for problem in some:
        if left[problem.key]:
            left[problem.key] -= 1
        else:
            found.append(problem)
    return tuple(found)
