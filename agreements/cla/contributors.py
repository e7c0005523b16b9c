"""The CLA check of a pull request: one problem or one note for each person in it."""

from collections.abc import Callable, Container, Mapping, Sequence

from agreements.cla import small_changes
from agreements.cla.coverage import AgreementIndex, CoverageResult
from agreements.completeness import pushes_problem
from agreements.domains.masking import masked, masked_text
from agreements.facts import Account, Check, Conclusion, Facts, Note, Problem, Value
from agreements.identity.certifiers import (
    acting_agents,
    acting_people,
    actors,
    brought,
    ignored_agents,
    is_bot,
    is_web_flow,
)
from agreements.identity.matching import address_key, noreply_owner
from agreements.identity.subjects import GHOST, Subject, accounts_of, linked_addresses, subjects

_WITHOUT_COVER = ("cla/exempt", "cla/overridden")
_MAX_ABLE = 10
_WORST = (Conclusion.SUCCESS, Conclusion.ACTION_REQUIRED, Conclusion.FAILURE)


def judge(facts: Facts) -> Check:
    """The CLA check of complete commits; it fails when one person is not covered."""
    context = _ContributorContext(facts)
    people = subjects(facts)
    results = [context.result(subject) for subject in people]
    results += _answers_for_agents(facts, people, results, context.standing)
    unknown = context.unknown()
    if isinstance(unknown, Problem):
        # A bot or an exempt account may be that very pusher: that it took no part can't be said.
        results = [result for result in results if result.code != "cla/bot-unproven"]
    else:
        results = small_changes.let_off(facts, results)
    problems = tuple(result for result in results if isinstance(result, Problem))
    notes = tuple(result for result in [*results, unknown] if isinstance(result, Note))
    conclusion = Conclusion.FAILURE if problems else Conclusion.SUCCESS
    if isinstance(unknown, Problem):
        # While a pusher is not known, the check does not pass.
        problems, conclusion = (*problems, unknown), max(conclusion, Conclusion.ACTION_REQUIRED, key=_WORST.index)
    return Check(name="CLA", conclusion=conclusion, problems=problems, notes=notes)


class _ContributorContext:
    """The facts and records by which all people of one pull request are judged."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.actors = actors(facts)
        self.exempt = {account.id for account in facts.rules.people.exempt if account.id is not None}
        self.linked = linked_addresses(facts.commits)
        self.named = {account.id for account in accounts_of(facts.pull_request.opener, facts.senders, facts.commits)}
        self.agreed = AgreementIndex(
            facts.rules, facts.now, facts.signatures, facts.companies, owner_id=facts.owner_id, server=facts.server
        )
        self.chosen = {choice.account_id: choice for choice in facts.choices}
        self.overrides = _overrides(facts)

    def result(self, subject: Subject) -> Problem | Note:
        """The one problem or note of a person, or of an AI agent."""
        if subject.agent:
            return self._agent(subject)
        account = subject.account
        if account is None or account.id == GHOST.id:  # No account, or a deleted one.
            found: Problem | Note = self._unlinked(subject)
        else:
            found = self._account(subject, account)
        by = self._exempted_by(subject) if isinstance(found, Problem) else None
        return found if by is None else _note(subject, "cla/overridden", by=by.login)

    def _exempted_by(self, subject: Subject) -> Account | None:
        """The person who exempted this account, or this address that GitHub links to no account."""
        account = subject.account
        if account is not None and account.id != GHOST.id and (by := self.overrides.get(account.id)) is not None:
            return by
        if self.facts.rules.people.override == "nobody" or not subject.email or (account and not subject.claimed):
            return None
        head, key = self.facts.pull_request.head_sha, address_key(subject.email)
        for override in self.facts.overrides:
            is_own = account is not None and override.by.id == account.id  # No one exempts themselves.
            if (
                override.kind == "cla"
                and override.email
                and override.head_sha == head  # An override is for the commits that its author saw.
                and not is_own
                and address_key(override.email) == key
            ):
                return override.by
        return None

    def unknown(self) -> Problem | Note | None:
        """The problem of pushers whom GitHub did not name; None when there are none, or none are asked."""
        people = self.facts.rules.people
        found = pushes_problem(self.facts, people.override)
        if found is None or "senders" not in people.check:
            return None
        by = self.overrides.get(GHOST.id)  # `/cla exempt @ghost` stands for pushers who are not known.
        if by is None:
            return found
        return Note(code="cla/overridden", role="sender", values=_shown({"by": by.login, "of": "pushes"}))

    def _agent(self, subject: Subject) -> Problem | Note:
        account, shown = subject.account, subject.label
        if self.facts.rules.people.agents.policy == "block":
            return _problem(subject, "cla/agent-blocked", agent=shown)
        if account is not None and account.id in self.exempt and account.id in self.actors:
            return _note(subject, "cla/exempt")
        return _note(subject, "cla/agent-ignored", agent=shown)

    def _account(self, subject: Subject, account: Account) -> Problem | Note:
        if account.id in self.exempt:
            return self._listed(subject, account)
        bot, website = is_bot(account), is_web_flow("", account, self.facts.server)
        # A bot signs nothing: the rulebook lists it, or it fails. No record speaks for GitHub itself either.
        found = self._not_listed(account) if bot or website else self.standing(account)
        if found.covered:
            return _covered(subject, found)
        if subject.may_write:  # Write access is trusted: see docs/decisions/strict-reading.md.
            return _note(subject, "cla/sender-writes")
        why = "website" if website else "" if bot else self._cannot_sign(subject, account)
        return self._unable(subject, why) if why else _problem(subject, found.code, **found.values)

    def _unable(self, subject: Subject, why: str) -> Problem:
        email, override = masked(subject.email), self.facts.rules.people.override
        return _problem(subject, "cla/cannot-sign", why=why, email=email, override=override)

    def _not_listed(self, account: Account) -> CoverageResult:
        # Of a bot that commits only name, an entry in the rulebook would not let pass.
        values: dict[str, Value] = {"why": "named"} if self._is_only_named(account) else {}
        return CoverageResult(covered=False, code="cla/bot-not-listed", values=values)

    def _is_only_named(self, account: Account) -> bool:
        # An account may be the pusher whom GitHub did not name.
        return not (self.facts.unknown_pushes or self._acts(account))

    def _acts(self, account: Account) -> bool:
        """Whether the account opened or pushed, and brought every commit that names it as its author."""
        # Anyone can write its address into a commit.
        server = self.facts.server
        named = (
            # GitHub's GraphQL names no account for a bot's commit: its no-reply address does.
            (commit, commit.author_account or (noreply_owner(commit.author.email, server) if commit.author else None))
            for commit in self.facts.commits
        )
        own = (commit for commit, author in named if author is not None and author.id == account.id)
        return account.id in self.actors and all(brought(self.facts, account.id, commit) for commit in own)

    def _listed(self, subject: Subject, account: Account) -> Problem | Note:
        """The answer for an account that the rules exempt: it must have pushed or opened, or be a covered person."""
        if self._acts(account):
            return _note(subject, "cla/exempt")
        found = None if is_bot(account) else self.standing(account)
        if found is not None and found.covered:
            return _covered(subject, found)
        return _problem(subject, "cla/bot-unproven")

    def _unlinked(self, subject: Subject) -> Problem:
        """The problem of an address without an account."""
        if subject.role in ("opener", "sender"):
            return _problem(subject, "cla/unlinked-email", email="", name="", why="ghost")
        values: dict[str, Value] = {"email": masked(subject.email), "name": masked_text(subject.name)}
        if not subject.email.strip():
            values["why"] = "no-address"
            return Problem(code="cla/unlinked-email", sha=subject.sha, role=subject.role, values=values)
        if is_web_flow(subject.email, None, self.facts.server):
            values["why"] = "website"
        elif subject.role == "coauthor":
            values["why"] = "trailer"
        if (override := self.facts.rules.people.override) != "nobody":
            values["override"] = override
        return Problem(code="cla/unlinked-email", sha=subject.sha, role=subject.role, values=values)

    def _cannot_sign(self, subject: Subject, account: Account) -> str:
        """The reason why this account can't sign ("" when it can): its kind, or that it is gone."""
        # Neither can sign in: a mannequin stands for an imported user.
        if account.type in ("Organization", "Mannequin"):
            kind = account.type.lower()
            return f"{kind}-named" if kind != "mannequin" and self._is_only_named(account) else kind
        # GitHub links a no-reply address itself; where it did not, the account is gone.
        return "gone" if subject.claimed and account.id not in self.named else ""

    def standing(self, account: Account) -> CoverageResult:
        """The account's cover, by the rules for members, too."""
        if self.facts.rules.people.members == "exempt" and self.facts.is_member(account.id):
            return CoverageResult(covered=True, code="cla/member")
        linked, proven = self.linked.get(account.id, frozenset()), frozenset(self.facts.emails.get(account.id, ()))
        return self.agreed.coverage_of(account.id, linked=linked, proven=proven, chosen=self.chosen.get(account.id))


def _overrides(facts: Facts) -> Mapping[int, Account]:
    found: dict[int, Account] = {}
    if facts.rules.people.override == "nobody":
        return found
    head = facts.pull_request.head_sha
    for override in facts.overrides:
        # No one exempts themselves.
        if (
            override.kind == "cla"
            and override.head_sha == head
            and override.account_id is not None
            and override.by.id != override.account_id
        ):
            found.setdefault(override.account_id, override.by)
    return found


def _problem(subject: Subject, code: str, **values: Value) -> Problem:
    account = None if subject.account == GHOST else subject.account
    return Problem(code=code, account=account, role=subject.role, values=_shown(values))


def _note(subject: Subject, code: str, **values: Value) -> Note:
    return Note(code=code, account=subject.account, role=subject.role, values=_shown(values))


def _covered(subject: Subject, found: CoverageResult) -> Note:
    """The note of a person who is covered."""
    records: dict[str, Value] = {"records": found.records} if found.records else {}  # Kept for `ledger verify`.
    return _note(subject, found.code, **found.values, **records)


def _shown(values: Mapping[str, Value]) -> Mapping[str, Value]:
    # Names of companies, versions and logins come from outside and might hold an address.
    return {key: masked_text(value) if isinstance(value, str) else value for key, value in values.items()}


def _answers_for_agents(
    facts: Facts,
    people: Sequence[Subject],
    results: Sequence[Problem | Note],
    standing: Callable[[Account], CoverageResult],
) -> tuple[Problem | Note, ...]:
    """The note of the person who vouches, or the problem that no person answers; nothing where none has to.

    Under `ignore` a person must have opened or pushed where an agent did; under `responsible` a covered person must
    answer for any work of an agent.
    """
    rules = facts.rules.people
    exempt = {account.id for account in rules.exempt if account.id is not None}
    # Exempt agents need no one.
    named = [
        subject for subject in people if subject.agent and (subject.account is None or subject.account.id not in exempt)
    ]
    needed = named if rules.agents.policy == "responsible" else acting_agents(facts, ignored_agents(facts), exempt)
    if rules.agents.policy == "block" or not needed:
        return ()
    failing = {result.account.id for result in results if isinstance(result, Problem) and result.account is not None}
    passing = {
        result.account.id
        for result in results
        if isinstance(result, Note) and result.account and result.code in _WITHOUT_COVER
    }
    without_cover = passing | exempt if rules.agents.policy == "ignore" else set[int]()
    for person in acting_people(facts, ignored_agents(facts)):
        # Their own problem is shown: a second one would say the same.
        if person.id in failing | without_cover or standing(person).covered:
            return ()
    shown = {result.account.id for result in results if isinstance(result, Note) and result.account is not None}
    return (_vouched(facts, named, standing, shown),)


def _vouched(
    facts: Facts, named: Sequence[Subject], standing: Callable[[Account], CoverageResult], shown: Container[int]
) -> Problem | Note:
    """The note of the first covered person who vouches for this head, else the problem.

    `shown` are the accounts that pass this check by themselves.
    """
    head, agents = facts.pull_request.head_sha, ignored_agents(facts)
    said = [override.by for override in facts.overrides if override.kind == "vouch" and override.head_sha == head]
    # An agent can't answer for itself.
    vouchers = [
        account for account in said if account.id != GHOST.id and not is_bot(account) and not agents.is_account(account)
    ]
    called = tuple(dict.fromkeys(subject.label for subject in named))
    covered = next((voucher for voucher in vouchers if standing(voucher).covered), None)
    if covered is not None:
        return Note(code="cla/vouched", account=covered, values={"agent": called})
    first = named[0]
    values: dict[str, Value] = {"agent": called}
    if first.account is not None:
        values["id"] = first.account.id
    if vouchers:
        values["voucher"] = masked_text(vouchers[0].login)
    elif able := _able_to_answer(facts, standing, shown):
        values["able"] = able
    return Problem(code="cla/agent-alone", account=first.account, role=first.role, values=values)


def _able_to_answer(
    facts: Facts, standing: Callable[[Account], CoverageResult], shown: Container[int]
) -> tuple[str, ...]:
    """The logins of people whom the check of this pull request shows as covered: no agents, no bots."""
    agents = ignored_agents(facts)
    # By GitHub's word alone: that an address is theirs may be known to us alone, who had it proven.
    seen = {
        account.id: account
        for account in accounts_of(facts.pull_request.opener, facts.senders, facts.commits)
        if account.login
    }
    able = (
        masked_text(account.login)
        for account in seen.values()
        if account.id in shown and not is_bot(account) and not agents.is_account(account) and standing(account).covered
    )
    return tuple(able)[:_MAX_ABLE]
