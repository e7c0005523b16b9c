"""What the verdict must be, by the truth that was decided beforehand; and where a verdict differs from it."""

from dataclasses import dataclass, field


@dataclass
class Expected:
    """`people` maps account ids to (covered, admissible codes); `strangers`: an actor or address has no account."""

    require: str
    wrong: str | None
    cla: bool
    dco: bool
    people: dict = field(default_factory=dict)
    strangers: bool = False
    commits: list = field(default_factory=list)

    @property
    def passes(self):
        if self.wrong:
            return False
        both = {"cla": [self.cla], "dco": [self.dco]}.get(self.require, [self.cla, self.dco])
        return any(both) if self.require == "either" else all(both)


def expected(pull):
    """The one right answer for this pull request."""
    require = next(rule["require"] for rule in pull.world.rulebook["repositories"] if rule["require"] != "none")
    people, strangers = _people(pull)
    agents = _agents(pull)
    blocked = pull.world.policy == "block" and bool(agents)
    cla = not strangers and all(covered for covered, _ in people.values()) and not blocked
    cla = cla and (not _asks_for_answer(pull, agents) or _answered(pull, people))
    commits = [_signed(pull, commit) for commit in pull.commits]
    whole = not blocked and not _acts_alone(pull)
    failing = [commit for commit, fine in zip(pull.commits, commits, strict=True) if not fine]
    off = bool(failing or not whole) and _lets_off(pull, failing)
    dco = off or (all(commits) and whole)
    return Expected(require, pull.wrong, cla, dco, people, strangers, [off or fine for fine in commits])


def _is_agent(pull, mail, *, asked=True):
    return mail is pull.world.agent_mail or mail.whose(pull.shape, asked=asked) is pull.world.agent


def _agents(pull):
    """The places in which an AI agent stands: as actor, as one of a commit's people; with the account where one is known."""
    agent = pull.world.agent
    found = [agent] if agent in pull.actors else []
    for commit in pull.commits:
        mails = [(who[1], True) for who in commit.persons()]
        mails += [(mail, commit.listed) for _, mail in commit.coauthors]
        found += [
            None if mail is pull.world.agent_mail else agent
            for mail, asked in mails
            if _is_agent(pull, mail, asked=asked)
        ]
    return found


def _asks_for_answer(pull, agents):
    """Whether a person must answer for agents here; one that the rulebook exempts by id needs none."""
    if pull.world.policy == "block":
        return False
    needing = [agent for agent in agents if agent is None or not agent.listed]
    acting = pull.world.agent in pull.actors and not pull.world.agent.listed
    return bool(needing) if pull.world.policy == "responsible" else acting


def _answered(pull, people):
    """Whether a covered person opened or pushed, or vouches for this head; under `ignore` an exempt one will do."""
    enough = {"cla/exempt", "cla/overridden"} if pull.world.policy == "ignore" else set()
    for who in pull.actors - {pull.world.agent}:
        covered, codes = people[who.id]
        if (
            not who.bot
            and covered
            and (codes & enough or not codes & {"cla/exempt", "cla/overridden", "cla/sender-writes"})
        ):
            return True
        if not who.bot and who.covered and (who.link is None or _seen(pull, who.link)):
            return True
    return any(
        override["kind"] == "vouch" and override["head"] is None and override["by"] and override["by"] is not pull.world.agent
        and not override["by"].bot and _is_covered(pull, override["by"])
        for override in pull.world.overrides
    )  # fmt: skip


def _is_covered(pull, who):
    member = who.member and pull.world.rulebook["people"]["members"] == "exempt"
    return member or (who.covered and (who.link is None or _seen(pull, who.link)))


def _acts_alone(pull):
    """Whether the agent opened or pushed and no person did."""
    agent = pull.world.agent
    people = [who for who in pull.actors if not who.bot and who is not agent]
    return agent in pull.actors and agent not in pull.world.dco_exempt and not people


def _people(pull):
    """The people to be judged: actors, then those whom addresses name; and whether a stranger is there."""
    check = pull.world.rulebook["people"].get("check", ("authors", "coauthors"))
    judged, strangers = {}, pull.opener is None
    if pull.opener is not None:
        judged[pull.opener] = "opener"
    for who, _ in pull.senders:
        strangers |= who is None
        if who is not None:
            judged.setdefault(who, "sender")
    for commit in pull.commits:
        owner = commit.author[1].whose(pull.shape) if commit.author else None
        if "authors" in check and not (commit.author and _is_agent(pull, commit.author[1])):
            strangers |= owner is None
            if owner is not None:
                judged.setdefault(owner, "author")
        for who, agent in _coauthors(pull, commit) if "coauthors" in check else ():
            strangers |= who is None and not agent
            if who is not None and not agent:
                judged.setdefault(who, "coauthor")
    agent = judged.pop(pull.world.agent, None)
    found = {who.id: _standing(pull, who, role) for who, role in judged.items()}
    if agent and pull.world.agent.listed and pull.world.policy != "block":
        found[pull.world.agent.id] = True, {"cla/exempt"}
    return found, strangers


def _coauthors(pull, commit):
    """Owner and whether it is an agent, of each co-author."""
    world = pull.world
    for _, mail in commit.coauthors:
        owner = mail.whose(pull.shape, asked=commit.listed)
        yield owner, mail is world.agent_mail or owner is world.agent


def _standing(pull, who, role):
    """Whether the person may contribute here, and the codes that may say so."""
    world = pull.world
    seen = who.link is None or _seen(pull, who.link)
    for_certain = (
        (who.listed and who in pull.actors, {"cla/exempt"}),
        (who.member and world.rulebook["people"]["members"] == "exempt", {"cla/member"}),
        (who.covered and seen, who.codes),
        (role == "sender" and not who.listed and _only_pushes(pull, who), {"cla/sender-writes"}),
        (_exempted(pull, who), {"cla/overridden"}),
    )
    codes = next((codes for holds, codes in for_certain if holds), None)
    if codes is not None:
        return True, codes
    if who.listed:
        return False, {"cla/bot-unproven"}
    if who.bot:  # known by an address alone, an account without `[bot]` in its login does not look like a bot
        return False, {"cla/bot-not-listed", "cla/unsigned"}
    is_no_person = who is world.web_flow or who.type in ("Organization", "Mannequin")
    told = {"cla/cannot-sign"} if is_no_person else set()
    codes = who.codes if seen else _MISSES
    named = who in pull.actors or any(_links(pull, commit, who) for commit in pull.commits)
    if told and named:
        return False, told | (codes if _by_proof(pull, who) else set())
    return False, codes | told | (set() if named else {"cla/cannot-sign"})


def _links(pull, commit, who):
    """Whether GitHub itself names that account in the commit."""
    mails = [person[1] for person in commit.persons()] + (
        [mail for _, mail in commit.coauthors] if commit.listed else []
    )
    return any(mail.owner is who and pull.shape in mail.linked for mail in mails)


def _by_proof(pull, who):
    """Whether an address that the person proved to us may name them, which tells nothing of what the account is."""
    return bool(who.proven) or who not in pull.actors


def _exempted(pull, who):
    """Whether another person let this account pass for this head, where the rulebook allows an override."""
    return pull.world.allows("people") and any(
        override["kind"] == "cla"
        and override["whom"] is who
        and override["head"] is None
        and override["by"] not in (None, who)
        for override in pull.world.overrides
    )


_MISSES = {"cla/unsigned", "cla/other-party", "cla/withdrawn", "cla/outdated", "cla/excluded", "cla/company-ended"}


def _seen(pull, mail):
    """Whether GitHub's own link of the address to its owner stands in this pull request."""
    if pull.shape not in mail.linked:
        return False
    authors = [commit.author[1] for commit in pull.commits if commit.author]
    return mail in authors or any(
        mail is address for commit in pull.commits if commit.listed for _, address in commit.coauthors
    )


def _only_pushes(pull, who):
    """May write, by all records of their pushes, and brings no work of their own."""
    rights = [may for sender, may in pull.senders if sender is who]
    return bool(rights) and all(rights) and not any(_works(pull, commit, who) for commit in pull.commits)


def _works(pull, commit, who):
    check = pull.world.rulebook["people"].get("check", ("authors", "coauthors"))
    author = commit.author[1].whose(pull.shape) if commit.author and not commit.merge else None
    helped = any(owner is who and not agent for owner, agent in _coauthors(pull, commit))
    return (author is who and "authors" in check) or (helped and "coauthors" in check)


def _signed(pull, commit):
    """Whether the commit carries a word that counts, or a reason why it needs none."""
    author, committer = commit.author, commit.committer
    owner = author[1].whose(pull.shape) if author else None
    skipped = commit.merge and not all(other.merge for other in pull.commits)
    acting = owner is not None and owner in pull.actors
    own = acting and (owner in pull.world.dco_exempt or (owner.bot and owner is not pull.world.agent))
    if skipped or commit.remedied or own:
        return True
    exempt = pull.world.rulebook["dco"]["members"] == "exempt"
    both = [who for who in (author, committer) if who and pull.shape in who[1].linked and who[1].owner is owner]
    if exempt and commit.verified and owner is not None and owner.member and len(both) == 2:
        return True
    return commit.signed and not any(who[1].broken for who in commit.persons())


def _lets_off(pull, failing):
    """Whether a person who may, and whose own work it is not, let this head pass."""
    own = set(pull.actors)
    for commit in failing:
        own |= {who[1].whose(pull.shape) for who in commit.persons()}
        own |= {owner for owner, _ in _coauthors(pull, commit)}
    return pull.world.allows("dco") and any(
        override["kind"] == "dco"
        and override["whom"] is None
        and override["head"] is None
        and override["by"] not in (None, *own)
        for override in pull.world.overrides
    )


def faults(expected, verdict):
    """Each way in which the verdict, as plain data or None for a refusal, differs from what it must be."""
    if verdict is None:
        return [] if expected.wrong == "refused" else ["the facts were refused"]
    conclusion = verdict["conclusion"]
    passes = conclusion in ("success", "neutral")
    found = []
    if passes is not expected.passes:
        found.append(f"it passes: {passes}, must be {expected.passes}")
    if expected.wrong == "incomplete" and conclusion != "action_required":
        found.append(f"it could not be judged, but ends in {conclusion}")
    if expected.wrong:
        return found
    for check in verdict["checks"]:
        shown = check["conclusion"] != "neutral"  # under `either` the worse one is shown without its problems
        found += _cla_faults(expected, check, shown=shown) if check["name"] == "CLA" else _dco_faults(expected, check)
    return found


def _cla_faults(expected, check, *, shown):
    found = []
    given = {fine: {} for fine in (True, False)}
    for fine, items in ((True, check["notes"]), (False, check["problems"])):
        for item in items:
            if item["account"] and not item["code"].startswith(("cla/agent", "cla/vouched")):
                given[fine].setdefault(item["account"]["id"], set()).add(item["code"])
    for who, (covered, codes) in expected.people.items():
        if who in given[not covered]:
            found.append(f"{who} is covered: {not covered}, must be {covered}: {given[not covered][who]}")
        elif who not in given[covered] and (covered or shown):
            found.append(f"{who} was not judged, must be covered: {covered}")
        elif not given[covered].get(who, set()) <= codes:
            found.append(f"{who}: {given[covered][who]}, must be one of {sorted(codes)}")
    found += [f"{who} was judged, but is not here" for who in {*given[True], *given[False]} - set(expected.people)]
    strange = any(problem["code"] == "cla/unlinked-email" for problem in check["problems"])
    if shown and strange is not expected.strangers:
        found.append(f"addresses of no account were found: {strange}, must be {expected.strangers}")
    return found


def _dco_faults(expected, check):
    statuses = [commit["status"] == "pass" for commit in check["commits"]]
    if statuses == expected.commits:
        return []
    wrong = [
        index for index, pair in enumerate(zip(statuses, expected.commits, strict=False)) if pair[0] is not pair[1]
    ]
    return [
        f"commits {wrong} are signed: {[statuses[index] for index in wrong]}: {check['commits'][wrong[0]]}"
        if wrong
        else "commits are missing"
    ]
