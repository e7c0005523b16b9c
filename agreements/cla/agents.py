"""Who answers for the work of AI agents in a pull request: a person who opened or pushed, or one who vouches."""

from collections.abc import Callable, Sequence

from agreements.cla.coverage import CoverageResult
from agreements.domains.domains import masked_text
from agreements.facts import Account, Facts, Note, Problem, Value
from agreements.identity.certifiers import acting_agents, acting_people, ignored_agents, is_bot
from agreements.identity.people import GHOST, Subject


def answers(
    facts: Facts,
    people: Sequence[Subject],
    results: Sequence[Problem | Note],
    standing: Callable[[Account], CoverageResult],
) -> tuple[Problem | Note, ...]:
    """The note of the person who vouches, or the problem that no person answers; nothing where none has to.

    Under `ignore` a person must have opened or pushed where an agent did; under `responsible` a covered person must answer
    for any work of an agent. Exempt agents need none. A person whose own problem is shown gets no second one.
    """
    rules = facts.rules.people
    exempt = {one.id for one in rules.exempt if one.id is not None}
    named = [one for one in people if one.agent and (one.account is None or one.account.id not in exempt)]
    needed = named if rules.agents.policy == "responsible" else acting_agents(facts, ignored_agents(facts), exempt)
    if rules.agents.policy == "block" or not needed:
        return ()
    failing = {one.account.id for one in results if isinstance(one, Problem) and one.account is not None}
    passing = {
        one.account.id for one in results if isinstance(one, Note) and one.account and one.code in _WITHOUT_COVER
    }
    without_cover = passing | exempt if rules.agents.policy == "ignore" else set[int]()
    for person in acting_people(facts, ignored_agents(facts)):
        if person.id in failing | without_cover or standing(person).covered:
            return ()
    return (_vouched(facts, named, standing),)


_WITHOUT_COVER = ("cla/exempt", "cla/overridden")


def _vouched(facts: Facts, named: Sequence[Subject], standing: Callable[[Account], CoverageResult]) -> Problem | Note:
    """The note of the first covered person who vouches for this head, else the problem."""
    head, agents = facts.pull_request.head_sha, ignored_agents(facts)
    said = [one.by for one in facts.overrides if one.kind == "vouch" and one.head_sha == head]
    vouchers = [one for one in said if one.id != GHOST.id and not is_bot(one) and not agents.is_account(one)]
    called = tuple(dict.fromkeys(one.label for one in named))
    covered = next((one for one in vouchers if standing(one).covered), None)
    if covered is not None:
        return Note(code="cla/vouched", account=covered, values={"agent": called})
    first = named[0]
    values: dict[str, Value] = {"agent": called}
    if first.account is not None:
        values["id"] = first.account.id
    if vouchers:
        values["voucher"] = masked_text(vouchers[0].login)
    return Problem(code="cla/agent-alone", account=first.account, role=first.role, values=values)
