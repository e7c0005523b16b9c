"""The situation on which the advice about sign-offs depends: who made the commits that fail, and where they stand."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from agreements.dco.portal_signoff import signable as signable_here
from agreements.facts import Check, Commit, Facts, Problem, Verdict
from agreements.github_server import GitHubServer
from agreements.identity.certifiers import AgentList, kind, listed_agents
from agreements.identity.matching import noreply_owner
from bot.report.words.git_commands import CommandContext, PullBranch, writable


def situation(facts: Facts, check: Check, pull: PullBranch | None = None) -> CommandContext:
    """The situation of the DCO check of these facts; `pull` for a reader who is anywhere but in a clone."""
    failing = {commit.sha for commit in check.commits or () if commit.status == "fail"}
    commits = [commit for commit in facts.commits if commit.sha in failing]
    agents, bots = listed_agents(facts), any(item.code == "dco/bot-unproven" for item in check.problems)
    whose_own = bots or any(_is_persons(commit, agents) for commit in commits)
    passed_on = bool(commits) and all(_is_passed_on(commit, facts, agents) for commit in commits)
    # Amending is enough when the newest commit is the only one that fails.
    base, amend = facts.pull_request.base, failing == {facts.pull_request.head_sha}
    anew = {item.sha for item in check.problems if item.values.get("whose") == "author"}
    alone = facts.rules.dco.individual_remediation
    by_others = alone and facts.rules.dco.third_party_remediation
    return CommandContext(
        writable(base),
        amend=amend,
        others=whose_own and _by_several(tuple(signable(facts, failing)), facts.server),
        own=not passed_on,
        committed=passed_on,
        reset=bool(anew),
        merges=any(note.code == "dco/merge" for note in check.notes),
        bots=bots,
        machines=tuple(_of_each_machine(commits, agents)),
        pull=pull,
        # An address that is none can't be written again in a later commit.
        individual=tuple(
            commit.sha for commit in commits if alone and commit.sha not in anew and _is_persons(commit, agents)
        ),
        # A third party may sign off also for an author who could not do it.
        third_party=tuple(commit.sha for commit in commits if by_others and commit.author is not None),
        web=tuple(commit.sha for commit in commits if _is_of_the_website(commit, agents)),
        # Amending reaches the newest commit alone.
        merge=not amend and any(commit.is_merge for commit in commits),
        verifiable=any(_is_verifiable(item, facts) for item in check.problems),
        blank=any(not commit.message.strip() for commit in commits),
        portal=bool(signable_here(facts, check)),
    )


def of_verdict(facts: Facts | None, verdict: Verdict, pull: PullBranch | None = None) -> CommandContext:
    """The situation of a verdict's DCO check; the plain one where there is none."""
    check = next((check for check in verdict.checks if check.name == "DCO"), None)
    return CommandContext(pull=pull) if facts is None or check is None else situation(facts, check, pull)


def _is_verifiable(item: Problem, facts: Facts) -> bool:
    """Whether a verified address would mend it: the name is right, and it is the name of an account."""
    if item.code != "dco/email-differs" or facts.rules.dco.matching == "exact":  # As in DCO-2 no proof counts there.
        return False
    commit = next(commit for commit in facts.commits if commit.sha == item.sha)
    # The name may be either's. The committer of an edit on the website is GitHub itself, and signs nothing.
    has_committer = commit.committer_account is not None or _is_of_the_website(commit, listed_agents(facts))
    return commit.author_account is not None and has_committer


def _is_of_the_website(commit: Commit, agents: AgentList) -> bool:
    """Whether GitHub itself made the commit for a person: an edit, a suggestion that was taken, a revert."""
    # A machine makes its commits by GitHub's API: no setting of the website signs those off.
    if commit.committer is None or not _is_persons(commit, agents):
        return False
    # No agents: GitHub's own committer is looked for, also where the rulebook lists it.
    no_agents = AgentList(frozenset(), frozenset(), agents.server)
    return kind(commit.committer, commit.committer_account, no_agents) == "web-flow"


def signable(facts: Facts, failing: AbstractSet[str]) -> Iterator[Commit]:
    """The commits that a rebase would sign and that another person may have made."""
    agents = listed_agents(facts)
    for commit in facts.commits:
        if (
            commit.author is not None
            and not commit.is_merge  # A rebase leaves merges out.
            and (commit.sha not in failing or _is_persons(commit, agents))  # A machine cannot be asked.
        ):
            yield commit


def _of_each_machine(commits: Sequence[Commit], agents: AgentList) -> Iterator[str]:
    """A commit for each address of software among the authors of these."""
    found = {
        commit.author.email: commit.sha
        for commit in commits
        if commit.author is not None and commit.author.email and not _is_persons(commit, agents)
    }
    yield from found.values()


def _by_several(commits: tuple[Commit, ...], server: GitHubServer) -> bool:
    written = [(commit.author.email, commit.author_account) for commit in commits if commit.author is not None]
    # An account's own noreply address is no other person.
    others = {account.id for email, account in written if account is not None and noreply_owner(email, server) is None}
    own = (
        email
        for email, account in written
        if account is None or noreply_owner(email, server) is None or account.id not in others
    )
    return len({email.casefold() for email in own}) > 1


def _is_persons(commit: Commit, agents: AgentList) -> bool:
    return commit.author is not None and kind(commit.author, commit.author_account, agents) == "person"


def _is_passed_on(commit: Commit, facts: Facts, agents: AgentList) -> bool:
    # Committed by the opener or a pusher for another person: no command for one's own commits reaches it.
    author, committer, opener = commit.author_account, commit.committer_account, facts.pull_request.opener
    here = {sender.account.id for sender in facts.senders} | ({opener.id} if opener else set())
    # An author's account alone says nothing: GitHub takes a person who commits under a wrong address for its owner.
    return (
        _is_persons(commit, agents)
        and author is not None
        and committer is not None
        and author.id not in here
        and committer.id in here
    )
