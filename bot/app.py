"""The only place where parts are joined: settings in, a wired application out."""

from collections.abc import Callable, Iterable, Iterator
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
from bot.github.connection import connect_by
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
PROBE_INTERVAL = timedelta(seconds=1)
"""The time between two looks whether a wait for GitHub is over; nothing is asked while all is well."""
_ONE_HOUR = timedelta(hours=1)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Application:
    """Everything joined: `asgi` answers requests, those for pages by `web`; `start` lets the worker run beside it.

    `probes` answers, of a process that is a worker alone, what probes and Prometheus ask. `services`, `database`,
    `delivery_writer` and `key_ring` are parts that it shares, `senders` send what waits. `looks` makes the threads of
    every process, `beside` are the worker's further threads, `_ending` lets one thread end them.
    """

    asgi: AsgiApplication
    probes: AsgiApplication
    web: PortalApplication
    delivery_writer: DeliveryWriter
    services: Services
    database: Database
    key_ring: KeyRingWatcher
    senders: tuple[OutgoingSender, ...]
    looks: Callable[[], Iterable[Chores]]
    beside: tuple[Chores, ...]
    _ending: Lock = field(default_factory=Lock, init=False)

    def attend(self) -> None:
        """Tell the others which keys this process has, and follow the key ring's file for as long as it lives."""
        try:
            self.key_ring.refresh()
        except SQLAlchemyError as error:  # Told again in a moment; the database may be away when we start.
            log.warning("keys.not-told", why=type(error).__name__)
        Chores([Chore("keys", key_rotation.REFRESH_INTERVAL, self.key_ring.refresh)], name="key-ring").start()

    def look_around(self) -> None:
        """Ask what is not needed to be ready, now and again from now on: about the App's key, accounts and teams."""
        for chores in self.looks():
            chores.start()

    def start(self) -> None:
        """Take jobs, first those that a crash left; every minute look for pull requests without a job."""
        services = self.services
        services.engine.start(make_runner(services, *self.senders), _engine_chores(services, self.database))
        _share_writes(services)
        sweep.queue(services, starting=True)
        for chores in self.beside:
            chores.start()

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
    database = db.open_engine(settings.database_url)
    sessions, alone = db.sessions(database), database.dialect.name == "sqlite"
    # Alone, one process takes jobs, and another's are taken up.
    jobs = engine(database) if engine else DurableEngine(database, executor_id=clock.new_id(), sole=alone)
    # No `patience`: waiting is the queue's, as a job that sleeps holds its pull request.
    github = hub or connect_by(settings, on_recovery=partial(recovery.queue, sessions, jobs))
    webhooks = endpoints.load(settings.webhooks_path)
    services = make_services(settings, database, github, jobs, webhooks)
    key = AppKey(github)
    role_teams = Teams(settings.administrators, settings.auditors, github, sessions, services.served)
    roles = Roles(settings.administrators, settings.auditors, role_teams.members, clock.now)
    _name, rulebook = services.organization_file or ("", None)
    rules = OwnerRules(rulebook, settings.accounts, sessions, services.texts)
    web = PortalApplication(of_flows(settings, services, db.sessions(database, writer="page"), roles, rules))
    writer = DeliveryWriter(db.sessions(database, writer="webhook"), jobs, clock.now)  # Before pages and jobs.
    numbers = DatabaseNumbers(database, clock.now, writer.last_delivery)
    process, why = clock.new_id(), (lambda: writer.refusing, lambda: key.refused)
    warnings, ring = numbers.warnings, partial(database_match.problem, vault=services.vault)
    health = Health(database, services.served, role_teams, *why, github=github.states, warnings=warnings, records=ring)
    probes: dict[str, Endpoint] = {
        "/livez": partial(health.livez, process=process),
        "/readyz": health.readyz,
        "/metrics": MetricsEndpoint(settings.metrics_token.reveal(), GitHubNumbers(github.states)),
    }
    # Webhooks and probes beside the pages, not among them: they are answered even while all pages hang.
    paths: dict[str, Endpoint] = {"/webhook": _webhook(settings, services, writer), **probes}
    return Application(
        asgi=AsgiApplication(paths, WsgiBridge(web), always(secure=settings.url.startswith("https:"))),
        probes=AsgiApplication(probes, not_here),
        web=web,
        delivery_writer=writer,
        services=services,
        database=database,
        key_ring=KeyRingWatcher(services.vault, sessions, process, clock.now),
        senders=(_mail_sender(settings, services), WebhookSender(records=services, endpoints=webhooks)),
        looks=partial(_process_chores, services, key, role_teams, numbers),
        beside=_beside_engine(settings, services, roles, rules, webhooks),
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


def _webhook(settings: Settings, services: Services, writer: DeliveryWriter) -> Webhook:
    secrets = [secret.reveal().encode() for secret in settings.webhook_secrets]
    return Webhook(secrets=secrets, app_id=settings.app_id, url=settings.url, writer=writer, served=services.served)


def _mail_sender(settings: Settings, services: Services) -> MailSender:
    smtp_url = settings.smtp_url.reveal()
    return MailSender(
        records=services,
        server=MailServer.parse(smtp_url) if smtp_url else None,
        sender=settings.mail_from,
        on_failed=tell_undelivered(services.notify),
    )


def _process_chores(services: Services, key: AppKey, role_teams: Teams, numbers: DatabaseNumbers) -> Iterator[Chores]:
    """The regular work of every process, each on a thread of its own: a call to GitHub may hang, and must not hold up the others."""
    # A cheap call of its own finds out that an outage is over, while flows wait.
    yield Chores([Chore("probe", PROBE_INTERVAL, services.hub.probe)], name="github-probe")
    yield Chores([Chore("app", app_key.CHECK_INTERVAL, key.refresh)], name="app-key", at_once=True)
    yield Chores([Chore("numbers", database_numbers.REFRESH_INTERVAL, numbers.refresh)], name="numbers", at_once=True)
    if role_teams.configured:
        yield Chores([Chore("teams", teams.REFRESH_INTERVAL, role_teams.refresh)], name="teams", at_once=True)
    # Only while one of them is not known: an id never changes.
    if not (served := services.served).is_settled:
        chore = Chore("accounts", served_accounts.REFRESH_INTERVAL, served.refresh)
        yield Chores([chore], name="accounts", at_once=True)


def _engine_chores(services: Services, database: Database) -> tuple[Chore, ...]:
    """The regular work of a worker on its engine's thread."""
    reminders = Reminders(records=services, texts=services.texts, server=services.server)
    return (
        Chore("due", timedelta(seconds=1), partial(lot.queue_due, services)),  # What was put off has no job of its own.
        Chore("stale", timedelta(minutes=1), partial(lot.repair, services)),
        Chore("sweep", sweep.SWEEP_INTERVAL, partial(sweep.queue, services)),
        Chore("api-tokens", _ONE_HOUR, partial(api_tokens.log_ends, services)),
        Chore("list", _ONE_HOUR, partial(publish_list.queue, services)),
        Chore("licenses", _ONE_HOUR, partial(_queue_audits, services)),
        Chore("renewals", _ONE_HOUR, reminders.round),
        Chore("domains", _ONE_HOUR, partial(domain_recheck.queue_due, services)),
        Chore("deleted", _ONE_HOUR, partial(_tidy, services, database)),
        Chore("share", HEARTBEAT_INTERVAL, partial(_share_writes, services)),
    )


def _beside_engine(
    settings: Settings, services: Services, roles: Roles, rules: OwnerRules, webhooks: tuple[WebhookEndpoint, ...]
) -> tuple[Chores, ...]:
    """The regular work of a worker on threads beside the engine's, which says that this process lives."""
    sessions, engine, texts, stopping = services.sessions, services.engine, services.texts, Event()
    admins = AdminEmails(
        records=services, contact=settings.contact, server=services.server, administrators=roles.administrators
    )
    campaigns = CampaignEmails(records=services, texts=texts, rules=rules, owner=rules.owner)
    erasures = Erasures(records=services, engine=engine, years=settings.retention_years)
    mail = (
        Chore("old-mail", _ONE_HOUR, partial(mail_sender.purge, sessions, services.clock)),
        Chore("notifications", admin_emails.NEWS_INTERVAL, admins.round),
        Chore("campaigns", campaign_emails.WRITE_INTERVAL, campaigns.write),
        Chore("erasures", erasure.SHRED_INTERVAL, erasures.shred),
    )
    # Without endpoints it forgets how far it came: one that is added later begins with what is new then.
    news = endpoints.NEWS_INTERVAL if webhooks else _ONE_HOUR
    follow_log = Chore("webhooks-log", news, Webhooks(endpoints=webhooks, records=services).follow_log)
    # The pause between two lots lets a delivery in.
    retention = Retention(sessions, services.clock, pause=lambda: not stopping.wait(0.05))
    purge = Chore("retention", purge_rounds.PURGE_INTERVAL, retention.round)
    return (
        Chores(mail, name="mail"),
        Chores([follow_log], name="webhooks", at_once=True),
        Chores([purge], name="retention", stopping=stopping),  # There may be many rows.
        startup.party_chores(settings, sessions, services.vault, texts, engine),
    )


def _share_writes(services: Services) -> None:
    """Take this worker's part of the writes that GitHub lets an installation make."""
    services.hub.share_writes(services.engine.workers())


def _queue_audits(services: Services) -> None:
    from bot.flows.licenses import night_schedule  # noqa: PLC0415 - an hour after the start

    night_schedule.queue(services)


def _tidy(services: Services, database: Database) -> None:
    vacuum.truncate(database)  # SQLite's log keeps what was deleted without an erasure.
    erasure_completion.destroy_keys(services)
