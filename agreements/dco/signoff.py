"""The DCO: each commit is signed off by its author or committer, or there is a recorded reason why it need not be."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from agreements.completeness import pushes_problem
from agreements.dco import diagnosis
from agreements.dco.agent_problems import agent_problems
from agreements.dco.near_remediation import NearRemedy, near_remedies
from agreements.dco.portal_signoff import signed_here
from agreements.dco.remediation import Remedy, remedies
from agreements.dco.trailers import signoffs, well_formed, well_formed_in_dco2
from agreements.domains.masking import masked, masked_text
from agreements.facts import Account, Check, Commit, CommitStatus, Conclusion, Facts, Identity, Note, Problem
from agreements.github_server import GitHubServer
from agreements.identity.certifiers import (
    AgentList,
    actor_accounts,
    actors,
    agent_name,
    brought,
    certifying,
    is_bot,
    kind,
    listed_agents,
    people,
    signer,
)
from agreements.identity.matching import (
    REPLACEMENT,
    CommitPerson,
    EquivalenceEvidence,
    ExactMatching,
    Kinds,
    Matcher,
    address_key,
    canonical_addresses,
    noreply_owner,
    read_mailmap,
)
from agreements.identity.subjects import linked_addresses, owner_of, proven_owners

_LOOKED_AT = 20  # The sign-offs among which the nearest miss is looked for; more are not read.


@dataclass(frozen=True, slots=True)
class _SignoffContext:
    """The `facts` and rules by which all commits of one pull request are judged.

    `matcher` compares people and sign-offs, `agents` certify nothing, `actors` are the ids of the accounts that opened or
    pushed, `remedies` are later sign-offs by the commit that they mend, `signed_here` are commits signed off in the portal.
    """

    facts: Facts
    matcher: Matcher
    agents: AgentList
    actors: frozenset[int]
    remedies: Mapping[Commit, Remedy]
    near_remedies: Mapping[Commit, NearRemedy]
    """The lines that mean to sign off these commits later, and do not."""
    signed_here: frozenset[Commit]
    exempt: frozenset[int]
    """The account ids that need no sign-off on their own commits."""
    only_merges: bool
    """Whether there are only merges, and they may change files that no commit here accounts for."""

    @property
    def exact(self) -> bool:
        return isinstance(self.matcher, ExactMatching)


@dataclass(frozen=True, slots=True)
class _JudgedCommit:
    """A `commit` with its `problems`, and `notes` on why it passes."""

    commit: Commit
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()

    def status(self, extra: tuple[str, ...] = ()) -> CommitStatus:
        codes = tuple(dict.fromkeys([problem.code for problem in self.problems] + [note.code for note in self.notes]))
        return CommitStatus(self.commit.sha, "fail" if self.problems and not extra else "pass", codes + extra)


def judge(facts: Facts) -> Check:
    """The DCO check of complete facts: a status for every commit, and why."""
    context = _context(facts)
    judged = [_judge(commit, context) for commit in facts.commits]
    problems = tuple(problem for result in judged for problem in result.problems) + agent_problems(
        facts, context.agents, context.exempt, exact=context.exact
    )
    notes = tuple(note for result in judged for note in result.notes)
    override = _override(facts, [result.commit for result in judged if result.problems]) if problems else None
    unknown = pushes_problem(facts, "nobody")  # `/cla exempt @ghost` says nothing of a sign-off.
    if unknown is not None and (override is not None or {problem.code for problem in problems} == {"dco/bot-unproven"}):
        # The person who set the sign-offs aside, or the bot that is named as author, may be that very pusher.
        statuses = tuple(result.status() for result in judged)
        return Check(
            name="DCO", conclusion=Conclusion.ACTION_REQUIRED, problems=(unknown,), notes=notes, commits=statuses
        )
    waived: tuple[str, ...] = ()
    if override is not None:
        extra = Note(code="dco/overridden", account=override, values={"by": masked_text(override.login)})
        notes, waived = (*notes, extra), (extra.code,)
        # The organisation's ban on agents is not a maintainer's to lift.
        problems = tuple(problem for problem in problems if problem.code == "dco/agent-blocked")
    return Check(
        name="DCO",
        conclusion=Conclusion.FAILURE if problems else Conclusion.SUCCESS,
        problems=problems,
        notes=notes,
        commits=tuple(result.status(waived if result.problems else ()) for result in judged),
    )


def _context(facts: Facts) -> _SignoffContext:
    rules, listed = facts.rules.dco, listed_agents(facts)
    matcher: Matcher = ExactMatching()
    if rules.matching != "exact":
        matcher = EquivalenceEvidence(
            read_mailmap(facts.mailmap),
            canonical_addresses(facts.emails),
            facts.server,
            _linked(facts),
            free_names=rules.names == "free",
        )
    exempt = frozenset(account.id for account in rules.exempt if account.id is not None)
    return _SignoffContext(
        facts,
        matcher,
        listed,
        actors(facts),
        remedies(facts.commits, rules, matcher, listed),
        near_remedies(facts.commits, rules),
        signed_here(facts, listed),
        exempt,
        only_merges=rules.matching != "exact" and _only_merges(facts),
    )


def _linked(facts: Facts) -> Mapping[int, frozenset[str]]:
    """Per account id the addresses that GitHub links to it in this pull request."""
    found = canonical_addresses(linked_addresses(facts.commits))
    owners = Counter(address for addresses in found.values() for address in addresses)
    # An address linked to two accounts is neither's.
    return {account: frozenset(address for address in some if owners[address] == 1) for account, some in found.items()}


def _judge(commit: Commit, context: _SignoffContext) -> _JudgedCommit:
    skipped = _skipped(commit, context)
    if skipped is not None:
        return _JudgedCommit(commit, notes=(_note(commit, skipped),))
    persons = people(commit)
    invalid = _invalid(commit, persons, well_formed_in_dco2 if context.exact else _well_formed(context.facts.server))
    # A malformed address matches no sign-off: one problem, not two.
    judged = _signed(commit, persons, context, matching=not invalid)
    if judged.problems and not invalid and commit in context.signed_here:
        return _JudgedCommit(commit, notes=(_note(commit, "dco/signed-here"),))
    if commit.is_merge:
        judged = _of_merge(judged)
    if invalid:
        judged = _JudgedCommit(commit, problems=(*invalid, *judged.problems))
    remedy = context.remedies.get(commit) if judged.problems and context.remedies else None
    if remedy is None:
        return judged
    note = _note(commit, "dco/remediated", by_sha=masked_text(remedy.by_sha), kind=remedy.kind)
    return _JudgedCommit(commit, notes=(note, *_equivalent(commit, remedy.equivalences)))


def _only_merges(facts: Facts) -> bool:
    """Whether merges are all that is new, unless nothing changes or each brings no more than its parents."""
    request = facts.pull_request
    # A commit that is not judged here accounts for no file.
    own = [commit for commit in facts.commits if _exempt_as_held(commit, facts) is None]
    if any(not commit.is_merge for commit in own) or (request.changed_files == 0 and not request.files):
        return False
    return any(commit.merge_changes is not False for commit in own)


def _exempt_as_held(commit: Commit, facts: Facts) -> str | None:
    """The code for a commit that the rules exempt because a protected branch holds it, or what it reverts; or None."""
    if commit.merged is True and facts.rules.dco.merged == "exempt":
        return "dco/merged"
    return "dco/revert" if commit.reverts is True and facts.rules.dco.reverts == "exempt" else None


def _of_merge(judged: _JudgedCommit) -> _JudgedCommit:
    # The code says why this merge needs a sign-off, as most need none.
    code = "dco/merge-changes" if judged.commit.merge_changes else "dco/only-merges"
    found = (replace(problem, code=code) if problem.code == "dco/missing" else problem for problem in judged.problems)
    return replace(judged, problems=tuple(found))


def _skipped(commit: Commit, context: _SignoffContext) -> str | None:
    """The code of the reason why no sign-off is needed, or None."""
    account = commit.author_account
    # A plain merge brings only commits that are judged themselves; dco2 counts a parent that is named twice as two.
    if (
        len(commit.parents) > 1
        if context.exact
        else commit.is_merge and not (commit.merge_changes or context.only_merges)
    ):
        return "dco/merge"
    if context.exact:
        if account is not None and account.type == "Bot":  # as dco2: by the author alone
            return "dco/bot"
    elif (author := _proven_author(commit, context)) is not None:
        if author.id in context.exempt:
            return "dco/exempt"
        # An agent that is a GitHub App is no bot of the kind that needs no sign-off.
        if is_bot(author) and not context.agents.is_account(author):
            return "dco/bot"
    if commit.verified is True and _exempt_member(commit, context):
        return "dco/member"
    return None if context.exact else _exempt_as_held(commit, context.facts)


def _proven_author(commit: Commit, context: _SignoffContext) -> Account | None:
    """The author's account, if it opened the pull request or pushed this commit."""
    author, facts = commit.author_account, context.facts
    if author is None:
        # GitHub's GraphQL names no account for a bot's commit (`GitActor.user` is a `User`): the id in the address
        # counts if that very account is an actor.
        owner = noreply_owner(commit.author.email, facts.server) if commit.author else None
        author = next((actor for actor in actor_accounts(facts) if owner is not None and actor.id == owner.id), None)
    # Anyone can write an account's address into a commit.
    is_own = author is not None and author.id in context.actors and brought(facts, author.id, commit)
    return author if is_own else None


def _exempt_member(commit: Commit, context: _SignoffContext) -> bool:
    """Whether members are exempt and this commit is a member's."""
    account, facts = commit.author_account, context.facts
    if account is None or facts.rules.dco.members != "exempt" or not facts.is_member(account.id):
        return False
    if context.exact:
        return True
    # GitHub's signature check speaks for the committer: an outsider's own signature must not vouch for a member's name.
    if commit.committer_account is not None:
        return commit.committer_account.id == account.id
    author, committer = commit.author, commit.committer
    return author is not None and committer is not None and address_key(author.email) == address_key(committer.email)


def _invalid(commit: Commit, persons: tuple[CommitPerson, ...], valid: Callable[[str], bool]) -> tuple[Problem, ...]:
    """A problem for each malformed address; one address written twice is one problem."""
    # The author's role stands, where both have the address.
    bad = {person.identity.email: person.role for person in reversed(persons) if not valid(person.identity.email)}
    return tuple(
        diagnosis.problem(commit, "dco/invalid-email", whose=role, email=masked(email)) for email, role in bad.items()
    )


def _well_formed(server: GitHubServer) -> Callable[[str], bool]:
    return lambda address: well_formed(address, server)


def _signed(
    commit: Commit, persons: tuple[CommitPerson, ...], context: _SignoffContext, *, matching: bool
) -> _JudgedCommit:
    signed = signoffs(commit.message, folded=not context.exact)
    able = persons if context.exact else certifying(persons, context.agents)
    unable = tuple(person for person in persons if person not in able)
    best = _best(signed, able, unable, context)
    if best is not None:
        by, kinds = best
        note = _note(commit, "dco/signed", by=diagnosis.label(by.name, by.email))
        return _JudgedCommit(commit, notes=(note, *_equivalent(commit, kinds)))
    if not matching and signed:
        return _JudgedCommit(commit)  # The malformed address is the problem.
    return _JudgedCommit(commit, problems=(_reason(commit, able, unable, signed[:_LOOKED_AT], context),))


def _certifies(signed: Identity, unable: tuple[CommitPerson, ...], context: _SignoffContext) -> bool:
    return context.exact or signer(signed, unable, context.agents) == "person"


def _best(
    signed: tuple[Identity, ...],
    able: tuple[CommitPerson, ...],
    unable: tuple[CommitPerson, ...],
    context: _SignoffContext,
) -> tuple[Identity, Kinds] | None:
    """The sign-off that needs the fewest equivalences; one that needs none is the usual case."""
    for identity in signed:
        for person in able:
            if identity == person.identity and _certifies(identity, unable, context):
                # Different bytes may show as the same replacement character.
                if not context.exact and REPLACEMENT in identity.name + identity.email:
                    continue
                return identity, frozenset()
    found = [
        (identity, kinds)
        for identity in signed
        for person in able
        if (kinds := context.matcher.same(identity, person)) is not None and _certifies(identity, unable, context)
    ]
    return min(found, key=lambda pair: len(pair[1]), default=None)


def _equivalent(commit: Commit, kinds: Kinds) -> tuple[Note, ...]:
    return (_note(commit, "dco/equivalent", kinds=tuple(sorted(kinds))),) if kinds else ()


def _reason(
    commit: Commit,
    able: tuple[CommitPerson, ...],
    unable: tuple[CommitPerson, ...],
    signed: tuple[Identity, ...],
    context: _SignoffContext,
) -> Problem:
    """The one problem of a commit without a sign-off that counts."""
    # A bot signs nothing: it has to open the pull request, or push, itself.
    if not context.exact and _bot_author(commit, context):
        return diagnosis.problem(commit, "dco/bot-unproven")
    able = tuple(
        person for person in able if context.exact or signer(person.identity, unable, context.agents) == "person"
    )
    human = tuple(identity for identity in signed if _certifies(identity, unable, context))
    if human and able:
        return diagnosis.mismatch(commit, able, human, context.matcher)
    # Before a mismatch: an agent's line will never do.
    agents = [identity for identity in signed if not human and signer(identity, unable, context.agents) == "agent"]
    if agents:
        names = _agent_names(agents, unable, context.facts.server)
        return diagnosis.problem(commit, "dco/agent-signoff", agent=names, found=diagnosis.labels(agents))
    if signed and able:
        return diagnosis.mismatch(commit, able, signed, context.matcher)
    if signed:
        return _no_signer(commit, "dco/mismatch", unable, found=diagnosis.labels(signed))
    return _no_signoff(commit, able, unable, context)


def _no_signoff(
    commit: Commit, able: tuple[CommitPerson, ...], unable: tuple[CommitPerson, ...], context: _SignoffContext
) -> Problem:
    member, facts = commit.author_account, context.facts
    if facts.rules.dco.members == "exempt" and member is not None and facts.is_member(member.id):
        return diagnosis.problem(commit, "dco/member-unverified")  # It says that a verified signature would do, too.
    if able:
        return diagnosis.without_signoff(commit, able, context.near_remedies.get(commit))
    agents = [person.identity for person in unable if kind(person.identity, person.account, context.agents) == "agent"]
    if agents:
        return diagnosis.problem(commit, "dco/missing", agent=_agent_names(agents, unable, context.facts.server))
    return _no_signer(commit, "dco/missing", unable)


def _no_signer(commit: Commit, code: str, unable: tuple[CommitPerson, ...], **values: tuple[str, ...]) -> Problem:
    if unable:
        return diagnosis.problem(commit, code, why="machine", **values)
    return diagnosis.problem(commit, code, whose="author")


def _bot_author(commit: Commit, context: _SignoffContext) -> bool:
    author, account = commit.author, commit.author_account
    return author is not None and kind(author, account, context.agents) == "bot"


def _agent_names(signed: Iterable[Identity], unable: tuple[CommitPerson, ...], server: GitHubServer) -> tuple[str, ...]:
    """The names of these agents, each once: a known agent by its name."""
    names = (agent_name(agent.email, unable, server) or diagnosis.label(agent.name, agent.email) for agent in signed)
    return tuple(dict.fromkeys(names))


def _note(commit: Commit, code: str, **values: str | tuple[str, ...]) -> Note:
    return Note(code=code, sha=commit.sha, account=commit.author_account, values=values)


def _override(facts: Facts, failing: list[Commit]) -> Account | None:
    """The person who let this head pass, if the rulebook allows it; never one whose own work it is."""
    if facts.rules.dco.override == "nobody" or not facts.overrides:
        return None
    own, owners = set(actors(facts)), proven_owners(facts)  # The opener and pushers vouch for nothing of their own.
    for commit in failing:
        claims = [(commit.author_account, commit.author), (commit.committer_account, commit.committer)]
        claims += [(coauthor.account, Identity(coauthor.name, coauthor.email)) for coauthor in commit.coauthors]
        named = [
            account or (owner_of(identity.email, owners, facts.server) if identity else None)
            for account, identity in claims
        ]
        own |= {account.id for account in named if account is not None}
    for override in facts.overrides:
        if (
            override.kind == "dco"
            and override.account_id is None
            and override.head_sha == facts.pull_request.head_sha  # An override is for the commits that its author saw.
            and override.by.id not in own
        ):
            return override.by
    return None
