"""The demo's sample data: a community with its rulebook, repositories, people and a company that has agreed; and pull requests in every state."""

import hashlib
import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import parseaddr

from sqlmodel import Session

import migrations
from agreements.catalog import Catalog
from agreements.facts import Account as Fact
from agreements.facts import Entry
from agreements.store.companies import companies, company_rows
from agreements.store.companies.companies import CompanyDraft
from agreements.store.ledger.stored_ledger import Change
from agreements.store.people import person_rows, signatures
from agreements.store.people.signatures import SignatureDraft
from agreements.store.record_context import RecordContext
from agreements.vault import KeyRing, Vault, receipt_number
from bot import clock, db, shipped_files
from bot.demo.github.contributor import Contributor
from bot.demo.github.git import bare_repository
from bot.demo.github.state import StoredAccount, StoredEmail, StoredPull, StoredRepository
from bot.demo.servers import DemoServers
from bot.records.erasure_keys import ErasureKeyFile

JUDGED_WITHIN = 20.0  # Seconds for all first verdicts together; a slower demo goes on without them.

QUIET_SECONDS = 0.3  # So long without a call to the small GitHub, and labels and comments are there, too.

# A few of the community's repositories: the first six are core and need a CLA, the others a DCO sign-off.
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

PARTY = "The CANN Authors"  # The party of the agreements in the community's rulebook.


@dataclass(frozen=True, slots=True)
class DemoPeople:
    """The people: `ada` is new, `bo` signed, maintains and administers, `lin`'s company agreed, `kim` audits."""

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
    # A misspelt key, so that there is a rulebook that cannot be read.
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
    context = RecordContext(session, vault, None, at, clock.new_id)
    company = companies.add(context, draft)
    entry = companies.add_entry(context, company, Entry(domain=domain))
    about = company_rows.subject(vault, company)
    rows = [company, *companies.party_rows(session, company), entry]
    context.append(Change(kind="company.countersigned", actor_id=by, subject=about, rows=rows))
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
    context = RecordContext(session, vault, who.id, at, clock.new_id)
    person = person_rows.ensure(context, Fact(who.id, who.login))
    signed = signatures.add(context, person, draft, receipt=receipt_number())
    logged = {"agreement": draft.agreement, "version": draft.version, "language": draft.language}
    context.log("signature.added", who.id, rows=[signed.row], details=logged)


@dataclass(frozen=True, slots=True)
class SamplePullRequest:
    """A pull request that `who` opens as `title` from `branch` of a fork of `repository`, perhaps as `draft`.

    Its commit has `files`, an `author` (None: the opener), a `trailer` or `sign_off`. `end`: "merged", "closed" or "".
    """

    who: Contributor
    repository: str
    branch: str
    title: str
    author: str | None = None
    trailer: str = ""
    sign_off: bool = False
    draft: bool = False
    end: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


def open_all(stage: DemoServers, cast: DemoPeople, *, until: threading.Event) -> list[StoredPull]:
    """Open them, wait until each has its verdict, then merge one and close one; it ends early when `until` is set."""
    opened = [(row, _opened(stage, cast, row)) for row in _rows(cast) if not until.is_set()]
    pulls = [*(pull for _, pull in opened), _by_bot(stage, cast)]
    _judged(stage, pulls, until)
    for row, pull in opened:
        if row.end == "merged":
            stage.world.merge_pull(pull, cast.bo.account)
        elif row.end == "closed":
            stage.world.close_pull(pull, row.who.account)
    return pulls


def _rows(cast: DemoPeople) -> Iterator[SamplePullRequest]:
    ada, bo, lin = cast.ada, cast.bo, cast.lin
    # Agreements (CLA): not signed, signed, signed by the employer.
    yield SamplePullRequest(ada, "ops-math", "faster-softmax", "Make softmax faster")
    yield SamplePullRequest(bo, "ops-nn", "fused-attention", "Fuse attention kernels")
    yield SamplePullRequest(lin, "runtime", "stream-leak", "修复流泄漏 (fix a stream leak)")
    # An address that belongs to no account and only looks like the company's; another person's commits; a co-author.
    yield SamplePullRequest(ada, "ge", "shape-inference", "Infer shapes earlier", author="Ada Chen <ada@huawei.com.cn>")
    yield SamplePullRequest(
        ada, "ops-nn", "borrowed", "Carry somebody else's work", author="Bo Larsen <bo@example.org>"
    )
    yield SamplePullRequest(
        bo, "oam-tools", "pair-work", "Log less", trailer="Co-authored-by: Ada Chen <ada@example.org>"
    )
    # A rulebook that cannot be read.
    yield SamplePullRequest(bo, "hccl", "ring-order", "Order the ring by distance")
    # Sign-offs (DCO): none, right, under another address.
    yield SamplePullRequest(ada, "cann-learning-hub", "typo", "Fix a typo")
    yield SamplePullRequest(bo, "community", "minutes", "Add the minutes of November", sign_off=True)
    yield SamplePullRequest(
        lin, "cann-learning-hub", "example", "Add an example", trailer="Signed-off-by: 林晓 <lin@elsewhere.example>"
    )
    # Signed, and a dependency whose licence does not fit.
    yield SamplePullRequest(bo, "ops-math", "line-editing", "Edit lines in the console", files=_console())
    # Not ready, over, given up.
    yield SamplePullRequest(ada, "ge", "scheduler", "Try another scheduler", draft=True)
    yield SamplePullRequest(bo, "runtime", "timeouts", "Name the timeouts", end="merged")
    yield SamplePullRequest(ada, "community", "logo", "Draw a new logo", end="closed")


def _opened(stage: DemoServers, cast: DemoPeople, row: SamplePullRequest) -> StoredPull:
    world, who, base = stage.world, row.who.account, cast.repositories[row.repository]
    fork, reference = world.fork(base, who), f"refs/heads/{row.branch}"
    own = bare_repository.GitIdentity(who.name, who.emails[0].address, world.now())
    author = bare_repository.GitIdentity(*parseaddr(row.author), world.now()) if row.author else own
    trailer = f"Signed-off-by: {own.name} <{own.email}>" if row.sign_off else row.trailer
    files = row.files or {f"{row.branch}.txt": row.title + "\n"}
    # Straight into the repository: to clone, commit and push took most of the demo's start.
    sha = bare_repository.commit_files(
        fork.git,
        bare_repository.resolve(fork.git, "HEAD"),
        files,
        message=f"{row.title}\n\n{trailer}".rstrip() + "\n",
        author=author,
        committer=own,
    )
    bare_repository.point(fork.git, reference, sha)
    world.landed(fork, who, {reference: (None, sha)})
    return world.open_pull(base, who, row.branch, title=row.title, draft=row.draft, source=fork)


def _console() -> dict[str, str]:
    """A manifest and a lock file, with one dependency that fits the repository's Apache-2.0, and one that does not."""
    wanted = {"left-pad": ("1.3.0", "WTFPL"), "node-readline": ("8.2.0", "GPL-3.0-or-later")}
    manifest = {
        "name": "console",
        "version": "1.0.0",
        "dependencies": {name: version for name, (version, _) in wanted.items()},
    }
    locked = {f"node_modules/{name}": {"version": version, "license": said} for name, (version, said) in wanted.items()}
    lock = {"name": "console", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": manifest, **locked}}
    files = {"console/package.json": manifest, "console/package-lock.json": lock}
    return {path: json.dumps(content, indent=2) + "\n" for path, content in files.items()}


def _by_bot(stage: DemoServers, cast: DemoPeople) -> StoredPull:
    world = stage.world
    bot = world.user("renovate[bot]", name="renovate", type="Bot")
    bot.token = ""  # A bot does not sign in.
    base, branch = cast.repositories["oam-tools"], "renovate/tools"
    by = bare_repository.GitIdentity(bot.name, bot.noreply, world.now())
    message = "Bring the tools up to date"
    sha = bare_repository.write(base.git, f"refs/heads/{branch}", {"tools.txt": "2.0\n"}, message=message, by=by)
    # GitHub signs the commits that a bot makes through its API.
    world.verified_commits.add(sha)
    return world.open_pull(base, bot, branch)


def _judged(stage: DemoServers, pulls: list[StoredPull], until: threading.Event) -> None:
    """Wait until every run on a head is completed and nothing is written any more."""
    deadline, calls = time.monotonic() + JUDGED_WITHIN, -1
    while time.monotonic() < deadline and not until.is_set():
        with stage.world.lock:
            runs = stage.world.check_runs.values()
            done = {run.head_sha for run in runs} - {run.head_sha for run in runs if run.conclusion is None}
        # Labels and a comment follow a verdict: each page has to show all of them.
        if all(pull.head_sha in done for pull in pulls) and calls == len(stage.world.calls):
            return
        calls = len(stage.world.calls)
        until.wait(QUIET_SECONDS)
