"""Sign-offs given later, by a commit that names the one it is for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agreements.certifiers import AgentList, certifying, kind, people
from agreements.equivalence import Evidence, Matcher
from agreements.facts import Commit, Identity
from agreements.rules import DcoRules
from agreements.trailers import Remediation, Signed, remediations


@dataclass(frozen=True, slots=True)
class Remedy:
    """The commit that remedies, and whether it is its maker's own word or a third party's."""

    by_sha: str
    kind: str


def remedies(
    commits: Sequence[Commit], rules: DcoRules, matcher: Matcher, agents: AgentList
) -> Mapping[Commit, Remedy]:
    """For each remedied commit the first remedy, wherever it stands in the pull request.

    The declaring person must be author or committer of the commit that carries the line; the person for whom it is
    given must be author or committer of the target. Third-party ones count only when individual ones do too.
    Facts may list a SHA twice; if they say different things of it, each is a target of its own.
    """
    found: dict[Commit, Remedy] = {}
    if not rules.individual_remediation:
        return found
    targets: dict[str, dict[Commit, None]] = {}
    for commit in commits:
        targets.setdefault(commit.sha, {})[commit] = None
    evidence = isinstance(matcher, Evidence)
    for commit in commits:
        for line in remediations(commit.message):
            for target in targets.get(line.sha.strip() if evidence else line.sha, ()):
                if target in found or (line.behalf and not rules.third_party_remediation):
                    continue
                if _counts(line, commit, target, matcher, agents):
                    found[target] = Remedy(commit.sha, "third-party" if line.behalf else "individual")
    return found


def _counts(line: Remediation, commit: Commit, target: Commit, matcher: Matcher, agents: AgentList) -> bool:
    makers, owners = people(commit), people(target)
    if isinstance(matcher, Evidence):
        if kind(_identity(line.by), None, agents) != "person":
            return False
        makers = certifying(makers, agents)
        owners = owners if line.behalf else certifying(owners, agents)
    declared = any(matcher.same(_identity(line.by), person) is not None for person in makers)
    return declared and any(matcher.same(_identity(line.behalf or line.by), person) is not None for person in owners)


def _identity(signed: Signed) -> Identity:
    return Identity(signed.name, signed.email)
