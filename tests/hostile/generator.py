"""A hostile pull request for every seed, and the one right answer, which is known before any git data is written."""

from dataclasses import dataclass
from random import Random

from tests.hostile import cover, oracle, rules
from tests.hostile.attacks import GIT
from tests.hostile.noise import NOISE
from tests.hostile.pull import Pull
from tests.hostile.stage import AROUND
from tests.hostile.world import Mail, World


@dataclass
class Case:
    """`facts` as for `countersign evaluate`, what the verdict must be, and which attacks are inside."""

    seed: int
    facts: dict
    expected: oracle.Expected
    side: str
    attacks: tuple[str, ...]


def case(seed):
    """The case of that seed; the same seed is the same case for ever.

    Three sides: `innocent`, all who act are covered and only others make noise; `guilty`, a person who opened or
    pushed is not covered, with any names in the commits; `mixed`, the opener is covered, and anything may be in the
    commits.
    """
    random = Random(seed)
    side = random.choice(("innocent", "guilty", "mixed"))
    world = World(random, random.choice(("graphql", "rest")))
    rules.write(world, random.choice(("cla", "cla", "both", "dco", "either")))
    _cast(world)
    pull = Pull(world)
    {"innocent": _innocent, "guilty": _guilty, "mixed": _mixed}[side](pull)
    expected = oracle.expected(pull)
    return Case(seed, pull.facts(), expected, side, tuple(pull.attacks))


def _cast(world):
    """People who are covered and people who are not; a writer and a maintainer of the project, not covered either."""
    random = world.random
    world.covered = [world.person() for _ in range(random.randrange(2, 5))]
    login = world.covered[0].login if random.random() < 0.2 else None  # a reused login
    world.uncovered = [world.person(login=login), *(world.person() for _ in range(random.randrange(2)))]
    world.writer, world.maintainer = world.person(), world.person()
    world.humans = [*world.covered, *world.uncovered, world.writer, world.maintainer]
    for who in world.humans:
        cover.settle(world, who, covered=who in world.covered)
        if random.random() < 0.3:
            world.prove(who, Mail(f"proven.{who.id}@past.org"))
        who.member = random.random() < 0.3 and (who.covered or world.rulebook["people"]["members"] == "required")
    world.uncovered[0].type = random.choice(("User", "User", "Organization", "Mannequin"))


def _innocent(pull):
    world, random = pull.world, pull.random
    who = world.covered[0]
    pull.opener = who
    pull.commit(who.identity, random.choice((who.identity, ("GitHub", world.web_flow.main))))
    _anchor(pull, who)
    for attack in random.sample(NOISE, random.randrange(1, 5)):
        _run(pull, attack)
    for other in {commit.author[1].owner for commit in pull.commits} | pull.actors:
        _anchor(pull, other)


def _anchor(pull, who):
    """A person covered by an address that GitHub links to them shows it in a commit of their own."""
    if who.link is not None and who.covered:
        pull.commit((who.name, who.link), who.identity)


def _guilty(pull):
    world, random = pull.world, pull.random
    pull.signing = random.choice((0.5, 1.0))
    actor = world.uncovered[0]
    if random.random() < 0.7:
        pull.opener = actor
    else:
        pull.opener = world.covered[0]
        pull.senders.append((actor, False))
    _attack(pull, actor)
    if actor not in pull.actors:  # an attack replaced the opener: then this one pushed
        pull.senders.append((actor, False))


def _mixed(pull):
    world, random = pull.world, pull.random
    pull.signing = random.choice((0.8, 1.0))
    pull.opener = actor = world.covered[0]
    if actor.link is not None and random.random() < 0.3:
        pull.commit(actor.identity, (actor.name, actor.link))  # a committer's address covers no person
    else:
        _anchor(pull, actor)
    _attack(pull, actor)


def _attack(pull, actor):
    random = pull.random
    for attack in random.choices(GIT, k=random.choice((1, 1, 2, 3))):
        _run(pull, attack, actor)
    if random.random() < 0.35:
        _run(pull, random.choice(AROUND), actor)
    if random.random() < 0.2:
        _run(pull, random.choice(NOISE))
    if not pull.commits and pull.wrong is None:
        pull.wrong = "incomplete"


def _run(pull, attack, *actor):
    pull.attacks.append(attack.__name__)
    attack(pull, *actor)
