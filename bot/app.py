"""The only place where parts are joined: settings in, a wired application out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from threading import Event, Lock

import structlog
from sqlalchemy import Engine as Database
from sqlalchemy.exc import SQLAlchemyError

from agreements.vault import KeyRing, Vault
from bot import clock, db, startup, vacuum
from bot.access import app_key, served_accounts, teams
from bot.access.app_key import AppKey
from bot.access.roles import Roles
from bot.access.served_accounts import ServedAccounts
from bot.access.teams import Teams
from bot.backup import database_match
from bot.flows import domain_recheck, erasure_completion, lot, publish_list, purge_rounds, recovery, sweep
from bot.flows.flow_services import Services
from bot.flows.purge_rounds import Retention
from bot.github.client.admission_control import OnRecovery
from bot.github.connection import connect
from bot.github.hub import Hub
from bot.health import Health
from bot.job_queue import Chore, Engine
from bot.jobs.durable import DurableEngine
from bot.jobs.liveness import HEARTBEAT_INTERVAL, Chores
from bot.licenses import server_data
from bot.mail import admin_emails, campaign_emails, mail_sender
from bot.mail.admin_emails import AdminEmails
from bot.mail.campaign_emails import CampaignEmails
from bot.mail.mail_sender import MailSender
from bot.mail.renewal_emails import Reminders
from bot.mail.smtp import MailServer
from bot.monitoring import database_numbers
from bot.monitoring.database_numbers import DatabaseNumbers
from bot.monitoring.metrics_endpoint import GitHubNumbers, MetricsEndpoint
from bot.notifications import endpoints
from bot.notifications.endpoints import Endpoint as WebhookEndpoint
from bot.notifications.endpoints import Webhooks, tell_undelivered
from bot.notifications.webhook_sender import WebhookSender
from bot.portal.application import PortalApplication
from bot.portal.portal_services import of_flows
from bot.portal.security_headers import always
from bot.records import api_tokens, erasure, key_rotation
from bot.records.agreement_texts import Library
from bot.records.erasure import Erasures
from bot.records.erasure_keys import ErasureKeyFile
from bot.records.key_rotation import KeyRingWatcher
from bot.records.owner_rules import OwnerRules
from bot.records.record_access import RecordAccess
from bot.rulebook.text_files import beside
from bot.runner import OutgoingSender, make_runner
from bot.server.asgi import AsgiApplication, Endpoint, not_here
from bot.server.wsgi_bridge import WsgiBridge
from bot.settings import Settings
from bot.telemetry import metrics
from bot.webhook.delivery_writer import DeliveryWriter
from bot.webhook.endpoint import Webhook

MakeEngine = Callable[[Database], Engine]
# The time between two looks whether a wait for GitHub is over; nothing is asked while all is well.
PROBE_INTERVAL = timedelta(seconds=1)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Application:
    """Everything joined: `asgi` answers requests, those for pages by `web`; `start` lets the worker run beside it.

    `probes` answers, of a process that is a worker alone, what probes and Prometheus ask. `services`, `database`,
    `delivery_writer`, `watch` (of the key ring), `teams`, `key` (of the App) and `numbers` (for metrics) are parts that
    it shares; `senders` send what waits, `beside` are the worker's further threads, `_ending` lets one thread end them.
    """

    asgi: AsgiApplication
    probes: AsgiApplication
    web: PortalApplication
    delivery_writer: DeliveryWriter
    services: Services
    database: Database
    watch: KeyRingWatcher
    teams: Teams
    key: AppKey
    numbers: DatabaseNumbers
    senders: tuple[OutgoingSender, ...]
    beside: tuple[Chores, ...]
    _ending: Lock = field(default_factory=Lock, init=False)

    def attend(self) -> None:
        """Tell the others which keys this process has, and follow the key ring's file for as long as it lives."""
        try:
            self.watch.refresh()
        except SQLAlchemyError as error:  # Told again in a moment; the database may be away when we start.
            log.warning("keys.not-told", why=type(error).__name__)
        Chores([Chore("keys", key_rotation.REFRESH_INTERVAL, self.watch.refresh)], name="key-ring").start()

    def look_around(self) -> None:
        """Ask what is not needed to be ready, now and again from now on: about the App's key, accounts and teams."""
        served = self.services.served
        looks = {
            "app-key": Chore("app", app_key.CHECK_INTERVAL, self.key.refresh),
            # Only while one of them is not known: an id never changes.
            "accounts": None
            if served.is_settled
            else Chore("accounts", served_accounts.REFRESH_INTERVAL, served.refresh),
            # A cheap call of its own finds out that an outage is over, while flows wait.
            "github-probe": Chore("probe", PROBE_INTERVAL, self.services.hub.probe),
            "numbers": Chore("numbers", database_numbers.REFRESH_INTERVAL, self.numbers.refresh),
            "teams": Chore("teams", teams.REFRESH_INTERVAL, self.teams.refresh) if self.teams.configured else None,
        }
        for name, chore in looks.items():
            if chore:  # On a thread of its own: a call to GitHub may hang, and must not hold up the others.
                Chores([chore], name=name, at_once=name != "github-probe").start()

    def start(self) -> None:
        """Take jobs, first those that a crash left; every minute look for pull requests without a job."""
        parts = self.services
        reminders = Reminders(records=parts, texts=parts.texts, server=parts.server)
        regular = [
            # What was put off has no job of its own.
            Chore("due", timedelta(seconds=1), partial(lot.queue_due, self.services)),
            Chore("stale", timedelta(minutes=1), partial(lot.repair, self.services)),
            Chore("sweep", sweep.SWEEP_INTERVAL, partial(sweep.queue, self.services)),
            Chore("api-tokens", timedelta(hours=1), self.forget),
            Chore("list", timedelta(hours=1), partial(publish_list.queue, self.services)),
            Chore("licenses", timedelta(hours=1), self.queue_audits),
            Chore("renewals", timedelta(hours=1), reminders.round),
            Chore("domains", timedelta(hours=1), partial(domain_recheck.queue_due, self.services)),
            Chore("deleted", timedelta(hours=1), self.tidy),
            Chore("share", HEARTBEAT_INTERVAL, self.share_writes),
        ]
        self.services.engine.start(make_runner(self.services, *self.senders), regular)
        self.share_writes()
        sweep.queue(self.services, starting=True)
        # Beside the engine's own thread, which says that this process lives.
        for chores in self.beside:
            chores.start()

    def forget(self) -> None:
        """Write down which API tokens have ended."""
        api_tokens.log_ends(self.services)

    def queue_audits(self) -> None:
        """Queue the audits of a night when its hour has come."""
        from bot.flows.licenses import nightly  # noqa: PLC0415 - an hour after the start

        nightly.queue(self.services)

    def share_writes(self) -> None:
        """Take this worker's part of the writes that GitHub lets an installation make."""
        self.services.hub.share_writes(self.services.engine.workers())

    def tidy(self) -> None:
        """Leave nothing in SQLite's log of what was deleted without an erasure; no erasure key of whom we erased."""
        vacuum.truncate(self.database)
        erasure_completion.destroy_keys(self.services)

    def stop_work(self) -> None:
        """Let running jobs end and begin none: what is stored from now on is the next process's."""
        with self._ending:  # A second call waits for the first.
            for chores in self.beside:
                chores.stop()
            self.services.engine.stop()

    def stop(self) -> None:
        """The same where it was not done, and close the database."""
        self.stop_work()
        self.database.dispose()


def wire(settings: Settings, *, hub: Hub | None = None, engine: MakeEngine | None = None) -> Application:
    """Join the parts; `hub` and `engine` replace GitHub and the durable engine. Raises what their makers raise."""
    sessions = db.sessions(database := db.open_engine(settings.database_url))
    alone = database.dialect.name == "sqlite"  # One process takes jobs: another's are taken up.
    jobs = engine(database) if engine else DurableEngine(database, executor_id=clock.new_id(), sole=alone)
    github = hub or _github(settings, partial(recovery.queue, sessions, jobs))
    parts = make_services(settings, database, github, jobs, hooks := endpoints.load(settings.webhooks_path))
    known, key = Teams(settings.administrators, settings.auditors, github, sessions, parts.served), AppKey(github)
    roles = Roles(settings.administrators, settings.auditors, known.members, clock.now)
    rules = OwnerRules((parts.organization_file or (None, None))[1], settings.accounts, sessions, parts.texts)
    web = PortalApplication(of_flows(settings, parts, db.sessions(database, writer="page"), roles, rules))
    writer = DeliveryWriter(db.sessions(database, writer="webhook"), jobs, clock.now)  # Before pages and jobs.
    numbers = DatabaseNumbers(database, clock.now, writer.last_delivery)
    why, process = (lambda: writer.refusing, lambda: key.refused), clock.new_id()
    ring = partial(database_match.problem, vault=parts.vault)
    health = Health(database, parts.served, known, *why, github=github.states, warnings=numbers.warnings, records=ring)
    answers_probes: dict[str, Endpoint] = {
        "/livez": partial(health.livez, process=process),
        "/readyz": health.readyz,
        "/metrics": MetricsEndpoint(settings.metrics_token.reveal(), GitHubNumbers(github.states)),
    }
    return Application(
        asgi=_asgi(settings, parts, writer, answers_probes, WsgiBridge(web)),
        probes=AsgiApplication(answers_probes, not_here),
        web=web,
        delivery_writer=writer,
        services=parts,
        database=database,
        watch=KeyRingWatcher(parts.vault, sessions, process, clock.now),
        teams=known,
        key=key,
        numbers=numbers,
        senders=_senders(settings, parts, hooks),
        beside=(
            _mail(settings, parts, roles, rules),
            _log_reader(parts, hooks),
            _retention(parts),
            startup.party_chores(settings, sessions, parts.vault, parts.texts, jobs),
        ),
    )


def make_services(
    settings: Settings, database: Database, hub: Hub, jobs: Engine, webhook_endpoints: tuple[WebhookEndpoint, ...] = ()
) -> Services:
    """The parts that flows work with; `webhook_endpoints` are told of what happens. Raises what their makers raise."""
    sessions = db.sessions(database)
    erasure_keys = ErasureKeyFile(settings.erasure_keys_file) if settings.erasure_keys_file else None
    # A key ring that comes by a file is read again when that changes.
    changed = key_rotation.RingFile(settings.keys_file).changed if settings.keys_file else lambda: None
    ring, count = KeyRing.parse(settings.keys.reveal()), metrics.DECRYPT_FAILURES.inc
    vault = Vault(ring, changed, erasure_keys=erasure_keys, on_failure=count)
    file = settings.rulebook_path  # Checks show its name, never the path on the server.
    return Services(
        url=settings.url,
        github_url=settings.github_url,
        server=settings.github_server,
        sessions=sessions,
        look_ups=db.look_ups(database).connect,
        engine=jobs,
        hub=hub,
        vault=vault,
        texts=Library(beside(file), sessions),
        served=ServedAccounts(settings.accounts, hub, sessions, engine=jobs, clock=clock.now),
        organization_file=(file.name, file.read_text(encoding="utf-8")) if file else None,
        whitelist_target=settings.whitelist_target,
        dns_servers=settings.dns_servers,
        licenses=partial(server_data.matrix, settings),
        learner=partial(server_data.lookup, settings, sessions, clock.now),
        wipe=lambda: vacuum.wipe(database),
        erasure_keys=erasure_keys,
        clock=clock.now,
        new_id=clock.new_id,
        notify=Webhooks(endpoints=webhook_endpoints, records=RecordAccess(sessions, vault)).enqueue,
    )


def _github(settings: Settings, on_recovery: OnRecovery) -> Hub:
    # No `patience`: waiting is the queue's, as a job that sleeps holds its pull request.
    return connect(
        api_url=settings.github_api_url,
        server=settings.github_server,
        app_id=settings.app_id,
        private_key=settings.private_key.reveal(),
        on_recovery=on_recovery,
    )


def _asgi(
    settings: Settings, services: Services, writer: DeliveryWriter, probes: dict[str, Endpoint], pages: WsgiBridge
) -> AsgiApplication:
    # Webhooks and probes beside the pages, not among them: they are answered even while all pages hang.
    secrets = [secret.reveal().encode() for secret in settings.webhook_secrets]
    hook = Webhook(secrets=secrets, app_id=settings.app_id, url=settings.url, writer=writer, served=services.served)
    return AsgiApplication({"/webhook": hook, **probes}, pages, always(secure=settings.url.startswith("https:")))


def _mail(settings: Settings, services: Services, roles: Roles, rules: OwnerRules) -> Chores:
    notices = AdminEmails(
        records=services,
        contact=settings.contact,
        server=services.server,
        administrators=roles.administrators,
    )
    campaigns = CampaignEmails(records=services, texts=services.texts, rules=rules, owner=rules.owner)
    rounds = [
        Chore("old-mail", timedelta(hours=1), partial(mail_sender.purge, services.sessions, services.clock)),
        Chore("notifications", admin_emails.NEWS_INTERVAL, notices.round),
        Chore("campaigns", campaign_emails.WRITE_INTERVAL, campaigns.write),
        Chore("erasures", erasure.SHRED_INTERVAL, _erasures(settings, services).shred),
    ]
    return Chores(rounds, name="mail")


def _senders(
    settings: Settings, services: Services, webhook_endpoints: tuple[WebhookEndpoint, ...]
) -> tuple[MailSender, WebhookSender]:
    smtp_url = settings.smtp_url.reveal()
    mail = MailSender(
        records=services,
        server=MailServer.parse(smtp_url) if smtp_url else None,
        sender=settings.mail_from,
        on_failed=tell_undelivered(services.notify),
    )
    return mail, WebhookSender(records=services, endpoints=webhook_endpoints)


def _log_reader(services: Services, webhook_endpoints: tuple[WebhookEndpoint, ...]) -> Chores:
    hooks = Webhooks(endpoints=webhook_endpoints, records=services)
    # Without endpoints it forgets how far it came: one that is added later begins with what is new then.
    every = endpoints.NEWS_INTERVAL if webhook_endpoints else timedelta(hours=1)
    return Chores([Chore("webhooks-log", every, hooks.follow_log)], name="webhooks", at_once=True)


def _retention(services: Services) -> Chores:
    stopping = Event()  # Of a thread of its own, since there may be many rows.
    # The pause between two lots lets a delivery in.
    work = Retention(services.sessions, services.clock, pause=lambda: not stopping.wait(0.05))
    return Chores([Chore("retention", purge_rounds.PURGE_INTERVAL, work.round)], name="retention", stopping=stopping)


def _erasures(settings: Settings, services: Services) -> Erasures:
    return Erasures(records=services, engine=services.engine, years=settings.retention_years)
