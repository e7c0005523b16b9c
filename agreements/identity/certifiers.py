"""Who can certify a commit: people. Never web-flow, an AI agent or a bot, whatever name stands there."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agreements.facts import Account, Commit, Facts, Identity
from agreements.identity import known_agents
from agreements.identity.equivalence import NOREPLY, CommitPerson, address_key, noreply_owner
from agreements.rulebook.rules import Agents

WEB_FLOW = "noreply@github.com"
_WEB_FLOW_ID = 19864447  # github.com/web-flow, the committer of edits in the browser
_BOT = "[bot]@users.noreply.github.com"

SignerKind = Literal["person", "web-flow", "agent", "bot"]


@dataclass(frozen=True, slots=True)
class AgentList:
    """The AI agents of a rulebook, by exact account id or exact address."""

    ids: frozenset[int]
    addresses: frozenset[str]

    def has(self, email: str, account: Account | None) -> bool:
        """Whether the rulebook lists this address or this account as an agent."""
        if not self.ids and not self.addresses:
            return False
        owner = account or noreply_owner(email)
        return (owner is not None and owner.id in self.ids) or (bool(email) and address_key(email) in self.addresses)


def agent_list(agents: Agents) -> AgentList:
    """The rulebook's agents; an account entry without an id is nobody."""
    ids = frozenset(account.id for account in agents.accounts if account.id is not None)
    return AgentList(ids, frozenset(address_key(email) for email in agents.emails if email))


def listed_agents(facts: Facts) -> AgentList:
    """The agents whose sign-off counts for nothing under the rules of these facts."""
    agents = facts.rules.people.agents
    return agent_list(agents.listed or agents)


def kind(identity: Identity, account: Account | None, agents: AgentList) -> SignerKind:
    """What somebody is by address and account."""
    if address_key(identity.email) == WEB_FLOW or (account is not None and account.id == _WEB_FLOW_ID):
        return "web-flow"
    if agents.has(identity.email, account) or known_agents.name_of(identity.email, account):
        return "agent"
    return "bot" if named_bot(identity, account) else "person"


def signer(identity: Identity, unable: Sequence[CommitPerson], agents: AgentList) -> SignerKind:
    """What a signer is: by the address itself, or as one of the same address among those who can't certify."""
    by_address = kind(identity, None, agents)
    if by_address != "person" or not unable:
        return by_address
    key = address_key(identity.email)
    same = (one for one in unable if address_key(one.identity.email) == key)
    return min((kind(one.identity, one.account, agents) for one in same), default="person")


def is_bot(account: Account) -> bool:
    """A GitHub App's account; no user can have brackets in the login."""
    return account.type == "Bot" or account.login.endswith("[bot]")


def named_bot(identity: Identity, account: Account | None) -> bool:
    """Whether the address or the account is a bot's; a name written into a commit proves nothing yet."""
    return identity.email.lower().endswith(_BOT) or (account is not None and is_bot(account))


def perhaps_bots(commits: Iterable[Commit]) -> frozenset[str]:
    """Addresses of authors that may be a bot's: GitHub's own, without an account. Those of merges decide nothing."""
    return frozenset(
        commit.author.email
        for commit in commits
        if commit.author is not None
        and commit.author_account is None
        and len(commit.parents) < 2
        and commit.author.email.lower().endswith(f"@{NOREPLY}")
    )


def with_bots(commits: Iterable[Commit], bots: Mapping[str, Account]) -> tuple[Commit, ...]:
    """The commits with these accounts of `perhaps_bots`, by the address."""
    return tuple(
        replace(commit, author_account=bots[commit.author.email])
        if commit.author is not None and commit.author_account is None and commit.author.email in bots
        else commit
        for commit in commits
    )


def agent_name(email: str, among: Sequence[CommitPerson]) -> str | None:
    """The known agent that has this address, or the account of one among these who has it."""
    key = address_key(email)
    accounts = (one.account for one in among if address_key(one.identity.email) == key)
    names = (known_agents.name_of(email, account) for account in (None, *accounts))
    return next((name for name in names if name), None)


def people(commit: Commit) -> tuple[CommitPerson, ...]:
    """Author and committer, as far as the commit names them."""
    named = (
        (commit.author, commit.author_account, "author"),
        (commit.committer, commit.committer_account, "committer"),
    )
    return tuple([CommitPerson(identity, account, role) for identity, account, role in named if identity is not None])


def certifying(persons: Iterable[CommitPerson], agents: AgentList) -> tuple[CommitPerson, ...]:
    """Those of them who are people."""
    return tuple([person for person in persons if kind(person.identity, person.account, agents) == "person"])


def actors(facts: Facts) -> frozenset[int]:
    """The authenticated accounts: who opened the pull request and who pushed what is still in it."""
    opener = facts.pull_request.opener
    pushed = {sender.account.id for sender in facts.senders}
    return frozenset(pushed if opener is None else pushed | {opener.id})
