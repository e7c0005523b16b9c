"""The signers that can certify a commit: people. Never web-flow, an AI agent or a bot, under any name.

AI agents are those of the rulebook and of the shipped list.
"""

import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final, Literal

from agreements.facts import Account, Commit, Facts, Identity
from agreements.github_server import GITHUB_COM, GitHubServer
from agreements.identity.matching import CommitPerson, address_key, noreply_owner
from agreements.rulebook.rules import Agents

_WEB_FLOW: Final = "web-flow"
SignerKind = Literal["person", "web-flow", "agent", "bot"]


@dataclass(frozen=True, slots=True)
class AgentList:
    """The AI agents under a rulebook, by exact account id (`ids`) or exact address (`addresses`).

    `known`: the shipped list counts, too; `server` is the GitHub server whose ids they are.
    """

    ids: frozenset[int]
    addresses: frozenset[str]
    server: GitHubServer
    known: bool = True

    def has(self, email: str, account: Account | None) -> bool:
        """Whether the rulebook lists this address or this account as an agent."""
        if not self.ids and not self.addresses:  # The usual case costs nothing.
            return False
        owner = account or noreply_owner(email, self.server)
        return (owner is not None and owner.id in self.ids) or (bool(email) and address_key(email) in self.addresses)

    def name_of(self, email: str, account: Account | None, owner: Account | None) -> str | None:
        """The agent's name, "" for one that only the rulebook lists; None for a person.

        `account` is GitHub's for the address, `owner` that or the account that the address itself names.
        """
        if self.has(email, account):
            return known_agent(email, account, self.server) or ""
        # An account that is not the agent's is a person's, with any address: anyone can add one.
        return known_coauthor(email, owner, self.server) if self.known else None

    def is_account(self, account: Account) -> bool:
        """Whether this account is an agent's."""
        return self.name_of("", account, account) is not None


def agent_list(agents: Agents, server: GitHubServer, *, known: bool) -> AgentList:
    """The rulebook's agents; `known`: the shipped list counts, too."""
    # An entry without an id means no account: logins change hands.
    ids = frozenset(account.id for account in agents.accounts if account.id is not None)
    return AgentList(ids, frozenset(address_key(email) for email in agents.emails if email), server, known)


def listed_agents(facts: Facts) -> AgentList:
    """The agents whose sign-off counts for nothing under the rules of these facts: the shipped list's always."""
    agents = facts.rules.people.agents
    return agent_list(agents.listed or agents, facts.server, known=True)


def ignored_agents(facts: Facts) -> AgentList:
    """The agents who need no cover under the rules of these facts."""
    agents = facts.rules.people.agents
    return agent_list(agents, facts.server, known=agents.known)


def kind(identity: Identity, account: Account | None, agents: AgentList) -> SignerKind:
    """The kind of a signer, by address and account."""
    if is_web_flow(identity.email, account, agents.server):
        return "web-flow"
    if agents.has(identity.email, account) or known_agent(identity.email, account, agents.server):
        return "agent"
    return "bot" if named_bot(identity, account, agents.server) else "person"


def is_web_flow(email: str, account: Account | None, server: GitHubServer) -> bool:
    """Whether this address or account is that of GitHub's web editor, whose sign-off certifies nothing."""
    address = address_key(email)
    local, _, domain = address.rpartition("@")
    # The address of github.com certifies nothing on any server.
    if address in (server.web_flow_email, GITHUB_COM.web_flow_email) or (
        domain == server.noreply_domain and local.rpartition("+")[2] == _WEB_FLOW
    ):
        return True
    if account is None:
        return False
    is_login = account.login.casefold() == _WEB_FLOW
    # Without a known number the login is refused.
    return is_login if server.web_flow_id is None else account.id == server.web_flow_id


def signer(identity: Identity, unable: Sequence[CommitPerson], agents: AgentList) -> SignerKind:
    """The kind of a signer: by the address itself, or as one of the same address among those who can't certify."""
    by_address = kind(identity, None, agents)
    if by_address != "person" or not unable:
        return by_address
    key = address_key(identity.email)
    same = (person for person in unable if address_key(person.identity.email) == key)
    # The names of the kinds sort an agent before a bot, and a bot before web-flow.
    return min((kind(person.identity, person.account, agents) for person in same), default="person")


def is_bot(account: Account) -> bool:
    """Whether it is a GitHub App's account."""
    return account.type == "Bot" or account.login.endswith("[bot]")  # No user can have brackets in the login.


def named_bot(identity: Identity, account: Account | None, server: GitHubServer) -> bool:
    """Whether the address or the account is a bot's; a name written into a commit proves nothing yet."""
    return identity.email.lower().endswith(server.bot_suffixes) or (account is not None and is_bot(account))


def perhaps_bots(commits: Iterable[Commit], server: GitHubServer) -> frozenset[str]:
    """Addresses of authors that may be a bot's: GitHub's own, without an account."""
    return frozenset(
        commit.author.email
        for commit in commits
        if commit.author is not None
        and commit.author_account is None
        and not commit.is_merge  # Merges decide nothing.
        and commit.author.email.lower().endswith(f"@{server.noreply_domain}")  # GraphQL names accounts of people only.
    )


def with_bots(commits: Iterable[Commit], bots: Mapping[str, Account]) -> tuple[Commit, ...]:
    """The commits with these accounts of `perhaps_bots`, by the address."""
    return tuple(
        replace(commit, author_account=bots[commit.author.email])
        if commit.author is not None and commit.author_account is None and commit.author.email in bots
        else commit
        for commit in commits
    )


def agent_name(email: str, among: Sequence[CommitPerson], server: GitHubServer) -> str | None:
    """The known agent that has this address, or the account of one among these who has it."""
    key = address_key(email)
    accounts = (person.account for person in among if address_key(person.identity.email) == key)
    names = (known_agent(email, account, server) for account in (None, *accounts))
    return next((name for name in names if name), None)


def people(commit: Commit) -> tuple[CommitPerson, ...]:
    """Author and committer, as far as the commit names them."""
    named = (
        (commit.author, commit.author_account, "author"),
        (commit.committer, commit.committer_account, "committer"),
    )
    return tuple([CommitPerson(identity, account, role) for identity, account, role in named if identity is not None])


def certifying(persons: Iterable[CommitPerson], agents: AgentList) -> tuple[CommitPerson, ...]:
    """The people among these identities."""
    return tuple([person for person in persons if kind(person.identity, person.account, agents) == "person"])


def actor_accounts(facts: Facts) -> tuple[Account, ...]:
    """The authenticated accounts: the opener and the pushers of commits that are still in the pull request."""
    opener = facts.pull_request.opener
    pushed = tuple(sender.account for sender in facts.senders)
    return pushed if opener is None else (opener, *pushed)


def acting_agents(facts: Facts, agents: AgentList, exempt: Container[int]) -> list[Account]:
    """The AI agents that opened or pushed, without those that the rulebook exempts by id."""
    return [account for account in actor_accounts(facts) if account.id not in exempt and agents.is_account(account)]


def acting_people(facts: Facts, agents: AgentList) -> list[Account]:
    """The people who opened or pushed: no bots, no agents, no deleted accounts."""
    found = actor_accounts(facts)
    # Id 0 is a deleted account.
    return [account for account in found if account.id and not is_bot(account) and not agents.is_account(account)]


def actors(facts: Facts) -> frozenset[int]:
    """The ids of the authenticated accounts."""
    return frozenset(account.id for account in actor_accounts(facts))


def brought(facts: Facts, account_id: int, commit: Commit) -> bool:
    """Whether this account opened the pull request or pushed this very commit, and so may be its author."""
    opener = facts.pull_request.opener
    return (opener is not None and opener.id == account_id) or any(
        sender.account.id == account_id and (sender.shas is None or commit.sha in sender.shas)
        for sender in facts.senders
    )


_FILE = Path(__file__).with_name("known_agents.toml")


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """An account (`id`; `login` is a label) or an address (`email`) of the agent `name`; `source`, read on `read_on`, says so."""

    name: str
    source: str
    read_on: date
    id: int | None = None
    login: str = ""
    email: str = ""


@cache
def shipped_agents() -> tuple[KnownAgent, ...]:
    """Every entry of the list, in its order."""
    return tuple(_entries(_FILE.read_text(encoding="utf-8")))


def known_agent(email: str, account: Account | None, server: GitHubServer) -> str | None:
    """The agent that has this account or this address, also where they are two different ones."""
    return _by_id(account or noreply_owner(email, server), server) or _by_address(email, server)


def known_coauthor(email: str, account: Account | None, server: GitHubServer) -> str | None:
    """The agent that a co-author is, if any."""
    holder = noreply_owner(email, server)
    owner = account or holder
    # An address counts where GitHub names no account for it, or the one it holds itself: noreply@anthropic.com
    # once was another person's at GitHub.
    if owner is None:
        return _by_address(email, server)
    same = holder is not None and holder.id == owner.id
    return _by_id(owner, server) or (_by_address(email, server) if same else None)


def _by_id(owner: Account | None, server: GitHubServer) -> str | None:
    # Ids of the list are github.com's.
    return _ids().get(owner.id) if owner is not None and server.is_github_com else None


def _by_address(email: str, server: GitHubServer) -> str | None:
    if not email:
        return None
    # Commits move between servers: a no-reply address of github.com names the same agent everywhere.
    holder = None if server.is_github_com else noreply_owner(email, GITHUB_COM)
    return _addresses().get(address_key(email)) or (_ids().get(holder.id) if holder is not None else None)


@cache
def _ids() -> Mapping[int, str]:
    return {agent.id: agent.name for agent in shipped_agents() if agent.id is not None}


@cache
def _addresses() -> Mapping[str, str]:
    return {address_key(agent.email): agent.name for agent in shipped_agents() if agent.email}


def _entries(text: str) -> Iterator[KnownAgent]:
    for agent in tomllib.loads(text)["agent"]:
        for account in agent.get("accounts", ()):
            yield KnownAgent(
                agent["name"], account["source"], account["date"], id=account["id"], login=account["login"]
            )
        for email in agent.get("emails", ()):
            yield KnownAgent(agent["name"], email["source"], email["date"], email=email["address"])
