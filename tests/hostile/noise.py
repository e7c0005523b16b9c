"""What others write about others: records, proofs, mailmap lines and words that must turn no pull request red."""

from tests.hostile.attacks import victim
from tests.hostile.world import Mail


def others_withdraw(pull):
    """Other people withdraw, sign old versions, sign for no account."""
    world = pull.world
    account = pull.random.choice(({"id": world.id(), "login": victim(pull).login}, None, {}))
    world.signatures.insert(0, {"agreement": world.texts[0], "version": "1.0", "account": account,
                                "signed_at": "2020-01-01T00:00:00Z", "withdrawn_at": "2020-01-02T00:00:00Z"})  # fmt: skip


def another_company_ends(pull):
    """A company that covered the same people has ended, or takes them out."""
    world, who = pull.world, victim(pull)
    ended = pull.random.choice((None, "2026-01-01T00:00:00Z"))
    world.companies.insert(0, {
        "name": "Hostile", "agreement": world.texts[1], "version": "2.0", "signed_at": "2020-01-01T00:00:00Z", "ended_at": ended,
        "covers": [{"account": who.id}] if ended else [],
        "excludes": [{"account": who.id}, {"email": who.main.text}, {"domain": who.main.text.rpartition("@")[2]},
                     *({"domain": company["at"]} for company in world.shared)],
    })  # fmt: skip


def another_company_is_odd(pull):
    """Entries without keys, for all people, for no person."""
    world = pull.world
    world.companies.append({
        "name": "", "agreement": world.texts[1], "version": "9999999999.x", "signed_at": "2020-01-01T00:00:00Z", "domains": None,
        "covers": [{}, {"account": None}, {"domain": "*"}, {"domain": "com"}, {"email": "@"}, {"domain": "."}],
        "excludes": [{}, {"account": None, "from": None}, {"email": None}, {"domain": ""}, {"email": ""}, {"domain": "org"}],
    })  # fmt: skip


def others_prove(pull):
    """Other people prove other addresses, some of them alike."""
    local, _, domain = victim(pull).main.text.rpartition("@")
    pull.world.emails[str(pull.world.id())] = [
        f"{local}@sneaky{domain}",
        f"{local}+y@{domain}",
        "",
        f"{victim(pull).id}+x@{pull.world.noreply}.org",
    ]


def others_in_the_mailmap(pull):
    """The base's mailmap knows other people, and lines that are none."""
    pull.world.mailmap += [
        "# nobody",
        "Eve <eve@evil.org>",
        "<",
        "Eve <eve@evil.org> <eve@old.org>",
        "<x@y> Eve <z@y>",
        "\x00",
        "<>  <>",
    ]


def others_let_off(pull):
    """Overrides of other heads and other accounts."""
    head = "d" * 40
    for kind in ("cla", "dco"):
        pull.world.overrides.append({"kind": kind, "whom": victim(pull), "by": pull.world.uncovered[0], "head": head})


def others_push(pull):
    """Another covered person, or the same again, pushed to it."""
    pull.senders.append((pull.random.choice(pull.world.covered[:2]), pull.random.random() < 0.3))


def writers_push(pull):
    """An uncovered person who may write updated the branch with a merge of the base."""
    who = pull.world.writer
    pull.senders.append((who, True))
    pull.commit(victim(pull).identity, ("GitHub", pull.world.web_flow.main), merge=True)


def others_are_named(pull):
    """Prose about people, agents and trailers; other people's sign-offs beside one's own."""
    text = pull.random.choice((
        "Thanks to Eve <eve@evil.org>", "Reported-by: Eve <eve@evil.org>", "Co-authored-by is what one writes", "Co-authored-by:",
        "Signed-off-by: Eve <eve@evil.org>", "Acked-by: Claude <noreply@anthropic.com>", "I, Eve <e@evil.org>, hereby add nothing",
        "On behalf of nobody", "cla: no", "DCO: failed", "See https://evil.org/@eve", "Co-authors: none", "Signed-off-by",
    ))  # fmt: skip
    pull.commit(victim(pull).identity, victim(pull).identity, text=text)


def agents_help(pull):
    """A listed agent as co-author, where the rulebook ignores them."""
    if pull.world.policy != "block":
        who = victim(pull)
        pull.commit(
            who.identity, who.identity, coauthors=[("Claude", pull.world.agent_mail)], listed=pull.random.random() < 0.5
        )


def friends_help(pull):
    """Other covered people as co-authors, by addresses that are known to be theirs."""
    who, friend = pull.world.covered[:2]
    mail = pull.random.choice((friend.main, friend.noreply if pull.shape in friend.noreply.linked else friend.main))
    if friend.link is None:
        pull.commit(who.identity, who.identity, coauthors=[(friend.name, mail)])
        pull.commit(friend.identity, who.identity, coauthors=[(friend.name, friend.noreply)], listed=False)


def oddly_dressed(pull):
    """The person's own commit under their other addresses, in other letters, through the browser."""
    who = victim(pull)
    mail = pull.random.choice((who.main, who.spare, who.noreply, *who.proven, _shouted(who.main)))
    pull.commit((who.name, mail), pull.random.choice((who.identity, ("GitHub", pull.world.web_flow.main))))


def _shouted(mail):
    return Mail(mail.text.upper(), mail.owner, mail.linked, mail.unaided)


def labelled_red(pull):
    """Labels say that something is missing."""
    pull.labels += ["cla-required", "cla: no", "do-not-merge"]


NOISE = (
    others_withdraw, another_company_ends, another_company_is_odd, others_prove, others_in_the_mailmap, others_let_off, others_push,
    writers_push, others_are_named, agents_help, friends_help, oddly_dressed, labelled_red,
)  # fmt: skip
