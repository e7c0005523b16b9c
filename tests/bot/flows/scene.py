"""The scene of the flows: a simulated GitHub behind its contract, real parts, a real database, jobs run by hand."""

import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from time import monotonic, sleep

from agreements.facts import Account as Fact
from agreements.store.people import person_rows, signatures
from agreements.store.people.signatures import SignatureDraft
from agreements.vault import KeyRing, receipt_number
from bot import clock, db
from bot.app import make_services
from bot.demo.github.contributor import ContributorClone, clone_url
from bot.demo.github.git import bare_repository
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.flows import lot, recovery
from bot.flows.review import review
from bot.github.connection import connect
from bot.github.ports import RepositoryPlace
from bot.registries import Registries
from bot.runner import make_runner
from bot.secret import Secret
from bot.settings import Settings
from bot.store.pulls import review_mailbox, verdicts
from bot.store.pulls.published_item_rows import PullRequestItem
from bot.store.pulls.review_mailbox import REVIEWS
from bot.webhook import event_parser
from tests.bot import claims, deliveries
from tests.bot.jobs.inline import InlineEngine
from tests.conftest import public_half
from tests.logged import log_rows
from tests.ready import upgraded
from tests.within import within

CLA = 'version: 1\norganization: The CANN Authors\nrepositories: [{match: ["*"], require: cla}]\n'
"""The rulebook unless a test says otherwise: each person needs a CLA."""


_PLAIN = re.compile(r"\w[^<>\n]*\w").fullmatch
"""A name that git takes as it is: of others it leaves out dots and the like at the ends."""


@dataclass
class Weather:
    """What happens between us and GitHub: refused calls as (method, pattern, status), deeds done before a call.

    `altered` has answers that are changed on their way, as (method, pattern, how): what only a bad day of GitHub's gives.
    """

    faults: list = field(default_factory=list)
    before: list = field(default_factory=list)
    altered: list = field(default_factory=list)

    def wrap(self, app):
        """The application behind this layer."""

        def layer(environ, start):
            call = (environ["REQUEST_METHOD"], environ["PATH_INFO"])
            for entry in list(self.before):
                if _matches(entry, call):
                    self.before.remove(entry)
                    entry[2]()
            for method, pattern, status in self.faults:
                if _matches((method, pattern), call):
                    environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
                    start(f"{status} Weather", [("Content-Length", "0")])
                    return [b""]
            for entry in self.altered:
                if _matches(entry, call):
                    return _altered(app, environ, start, entry[2])
            return app(environ, start)

        return layer


def _altered(app, environ, start, change):
    """The application's answer with another body."""
    begun = []
    body = change(b"".join(app(environ, lambda status, headers, *_: begun.append((status, headers)))))
    status, headers = begun[0]
    length = ("Content-Length", str(len(body)))
    start(status, [*((name, value) for name, value in headers if name.lower() != "content-length"), length])
    return [body]


def _matches(entry, call):
    return entry[0] in ("*", call[0]) and re.search(entry[1], call[1]) is not None


class Desk(ContributorClone):
    """A clone of whose commits and pushes git's files are written at once, without processes.

    The working copy is made when it is asked for; from then on all is done in it.
    """

    def __init__(self, world, repo, who, place, branch):
        self._world, self.who, self.repository, self._place, self._branch = world, who, repo, place, branch
        self._head = bare_repository.resolve(repo.git, f"refs/heads/{repo.default_branch}")

    @cached_property
    def folder(self):
        """The working copy."""
        run, place, repo = bare_repository.run, self._place, self.repository
        run("clone", "--quiet", "--shared", "--no-checkout", str(repo.git), str(place))
        config = place / ".git" / "config"
        config.write_text(
            config.read_text().replace(f"url = {repo.git}\n", f"url = {clone_url(self._world, repo, self.who)}\n")
        )
        run("switch", "--quiet", "--force-create", self._branch, self._head, cwd=place)
        return place

    @property
    def head(self):
        """The hash of what is checked out."""
        return super().head if "folder" in vars(self) else self._head

    def commit(self, message, files=None, *, author=None, committer=None, **how):
        """As any other; git does it where it has a working copy or more to do than to keep names and files."""
        names = self.identities(author, committer)
        if "folder" in vars(self) or how or not all(_PLAIN(name) for name, _ in names):
            return super().commit(message, files, author=author, committer=committer, **how)
        author, committer = (bare_repository.GitIdentity(*name, self._world.now()) for name in names)
        self._head = bare_repository.commit_files(
            self.repository.git, self._head, files or {}, message=f"{message}\n", author=author, committer=committer
        )
        return self._head

    def push(self, branch="", *, force=False):
        """As any other, and what it moved lands as ever."""
        assert self._world.may(self.who, self.repository, "write")
        git, made = self.repository.git, "folder" in vars(self)
        on = bare_repository.current_branch(self.folder / ".git") if made else self._branch
        reference = f"refs/heads/{(branch or on).removeprefix('refs/heads/')}"
        before = bare_repository.resolve(git, reference)
        with self._world.push(self.repository, self.who):
            if made or (before and not force and bare_repository.merge_base(git, before, self.head) != before):
                self.git("push", "--quiet", *(["--force"] if force else []), str(git), f"HEAD:{reference}")
            else:
                bare_repository.point(git, reference, self.head)


class Scene:
    """cann/ops with our App on it: ada administers, mia contributes from her fork; verbs for what happens next.

    Without a rulebook (None) there is no repository `.github`; `chosen` has the App installed on cann/ops alone.
    """

    def __init__(
        self, folder, key, gate, database_url, *, rulebook=CLA, organization_file=None, chosen=False, accounts=("cann",)
    ):
        (folder / "git").mkdir()
        self.folder = folder
        self.gate = gate
        self.weather = Weather()
        self.world = SimulatedGitHub(folder / "git")
        self.server = SimulatedGitHubServer(self.world, wrap=lambda app: self.weather.wrap(gate.wrap(app))).start()
        self._people(rulebook)
        named = rulebook is not None and "organization: The CANN Authors" in rulebook
        self.party = "The CANN Authors" if named else f"github:{self.cann.id}"
        self.app = self.world.app("countersign", self.cann, public_half(key))
        self.installation = self.world.install(
            self.app, self.cann, self.ada, repositories=[self.ops] if chosen else None
        )
        self._deploy(key, database_url, organization_file=organization_file, accounts=accounts)

    def _deploy(self, key, database_url, *, organization_file=None, accounts=("cann",), url="https://cla.example.org"):
        """Our real parts, on a database of their own."""
        self.shift = timedelta(0)
        self.settings = Settings(
            url=url,
            database_url=database_url,
            github_url=self.server.url,
            github_api_url=self.server.api_url,
            app_id=self.app.id,
            private_key=Secret(key),
            keys=Secret(KeyRing.generate("scene")),
            accounts=accounts,
            registries=Registries(()),  # no registry is asked for licences
        )
        self.hub = connect(
            api_url=self.server.api_url, server=self.settings.github_server, app_id=self.app.id, private_key=key, patience=0, pause=0, now=self.clock,
            on_recovery=lambda installation: recovery.queue(self.sessions, self.jobs, installation),
        )  # fmt: skip
        self.waited = 0.0  # seconds that passed because a test ran what was to run after them
        self.hub._control._monotonic = lambda: clock.monotonic() + self.shift.total_seconds() + self.waited
        self.database = upgraded(database_url)
        self.jobs = InlineEngine(self.clock, db.sessions(self.database))
        services = make_services(self.settings, self.database, self.hub, self.jobs)
        self.services = replace(services, clock=self.clock, organization_file=organization_file)
        self.jobs.start(make_runner(self.services, threads=1))
        self.heard = len(self.world.hooks.log)

    def _people(self, rulebook):
        self.ada = self.world.user("ada", name="Ada", emails=["ada@cann.example"])
        self.mia = self.world.user("mia", name="Mia", emails=["mia@home.example"])
        self.cann = self.world.organization("cann", admins=[self.ada])
        self.ops = self.world.repository(self.cann, "ops")
        if rulebook is not None:
            self.rules = self.world.repository(self.cann, ".github", files={".github/countersign.yml": rulebook})

    def close(self):
        """Stop; everything that GitHub sent is held against its contract, and nothing unknown was asked of it."""
        self.jobs.stop()
        self.database.dispose()
        self.hub.close()
        self.server.stop()
        for delivery in self.world.hooks.log:
            self.gate.webhook(delivery.event, delivery.body)
        assert self.world.refused == []

    def clock(self):
        """The present moment of our side, as far as the test moved it."""
        return clock.now() + self.shift

    @property
    def sessions(self):
        """A maker of sessions on our database."""
        return self.services.sessions

    @property
    def place(self):
        """cann/ops as we address it."""
        return RepositoryPlace(self.installation.id, self.ops.owner.login, self.ops.name, self.ops.id)

    def push(self, *messages, branch="topic", who=None, to=None, author=None, files=None):
        """Commits pushed to a new branch of that person's fork; gives the clone and the fork."""
        who, to = who or self.mia, to or self.ops
        fork = to if self.world.may(who, to, "write") else self.world.fork(to, who)
        clone = Desk(self.world, fork, who, self.folder / f"{fork.id}-{branch}", branch)
        for number, message in enumerate(messages or ["Fix it"]):
            clone.commit(message, files=files or {f"{branch}{number}.txt": message}, author=author)
        clone.push()
        return clone, fork

    def pull(self, *messages, who=None, to=None, branch="topic", **more):
        """A pull request with these commits; gives it and the clone behind it."""
        clone, fork = self.push(*messages, who=who, to=to, branch=branch, **more)
        return self.world.open_pull(to or self.ops, who or self.mia, branch, source=fork), clone

    def held(self, pull):
        """The pull request, after a protected branch took up its head; the branch requires our check."""
        bare_repository.point(self.ops.git, "refs/heads/release", pull.head_sha)
        self.ops.protected_branches["release"] = {"Countersign": self.app.id}
        return pull

    def reverting(self, **files):
        """A pull request with a revert of what a protected branch holds, which requires our check; and these files beside."""
        held, clone = self.pull("Change", branch="held", files={"held.txt": "x"})
        self.held(held)
        self.world.close_pull(held, self.mia)
        bare_repository.point(self.ops.git, "refs/heads/main", held.head_sha)
        clone.branch("topic")
        clone.git("rm", "--quiet", "held.txt")
        clone.commit(f"Revert\n\nThis reverts commit {held.head_sha}.", files=files)
        clone.push()
        return self.world.open_pull(self.ops, self.mia, "topic", source=clone.repository)

    def hear(self, *, drop=()):
        """Take in the webhooks sent since the last time, but for the events in `drop`."""
        self.world.hooks.drain()
        fresh = self.world.hooks.log[self.heard :]
        self.heard += len(fresh)
        for delivery in fresh:
            if delivery.app is not self.app:
                continue
            event = event_parser.parse(delivery.event, delivery.body, app_id=self.app.id, url=self.settings.url)
            if event is not None and delivery.event not in drop:
                self.accept(event, guid=delivery.guid, name=delivery.event)
        return fresh

    def accept(self, event, *, guid, name):
        """Take in one typed event."""
        with self.sessions() as session:
            return deliveries.accept(session, self.jobs, event, guid=guid, name=name, at=self.clock())

    def advance(self, time):
        """So much time goes by; what is to be looked at again by then is, as the server's chore does."""
        self.shift += time
        lot.repair(self.services)
        self.settle(delayed=True)

    def begin(self, mailbox, subject, job_id="job"):
        """A job takes just that subject, if it is due."""
        with self.sessions() as session:
            return claims.begin(session, mailbox, self.jobs, subject, job_id, at=self.clock())

    def review(self, pull, job_id="job"):
        """A job reviews just that pull request, if that is due."""
        claim = self.begin(REVIEWS, self.row(pull).id, job_id)
        if claim is not None:
            review(claim, self.services)

    def counting(self):
        """Services whose transactions are counted, and how many jobs each of them queued."""
        lots = []

        @contextmanager
        def counted():
            before = len(self.jobs.waiting)
            with self.sessions() as session:
                yield session
            lots.append(len(self.jobs.waiting) - before)

        return replace(self.services, sessions=counted), lots

    def settle(self, *, delayed=False):
        """Take in what was sent and do what it asks, until nothing happens any more."""
        for _ in range(20):
            fresh = self.hear()
            if delayed:
                self.wait()
            if not self.jobs.run_all(delayed=delayed) and not fresh:
                return
        raise AssertionError("events and jobs cause each other without end")

    def wait(self):
        """As long as GitHub is left alone after an outage at least: no job waits for less. Then it is tried."""
        self.waited += 10.0
        self.hub.probe()

    def one_delayed(self):
        """Let just the time of the first waiting job pass."""
        self.wait()
        with suppress(RuntimeError):  # the engine says so when the limit was reached
            self.jobs.run_all(delayed=True, limit=1)

    def again(self, pull):
        """Queue one more review and do it."""
        with self.sessions() as session:
            review_mailbox.enqueue_review(session, self.jobs, self.row(pull).id, queue="now")
        self.jobs.run_all()

    def sign(self, who, *, party=None, shown_before=None, logged=True):
        """That person signs the current ICLA with the party of the rulebook; only the record, nothing is judged again.

        Not `logged`: an attacker put the row into the database. `shown_before`: the hash of a page of the release
        before, which recorded no party.
        """
        text = self.services.catalog.get("icla", "2.0", "en")
        draft = SignatureDraft(party=None if shown_before else party or self.party,
            agreement=text.name, version=text.version, language=text.language, source_sha256=text.sha256,
            shown_sha256=shown_before or text.sha256, statement_id="test", statement_sha256="0" * 64, identity_proof="test",
            name=who.name, email=who.emails[0].address,
        )  # fmt: skip
        with self.sessions() as session:
            vault, at = self.services.vault, self.clock() - timedelta(days=1)
            person = person_rows.ensure(within(session, vault, at, clock.new_id), Fact(who.id, who.login))
            signatures.add(within(session, vault, at, clock.new_id), person, draft, receipt=receipt_number())
            if logged:
                log_rows(session, vault)

    def row(self, pull):
        """Our row of the pull request."""
        with self.sessions() as session:
            return review_mailbox.find(session, pull.repository.id, pull.number)

    def recorded(self, pull):
        """The verdict that we wrote down last: conclusion and codes."""
        with self.sessions() as session:
            last = verdicts.latest(session, self.row(pull).id)
        return last and (last.conclusion, [entry["code"] for entry in last.codes])

    def published_item(self, pull, kind):
        """What we remember of our check on the present head, or of our comment."""
        with self.sessions() as session:
            head = pull.head_sha if kind == "check" else ""
            return PullRequestItem(self.row(pull).id, kind, head).get(session)

    def runs(self, pull):
        """Our check runs on the present head, as (status, conclusion, title)."""
        return [
            (run.status, run.conclusion, run.output["title"])
            for run in self.world.check_runs.values()
            if run.head_sha == pull.head_sha and run.repository is pull.repository
        ]

    def conclusion(self, pull):
        """The conclusion of the only run on the present head; None while there is no run."""
        runs = self.runs(pull)
        assert len(runs) <= 1, runs
        return runs[0][1] if runs else None

    def wait_for_run(self, pull, name="Countersign"):
        """Until that run is on the present head, made by another thread; fails after ten seconds."""
        until = monotonic() + 10
        while not any(
            (run.name, run.head_sha) == (name, pull.head_sha) for run in list(self.world.check_runs.values())
        ):
            assert monotonic() < until, "there is no run yet"
            sleep(0.01)

    def labels(self, pull):
        """Names of the labels on it."""
        return sorted(label.name for label in pull.labels)

    def comments(self, pull):
        """Our comments on it."""
        return [comment for comment in pull.comments if comment.app is not None]

    def calls(self):
        """Calls at GitHub since the last time this was asked, as (method, template), tokens left out."""
        fresh = [(call.method, call.template) for call in self.world.calls if "access_tokens" not in call.template]
        self.world.calls.clear()
        return fresh

    def writes(self):
        """Those of the calls since the last time that change something."""
        return [call for call in self.calls() if call[0] != "GET" and call[1] != "/graphql"]


class Neighbour(Scene):
    """Another deployment on the organisation of a scene, with a database and an address of its own: of the same App, or of another.

    Webhooks of an App go to one address: a neighbour of the same App hears none.
    """

    def __init__(self, scene, key, database_url, *, slug=""):
        for name in ("folder", "gate", "weather", "world", "server", "ada", "mia", "cann", "ops", "rules", "party"):
            setattr(self, name, getattr(scene, name))
        self.app, self.installation = scene.app, scene.installation
        if slug:
            self.app = self.world.app(slug, self.cann, public_half(key))
            self.installation = self.world.install(self.app, self.cann, self.ada)
        self._is_deaf = not slug
        self._deploy(key, database_url, url="https://staging.example.org")

    def hear(self, *, drop=()):
        """Take in what was sent to its App, if any of it comes here."""
        return [] if self._is_deaf else super().hear(drop=drop)

    def close(self):
        """Stop; the scene's GitHub goes on."""
        self.jobs.stop()
        self.database.dispose()
        self.hub.close()
