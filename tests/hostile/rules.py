"""The rulebook of a world, chosen from tables that say beside each policy what it means."""

from tests.hostile.world import BOTH, FUTURE, NOW, PAST, Mail

# (what `accept` says, versions that count, versions in grace, versions that do not count)
POLICIES = (
    (None, ("2.0", "2", "2.0.0", "02.00"), (),
     ("1.0", "2.1", "3", "1.9.9", "2.0.1", "20", "0", "2.0-rc1", "", "two", "2..0", "２.0", "2.0 ", "-2.0", "2.0\n")),
    ([{"versions": ">=2.0"}, {"versions": "1.x", "until": FUTURE[1]}], ("2.0", "2.1", "10.0", "3"), ("1.0", "1.9", "1.10.3"),
     ("0.9", "x", ">=2.0", "v2.0")),
    ([{"versions": ">=2.0"}, {"versions": "1.x", "until": NOW}], ("2.0", "2.10"), (), ("1.0", "1.9", "1.99999")),
    ([{"versions": ">=1.5,<3.0"}], ("1.5", "2.9", "1.10", "2"), (), ("1.4", "3.0", "3", "1", "1.05.9.", "10.0")),
    ([{"versions": "1.x", "until": PAST[1]}, {"versions": "2.0", "until": FUTURE[0]}, {"versions": "1.9"}], ("1.9", "1.9.0"),
     ("2.0",), ("1.8", "2.0.1", "1.90")),
)  # fmt: skip


def write(world, require):
    """Fill the world's rulebook, and make those whom it names: bots, agents, exempt accounts."""
    random, book = world.random, world.rulebook
    book["repositories"] = random.choice((
        [{"match": ["*"], "require": require}],
        [{"match": ["OPS-*"], "require": require}, {"match": ["*"], "require": "none"}],
        [{"match": ["math", "other/ops-*", "ops-mat"], "require": "none"}, {"match": ["cann/ops-math"], "require": require}],
    ))  # fmt: skip
    _agreements(world)
    _parties(world)
    people = book["people"]
    world.least = random.choice(("linked", "linked", "enrolled"))
    people["domains"] = world.least
    people["members"], book["dco"]["members"] = (random.choice(("required", "required", "exempt")) for _ in "ab")
    people["override"] = random.choice(("nobody", "nobody", "admins", "maintainers"))
    book["dco"]["override"] = random.choice(("nobody", "maintainers"))
    if random.random() < 0.6:
        book["dco"]["remediation"] = {"individual": random.random() < 0.7, "third_party": random.random() < 0.5}
    if random.random() < 0.5:
        some = ["opener", "senders", *random.choice((["authors"], ["coauthors"], [], *[["authors", "coauthors"]] * 7))]
        people["check"] = random.sample(some, len(some))
    if random.random() < 0.3:
        book["since"] = "2026-10-31"
    _named(world)


def _parties(world):
    """Whom the rulebook names, as people write it, and who else could be meant by it."""
    random, book = world.random, world.rulebook
    # A record without a party was made with this organisation; an owner without a number is no party of any record.
    if random.random() < 0.3:
        world.other_parties = ("The CANN Authors", "github:1", "")
        if random.random() < 0.5:
            world.owner = 7
            world.parties, world.other_parties = (None, "github:7"), ("github:77", "github:", "cann", "github: 7")
        world.other_parties = tuple(filter(None, world.other_parties))
        return
    book["organization"] = "The CANN Authors"
    world.parties = (None, "The CANN Authors", " The\u00a0CANN   Authors ")
    world.other_parties = (
        "Other Foundation",
        "the cann authors",
        "The CANN Author",
        "TheCANN Authors",
        "The CANN Authоrs",
        "github:7",
    )
    if random.random() < 0.4:
        book["agreements"]["parties"] = ["The CANN Community", "Zoe\u0308 e.V."]
        world.parties = (*world.parties, "The CANN Community", "Zo\u00eb  e.V.")
    else:
        world.other_parties = (*world.other_parties, "The CANN Community")


def _agreements(world):
    random, agreements = world.random, world.rulebook["agreements"]
    world.texts = random.choice((("icla", "ccla"), ("icla", "ccla"), ("ops-icla", "ops-ccla")))
    world.sign_too = random.random() < 0.12
    agreements["individual"] = {"text": world.texts[0], "version": "2.0"}
    employees = "sign-too" if world.sign_too else "covered"
    agreements["corporate"] = {"text": world.texts[1], "version": "2.0", "employees": employees}
    for text in world.texts:
        accept, *world.policies[text] = random.choice(POLICIES)
        if accept is not None:
            agreements.setdefault("accept", {})[text] = accept


def _named(world):
    """The bots and agents of the world: one bot listed by id, one by its login alone, one not at all."""
    random, people = world.random, world.rulebook["people"]
    world.listed_bot, world.login_bot, world.other_bot = (
        world.robot(name) for name in ("dependabot[bot]", "renovate[bot]", "evil[bot]")
    )
    world.listed_bot.listed = True
    world.exempt = world.person()
    world.exempt.listed = True
    people["exempt"] = [
        {"id": world.listed_bot.id, "login": "dependabot[bot]"},
        {"id": world.exempt.id, "login": "somebody-else"},
        {"login": "renovate[bot]"},
    ]
    world.agent = world.person(login="Copilot", kind=random.choice(("User", "Bot")))
    if world.agent.bot:
        world.agent.main.linked = world.agent.spare.linked = ("rest",)
    world.agent_mail = Mail("noreply@anthropic.com", machine=True)
    people["agents"] = {
        "policy": random.choice(("ignore", "ignore", "responsible", "block")),
        "accounts": [{"id": world.agent.id, "login": "Copilot"}, {"login": "eve"}],
        "emails": ["noreply@anthropic.com"],
    }
    world.web_flow = world.person(login="web-flow")
    world.web_flow.name = "GitHub"
    if world.host == "github.com":
        world.web_flow.id = 19864447
    linked = random.choice((("rest",), BOTH, ()))
    world.web_flow.main = Mail(f"noreply@{world.host}", world.web_flow, linked, machine=True)
    if random.random() < 0.2:
        world.agent.listed = True
        people["exempt"].append({"id": world.agent.id})
    world.dco_exempt = [robot for robot in (world.exempt, world.agent) if random.random() < 0.2]
    world.rulebook["dco"]["exempt"] = [{"id": robot.id} for robot in world.dco_exempt]
