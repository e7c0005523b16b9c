"""Sign-offs given in the portal: the people who have to give them for a commit, and the commits for which all of them did."""

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet

from agreements.facts import Account, Check, Commit, CommitStatus, Facts, Identity
from agreements.identity.certifiers import AgentList, is_bot, kind, listed_agents
from agreements.identity.subjects import owner_of, proven_owners
from agreements.rulebook.rules import Rules

_NO_SIGNERS = frozenset[int]()
_OTHER_FAULTS = frozenset({"dco/invalid-email"})
"""The faults of a commit that no sign-off mends."""


def signed_here(facts: Facts, agents: AgentList) -> frozenset[Commit]:
    """The commits that all their people signed off in the portal, where the rules let that count."""
    if not facts.signoffs or not is_counted(facts.rules):
        return frozenset()
    owners, given = proven_owners(facts), accounts_by_commit(facts)
    return frozenset(
        commit
        for commit in facts.commits
        if (wanted := signers(commit, owners, agents)) and wanted <= given.get(commit.sha, _NO_SIGNERS)
    )


def is_counted(rules: Rules) -> bool:
    """Whether a sign-off in the portal counts under these rules."""
    return rules.dco.portal and rules.dco.matching != "exact"  # dco2 knows sign-offs in commits alone.


def accounts_by_commit(facts: Facts) -> Mapping[str, AbstractSet[int]]:
    """By SHA, the ids of the accounts that signed that very commit off in the portal."""
    found: dict[str, set[int]] = {}
    for signoff in facts.signoffs:
        for sha in signoff.shas:
            found.setdefault(sha, set()).add(signoff.account_id)
    return found


def signers(commit: Commit, owners: Mapping[str, Account], agents: AgentList) -> frozenset[int]:
    """The ids of the accounts that have to sign the commit off; none where one of its people has no account.

    They are its author and each co-author who is a person. An address is an account's by GitHub's word, or proven
    (`owners`, as `proven_owners` finds them).
    """
    author = commit.author
    if author is None or kind(author, commit.author_account, agents) != "person":
        return _NO_SIGNERS
    named = [(author, commit.author_account), *_coauthors(commit, agents)]
    found = [account or owner_of(who.email, owners, agents.server) for who, account in named]
    # A co-author who cannot be asked has not certified their part.
    if any(account is None or is_bot(account) or agents.is_account(account) for account in found):
        return _NO_SIGNERS
    return frozenset(account.id for account in found if account is not None)


def _coauthors(commit: Commit, agents: AgentList) -> Iterator[tuple[Identity, Account | None]]:
    """The co-authors who are people; a person's account stays a person's, also with an agent's address."""
    for coauthor in commit.coauthors:
        who, account = Identity(coauthor.name, coauthor.email), coauthor.account
        is_persons = account is not None and not is_bot(account) and not agents.is_account(account)
        if is_persons or kind(who, account, agents) == "person":
            yield who, account


def signable(facts: Facts, check: Check) -> dict[str, frozenset[int]]:
    """The commits that fail this DCO check and that signing off in the portal would mend, each with its `signers`."""
    # Under `either` an agreement may have made it pass.
    if check.name != "DCO" or check.conclusion.passes or not is_counted(facts.rules):
        return {}
    agents, owners, failing = listed_agents(facts), proven_owners(facts), _failing(check.commits or ())
    wanted = {commit.sha: signers(commit, owners, agents) for commit in facts.commits if commit.sha in failing}
    return {sha: accounts for sha, accounts in wanted.items() if accounts}


def _failing(statuses: Collection[CommitStatus]) -> frozenset[str]:
    return frozenset(
        status.sha for status in statuses if status.status == "fail" and _OTHER_FAULTS.isdisjoint(status.codes)
    )
