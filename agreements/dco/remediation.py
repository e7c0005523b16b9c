"""Sign-offs given later, by a commit that names the one it is for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agreements.dco.trailers import Remediation, remediations
from agreements.facts import Commit, Identity
from agreements.identity.certifiers import AgentList, certifying, people, signer
from agreements.identity.matching import CommitPerson, EquivalenceEvidence, Kinds, Matcher
from agreements.rulebook.rules import DcoRules


@dataclass(frozen=True, slots=True)
class Remedy:
    """The commit `by_sha` that remedies; `kind` is its author (`individual`) or `third-party`; `equivalences` are those it needed."""

    by_sha: str
    kind: str
    equivalences: Kinds = frozenset()


def remedies(
    commits: Sequence[Commit], rules: DcoRules, matcher: Matcher, agents: AgentList
) -> Mapping[Commit, Remedy]:
    """For each remedied commit the first remedy, wherever it stands in the pull request.

    The declaring person must be author or committer of the commit that carries the line; the person for whom it is
    given must be author or committer of the target. Third-party ones count only when individual ones do too.
    """
    found: dict[Commit, Remedy] = {}
    if not rules.individual_remediation:
        return found
    targets: dict[str, list[Commit]] = {}
    for commit in commits:
        # Facts may list a SHA twice: if they differ, each is a target of its own.
        targets.setdefault(commit.sha, []).append(commit)
    evidence = isinstance(matcher, EquivalenceEvidence)
    for commit in commits:
        for line in remediations(commit.message):
            for target in targets.get(line.sha.strip() if evidence else line.sha, ()):
                if target in found or (line.behalf and not rules.third_party_remediation):
                    continue
                kinds = _equivalences(line, commit, target, matcher, agents)
                if kinds is not None:
                    found[target] = Remedy(commit.sha, "third-party" if line.behalf else "individual", kinds)
    return found


def _equivalences(
    line: Remediation, commit: Commit, target: Commit, matcher: Matcher, agents: AgentList
) -> Kinds | None:
    """The equivalences by which the line counts; None when it does not."""
    makers, owners = people(commit), people(target)
    evidence = isinstance(matcher, EquivalenceEvidence)
    declared = _closest(line.by, certifying(makers, agents) if evidence else makers, matcher)
    if declared is None:
        return None
    if evidence:
        speaking = makers if line.behalf else (*makers, *owners)
        able = certifying(speaking, agents)
        # An AI agent's declaration certifies nothing, even if its address is a person's.
        if signer(line.by, [person for person in speaking if person not in able], agents) != "person":
            return None
        owners = owners if line.behalf else certifying(owners, agents)
    certified = _closest(line.behalf or line.by, owners, matcher)
    return None if certified is None else declared | certified


def _closest(who: Identity, persons: Iterable[CommitPerson], matcher: Matcher) -> Kinds | None:
    found = [kinds for person in persons if (kinds := matcher.same(who, person)) is not None]
    return min(found, key=len, default=None)
