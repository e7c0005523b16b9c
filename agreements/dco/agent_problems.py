"""AI agents under the DCO: what the rulebook blocks, and work for which no person answers."""

from collections.abc import Container

from agreements.facts import Facts, Problem, Value
from agreements.identity.certifiers import AgentList, acting_agents, acting_people, ignored_agents
from agreements.identity.subjects import Subject, agents_named


def agent_problems(facts: Facts, agents: AgentList, exempt: Container[int], *, exact: bool) -> tuple[Problem, ...]:
    """A problem for each agent where the rulebook blocks agents; else one where an agent acts and no person does.

    `exempt` are the account ids that the rulebook exempts from the DCO.
    """
    if facts.rules.people.agents.policy == "block":
        # As under the CLA: the shipped list counts only where the rulebook leaves it on.
        blocked = agents_named(facts, ignored_agents(facts))
        return tuple(_agent_problem("dco/agent-blocked", agent) for agent in blocked)
    if exact or acting_people(facts, agents):  # dco2 knows no agents that act alone.
        return ()
    acting = {agent.id for agent in acting_agents(facts, agents, exempt)}
    named = [agent for agent in agents_named(facts, agents) if agent.account is not None and agent.account.id in acting]
    override = facts.rules.dco.override
    # One problem is enough: a person who takes part mends it for all.
    return tuple(_agent_problem("dco/agent-alone", agent, override=override) for agent in named[:1])


def _agent_problem(code: str, agent: Subject, **values: Value) -> Problem:
    return Problem(code=code, account=agent.account, role=agent.role, values={"agent": agent.label, **values})
