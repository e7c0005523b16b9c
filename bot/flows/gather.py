"""Gather: everything that a verdict depends on, read from GitHub and from the records before anything is decided."""

from agreements.domains import canonical_address
from agreements.equivalence import noreply_owner
from agreements.facts import Commit, Facts, PullRequest, Sender
from agreements.rules import Rules
from agreements.store import covering
from bot import rulebook as rulebooks
from bot.flows.parts import Parts
from bot.hub.ports import Files, History, Look, Place, Unreachable
from bot.recorded import asked
from bot.rulebook import Rulebook, RulebookProblem
from bot.store import overrides, owners, participants, pulls, pushes
from bot.store.pulls import Claim

MAILED_CODE = "mailed-code"
"""The one proof of an address that a verdict rests on: GitHub's "verified" is historical, people keep it when they leave."""


class Overtaken(Exception):  # noqa: N818 - reads as what happened
    """While this review began, the pull request was pushed to: who pushed is covered by the next one."""


DEFAULT_LABELS = ("cla-signed", "cla-required")


def look(place: Place, number: int, parts: Parts) -> Look:
    """One look at the pull request. Raises HubError."""
    return parts.hub.look(place, number, DEFAULT_LABELS)


def rulebook(look: Look, parts: Parts) -> Rulebook | RulebookProblem:
    """The rules in force for the repository, or why they cannot be had; the organisation's are kept for the portal."""
    of_organization = look.rule_files.organization
    if of_organization is not None:
        with parts.sessions() as session:
            owners.remember_rules(session, look.owner_id, of_organization.text, at=parts.clock())
    return rulebooks.read(look.rule_files, parts.organization_file, look.place.full_name, texts=parts.texts)


def is_behind(claim: Claim, look: Look, parts: Parts) -> bool:
    """True when GitHub shows an older head than the push that it told us of last, or the events came out of order.

    Raises Unreachable when we were told of pushes, but not of the one that made this head or one in between: who
    pushed it is not known yet. Raises Overtaken when something came in after the claim, perhaps just that.
    """
    with parts.sessions() as session:
        told = pushes.told(session, claim)
        pull = pulls.get(session, claim.pull_id)
    if told.last is None:
        return False
    if told.gap or look.head_sha not in told.heads:
        if pull is not None and pull.latest > claim.latest:
            raise Overtaken
        raise Unreachable(
            "GitHub has not told us yet who pushed some of the commits; if this stays so, close and reopen the pull request"
        )
    return told.last.after != look.head_sha and told.last.sequence > claim.evaluated


def facts(claim: Claim, look: Look, rules: Rules, parts: Parts) -> Facts:
    """All facts for the verdict. Raises HubError; remembers who takes part, so that a signature finds its way back."""
    history = parts.hub.history(look)
    senders = _senders(claim, look, history, parts)
    people = _people(look, history, senders)
    addresses = _addresses(history.commits)
    request = _request(look, rules, parts)
    now = parts.clock()
    # Written down before the signatures are read: whoever signs in between finds this pull request, or is found here.
    with parts.sessions() as session:
        participants.replace(session, claim.pull_id, people)
    accepted = parts.catalog.accepted()
    with parts.look_ups() as connection:
        known = covering.records(
            connection, parts.vault, people, addresses, accepted=accepted, how=(MAILED_CODE,), at=now
        )
    with parts.sessions() as session:
        allowed = overrides.of(session, parts.vault, claim.pull_id, look.head_sha)
    return Facts(
        rules=rules,
        repository=look.place.full_name,
        owner_type=look.owner_type,
        pull_request=request,
        commit_count=history.count if history.complete else None,
        commits=history.commits,
        senders=senders,
        members=_members(look, rules, parts),
        signatures=known.signatures,
        companies=known.companies,
        emails=known.emails,
        mailmap=look.mailmap,
        overrides=allowed,
        now=now,
    )


def _senders(claim: Claim, look: Look, history: History, parts: Parts) -> tuple[Sender, ...]:
    """Who pushed commits that are still in the pull request; only strangers' permissions are asked of GitHub."""
    shas = tuple(commit.sha for commit in history.commits)
    with parts.sessions() as session:
        pushes.attribute(session, claim, shas, complete=history.complete)
        accounts = pushes.senders(session, claim.pull_id, shas)
    authors = {commit.author_account.id for commit in history.commits if commit.author_account}
    asked = authors | ({look.opener.id} if look.opener else set())
    return tuple(
        Sender(account, account.id not in asked and parts.hub.may_write(look.place, account)) for account in accounts
    )


def _people(look: Look, history: History, senders: tuple[Sender, ...]) -> frozenset[int]:
    """The account ids of everyone who takes part."""
    accounts = [look.opener, *(sender.account for sender in senders)]
    for commit in history.commits:
        accounts += [commit.author_account, commit.committer_account]
        accounts += [coauthor.account for coauthor in commit.coauthors]
        # An address made of an account's id names that account, also where GitHub links it to nobody.
        accounts += [noreply_owner(address) for address in _written(commit)]
    return frozenset(account.id for account in accounts if account)


def _written(commit: Commit) -> list[str]:
    """Every address that git has for the commit's people: claims."""
    named = [identity.email for identity in (commit.author, commit.committer) if identity]
    return named + [coauthor.email for coauthor in commit.coauthors]


def _addresses(commits: tuple[Commit, ...]) -> frozenset[str]:
    """Every valid address in the commits: claims, used only to find the companies worth asking about."""
    claimed = {address for commit in commits for address in _written(commit)}
    return frozenset(filter(None, map(canonical_address, claimed)))


def _request(look: Look, rules: Rules, parts: Parts) -> PullRequest:
    """The pull request, with the files that it touches when a rule asks for them."""
    files = parts.hub.files(look) if "files" in asked(rules, look.place.full_name) else Files()
    return PullRequest(
        number=look.number,
        opener=look.opener,
        head_sha=look.head_sha,
        base=look.base,
        created_at=look.created_at,
        labels=look.labels,
        files=files.paths,
        files_complete=files.complete,
    )


def _members(look: Look, rules: Rules, parts: Parts) -> frozenset[int]:
    """The organisation's members, when the rules exempt them."""
    return parts.hub.members(look.place) if "members" in asked(rules, look.place.full_name) else frozenset()
