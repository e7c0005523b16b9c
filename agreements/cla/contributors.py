"""The CLA check of a pull request: one problem or one note for each person in it."""

from collections.abc import Mapping

from agreements.cla.coverage import AgreementIndex, CoverageResult
from agreements.completeness import pushes_problem
from agreements.domains.domains import masked, masked_text
from agreements.facts import Account, Check, Conclusion, Facts, Note, Problem, Value
from agreements.identity.certifiers import actors, is_bot
from agreements.identity.people import GHOST, Subject, linked_addresses, subjects

_WORST = (Conclusion.SUCCESS, Conclusion.ACTION_REQUIRED, Conclusion.FAILURE)


def judge(facts: Facts) -> Check:
    """The CLA check of complete commits; it fails when one person is not covered.

    While somebody pushed of whom nobody can tell who it was, it does not pass either.
    """
    context = _ContributorContext(facts)
    results = [context.result(subject) for subject in subjects(facts)]
    unknown = context.unknown()
    if isinstance(unknown, Problem):
        # A bot or an exempt account may be that very pusher: that it took no part can't be said.
        results = [one for one in results if one.code != "cla/bot-unproven"]
    problems = tuple(one for one in results if isinstance(one, Problem))
    notes = tuple(one for one in [*results, unknown] if isinstance(one, Note))
    conclusion = Conclusion.FAILURE if problems else Conclusion.SUCCESS
    if isinstance(unknown, Problem):
        problems, conclusion = (*problems, unknown), max(conclusion, Conclusion.ACTION_REQUIRED, key=_WORST.index)
    return Check(name="CLA", conclusion=conclusion, problems=problems, notes=notes)


class _ContributorContext:
    """What all people of one pull request are judged by."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.actors = actors(facts)
        self.exempt = {one.id for one in facts.rules.people.exempt if one.id is not None}
        self.linked = linked_addresses(facts.commits)
        self.agreed = AgreementIndex(facts.rules, facts.now, facts.signatures, facts.companies)
        self.overrides = _overrides(facts)

    def result(self, subject: Subject) -> Problem | Note:
        """The one problem or note of a person."""
        if subject.agent:
            return self._agent(subject)
        if subject.account is None or subject.account.id == GHOST.id:
            return _unlinked(subject)
        found = self._account(subject, subject.account)
        if isinstance(found, Problem) and (by := self.overrides.get(subject.account.id)) is not None:
            return _note(subject, "cla/overridden", by=by.login)
        return found

    def unknown(self) -> Problem | Note | None:
        """What there is to say of pushers whom GitHub did not name; None when there are none, or none are asked."""
        people = self.facts.rules.people
        found = pushes_problem(self.facts, people.override)
        if found is None or "senders" not in people.check:
            return None
        by = self.overrides.get(GHOST.id)
        if by is None:
            return found
        return Note(code="cla/overridden", role="sender", values=_shown({"by": by.login, "of": "pushes"}))

    def _agent(self, subject: Subject) -> Problem | Note:
        account = subject.account
        shown = subject.agent_name or (masked(subject.email) if account is None else account.login)
        if self.facts.rules.people.agents.policy == "block":
            return _problem(subject, "cla/agent-blocked", agent=shown)
        return _note(subject, "cla/agent-ignored", agent=shown)

    def _account(self, subject: Subject, account: Account) -> Problem | Note:
        proven = account.id in self.actors
        listed = account.id in self.exempt
        if listed and proven:
            return _note(subject, "cla/exempt")
        if is_bot(account):
            return _problem(subject, "cla/bot-unproven" if listed else "cla/bot-not-listed")
        found = self._standing(account)
        if found.covered:
            return _note(subject, found.code, **found.values)
        if subject.may_write and not listed:
            return _note(subject, "cla/sender-writes")
        return _problem(subject, "cla/bot-unproven") if listed else _problem(subject, found.code, **found.values)

    def _standing(self, account: Account) -> CoverageResult:
        if self.facts.rules.people.members == "exempt" and account.id in self.facts.members:
            return CoverageResult(covered=True, code="cla/member")
        linked, proven = self.linked.get(account.id, frozenset()), frozenset(self.facts.emails.get(account.id, ()))
        return self.agreed.coverage_of(account.id, linked=linked, proven=proven)


def _overrides(facts: Facts) -> Mapping[int, Account]:
    """Who exempted which account for this head, if the rulebook lets anybody; never the person themselves."""
    found: dict[int, Account] = {}
    if facts.rules.people.override == "nobody":
        return found
    head = facts.pull_request.head_sha
    for one in facts.overrides:
        if one.kind == "cla" and one.head_sha == head and one.account_id is not None and one.by.id != one.account_id:
            found.setdefault(one.account_id, one.by)
    return found


def _unlinked(subject: Subject) -> Problem:
    if subject.role in ("opener", "sender"):
        return _problem(subject, "cla/unlinked-email", email="", name="", why="ghost")
    values: dict[str, Value] = {"email": masked(subject.email), "name": masked_text(subject.name)}
    if not subject.email.strip():
        values["why"] = "no-address"
    return Problem(code="cla/unlinked-email", sha=subject.sha, role=subject.role, values=values)


def _problem(subject: Subject, code: str, **values: Value) -> Problem:
    account = None if subject.account == GHOST else subject.account
    return Problem(code=code, account=account, role=subject.role, values=_shown(values))


def _note(subject: Subject, code: str, **values: Value) -> Note:
    return Note(code=code, account=subject.account, role=subject.role, values=_shown(values))


def _shown(values: Mapping[str, Value]) -> Mapping[str, Value]:
    """Names of companies, versions and logins come from outside and might hold an address."""
    return {key: masked_text(value) if isinstance(value, str) else value for key, value in values.items()}
