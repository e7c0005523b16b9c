"""What the DCO says of AI agents in a pull request as a whole: none takes part under `block`, and none acts alone."""

from collections.abc import Container

from agreements.facts import Facts, Problem, Value
from agreements.identity.certifiers import AgentList, acting_agents, acting_people
from agreements.identity.people import Subject, agents_named


def problems(facts: Facts, agents: AgentList, exempt: Container[int], *, exact: bool) -> tuple[Problem, ...]:
    """A problem for each agent where the rulebook blocks agents; else one where an agent acts and no person does.

    `exempt` are the account ids that the rulebook exempts from the DCO. `exact` matching knows no agents that act alone,
    as dco2 does not.
    """
    if facts.rules.people.agents.policy == "block":
        return tuple(_problem("dco/agent-blocked", one) for one in agents_named(facts, agents))
    if exact or acting_people(facts, agents):
        return ()
    acting = {one.id for one in acting_agents(facts, agents, exempt)}
    named = [one for one in agents_named(facts, agents) if one.account is not None and one.account.id in acting]
    override = facts.rules.dco.override
    return tuple(_problem("dco/agent-alone", one, override=override) for one in named[:1])


def _problem(code: str, agent: Subject, **values: Value) -> Problem:
    return Problem(code=code, account=agent.account, role=agent.role, values={"agent": agent.label, **values})
