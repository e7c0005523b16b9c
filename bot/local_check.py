"""The check of a local clone's commits as a pull request, by the rules in its base."""

import shlex
from contextlib import suppress
from dataclasses import replace
from typing import Final

from agreements import judge as core
from agreements.clone.history import Clone, NoText, Range
from agreements.facts import Account, Commit, Facts, Problem, PullRequest, Sender, Verdict
from agreements.github_server import GitHubServer
from agreements.identity.certifiers import is_bot, perhaps_bots, with_bots
from agreements.identity.matching import noreply_owner
from agreements.rulebook.rules import Rules, for_repository
from agreements.whitelist import Whitelist
from bot.clock import Clock
from bot.github.ports import UNREADABLE, RuleFile, RuleFiles
from bot.report import dco_situation, local_cla_check
from bot.report.words.git_commands import CommandContext, PushDestination

RULEBOOK: Final = ".github/countersign.yml"
DCO: Final = ".github/dco.yml"


def rules(clone: Clone, span: Range, name: str, organization_file: tuple[str, str] | None) -> Rules | Verdict:
    """The rules in force for the repository `name`, or the verdict that says why there are none.

    `organization_file` (path and text) is the organisation's; without one the repository's own file stands alone.
    """
    # From the base, never from the commits that are judged: these could bring rules that let them pass.
    own, dco = _rule_file(clone, span, RULEBOOK), _rule_file(clone, span, DCO)
    if organization_file is None and own.text is None and dco.text is None:
        return Rules()
    from bot.rulebook import effective  # noqa: PLC0415 - reading YAML is slow to load, and most repositories have no rulebook

    organization = own if name.rpartition("/")[2].casefold() == ".github" else RuleFile(RULEBOOK, None)
    found = effective.read(RuleFiles(organization, own, dco), organization_file, name, texts=None)
    return found.rules if isinstance(found, effective.Rulebook) else found.verdict()


def facts(  # noqa: PLR0913 - the clone and its range come first everywhere, the rest is one pull request
    clone: Clone,
    span: Range,
    found: Rules,
    name: str,
    clock: Clock,
    *,
    opener: Account | None,
    senders: tuple[Account, ...] = (),
    server: GitHubServer,
) -> Facts:
    """The facts that a clone knows: no account but those given, and no label; `server` is GitHub's."""
    commits = clone.with_merge_changes(tuple(clone.commits(span)))
    if found.dco.reverts == "exempt":
        commits = clone.with_reverts(commits, span.base)
    commits = _by_bots(commits, (opener, *senders), server) if found.dco.matching == "exact" else commits
    only_merges = all(commit.is_merge for commit in commits)
    files = clone.files(span) if found.changelog.require or only_merges else ()
    mailmap = ""
    with suppress(NoText):  # An unreadable one is an empty one, the strict side: as in the App.
        mailmap = clone.file(span.base, ".mailmap") or ""
    return Facts(
        rules=found,
        repository=name,
        server=server,
        pull_request=PullRequest(
            number=0,
            opener=opener,
            head_sha=span.head,
            base=span.base_name or span.base,
            files=files,
            changed_files=len(files) if only_merges else None,
            changes=clone.changes(span) if for_repository(found, name).small else None,
        ),
        commit_count=len(commits),
        commits=commits,
        senders=tuple(map(Sender, senders)),  # Whether they may write is not known.
        mailmap=mailmap,
        now=clock(),
    )


def _by_bots(
    commits: tuple[Commit, ...], acting: tuple[Account | None, ...], server: GitHubServer
) -> tuple[Commit, ...]:
    """The commits, linked to the bot that opened or pushed where their author's no-reply address has its id."""
    bots = {account.id: account for account in acting if account is not None and is_bot(account)}
    owners = {address: noreply_owner(address, server) for address in perhaps_bots(commits, server)}
    return with_bots(commits, {at: bots[who.id] for at, who in owners.items() if who is not None and who.id in bots})


def judge(facts: Facts, span: Range, listed: Whitelist | None) -> Verdict:
    """The verdict, the CLA as advice; a range without commits is named."""

    def named(problem: Problem) -> Problem:
        return replace(problem, values={"range": str(span)}) if problem.code == "facts/empty" else problem

    verdict = core.judge(facts, lambda range_facts: local_cla_check.cla(range_facts, listed))
    checks = (replace(check, problems=tuple(map(named, check.problems))) for check in verdict.checks)
    return replace(verdict, checks=tuple(checks))


def situation(
    facts: Facts, verdict: Verdict, identity: tuple[str, str], branch: PushDestination | None
) -> CommandContext:
    """The situation that advice depends on: `identity` is name and address of the person, `branch` was pushed to."""
    found = replace(dco_situation.of_verdict(facts, verdict), push=branch)
    name, email = identity
    if not email:  # Git has no user.email here.
        return found
    failing = {commit.sha for check in verdict.checks for commit in check.commits or () if commit.status == "fail"}
    commits = [commit for commit in facts.commits if commit.sha in failing]
    authors = [commit.author for commit in commits if commit.author is not None]
    signed = [commit.author for commit in dco_situation.signable(facts, failing) if commit.author is not None]
    return replace(
        found,
        # One's own commits have one's address or one's name: an old address is no other person.
        others=any(
            author.email.casefold() != email.casefold() and author.name.casefold() != name.casefold()
            for author in signed
        ),
        # An author who must be written anew is known by the name: the address is what is wrong.
        own=found.bots or any(author.name == name if found.reset else author.email == email for author in authors),
        committed=any(_is_passed_on(commit, email) for commit in commits),
        known=True,
    )


def _is_passed_on(commit: Commit, email: str) -> bool:
    """Whether the person with that address committed it for another author."""
    is_committer = commit.committer is not None and commit.committer.email == email
    return is_committer and (commit.author is None or commit.author.email != email)


def push(clone: Clone, span: Range) -> PushDestination | None:
    """The remote branch that the branch was pushed to before; None where it never was."""
    copy = clone.pushed_to(span.head_name) if span.head_name else None
    if copy is None:
        return None
    # Named in full: what `git push` alone would do depends on settings, and may be to overwrite the base.
    return PushDestination.of(
        shlex.quote(copy.remote), shlex.quote(span.head_name), "" if copy.is_tracked else span.head
    )


def _rule_file(clone: Clone, span: Range, path: str) -> RuleFile:
    try:
        return RuleFile(path, clone.file(span.base, path))
    except NoText:
        return RuleFile(path, UNREADABLE)
