"""A running deployment that is right, and the ways in which tests break it."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from aiosmtpd.smtp import AuthResult
from click.testing import CliRunner

from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.cli.doctor import command
from bot.demo import sample_data
from bot.demo.servers import DemoServers
from bot.records.erasure_keys import ErasureKeyFile
from bot.settings import NAMES
from bot.store import inbox
from tests import mail_server
from tests.conftest import free_port, missing
from tests.http_server import LoopbackServer, QuietHandler

NOTHING = dict.fromkeys(name + ending for name in NAMES for ending in ("", "_FILE"))
SCHEMA_0001 = "UPDATE alembic_version SET version_num = '0001'"
HELD = "import sqlite3,sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE'); print(1, flush=True); input()"


@dataclass
class Found:
    """What the doctor said."""

    grade: str
    items: dict
    seconds: float
    output: str

    def failed(self):
        """The ids of what does not pass."""
        return {name for name, check in self.items.items() if check["status"] in ("fail", "unknown")}


@dataclass
class House:
    """A running deployment that is right, beside its GitHub."""

    stage: DemoServers
    mail: mail_server.Desk
    folder: Path
    more: dict = field(default_factory=dict)

    def doctor(self, *arguments, **changed):
        """Run `countersign doctor` with these settings changed; "" takes a setting away."""
        environ = {**NOTHING, **self.stage.environment}
        environ |= {f"COUNTERSIGN_{name}": str(value) for name, value in changed.items()}
        begun = time.monotonic()
        asked = ["--format", "json", "--port", str(self.stage.port), *map(str, arguments)]
        ran = CliRunner(env=environ).invoke(command, asked)
        assert ran.exit_code in (0, 1), ran.output
        said = json.loads(ran.stdout)
        return Found(
            said["grade"], {check["id"]: check for check in said["items"]}, time.monotonic() - begun, ran.output
        )

    def copy(self, folder=None):
        """A copy of its database, and the setting that names it."""
        file = (folder or self.folder) / f"copy-{free_port()}.db"
        with (
            closing(sqlite3.connect(self.stage.settings.database_file)) as connection,
            closing(sqlite3.connect(file)) as two,
        ):
            connection.backup(two)
        file.chmod(0o600)
        return file, {"DATABASE_URL": f"sqlite:///{file}"}

    def changed(self, *statements):
        """A copy of its database on which these were executed."""
        file, setting = self.copy()
        with closing(sqlite3.connect(file)) as connection, connection:
            for statement in statements:
                connection.execute(statement)
        return setting


@contextmanager
def housed(folder, **settings):
    """A deployment with these settings, and its GitHub and mail server."""
    with ExitStack() as stack:
        desk = next(mails := mail_server.running(mail_server.Desk(), "smtp"))
        stack.callback(lambda: next(mails, None))
        extra = {"COUNTERSIGN_SMTP_URL": desk.url, "COUNTERSIGN_MAIL_FROM": "Countersign <cla@example.org>", **settings}
        stage = stack.enter_context(
            DemoServers(folder / "stage", port=free_port(), github_port=free_port(), settings=extra)
        )
        world = stage.world
        boss = world.user("boss", name="Bo", emails=["boss@example.org"])
        cann = world.organization("cann", admins=[boss])
        for team in ("cla-admins", "cla-auditors"):
            world.team(cann, team, [boss])
        repository = world.repository(cann, "ops")
        repository.required_checks["Countersign"] = stage.app.id
        stage.serve()
        installation = world.install(stage.app, cann, boss)
        world.hooks.drain()
        stage.stop()  # the teams can be seen since the App is installed
        stage.serve()
        made = House(stage, desk, folder, {"boss": boss, "cann": cann, "repository": repository, "in": installation})
        yield made


@contextmanager
def web(status=200, body=b"hello", tls=None, **headers):
    """A web server that is not ours; gives its address."""

    class Handler(QuietHandler):
        """Says the same to everything."""

        def do_GET(self):
            """Answer."""
            self.answer(status, body, headers)

        do_POST = do_GET

    server = LoopbackServer(Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    with server.running():
        yield f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}"


@contextmanager
def disk(house, megabytes):
    """A small disk of its own."""
    folder = house.folder / f"disk-{free_port()}"
    folder.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(made, capture_output=True, check=False).returncode:
        missing("mount", "only root may mount a tmpfs")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


# Each of these breaks one thing, gives the settings with which the doctor runs then, and mends it.


@contextmanager
def settings(_house, **changed):
    """With these settings."""
    yield changed


@contextmanager
def rows(house, *statements):
    """With a database in which that was done."""
    yield house.changed(*statements)


@contextmanager
def key_ring(house, text, mode=0o600):
    """With that in the file of the key ring; None leaves what is there."""
    file = house.folder / f"keys-{free_port()}"
    file.write_text(house.stage.settings.keys.reveal() if text is None else text)
    file.chmod(mode)
    yield {"KEYS_FILE": file}


@contextmanager
def people(house, *, erasure_file=None, ring=None):
    """With a database in which a person signed, under an erasure key where there is a file; then these settings."""
    file, setting = house.copy()
    keys = ErasureKeyFile(file.with_suffix(".erasure")) if erasure_file else None
    if keys:
        keys.make()
    engine = db.open_engine(f"sqlite:///{file}")
    with db.sessions(engine)() as session:
        vault = Vault(KeyRing.parse(house.stage.settings.keys.reveal()), erasure_keys=keys)
        sample_data.sign(session, vault, house.more["boss"], clock.now())
    engine.dispose()
    if ring:
        (house.folder / "ring").write_text(KeyRing.generate(ring))
        (house.folder / "ring").chmod(0o600)
        setting["KEYS_FILE"] = house.folder / "ring"
    if erasure_file:
        setting["ERASURE_KEYS_FILE"] = erasure_file
    yield setting


@contextmanager
def garbage(house):
    """With a file that is no database."""
    file = house.folder / "garbage.db"
    file.write_bytes(b"no database " * 1000)
    file.chmod(0o600)
    yield {"DATABASE_URL": f"sqlite:///{file}"}


@contextmanager
def held(house):
    """With a database that another process is writing."""
    file, setting = house.copy()
    with subprocess.Popen([sys.executable, "-c", HELD, file], stdin=-1, stdout=-1) as holder:
        holder.stdout.readline()
        try:
            yield setting
        finally:
            holder.kill()


@contextmanager
def read_only(house):
    """With a database on a disk that is mounted read-only."""
    with disk(house, 32) as folder:
        _, setting = house.copy(folder)
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        yield setting


@contextmanager
def full(house, *, left):
    """With so many megabytes left on the disk."""
    with disk(house, 32) as folder:
        _, setting = house.copy(folder)
        free = shutil.disk_usage(folder).free
        (folder / "other").write_bytes(bytes(free - int(left * 1_000_000)))
        yield setting


@contextmanager
def no_postgres(_house):
    """With a PostgreSQL that is not there."""
    yield {"DATABASE_URL": f"postgresql://countersign:hunter2@127.0.0.1:{free_port()}/countersign"}


@contextmanager
def other_postgres(house, url):
    """With that instead of the database, or the role, of a real PostgreSQL."""
    yield {"DATABASE_URL": url(house.more["postgres"])}


@contextmanager
def at_github(house, change, mend):
    """After that was changed at GitHub."""
    change(house)
    try:
        yield {}
    finally:
        mend(house)


@contextmanager
def webhook_answered(house, status):
    """After GitHub's newest webhook was answered so."""
    from dataclasses import replace

    newest = house.stage.world.hooks.log[-1]
    before = newest.attempts[-1]
    newest.attempts[-1] = replace(before, status=status)
    try:
        yield {}
    finally:
        newest.attempts[-1] = before


@contextmanager
def stopped(house):
    """After the server ended."""
    house.stage.stop()
    try:
        yield {}
    finally:
        house.stage.serve()


@contextmanager
def not_ready(house):
    """While the server that runs cannot use its database."""

    def execute(statement):
        with closing(sqlite3.connect(house.stage.settings.database_file, timeout=10)) as connection, connection:
            connection.execute(statement)

    with closing(sqlite3.connect(house.stage.settings.database_file)) as connection:
        (newest,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    execute(SCHEMA_0001)
    try:
        yield {}
    finally:
        execute(f"UPDATE alembic_version SET version_num = '{newest}'")


@contextmanager
def another_answers(house, **answer):
    """While another server answers at the public address."""
    with web(**answer) as address:
        yield {"URL": address}


@contextmanager
def self_signed(house):
    """While a server with a certificate of its own making answers there."""
    with web(tls=mail_server._certificate(mail_server.Desk())) as address:
        yield {"URL": address}


@contextmanager
def mail(house, scheme="smtp", user="", answers=(), **options):
    """With another mail server."""
    desk = mail_server.Desk(answers=dict(answers))
    if scheme == "smtps":
        options["ssl_context"] = mail_server._certificate(desk)
    next(mails := mail_server.running(desk, scheme, **options))
    try:
        yield {"SMTP_URL": desk.url.replace("://", f"://{user}")}
    finally:
        next(mails, None)


@contextmanager
def tls_at_none(house):
    """With TLS for a mail server that has none."""
    yield {"SMTP_URL": house.mail.url.replace("smtp:", "smtps:")}


def only_us(_server, _session, _envelope, _mechanism, data):
    """Let in who knows the password."""
    return AuthResult(success=data.password == b"right", handled=False)


@contextmanager
def delivery(house, ago, *, failed):
    """With a delivery that came so long ago."""
    file, setting = house.copy()
    engine = db.open_engine(f"sqlite:///{file}")
    with db.sessions(engine)() as session:
        inbox.store(session, [inbox.ReviewDelivery(guid="x", event="push", ids={})], at=clock.now() - ago)
        if failed:
            inbox.failed(session, "x")
    engine.dispose()
    yield setting


@contextmanager
def text_file(house, name, text):
    """With that file."""
    file = house.folder / f"file-{free_port()}.yml"
    file.write_text(text)
    file.chmod(0o600)
    yield {name: file}


def of(break_it, *arguments, **options):
    """How to break it."""
    return lambda house: break_it(house, *arguments, **options)


def without_events(house):
    """The App is not told of merge groups."""
    house.stage.app.events.remove("merge_group")


def with_events(house):
    """It is, again."""
    house.stage.app.events.append("merge_group")


def permission(level):
    """Changes what the App may do with checks."""
    return lambda house: house.stage.app.permissions.update(checks=level)


def hook_url(address):
    """Changes where GitHub sends webhooks; "" is right."""
    return lambda house: setattr(house.stage.app, "hook_url", address or f"{house.stage.url}/webhook")


def requirement(app):
    """Changes whether our App must set the required check; 0: no check is required."""

    def change(house):
        house.more["repository"].required_checks.pop("Countersign", None)
        if app:
            house.more["repository"].required_checks["Countersign"] = house.stage.app.id

    return change


def suspended(house):
    """The organisation has suspended the App."""
    house.stage.world.suspend(house.more["in"], house.more["boss"])


def unsuspended(house):
    """No longer."""
    house.more["in"].suspended_at = None
    house.stage.world.hooks.drain()


OLD = timedelta(minutes=30)
PLAIN_LOGIN = {"auth_require_tls": False, "authenticator": only_us}

TABLE = [
    ("a secret is missing", of(settings, CLIENT_SECRET=""), "settings.valid", "serve --help", "D"),
    ("a setting is misspelt", of(settings, ERASURE_KEY_FILE="/x"), "settings.known", "Correct the name", "B"),
    ("the database's address is none", of(settings, DATABASE_URL="postgresql://u:p@h:port/x"), "database.reachable", "COUNTERSIGN_DATABASE_URL", "D"),
    ("the rulebook is broken", of(text_file, "RULEBOOK", "version: ["), "settings.valid", "serve --help", "D"),
    ("the endpoints of webhooks are broken", of(text_file, "WEBHOOKS", "x"), "webhooks.endpoints", "'Outgoing webhooks' in the documentation", "D"),
    ("no administrators", of(settings, ADMIN_TEAM=""), "settings.administrators", "COUNTERSIGN_ADMIN_TEAM", "B"),
    ("an account that is not installed", of(settings, ACCOUNTS="cann, other"), "settings.accounts", "COUNTERSIGN_ACCOUNTS", "D"),
    ("the key ring is damaged", of(key_ring, "first:short"), "keys.ring", "keys generate", "D"),
    ("the key ring is public", of(key_ring, None, 0o644), "keys.private", "chmod 600", "C"),
    ("the key ring of another database", of(people, ring="stage"), "keys.fit", "COUNTERSIGN_KEYS_FILE", "D"),
    ("erasure keys are lost", of(people, erasure_file="/nowhere/keys"), "keys.erasure", "newest copy", "D"),
    ("the folder of erasure keys is missing", of(settings, ERASURE_KEYS_FILE="/nowhere/keys"), "keys.erasure", "folder that the server can write", "D"),
    ("no database file", of(settings, DATABASE_URL="sqlite:////nowhere/x.db"), "database.reachable", "countersign migrate", "D"),
    ("a file that is no database", garbage, "database.reachable", "COUNTERSIGN_DATABASE_URL", "D"),
    ("the database is held", held, "database.writable", "fuser", "D"),
    ("the disk is read-only", read_only, "database.reachable", "mounted read-only", "D"),
    ("the disk is full", of(full, left=0.1), "database.writable", "Make room", "D"),
    ("the disk is nearly full", of(full, left=2), "database.space", "Make room", "C"),
    ("an older schema", of(rows, SCHEMA_0001), "database.schema", "countersign migrate", "D"),
    ("records without a log", of(rows, "INSERT INTO campaign (id, agreement, version, until, started_at, started_by) VALUES ('c', 'icla', '2.0', '2026-11-21', '2026-11-21', 90)"), "database.log", "Restore a backup", "D"),
    ("PostgreSQL is stopped", no_postgres, "database.reachable", "Start the PostgreSQL server", "D"),
    ("no such database", of(other_postgres, lambda url: f"{url}/nothing"), "database.reachable", "createdb", "D"),
    ("no such role", of(other_postgres, lambda url: f"{url.replace('countersign@', 'nobody@')}/postgres"), "database.reachable", "postgresql-roles.sql", "D"),
    ("another App's number", of(settings, APP_ID="4711"), "github.app", "private key", "D"),
    ("a permission is missing", of(at_github, permission("read"), permission("write")), "github.permissions", "checks|Permissions", "D"),
    ("an event is missing", of(at_github, without_events, with_events), "github.events", "Subscribe", "C"),
    ("the App is suspended", of(at_github, suspended, unsuspended), "settings.accounts", "unsuspend", "D"),
    ("a wrong client secret", of(settings, CLIENT_SECRET="0123456789"), "github.client-secret", "Generate a client secret", "D"),
    ("another client id", of(settings, CLIENT_ID="Iv1.0123456789"), "github.client-secret", "COUNTERSIGN_CLIENT_ID", "D"),
    ("webhooks go elsewhere", of(at_github, hook_url("https://old.example.org/webhook"), hook_url("")), "webhook.address", "webhook URL", "D"),
    ("another webhook secret", of(settings, WEBHOOK_SECRET="typo"), "webhook.secret", "same secret", "D"),
    ("webhooks are not answered", of(webhook_answered, 502), "webhook.answered", "proxy, firewall", "D"),
    ("the check is not required", of(at_github, requirement(0), requirement(1)), "github.ruleset", "ruleset", "B"),
    ("the server is stopped", stopped, "server.public", "COUNTERSIGN_URL", "D"),
    ("no server on this machine", stopped, "server.local", "countersign serve", "D"),
    ("the server is not ready", not_ready, "server.ready", "log", "D"),
    ("the address has no name", of(settings, URL="https://cla.nowhere.example"), "server.public", "DNS", "D"),
    ("another server answers", of(another_answers), "server.public", "Point the address", "D"),
    ("it redirects to another host", of(another_answers, status=302, Location="https://sso.example.org/?next=secret"), "server.public", "redirect", "D"),
    ("a proxy without a server", of(another_answers, status=502), "server.public", "point the proxy", "D"),
    ("a sign-in is asked for", of(another_answers, status=401), "server.public", "without a sign-in", "D"),
    ("another deployment answers", of(rows, "DELETE FROM key_holder"), "server.public", "'Two servers on one organisation' in the documentation", "D"),
    ("a wrong certificate", self_signed, "server.public", "certificate", "D"),
    ("no mail server there", of(settings, SMTP_URL="smtp://127.0.0.1:9"), "mail.login", "host and port", "C"),
    ("a wrong mail password", of(mail, user="us:wrong@", **PLAIN_LOGIN), "mail.login", "user and password", "C"),
    ("a mail server's certificate", of(mail, "smtps"), "mail.login", "certificate", "C"),
    ("no TLS at the mail server", tls_at_none, "mail.login", "smtps://", "C"),
    ("a sender that is refused", of(mail, answers={"sender": "550 5.7.1 no"}), "mail.login", "COUNTERSIGN_MAIL_FROM", "C"),
    ("deliveries wait", of(delivery, OLD, failed=False), "work.backlog", "worker is running", "C"),
    ("a delivery failed", of(delivery, OLD, failed=True), "work.failed", "countersign deliveries", "B"),
]  # fmt: skip
"""What is broken, how, the item that says so, words of the remedy, and the grade that is left."""
