"""Attacks on everything around the commits: who opened, who pushed, who let it pass, and facts that are not whole."""

from copy import copy

from tests.hostile.attacks import outsider, victim
from tests.hostile.world import Mail


def opened_by_ghost(pull, by):
    """The opener's account is gone."""
    pull.opener = None


def opened_by_bot(pull, by):
    """A bot that is not listed, or by login alone, opened it; neither signatures nor companies help a bot."""
    world = pull.world
    bot = pull.random.choice((world.other_bot, world.login_bot))
    world.signatures.append(
        {"agreement": world.texts[0], "version": "2.0", "account": {"id": bot.id}, "signed_at": "2020-01-01T00:00:00Z"}
    )
    world.companies.append({"name": "Botnet", "agreement": world.texts[1], "version": "2.0", "signed_at": "2020-01-01T00:00:00Z",
                            "covers": [{"account": bot.id}]})  # fmt: skip
    pull.opener = bot


def opened_by_listed_bot(pull, by):
    """The exempt bot really opened it; others may have pushed to it since."""
    pull.opener = pull.world.listed_bot
    bot = pull.world.listed_bot
    pull.commit((bot.login, bot.main), ("GitHub", pull.world.web_flow.main))


def opened_by_exempt(pull, by):
    """An exempt account opened it."""
    pull.opener = pull.world.exempt
    pull.commit(pull.opener.identity, pull.opener.identity)


def opened_by_agent(pull, by):
    """A listed agent opened it: as an actor it is no person's co-author."""
    pull.opener = pull.world.agent


def pushed_by_agent(pull, by):
    """A listed agent pushed, and perhaps wrote, perhaps with the right to write."""
    agent = pull.world.agent
    pull.senders.append((agent, pull.random.random() < 0.5))
    if pull.random.random() < 0.5:
        pull.commit((agent.name, pull.random.choice((agent.noreply, agent.main))), by.identity)


def agent_alone(pull, by):
    """An agent opens, pushes and writes, in covered people's names, too; no person acts."""
    world, agent = pull.world, pull.world.agent
    if pull.random.random() < 0.6:
        pull.commits = []
    pull.opener, pull.senders = agent, [(agent, pull.random.random() < 0.3)] * pull.random.randrange(2)
    for who in pull.random.sample([(agent.name, agent.noreply), victim(pull).identity], 2):
        coauthors = [victim(pull).identity] if pull.random.random() < 0.5 else []
        pull.commit(who, pull.random.choice((who, ("GitHub", world.web_flow.main))), coauthors=coauthors)
    if pull.random.random() < 0.7:
        vouched(pull, by)


def vouched(pull, by):
    """A person says that they answer for an agent: only a covered person can."""
    world, random = pull.world, pull.random
    who = random.choice((None, outsider(pull), victim(pull), victim(pull), world.agent, world.other_bot, world.writer))
    head = random.choice((None, None, None, "f" * 40))
    world.overrides.append({"kind": "vouch", "whom": None, "by": who, "head": head})


def pushed_by_outsider(pull, by):
    """An uncovered person pushed, and wrote nothing but covered people's names."""
    pull.senders.append((outsider(pull), False))
    pull.commit(victim(pull).identity, victim(pull).identity)


def pushed_by_ghost(pull, by):
    """A person whose account is gone pushed."""
    pull.senders.append((None, pull.random.random() < 0.5))


def pushed_by_bot(pull, by):
    """A bot that the rulebook does not list by its number pushed, perhaps with the right to write."""
    pull.senders.append((pull.random.choice((pull.world.other_bot, pull.world.login_bot)), pull.random.random() < 0.5))


def pushed_by_writer(pull, by):
    """An uncovered person who may write pushed others' work: noted, not failed."""
    pull.senders.append((pull.world.writer, True))
    if pull.random.random() < 0.5:
        who = pull.world.writer
        pull.commit(who.identity, pull.random.choice((who.identity, ("GitHub", pull.world.web_flow.main))), merge=True)


def pushed_own_work(pull, by):
    """An uncovered person who may write pushed work of their own, under any of their addresses."""
    who = pull.world.writer
    pull.senders.append((who, True))
    mail = pull.random.choice((who.main, who.spare, who.noreply, *who.proven))
    if pull.random.random() < 0.7:
        pull.commit((who.name, mail), who.identity)
    else:
        pull.commit(
            victim(pull).identity, who.identity, coauthors=[(who.name, mail)], listed=pull.random.random() < 0.5
        )


def once_without_right(pull, by):
    """Recorded with the right to write, and once without."""
    pull.senders += pull.random.sample([(pull.world.writer, True), (pull.world.writer, False)], 2)


def overridden(pull, by):
    """Exemptions by and for all sorts of accounts; only some are valid."""
    world, random = pull.world, pull.random
    for _ in range(random.randrange(1, 4)):
        by_whom = random.choice(
            (None, outsider(pull), victim(pull), world.maintainer, world.maintainer, by, by, world.writer)
        )
        whom = random.choice((None, outsider(pull), victim(pull), by, by))
        kind = random.choice(("cla", "dco"))
        head = random.choice((None, None, "f" * 40, "", pull.commits[0].sha[:12] if pull.commits else "0"))
        world.overrides.append({"kind": kind, "whom": whom, "by": by_whom, "head": head})


def exempted_oneself(pull, by):
    """A person says of themselves that they need no agreement."""
    who = pull.random.choice((by, by, outsider(pull)))
    pull.world.overrides.append({"kind": "cla", "whom": who, "by": who, "head": None})


def let_off_oneself(pull, by):
    """A person who may let a head pass does so for their own work, under an address that GitHub links to no account."""
    world, who = pull.world, pull.world.maintainer
    mail = pull.random.choice((who.noreply, *who.proven))
    role = pull.random.choice(("author", "committer", "coauthor"))
    author = (who.name, mail) if role == "author" else victim(pull).identity
    committer = (who.name, mail) if role == "committer" else victim(pull).identity
    pull.commit(author, committer, signed=False, coauthors=[(who.name, mail)] if role == "coauthor" else [])
    world.overrides.append({"kind": "dco", "whom": None, "by": who, "head": None})


def labelled(pull, by):
    """Labels and logins that say it is all right."""
    pull.labels += ["cla-signed", "cla: yes", "dco-exempt"]


def twice(pull, by):
    """One SHA twice, the second time as another commit: both are judged."""
    alone = [commit for commit in pull.commits if not commit.remedied]
    if alone:
        again = copy(pull.random.choice(alone))
        again.author = again.committer = ("Eve", Mail("eve@nowhere.org"))
        again.coauthors, again.message, again.signed, again.remedied, again.merge = [], "Fix", False, False, False
        pull.commits.insert(pull.random.randrange(len(pull.commits)), again)


def hidden(pull, by):
    """A commit is told twice where another should be: as many entries as GitHub counts, but not as many SHAs."""
    if pull.commits:
        _spoil(pull, lambda facts: facts.update(commits=[*facts["commits"], facts["commits"][0]],
                                                commit_count=facts["commit_count"] + 1))  # fmt: skip


def miscounted(pull, by):
    """GitHub counts more, fewer, or does not say."""
    change = pull.random.choice((1, -1, 250, None))
    if change is None:
        _spoil(
            pull,
            lambda facts: facts.pop("commit_count") if len(facts["commits"]) % 2 else facts.update(commit_count=None),
        )
    else:
        _spoil(pull, lambda facts: facts.update(commit_count=max(0, facts["commit_count"] + change)), unless_empty=True)


def other_head(pull, by):
    """The head is none of the commits, or one in other letters."""
    way = pull.random.randrange(3)

    def change(facts):
        head = facts["pull_request"]["head_sha"]
        facts["pull_request"]["head_sha"] = ("e" * 40, head[:12], f" {head}")[way]

    _spoil(pull, change)


def no_commits(pull, by):
    """Nothing to judge."""
    _spoil(pull, lambda facts: facts.update(commits=[], commit_count=0))


def no_facts(pull, by):
    """Something that GitHub would never send."""
    way = pull.random.randrange(8)

    def change(facts):
        commit = facts["commits"][0] if facts["commits"] else {}
        (
            lambda: facts["pull_request"].update(opener={"login": victim(pull).login}),
            lambda: facts["pull_request"].update(opener={"id": str(victim(pull).id), "login": "x"}),
            lambda: facts["pull_request"].update(opener={"id": True, "login": "x"}),
            lambda: facts["pull_request"].update(opener={"id": -1}),
            lambda: commit.update(author_account=[victim(pull).account(pull.random)], sha="0"),
            lambda: commit.update(author=victim(pull).name, sha=""),
            lambda: facts.update(senders=victim(pull).account(pull.random)),
            lambda: commit.update(message="\ud800", sha=7),
        )[way]()

    _spoil(pull, change, how="refused")


def _spoil(pull, change, *, how="incomplete", unless_empty=False):
    if pull.wrong is None and (pull.commits or not unless_empty):
        pull.wrong = how
        pull.changes = {how: change}


AROUND = (
    opened_by_ghost, opened_by_bot, opened_by_listed_bot, opened_by_exempt, opened_by_agent, opened_by_agent, pushed_by_agent, pushed_by_agent, agent_alone, agent_alone, vouched, pushed_by_outsider, pushed_by_ghost,
    pushed_by_bot, pushed_by_writer, pushed_own_work, once_without_right, overridden, overridden, exempted_oneself, exempted_oneself, let_off_oneself, labelled, twice,
    hidden, miscounted, other_head, no_commits, no_facts,
)  # fmt: skip
