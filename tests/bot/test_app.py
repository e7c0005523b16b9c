"""Everything joined: a webhook comes in by HTTP, the job runs, the portal and the health pages are there."""

import json
import threading
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

import migrations
from agreements.store.people import erasure_requests
from agreements.vault import KeyRing, KeysInvalid, Vault
from audit.facts import Source
from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import Answer
from audit.store import answer_rows
from bot import clock
from bot.access.roles import RoleMembers
from bot.app import wire
from bot.demo.github.git import bare_repository
from bot.demo.github.webhooks import signature
from bot.demo.servers import DemoServers
from bot.flows.purge_rounds import Retention
from bot.github.ports import Refused
from bot.job_queue import Job
from bot.jobs.durable import DurableEngine
from bot.mail import mail_sender
from bot.portal.portal_services import portal_services
from bot.portal.security_headers import HEADERS
from bot.records.erasure_keys import ErasureKeyFile
from bot.rulebook import effective
from bot.rulebook.text_files import shipped
from bot.secret import Secret
from bot.store import outbox, owners, portal_sessions
from bot.store.outbox import Email
from bot.store.pulls import posts, stored_facts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.review_mailbox import REVIEWS
from tests.asgi import Client
from tests.bot.jobs.inline import InlineEngine
from tests.conftest import free_port
from tests.within import within

VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))
BOX = PullRequestIdentity(repository_id=11, number=5, installation_id=1, owner_id=7, owner="cann", name="ge")


@pytest.fixture(name="stage")
def _stage(tmp_path):
    """A small GitHub that knows our App, and settings that fit it."""
    with DemoServers(tmp_path / "stage", port=free_port(), github_port=free_port()) as stage:
        yield stage


@pytest.fixture(name="join")
def _join(stage):
    """A maker of the whole, jobs run by hand, on a database with today's schema; stopped at the end."""
    made = []

    def join(**changes):
        made.append(wire(replace(stage.settings, **changes), engine=lambda _database: InlineEngine()))
        migrations.upgrade(made[-1].database)
        made[-1].delivery_writer.start()
        return made[-1]

    yield join
    for application in made:
        application.delivery_writer.stop()
        application.stop()
        application.services.hub.close()


def post(wired, stage, name, payload, *, guid="0d5a6e2a-0000-4000-8000-000000000001"):
    """GitHub posts a webhook."""
    body = json.dumps(payload).encode()
    headers = {
        "X-GitHub-Event": name,
        "X-GitHub-Delivery": guid,
        "X-Hub-Signature-256": signature(stage.app.webhook_secret, body),
        "Content-Type": "application/json",
    }
    return Client(wired.asgi).post("/webhook", data=body, headers=headers)


def test_a_webhook_turns_into_a_verdict(stage, join):
    wired = join()
    world = stage.world
    ada = world.user("ada", emails=["ada@cann.example"])
    cann = world.organization("cann", admins=[ada])
    rules = 'version: 1\nrepositories: [{match: ["*"], require: cla}]\n'
    world.repository(cann, ".github", files={".github/countersign.yml": rules})
    ops = world.repository(cann, "ops")
    world.install(stage.app, cann, ada)
    bare_repository.run("branch", "topic", ops.default_branch, cwd=ops.git)
    world.write(ops, {"a.txt": "a"}, branch="topic")
    pull = world.open_pull(ops, ada, "topic")
    opened = next(delivery for delivery in world.hooks.log if delivery.event == "pull_request")

    answer = post(wired, stage, "pull_request", opened.body)
    assert (answer.status_code, answer.get_json()) == (202, {"message": "accepted"})
    wired.start()
    wired.services.engine.run_all()

    (run,) = world.check_runs.values()
    assert (run.head_sha, run.name, run.conclusion) == (pull.head_sha, "Countersign", "failure")
    assert run.details_url == f"{stage.url}/pr/cann/ops/1"


def test_portal_hook_and_health_are_one_application(stage, join):
    browser, host = Client(join().asgi), {"Host": stage.url.removeprefix("http://")}

    assert browser.get("/", headers=host).status_code == 200
    assert browser.get("/whitelist.json", headers=host).status_code == 200
    assert browser.get("/livez").status_code == browser.get("/readyz").status_code == 200
    assert browser.post("/webhook", data=b"{}").status_code == 401
    for path in ("/", "/livez", "/webhook", "/nowhere"):
        found = browser.get(path, headers=host).headers
        assert {name: found.get(name.title()) for name in HEADERS} == HEADERS
        assert found["Cache-Control"] == "no-store"


def test_the_engine_is_durable_unless_told_otherwise(stage):
    wired = wire(stage.settings)
    assert isinstance(wired.services.engine, DurableEngine)
    wired.stop()
    wired.services.hub.close()


def names(*threads):
    """The names of the regular work on these threads."""
    return [chore.name for chores in threads for chore in chores._chores]


def test_each_piece_of_regular_work_has_a_name_of_its_own(join):
    """Metrics and alerts tell them apart by it."""
    wired = join(administrators=RoleMembers.parse("cann/admins"), accounts=("cann",))
    wired.start()
    looks = names(*wired.looks())
    assert looks == ["probe", "app", "numbers", "teams", "accounts"]
    by_number = {role: RoleMembers.parse("90") for role in ("administrators", "auditors")}
    assert names(*join(**by_number, accounts=("7",)).looks()) == looks[:3]

    every = [*looks, *names(*wired.beside), *(chore.name for chore in wired.services.engine.chores)]
    assert len(set(every)) == len(every) == 24


def test_the_sweep_finds_pull_requests_whose_job_is_lost(join):
    wired = join()
    jobs = wired.services.engine
    with wired.services.sessions() as session:
        posts.post(session, InlineEngine(lambda: clock.now() - timedelta(hours=1)), BOX)
        REVIEWS.claim(session, InlineEngine(), "now", "lost", at=clock.now() - timedelta(hours=1))
    wired.start()
    sweep = next(chore for chore in jobs.chores if chore.name == "stale")
    due = next(chore for chore in jobs.chores if chore.name == "due")
    assert (sweep.every, due.every) == (timedelta(minutes=1), timedelta(seconds=1))

    sweep.do()

    # Once when the worker began, once by the chore: a second job finds nothing to do.
    assert [job for job in jobs.waiting if job.name != "sweep"] == [Job("review", (), "later")] * 2


def test_the_hourly_chore_wipes_the_log_and_destroyed_erasure_keys(join, tmp_path):
    file = ErasureKeyFile(tmp_path / "erasure-keys")
    file.make()
    wired = join(erasure_keys_file=file.path)
    wired.start()
    file.give(["p1"], anew=True)
    row = "INSERT INTO erasure (id, account_id, person_id, asked_at, state) VALUES ('e', 1, 'p1', '2026-01-01', 'deleted')"
    with wired.database.begin() as connection:
        connection.exec_driver_sql(row)
    tidy = next(chore for chore in wired.services.engine.chores if chore.name == "deleted")
    assert tidy.every == timedelta(hours=1)
    tidy.do()

    assert file.ids() == set()
    assert wired.services.erasure_keys.ids() == set()
    wal = wired.database.url.database + "-wal"
    assert Path(wal).stat().st_size == 0
    assert wired.services.wipe()


def test_the_start_queues_a_full_sweep(join):
    wired = join()
    wired.start()
    (job,) = wired.services.engine.waiting
    assert (job.name, job.ids[1]) == ("sweep", 1)
    chore = next(chore for chore in wired.services.engine.chores if chore.name == "sweep")
    assert chore.every == timedelta(minutes=10)
    chore.do()
    assert wired.services.engine.waiting == (job,), "another worker has just begun"


def test_ended_sessions_and_old_mail_are_forgotten_hourly(join):
    wired = join()
    with wired.services.sessions() as session:
        portal_sessions.keep(session, VAULT, "a" * 64, 7, b"sealed", clock.now() - timedelta(hours=1))
        portal_sessions.keep(session, VAULT, "b" * 64, 7, b"sealed", clock.now())
    mail_sender.purge(wired.services.sessions, clock.now)

    with wired.services.sessions() as session:
        assert portal_sessions.find(session, VAULT, "b" * 64, clock.now()) is not None
        assert session.get(portal_sessions.PortalSession, "a" * 64) is None


def test_old_facts_and_answers_are_deleted(join):
    wired = join()
    with wired.services.sessions() as session:
        found = [posts.post(session, InlineEngine(), replace(BOX, number=number))[0] for number in (1, 2)]
        for pull_id, days in zip(found, (90, 89), strict=True):
            sealed = stored_facts.encrypt(wired.services.vault, pull_id, b"facts")
            stored_facts.keep(session, pull_id, "a", sealed, at=clock.now() - timedelta(days=days))
        for days in (179, 181):
            said = Answer(DeclaredLicense("MIT"), Source.REGISTRY, "https://x")
            answer_rows.keep(session, f"pkg:npm/a@{days}", said, at=clock.now() - timedelta(days=days))

    Retention(wired.services.sessions, clock.now).round()

    with wired.services.sessions() as session:
        assert [with_facts.stored is not None for with_facts in stored_facts.of_open(session)] == [False, True]
        assert [row.purl for row in session.exec(select(answer_rows.AskedLicense))] == ["pkg:npm/a@179"]


def portal_rules(wired, owner_id=None):
    """The organisation's name as the portal sees it."""
    with wired.web.flask.app_context():
        return portal_services().rules(owner_id).organization


def test_the_portals_rules_are_those_of_the_last_good_review_or_the_file(join, tmp_path):
    wired = join(accounts=("7",))
    assert portal_rules(wired) == ""
    for text, expected in [("version: 1\norganization: CANN\n", "CANN"), ("version: 1\nx: 1\n", "CANN"), (None, "")]:
        with wired.services.sessions() as session:
            valid = effective.is_valid(text, shipped)
            owners.remember_rules(session, 7, text, valid=valid, at=clock.now())
        assert portal_rules(wired) == portal_rules(wired, 7) == expected
    assert portal_rules(wired, 8) == ""

    file = tmp_path / "rules.yml"
    file.write_text("version: 1\norganization: By file\n", encoding="utf-8")
    by_file = join(rulebook_path=file)
    assert by_file.services.organization_file == ("rules.yml", "version: 1\norganization: By file\n")
    assert portal_rules(by_file, 7) == "By file"


def test_wrong_keys_raise_their_own_errors(stage):
    with pytest.raises(KeysInvalid):
        wire(replace(stage.settings, keys=Secret("x")), engine=lambda _database: InlineEngine())
    with pytest.raises(Refused):
        wire(replace(stage.settings, private_key=Secret("x")), engine=lambda _database: InlineEngine())


def test_waiting_mail_is_sent_by_a_job_each_second(join, smtp):
    wired = join(smtp_url=Secret(smtp.url), mail_from="cla@example.org")
    values = {"code": "1", "login": "ada", "url": "x"}
    with wired.services.sessions() as session:
        email = Email(kind="code", to="ada@example.org", language="en", values=values)
        outbox.add(within(session, wired.services.vault, clock.now(), "m1"), email)
    wired.start()
    next(chore for chore in wired.services.engine.chores if chore.name == "due").do()
    wired.services.engine.run_all()

    assert [message.to for message in smtp.got] == [["ada@example.org"]]


def test_reminders_are_looked_for_every_hour(join):
    wired = join()
    wired.start()
    renewals = next(chore for chore in wired.services.engine.chores if chore.name == "renewals")
    assert renewals.every == timedelta(hours=1)

    renewals.do()

    with wired.services.sessions() as session:
        assert list(outbox.EMAILS.listed(session)) == []


def test_administrators_or_the_contact_are_written_to(join):
    wired = join(contact="cla@example.org")
    chores = [chore for thread in wired.beside for chore in thread._chores]
    notifications = next(chore for chore in chores if chore.name == "notifications")
    notifications.do()
    with wired.services.sessions() as session:
        context = within(session, wired.services.vault, wired.services.clock(), wired.services.new_id, by=11)
        erasure_requests.ask(within(session, context.vault, context.at, "wish", by=11))
    notifications.do()
    with wired.services.sessions() as session:
        [email] = [outbox.opened(wired.services.vault, mail) for mail in outbox.EMAILS.listed(session)]
    assert (email.kind, email.to) == ("admin-notification", "cla@example.org")


class OneOfThree(InlineEngine):
    """Two more processes take jobs."""

    def workers(self):
        """With this one."""
        return 3


def test_workers_share_githubs_write_budget(stage):
    wired = wire(stage.settings, engine=lambda _database: OneOfThree())
    migrations.upgrade(wired.database)
    control = wired.services.hub._control
    wired.start()
    assert control._among == 3
    control.share_writes(1)
    next(chore for chore in wired.services.engine.chores if chore.name == "share").do()
    assert control._among == 3
    wired.stop()
    wired.services.hub.close()


def test_an_end_that_takes_long_is_not_begun_twice(stage):
    class SlowEngine(InlineEngine):
        def __init__(self):
            super().__init__()
            self.at_work, self.most, self.begun = 0, 0, threading.Event()

        def stop(self):
            self.at_work += 1
            self.most = max(self.most, self.at_work)
            self.begun.set()
            time.sleep(0.3)
            self.at_work -= 1

    engine = SlowEngine()
    wired = wire(stage.settings, engine=lambda _database: engine)
    first = threading.Thread(target=wired.stop_work)
    first.start()
    assert engine.begun.wait(5)
    wired.stop()
    first.join(5)
    assert engine.most == 1
