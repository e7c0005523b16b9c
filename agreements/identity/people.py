"""Who needs cover: the opener, pushers, authors and co-authors, each person once, in the first of these roles."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agreements.domains.domains import canonical_address
from agreements.facts import Account, Coauthor, Commit, Facts, Sender
from agreements.identity import known_agents
from agreements.identity.certifiers import AgentList, agent_list
from agreements.identity.equivalence import address_key, canonical_addresses, noreply_owner

GHOST = Account(0, "ghost")
"""A deleted account that pushed: nobody has this id, so nothing covers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Somebody to be judged. `account` None means that the address belongs to no account.

    `agent`: an AI co-author, who is no person; `agent_name` is its name where the shipped list knows it.
    `may_write` is True for a pusher who may write to the base and whose own work is not judged here.
    """

    role: str
    account: Account | None
    email: str = ""
    name: str = ""
    sha: str | None = None
    agent: bool = False
    agent_name: str = ""
    may_write: bool = False


def subjects(facts: Facts) -> tuple[Subject, ...]:
    """Everybody whom the rulebook's `people.check` asks for, each once."""
    found: dict[tuple[bool, int | str], Subject] = {}
    wanted = facts.rules.people.check
    for subject in _in_order(facts):
        if f"{subject.role}s" in wanted or subject.role in wanted:
            found.setdefault(_key(subject), subject)
    return tuple(found.values())


def _key(subject: Subject) -> tuple[bool, int | str]:
    """An agent is nobody's other half: a person with its account or address is judged beside it. A known one is one by name."""
    if subject.agent_name:
        return True, subject.agent_name
    if subject.account is not None:
        return subject.agent, subject.account.id
    return subject.agent, f"{subject.role if subject.role == 'opener' else ''} {address_key(subject.email)}"


def _in_order(facts: Facts) -> Iterator[Subject]:
    agents, owners = agent_list(facts.rules.people.agents), proven_owners(facts)
    authors = [_author(commit, owners) for commit in facts.commits]
    known = facts.rules.people.agents.known
    coauthors = [
        _coauthor(commit, one, agents, owners, known=known) for commit in facts.commits for one in commit.coauthors
    ]
    yield Subject(role="opener", account=facts.pull_request.opener)
    if facts.senders:
        yield from _senders(facts, _workers(facts, authors, coauthors))
    yield from authors
    yield from coauthors


def _senders(facts: Facts, working: frozenset[int]) -> Iterator[Subject]:
    """The pushers; one who may write is judged as author instead when there is work of theirs in the pull request."""
    doubtful = {one.account.id for one in facts.senders if not one.may_write}
    for sender in facts.senders:
        trusted = sender.account.id not in doubtful
        if not trusted or sender.account.id not in working:
            yield Subject(role="sender", account=sender.account, may_write=trusted)


def _workers(facts: Facts, authors: Sequence[Subject], coauthors: Sequence[Subject]) -> frozenset[int]:
    """Accounts whose own work is here and judged as such, by whichever address; a merge of the base brings none."""
    check, found = facts.rules.people.check, list[Subject]()
    if "authors" in check:
        found += [one for one, commit in zip(authors, facts.commits, strict=True) if len(commit.parents) < 2]
    if "coauthors" in check:
        found += [one for one in coauthors if not one.agent]
    return frozenset(one.account.id for one in found if one.account is not None)


def _author(commit: Commit, owners: Mapping[str, Account]) -> Subject:
    name, email = ("", "") if commit.author is None else (commit.author.name, commit.author.email)
    account = commit.author_account or owner_of(email, owners)
    return Subject(role="author", account=account, email=email, name=name, sha=commit.sha)


def _coauthor(
    commit: Commit, who: Coauthor, agents: AgentList, owners: Mapping[str, Account], *, known: bool
) -> Subject:
    """A co-author: an agent by the rulebook's list or, where `known`, by the shipped one; else whoever holds the address."""
    subject = Subject(role="coauthor", account=who.account, email=who.email, name=who.name, sha=commit.sha)
    if agents.has(who.email, who.account):
        return replace(subject, agent=True, agent_name=known_agents.name_of(who.email, who.account) or "")
    owner = who.account or owner_of(who.email, owners)
    if known and (name := known_agents.coauthor_name(who.email, owner)):
        return replace(subject, agent=True, agent_name=name)
    return replace(subject, account=owner)


def owner_of(email: str, owners: Mapping[str, Account]) -> Account | None:
    """Whose an address without an account is: by GitHub's own noreply form with an id, else who proved it.

    `owners` are those of `proven_owners`.
    """
    valid = canonical_address(email)
    return noreply_owner(email) or (owners.get(valid) if valid else None)


def proven_owners(facts: Facts) -> Mapping[str, Account]:
    """Proven addresses and their accounts; one that two accounts proved is nobody's."""
    found: dict[str, Account] = {}
    twice: set[str] = set()
    logins = _logins(facts) if facts.emails else {}
    for account, addresses in canonical_addresses(facts.emails).items():
        for valid in addresses:
            if valid in found:
                twice.add(valid)
            found[valid] = Account(account, logins.get(account, ""))
    return {key: owner for key, owner in found.items() if key not in twice}


def _logins(facts: Facts) -> Mapping[int, str]:
    """The labels of all accounts that the pull request shows as opener, senders, authors or commenters."""
    seen = [
        facts.pull_request.opener,
        *(one.account for one in facts.senders),
        *(one.author_account for one in facts.commits),
        *facts.commenters,
    ]
    found: dict[int, str] = {}
    for one in seen:
        if one is not None:
            found.setdefault(one.id, one.login)
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
        yield from (one.email for one in (commit.author, commit.committer, *commit.coauthors) if one is not None)


def accounts_of(opener: Account | None, senders: Iterable[Sender], commits: Iterable[Commit]) -> Iterator[Account]:
    """Every account of which GitHub says that it takes part, as often as it does."""
    found = [opener, *(sender.account for sender in senders)]
    for commit in commits:
        found += [commit.author_account, commit.committer_account, *(one.account for one in commit.coauthors)]
    yield from (one for one in found if one is not None)


def participant_ids(opener: Account | None, senders: Iterable[Sender], commits: Sequence[Commit]) -> frozenset[int]:
    """The account ids of everyone who takes part, or may be found to.

    An address made of an account's id names that account, also where GitHub links it to nobody.
    """
    claimed = map(noreply_owner, written_addresses(commits))
    return frozenset(one.id for one in (*accounts_of(opener, senders, commits), *claimed) if one is not None)
