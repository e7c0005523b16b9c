"""What the verdict must be, by the truth that was decided beforehand; and where a verdict differs from it."""

from dataclasses import dataclass, field


@dataclass
class Expected:
    """`people` maps account ids to (covered, admissible codes); `strangers` are addresses that are nobody's."""

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
    people, strangers, agents = _people(pull)
    cla = not strangers and all(covered for covered, _ in people.values()) and not (agents and pull.world.agents_block)
    commits = [_signed(pull, one) for one in pull.commits]
    dco = all(commits) or _lets_off(pull, [one for one, fine in zip(pull.commits, commits, strict=True) if not fine])
    return Expected(require, pull.wrong, cla, dco, people, strangers, [dco or fine for fine in commits])


def _people(pull):
    """Everybody to be judged: actors, then whoever the addresses name; whether one names nobody; whether agents are there."""
    check = pull.world.rulebook["people"].get("check", ("authors", "coauthors"))
    judged, strangers, agents = {}, pull.opener is None, False
    if pull.opener is not None:
        judged[pull.opener] = "opener"
    for who, _ in pull.senders:
        strangers |= who is None
        if who is not None:
            judged.setdefault(who, "sender")
    for commit in pull.commits:
        owner = commit.author[1].whose(pull.shape) if commit.author else None
        strangers |= owner is None and "authors" in check
        if owner is not None and "authors" in check:
            judged.setdefault(owner, "author")
        for who, agent in _coauthors(pull, commit) if "coauthors" in check else ():
            agents |= agent
            strangers |= who is None and not agent
            if who is not None and not agent:
                judged.setdefault(who, "coauthor")
    return {who.id: _standing(pull, who, role) for who, role in judged.items()}, strangers, agents


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
        (role == "sender" and not who.listed and not who.bot and _only_pushes(pull, who), {"cla/sender-writes"}),
        (_exempted(pull, who), {"cla/overridden"}),
    )
    codes = next((codes for holds, codes in for_certain if holds), None)
    if codes is not None:
        return True, codes
    if who.listed:
        return False, {"cla/bot-unproven"}
    if who.bot:  # known by an address alone, an account without `[bot]` in its login does not look like a bot
        return False, {"cla/bot-not-listed", "cla/unsigned"}
    return False, who.codes if seen else _MISSES


def _exempted(pull, who):
    """Whether somebody else let this account pass for this head, where the rulebook lets anybody."""
    return pull.world.allows("people") and any(
        one["kind"] == "cla" and one["whom"] is who and one["head"] is None and one["by"] not in (None, who)
        for one in pull.world.overrides
    )


_MISSES = {"cla/unsigned", "cla/withdrawn", "cla/outdated", "cla/excluded", "cla/company-ended"}


def _seen(pull, mail):
    """Whether GitHub's own link of the address to its owner stands in this pull request."""
    if pull.shape not in mail.linked:
        return False
    authors = [one.author[1] for one in pull.commits if one.author]
    return mail in authors or any(mail is two for one in pull.commits if one.listed for _, two in one.coauthors)


def _only_pushes(pull, who):
    """May write, by all records of their pushes, and brings no work of their own."""
    rights = [may for one, may in pull.senders if one is who]
    return bool(rights) and all(rights) and not any(_works(pull, one, who) for one in pull.commits)


def _works(pull, commit, who):
    check = pull.world.rulebook["people"].get("check", ("authors", "coauthors"))
    author = commit.author[1].whose(pull.shape) if commit.author and not commit.merge else None
    helped = any(owner is who and not agent for owner, agent in _coauthors(pull, commit))
    return (author is who and "authors" in check) or (helped and "coauthors" in check)


def _signed(pull, commit):
    """Whether the commit carries a word that counts, or a reason why it needs none."""
    author, committer = commit.author, commit.committer
    owner = author[1].whose(pull.shape) if author else None
    if commit.merge or commit.remedied or (owner is not None and owner.bot and owner in pull.actors):
        return True
    exempt = pull.world.rulebook["dco"]["members"] == "exempt"
    both = [one for one in (author, committer) if one and pull.shape in one[1].linked and one[1].owner is owner]
    if exempt and commit.verified and owner is not None and owner.member and len(both) == 2:
        return True
    return commit.signed and not any(who[1].broken for who in commit.persons())


def _lets_off(pull, failing):
    """Whether somebody who may, and whose own work it is not, let this head pass."""
    own = set(pull.actors)
    for commit in failing:
        own |= {who[1].whose(pull.shape) for who in commit.persons()}
        own |= {owner for owner, _ in _coauthors(pull, commit)}
    return pull.world.allows("dco") and any(
        one["kind"] == "dco" and one["whom"] is None and one["head"] is None and one["by"] not in (None, *own)
        for one in pull.world.overrides
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
        for one in items:
            if one["account"] and not one["code"].startswith("cla/agent"):
                given[fine].setdefault(one["account"]["id"], set()).add(one["code"])
    for who, (covered, codes) in expected.people.items():
        if who in given[not covered]:
            found.append(f"{who} is covered: {not covered}, must be {covered}: {given[not covered][who]}")
        elif who not in given[covered] and (covered or shown):
            found.append(f"{who} was not judged, must be covered: {covered}")
        elif not given[covered].get(who, set()) <= codes:
            found.append(f"{who}: {given[covered][who]}, must be one of {sorted(codes)}")
    found += [f"{who} was judged, but is not here" for who in {*given[True], *given[False]} - set(expected.people)]
    strange = any(one["code"] == "cla/unlinked-email" for one in check["problems"])
    if shown and strange is not expected.strangers:
        found.append(f"addresses of nobody were found: {strange}, must be {expected.strangers}")
    return found


def _dco_faults(expected, check):
    statuses = [one["status"] == "pass" for one in check["commits"]]
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
