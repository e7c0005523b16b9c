"""The demo's sample data: a community with its rulebook, its repositories, four people and a company that has agreed."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

import migrations
from agreements.catalog import Catalog
from agreements.facts import Account as Fact
from agreements.facts import Entry
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import Change
from agreements.store.people import people, signatures
from agreements.store.people.signatures import SignatureDraft
from agreements.vault import KeyRing, Vault, receipt_number
from bot import clock, db, shipped_files
from bot.demo.github.contributor import Contributor
from bot.demo.github.state import StoredAccount, StoredEmail, StoredRepository
from bot.demo.servers import DemoServers
from bot.records.erasure_keys import ErasureKeyFile

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


PARTY = "The CANN Authors"
"""With whom the community's rulebook makes its agreements."""


@dataclass(frozen=True, slots=True)
class DemoPeople:
    """The people: Ada is new, Bo signed, maintains and administers, Lin's company agreed for its staff, Kim audits."""

    ada: Contributor
    bo: Contributor
    lin: Contributor
    kim: StoredAccount
    repositories: Mapping[str, StoredRepository]
    """The community's, by name."""


def set_up(stage: DemoServers) -> DemoPeople:
    """People, repositories, rulebook and records; before the server starts."""
    world = stage.world
    old = StoredEmail("ada@old.example.net", verified=False)
    ada = world.user("ada", name="Ada Chen", emails=["ada@example.org", old])
    bo = world.user("bo", name="Bo Larsen", emails=["bo@example.org"])
    lin = world.user("lin", name="林晓", emails=["lin@rd.huawei.com", "lin@example.org"])
    kim = world.user("kim", name="Kim Park", emails=["kim@example.org"])
    community = world.organization("cann", name="The CANN community", admins=[bo])
    world.team(community, "cla-admins", [bo])
    world.team(community, "cla-auditors", [kim])
    rulebook = (shipped_files.path("cann") / "countersign.yml").read_text(encoding="utf-8")
    defaults = {".github/countersign.yml": rulebook, "README.md": "# Community defaults\n"}
    world.repository(community, ".github", description="Defaults for the whole community", files=defaults)
    repositories = {
        name: world.repository(
            community, name, description=description, files={"README.md": f"# {name}\n\n{description}\n"}
        )
        for name, description in REPOSITORIES.items()
    }
    broken = {".github/countersign.yml": "version: 1\npeople:\n  exmpt: []\n"}
    world.write(repositories["hccl"], broken, message="Add our own rules")
    world.install(stage.app, community, bo)
    desks = stage.folder / "desks"
    desks.mkdir(exist_ok=True)
    records(stage, bo)
    return DemoPeople(
        ada=Contributor(world, ada, desks),
        bo=Contributor(world, bo, desks),
        lin=Contributor(world, lin, desks),
        kim=kim,
        repositories=repositories,
    )


def records(stage: DemoServers, bo: StoredAccount) -> None:
    """Bo's signature and the company's agreement, as if they had been made last month."""
    settings = stage.settings
    engine = db.open_engine(settings.database_url)
    migrations.upgrade(engine)
    erasure_keys = ErasureKeyFile(settings.erasure_keys_file) if settings.erasure_keys_file else None
    if erasure_keys:
        erasure_keys.make()
    vault = Vault(KeyRing.parse(settings.keys.reveal()), erasure_keys=erasure_keys)
    at = clock.now() - timedelta(days=30)
    with db.sessions(engine)() as session:
        sign(session, vault, bo, at)
    with db.sessions(engine)() as session:
        countersign(session, vault, "Huawei", "huawei.com", by=bo.id, at=at)
    engine.dispose()


def countersign(session: Session, vault: Vault, name: str, domain: str, *, by: int, at: datetime) -> str:
    """Record and log that a company signed and was countersigned, with its domain; gives its id."""
    draft = CompanyDraft(name=name, agreement="ccla", version="2.0", party=PARTY, signed_at=at, countersigned_at=at)
    company = companies.add(session, vault, draft, new_id=clock.new_id())
    entry = companies.add_entry(session, vault, company, Entry(domain=domain), at=at, new_id=clock.new_id())
    about = people.company_subject(session, vault, company.id)
    rows = [company, *companies.party_rows(session, company), entry]
    change = Change(kind="company.countersigned", actor_id=by, subject=about, rows=rows)
    ledger.append(session, vault, change, at=at, new_id=clock.new_id())
    return company.id


def sign(session: Session, vault: Vault, who: StoredAccount, at: datetime) -> None:
    """Record and log that a person signed the individual agreement."""
    text = Catalog.load().get("icla", "2.0", "en")
    assert text is not None
    draft = SignatureDraft(
        agreement=text.name,
        version=text.version,
        language=text.language,
        source_sha256=text.sha256,
        shown_sha256=text.sha256,
        statement_id="demo",
        statement_sha256=hashlib.sha256(b"Recorded for the demo").hexdigest(),
        identity_proof="demo",
        party=PARTY,
        name=who.name,
        email=who.emails[0].address,
    )
    person = people.ensure(session, vault, account=Fact(who.id, who.login), at=at, new_id=clock.new_id())
    signed = signatures.add(session, vault, person, draft, at=at, new_id=clock.new_id(), receipt=receipt_number())
    logged = {"agreement": draft.agreement, "version": draft.version, "language": draft.language}
    about = people.subject_of(session, vault, who.id)
    change = Change(kind="signature.added", actor_id=who.id, subject=about, rows=[signed.row], details=logged)
    ledger.append(session, vault, change, at=at, new_id=clock.new_id())
