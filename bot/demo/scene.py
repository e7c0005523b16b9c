"""The demo's scene: a community with its rulebook, three people, a company, and a pull request in every state."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta

import migrations
from agreements.catalog import Catalog
from agreements.facts import Account as Fact
from agreements.facts import Entry
from agreements.store import companies, people, signatures
from agreements.store.companies import CompanyDraft
from agreements.store.signatures import SignatureDraft
from agreements.vault import KeyRing, Vault, receipt_number
from bot import clock, db, shipped
from bot.demo.contributor import Contributor
from bot.demo.github.state import Account, Email, Pull, Repository
from bot.demo.stage import Stage

REPOSITORIES = {
    "ops-math": "Mathematical operators",
    "ops-nn": "Neural network operators",
    "ge": "Graph engine",
    "runtime": "Runtime",
    "hccl": "Collective communication",
    "oam-tools": "Operation and maintenance tools",
    "cann-learning-hub": "Courses and examples",
    "community": "How we work together",
}
"""A few of the community's repositories: the first six are core and need a CLA, the others a DCO sign-off."""


@dataclass(frozen=True, slots=True)
class Cast:
    """The people: Ada is new, Bo signed and maintains, Lin is employed by a company that agreed for its staff."""

    ada: Contributor
    bo: Contributor
    lin: Contributor
    community: Account


def set_up(stage: Stage) -> Cast:
    """People, repositories, rulebook and records; before the server starts."""
    world = stage.world
    ada = world.user(
        "ada",
        name="Ada Chen",
        emails=[Email("ada@example.org", primary=True), Email("ada@old.example.net", verified=False)],
    )
    bo = world.user("bo", name="Bo Larsen", emails=[Email("bo@example.org", primary=True)])
    lin = world.user("lin", name="林晓", emails=[Email("lin@rd.huawei.com", primary=True), Email("lin@example.org")])
    community = world.organization("cann", name="The CANN community", admins=[bo])
    rulebook = (shipped.path("cann") / "countersign.yml").read_text(encoding="utf-8")
    home = world.repository(community, ".github", description="Defaults for the whole community")
    world.write(home, {".github/countersign.yml": rulebook, "README.md": "# Community defaults\n"})
    for name, description in REPOSITORIES.items():
        made = world.repository(community, name, description=description)
        world.write(made, {"README.md": f"# {name}\n\n{description}\n"})
    hccl = world.find_repository("cann", "hccl")
    assert hccl is not None
    world.write(hccl, {".github/countersign.yml": "version: 1\npeople:\n  exmpt: []\n"}, message="Add our own rules")
    world.install(stage.app, community, bo)
    desks = stage.folder / "desks"
    desks.mkdir(exist_ok=True)
    records(stage, bo)
    return Cast(
        ada=Contributor(ada, desks, stage.github_url),
        bo=Contributor(bo, desks, stage.github_url),
        lin=Contributor(lin, desks, stage.github_url),
        community=community,
    )


def open_pulls(stage: Stage, cast: Cast) -> list[Pull]:
    """One pull request in every state, pushed with real git; after the server started."""
    ada, bo, lin = cast.ada, cast.bo, cast.lin
    return [
        _pull(stage, ada, "ops-math", "faster-softmax", "Make softmax faster"),
        _pull(stage, bo, "ops-nn", "fused-attention", "Fuse attention kernels"),
        _pull(stage, lin, "runtime", "stream-leak", "修复流泄漏 (fix a stream leak)"),
        _pull(stage, ada, "ge", "shape-inference", "Infer shapes earlier", author="Ada Chen <ada@huawei.com.cn>"),
        _pull(stage, ada, "ops-nn", "borrowed", "Carry somebody else's work", author="Bo Larsen <bo@example.org>"),
        _pull(stage, bo, "hccl", "ring-order", "Order the ring by distance"),
        _pull(stage, ada, "cann-learning-hub", "typo", "Fix a typo"),
        _pull(stage, bo, "community", "minutes", "Add the minutes of November", sign_off=True),
    ]


def _pull(  # noqa: PLR0913 - one row of the table above
    stage: Stage, who: Contributor, name: str, branch: str, title: str, *, author: str = "", sign_off: bool = False
) -> Pull:
    base = _repository(stage, name)
    forks = [made for made in stage.world.repositories_of(who.account) if made.fork_of is base]
    fork = forks[0] if forks else stage.world.fork(base, who.account)
    desk = who.branch(fork, branch, of=base)
    desk.commit(title, author=author, sign_off=sign_off)
    desk.push()
    return stage.world.open_pull(base, who.account, branch, source=fork)


def _repository(stage: Stage, name: str) -> Repository:
    found = stage.world.find_repository("cann", name)
    assert found is not None
    return found


def records(stage: Stage, bo: Account) -> None:
    """Bo's signature and the company's agreement, as if they had been made last month."""
    settings = stage.settings
    engine = db.open_engine(settings.database_url)
    migrations.upgrade(engine)
    vault, at = Vault(KeyRing.parse(settings.keys.reveal())), clock.now() - timedelta(days=30)
    with db.sessions(engine)() as session:
        person = people.ensure(session, vault, account=Fact(bo.id, bo.login), at=at, new_id=clock.new_id())
        signatures.add(session, vault, person, _signed(bo), at=at, new_id=clock.new_id(), receipt=receipt_number())
        company = companies.add(
            session,
            vault,
            CompanyDraft(name="Huawei", agreement="ccla", version="2.0", signed_at=at, countersigned_at=at),
            new_id=clock.new_id(),
        )
        companies.add_entry(session, vault, company, Entry(domain="huawei.com"), at=at, new_id=clock.new_id())
    engine.dispose()


def _signed(who: Account) -> SignatureDraft:
    text = Catalog.load().get("icla", "2.0", "en")
    assert text is not None
    statement = "Recorded for the demo"
    return SignatureDraft(
        agreement=text.name,
        version=text.version,
        language=text.language,
        source_sha256=text.sha256,
        shown_sha256=text.sha256,
        statement_id="demo",
        statement_sha256=hashlib.sha256(statement.encode()).hexdigest(),
        identity_proof="demo",
        name=who.name,
        email=who.emails[0].address,
    )
