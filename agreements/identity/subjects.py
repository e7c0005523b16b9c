"""The people who need cover: opener, pushers, authors and co-authors, each once, in the first of these roles."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agreements.domains.canonical_form import canonical_address
from agreements.domains.masking import masked, masked_text
from agreements.facts import Account, Commit, Facts, Identity, Sender
from agreements.github_server import GitHubServer
from agreements.identity.certifiers import AgentList, ignored_agents, is_bot
from agreements.identity.matching import address_key, canonical_addresses, noreply_owner

GHOST = Account(0, "ghost")
"""A deleted account that pushed: no account has this id, so nothing covers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A person or agent to be judged in a `role`. `account` None means that the address belongs to no account.

    `name` and `email` are as in the commit `sha`; empty for an opener or pusher. `agent`: an AI agent, which is no
    person; `agent_name` is its name where the shipped list knows it. `may_write`: a pusher who may write to the base
    and whose own work is not judged here. `claimed`: only the author's no-reply address names the account.
    """

    role: str
    account: Account | None
    email: str = ""
    name: str = ""
    sha: str | None = None
    agent: bool = False
    agent_name: str = ""
    may_write: bool = False
    claimed: bool = False

    @property
    def label(self) -> str:
        """The name of an agent: by the shipped list, by its login or number, else by its masked address."""
        account = self.account
        if self.agent_name or account is None:
            return self.agent_name or masked(self.email)
        return masked_text(account.login) or f"account {account.id}"


def subjects(facts: Facts) -> tuple[Subject, ...]:
    """Every person whom the rulebook's `people.check` asks for, and every AI agent in any role, each once."""
    wanted = facts.rules.people.check
    logins = _logins(facts)
    found: dict[tuple[bool, int | str], Subject] = {}
    for subject in _in_order(facts, ignored_agents(facts)):
        # The rulebook says `authors`, a subject `author`.
        if subject.agent or f"{subject.role}s" in wanted or subject.role in wanted:
            found.setdefault(_key(subject), _with_login(subject, logins))
    return tuple(found.values())


def agents_named(facts: Facts, agents: AgentList) -> tuple[Subject, ...]:
    """The AI agents of this list that are named in any role, each once, in the first of its roles."""
    found: dict[tuple[bool, int | str], Subject] = {}
    for subject in _in_order(facts, agents):
        if subject.agent:
            found.setdefault(_key(subject), subject)
    return tuple(found.values())


def _key(subject: Subject) -> tuple[bool, int | str]:
    # An agent is never merged with a person: one who uses its account or address is judged beside it.
    if subject.agent_name:
        return True, subject.agent_name
    if subject.account is not None:
        return subject.agent, subject.account.id
    # An opener without an account must not merge with an author without an address.
    return subject.agent, f"{subject.role if subject.role == 'opener' else ''} {address_key(subject.email)}"


def _in_order(facts: Facts, agents: AgentList) -> Iterator[Subject]:
    owners = proven_owners(facts)
    authors = [
        _of_commit("author", commit, commit.author, commit.author_account, agents, owners) for commit in facts.commits
    ]
    coauthors = [
        _of_commit("coauthor", commit, Identity(coauthor.name, coauthor.email), coauthor.account, agents, owners)
        for commit in facts.commits
        for coauthor in commit.coauthors
    ]
    yield _actor("opener", facts.pull_request.opener, agents)
    if facts.senders:
        yield from _senders(facts, _workers(facts, authors, coauthors), agents)
    yield from authors
    for commit in facts.commits:
        committer = _of_commit("committer", commit, commit.committer, commit.committer_account, agents, owners)
        if committer.agent:  # A person who only commits is asked for nothing.
            yield committer
    yield from coauthors


def _actor(role: str, account: Account | None, agents: AgentList, *, may_write: bool = False) -> Subject:
    name = None if account is None else agents.name_of("", account, account)
    return Subject(role=role, account=account, agent=name is not None, agent_name=name or "", may_write=may_write)


def _senders(facts: Facts, working: frozenset[int], agents: AgentList) -> Iterator[Subject]:
    # An account that pushed without write access once is not trusted for its other pushes either.
    doubtful = {sender.account.id for sender in facts.senders if not sender.may_write or _brought_work(sender, facts)}
    for sender in facts.senders:
        trusted = sender.account.id not in doubtful
        if not trusted or sender.account.id not in working:  # Their own work is judged as an author's instead.
            yield _actor("sender", sender.account, agents, may_write=trusted)


def _brought_work(sender: Sender, facts: Facts) -> bool:
    """Whether a bot is known to have pushed more than merges of the base, under any author's name."""
    if sender.shas is None or not is_bot(sender.account):
        return False
    return any(commit.sha in sender.shas and not commit.is_merge for commit in facts.commits)


def _workers(facts: Facts, authors: Sequence[Subject], coauthors: Sequence[Subject]) -> frozenset[int]:
    check, found = facts.rules.people.check, list[Subject]()
    if "authors" in check:
        # A merge of the base is no work.
        found += [subject for subject, commit in zip(authors, facts.commits, strict=True) if not commit.is_merge]
    if "coauthors" in check:
        found += [coauthor for coauthor in coauthors if not coauthor.agent]
    return frozenset(subject.account.id for subject in found if subject.account is not None)


def _of_commit(
    role: str,
    commit: Commit,
    who: Identity | None,
    account: Account | None,
    agents: AgentList,
    owners: Mapping[str, Account],
) -> Subject:
    """An agent, or the person who holds the address."""
    name, email = ("", "") if who is None else (who.name, who.email)
    owner = account or owner_of(email, owners, agents.server)
    subject = Subject(role=role, account=owner, email=email, name=name, sha=commit.sha)
    # A person's account stays a person's, also with an address that the rulebook lists as an agent's.
    is_person = role != "coauthor" and account is not None and not agents.is_account(account)
    agent = None if is_person else agents.name_of(email, account, owner)
    if agent is not None:
        own = account or (owner if owner is not None and agents.is_account(owner) else None)
        return replace(subject, account=own, agent=True, agent_name=agent)
    # GitHub may not have been asked about a co-author.
    claimed = role == "author" and account is None and noreply_owner(email, agents.server) is not None
    return replace(subject, claimed=claimed) if claimed else subject


def owner_of(email: str, owners: Mapping[str, Account], server: GitHubServer) -> Account | None:
    """The owner of an address without an account: by a noreply form with an id, else by a proof (`proven_owners`)."""
    valid = canonical_address(email)
    return noreply_owner(email, server) or (owners.get(valid) if valid else None)


def proven_owners(facts: Facts) -> Mapping[str, Account]:
    """Proven addresses and their accounts."""
    found: dict[str, Account] = {}
    twice: set[str] = set()
    for account, addresses in canonical_addresses(facts.emails).items():
        for valid in addresses:
            if valid in found:
                twice.add(valid)
            found[valid] = Account(account)
    # An address that two accounts proved belongs to neither.
    return {key: owner for key, owner in found.items() if key not in twice}


def _with_login(subject: Subject, logins: Mapping[int, str]) -> Subject:
    account = subject.account  # Only GitHub tells a login: the one in an address is what its author wrote there.
    if account is None or account.login or account.id not in logins:
        return subject
    return replace(subject, account=replace(account, login=logins[account.id]))


def _logins(facts: Facts) -> Mapping[int, str]:
    seen = [
        facts.pull_request.opener,
        *(sender.account for sender in facts.senders),
        *(commit.author_account for commit in facts.commits),
        *(other.account for commit in facts.commits for other in commit.coauthors),
        *facts.commenters,
    ]
    found: dict[int, str] = {}
    for account in seen:
        if account is not None and account.login:
            found.setdefault(account.id, account.login)
    return found


def linked_addresses(commits: Iterable[Commit]) -> Mapping[int, frozenset[str]]:
    """Per account id the addresses in these commits that GitHub links to it."""
    found: dict[int, set[str]] = {}
    for commit in commits:
        if commit.author_account is not None and commit.author is not None:
            found.setdefault(commit.author_account.id, set()).add(commit.author.email)
        for coauthor in commit.coauthors:
            if coauthor.account is not None:
                found.setdefault(coauthor.account.id, set()).add(coauthor.email)
    return {account: frozenset(addresses) for account, addresses in found.items()}


def written_addresses(commits: Iterable[Commit]) -> Iterator[str]:
    """Every address that git has for the people of these commits: claims."""
    for commit in commits:
        yield from (
            person.email for person in (commit.author, commit.committer, *commit.coauthors) if person is not None
        )


def accounts_of(opener: Account | None, senders: Iterable[Sender], commits: Iterable[Commit]) -> Iterator[Account]:
    """Every account that takes part by GitHub's word, as often as it does."""
    found = [opener, *(sender.account for sender in senders)]
    for commit in commits:
        found += [commit.author_account, commit.committer_account, *(coauthor.account for coauthor in commit.coauthors)]
    yield from (account for account in found if account is not None)


def participant_ids(
    opener: Account | None, senders: Iterable[Sender], commits: Sequence[Commit], server: GitHubServer
) -> frozenset[int]:
    """The account ids of all people who take part, or may turn out to."""
    # An address made of an account's id names it, linked or not.
    claimed = (noreply_owner(address, server) for address in written_addresses(commits))
    return frozenset(
        account.id for account in (*accounts_of(opener, senders, commits), *claimed) if account is not None
    )
