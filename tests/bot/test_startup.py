"""Before serving, every wrong thing is one line that says what to do."""

import socket
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from sqlalchemy import inspect, make_url
from structlog.testing import capture_logs

import migrations
from agreements.catalog import AgreementText
from agreements.facts import Account
from agreements.store.integrity.upgrade import WITHOUT_LOG
from agreements.store.ledger import stored_ledger
from agreements.store.people import person_rows, texts
from agreements.store.tables.records import Campaign
from agreements.vault import KeyRing, Vault
from bot import clock, db, startup
from bot.demo.servers import DemoServers
from bot.secret import Secret
from bot.server.database_wait import DatabaseAway
from bot.settings import Settings
from bot.store import owners
from tests.bot.pdf.pdf_files import certificate_pem, key_pem
from tests.conftest import free_port
from tests.within import within


@pytest.fixture(name="stage")
def _stage(tmp_path):
    """A small GitHub that knows our App, and settings that fit it."""
    with DemoServers(tmp_path / "stage", port=free_port(), github_port=free_port()) as stage:
        boss = stage.world.user("boss")
        community = stage.world.organization("cann", admins=[boss])
        for team in ("cla-admins", "cla-auditors"):
            stage.world.team(community, team, [boss])
        stage.world.install(stage.app, community, boss)
        yield stage


def one_line(problem):
    """The problem, which is one line without a traceback."""
    assert problem
    assert "\n" not in problem
    assert "Traceback" not in problem
    return problem


@pytest.mark.slow
def test_a_process_that_is_web_and_worker_migrates_at_its_start(stage):
    with capture_logs() as said:
        assert startup.check(stage.settings, "all") is None
    applied = [line["revision"] for line in said if line["event"] == "migration.applied"]
    assert (applied[0], applied[-1], len(applied)) == ("0001", migrations.newest(), len(set(applied)))

    engine = db.open_engine(stage.settings.database_url)
    assert migrations.current(engine) == migrations.newest()
    engine.dispose()
    with capture_logs() as said:
        assert startup.check(stage.settings, "all") is None, "and again"
    assert said == []


@pytest.mark.slow
def test_a_database_file_that_others_could_read_is_corrected_or_told(stage, monkeypatch):
    assert startup.check(stage.settings, "all") is None
    file = stage.settings.database_file
    file.chmod(0o640)
    said = []
    assert startup.check(stage.settings, "all", said.append) is None
    assert said == [f"{file} could be used by other accounts of this machine (640): its rights are 600 now"]
    assert file.stat().st_mode & 0o777 == 0o600

    def refused(*_about):
        raise PermissionError

    file.chmod(0o644)
    monkeypatch.setattr(Path, "chmod", refused)
    assert startup.check(stage.settings, "all", said.append) is None
    assert said[1].endswith("(644): set its rights to 600, which this account may not do")


@pytest.mark.slow
def test_the_file_of_erasure_keys_is_made_or_nothing_is_served(stage, tmp_path):
    file = tmp_path / "erasure-keys"
    assert startup.check(replace(stage.settings, erasure_keys_file=file), "all") is None
    assert file.stat().st_mode & 0o777 == 0o600
    nowhere = replace(stage.settings, erasure_keys_file=tmp_path / "no" / "where")
    assert one_line(startup.check(nowhere, "all")).startswith("COUNTERSIGN_ERASURE_KEYS_FILE: cannot use ")


@pytest.mark.slow
def test_a_file_with_deleted_rows_of_earlier_releases_is_rewritten(stage, monkeypatch):
    assert startup.check(stage.settings, "all") is None
    with closing(sqlite3.connect(stage.settings.database_file)) as connection, connection:
        connection.execute("PRAGMA user_version=0")
        assert startup.check(stage.settings, "all") is None
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        connection.execute("PRAGMA user_version=0")
        connection.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(db, "_BUSY_SECONDS", 0)
        said = []
        engine = db.open_engine(stage.settings.database_url)
        startup._deleted(engine, stage.settings, said.append)
        engine.dispose()
    assert "database is locked" in one_line(said[0])
    assert said[0].endswith("run `countersign migrate`")


@pytest.mark.slow
def test_records_without_a_log_are_not_served(stage):
    """The log may have been taken away."""
    assert startup.check(stage.settings, "all") is None
    engine = db.open_engine(stage.settings.database_url)
    with db.sessions(engine)() as session:
        at = datetime(2026, 11, 21, tzinfo=UTC)
        session.add(Campaign(id="c", agreement="icla", version="2.0", until=at, started_at=at, started_by=90))
    engine.dispose()

    assert startup.check(stage.settings, "all") == WITHOUT_LOG


@pytest.mark.slow
def test_the_key_ring_of_another_database_is_refused(stage):
    other = replace(stage.settings, keys=Secret(KeyRing.generate("stage")))
    assert startup.check(stage.settings, "all") is None
    assert startup.check(other, "all") is None
    engine = db.open_engine(stage.settings.database_url)
    with db.sessions(engine)() as session:
        vault = Vault(KeyRing.parse(stage.settings.keys.reveal()))
        person_rows.ensure(within(session, vault, datetime(2026, 11, 21, tzinfo=UTC), "p1"), Account(11, "ada"))
    engine.dispose()

    assert one_line(startup.check(other, "all")).startswith("COUNTERSIGN_KEYS opens nothing in this database")
    assert startup.check(stage.settings, "all") is None


@pytest.mark.parametrize("ring", ["nonsense", "k1:short", "k1:" + "A" * 43 + "=\nk1:" + "A" * 43 + "="])
def test_wrong_keys_are_named_and_not_shown(stage, ring):
    problem = one_line(startup.check(replace(stage.settings, keys=Secret(ring)), "all"))

    assert problem.startswith("COUNTERSIGN_KEYS: ")
    assert "AAAA" not in problem


@pytest.mark.slow
def test_a_wrong_rulebook_is_told_with_file_and_line(stage, tmp_path):
    file = tmp_path / "rules.yml"
    settings = replace(stage.settings, rulebook_path=file)
    assert one_line(startup.check(settings, "all")) == (
        f"COUNTERSIGN_RULEBOOK: cannot read {file}: No such file or directory"
    )
    file.write_bytes(b"\xff\xfe")
    assert one_line(startup.check(settings, "all")) == f"COUNTERSIGN_RULEBOOK: cannot read {file}: not UTF-8 text"
    file.write_text("version: 1\npeople: {exmpt: []}\n", encoding="utf-8")
    assert one_line(startup.check(settings, "all")) == (
        f"COUNTERSIGN_RULEBOOK: {file}, line 2: people.exmpt: unknown key, did you mean exempt?"
    )
    file.write_text("version: 1\npeople: {exmpt: []}\ndcoo: {}\nlabel: {}\n", encoding="utf-8")
    assert one_line(startup.check(settings, "all")) == (
        f"COUNTERSIGN_RULEBOOK: {file}, line 2: people.exmpt: unknown key, did you mean exempt?"
        f" (and 2 more: countersign rulebook check {file})"
    )
    file.write_text("version: 1\n", encoding="utf-8")
    assert startup.check(settings, "all") is None


def test_a_wrong_mail_server_is_told_without_its_password(stage):
    settings = replace(
        stage.settings, smtp_url=Secret("smtp://user:pass/word@mail.example.org"), mail_from="a@b.example"
    )
    said = one_line(startup.check(settings, "all"))

    assert said.startswith("COUNTERSIGN_SMTP_URL: must ")
    assert "word" not in said.replace("password", "")


def test_wrong_webhooks_are_told_with_file_and_line(stage, tmp_path):
    file = tmp_path / "webhooks.yml"
    settings = replace(stage.settings, webhooks_path=file)
    assert one_line(startup.check(settings, "all")) == (
        f"COUNTERSIGN_WEBHOOKS: cannot read {file}: No such file or directory"
    )
    file.write_text("webhooks:\n  chat: {url: 'http://hooks.example.org/T0K3N', secret: 'x', events: [signed]}\n")
    said = one_line(startup.check(settings, "all"))
    assert said.startswith(f"COUNTERSIGN_WEBHOOKS: {file}, line 2: webhooks.chat: url must begin with https://")
    assert "T0K3N" not in said


@pytest.mark.usefixtures("pades")
def test_a_certificate_for_pdfs_that_cannot_sign_is_told_and_its_key_is_not_shown(stage):
    now = clock.now()
    expired = certificate_pem(begin=now - timedelta(days=9), end=now - timedelta(days=1))
    for certificate, key, told in (
        (
            expired,
            key_pem(),
            f"valid from {now - timedelta(days=9):%Y-%m-%d} to {now - timedelta(days=1):%Y-%m-%d} only",
        ),
        ("Kanarienvogel", key_pem(), "not a PEM certificate"),
        ("", key_pem(), "belong together"),
        (certificate_pem(), Secret("-----BEGIN PRIVATE KEY-----Kanarienvogel"), "COUNTERSIGN_PDF_KEY is no PEM"),
    ):
        problem = one_line(startup.check(replace(stage.settings, pdf_certificate=certificate, pdf_key=key), "all"))
        assert problem.startswith("COUNTERSIGN_PDF_CERTIFICATE: ")
        assert told in problem
        assert "Kanarienvogel" not in problem


def test_a_wrong_logo_is_told_with_its_file(stage, tmp_path):
    settings = replace(stage.settings, logo=tmp_path / "logo.svg")

    assert one_line(startup.check(settings, "all")) == (
        f"COUNTERSIGN_LOGO: cannot read {tmp_path / 'logo.svg'}: No such file or directory"
    )


def test_every_unreadable_setting_is_told_at_once(tmp_path):
    file = tmp_path / "rules.yml"
    file.write_text("version: 2\n", encoding="utf-8")
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    ).decode()  # fmt: skip
    settings = Settings(keys=Secret("x"), private_key=Secret(key), rulebook_path=file)

    assert [one_line(problem).partition(":")[0] for problem in startup.unreadable(settings, "web")] == [
        "COUNTERSIGN_KEYS",
        "COUNTERSIGN_PRIVATE_KEY",
        "COUNTERSIGN_RULEBOOK",
        "--role web needs PostgreSQL",
    ]
    assert startup.unreadable(Settings(), "all") == ()


@pytest.mark.parametrize(
    ("url", "ends"),
    [
        ("sqlite:////nowhere/at/all.db", " (/nowhere/at/all.db): correct COUNTERSIGN_DATABASE_URL"),
        (
            "postgresql://u:hunter2@127.0.0.1:9/x?connect_timeout=1",
            ": start the database, or correct COUNTERSIGN_DATABASE_URL",
        ),
    ],
)
def test_an_unreachable_database_is_told_without_its_password(stage, url, ends):
    problem = one_line(startup.check(replace(stage.settings, database_url=url), "all"))

    assert problem.startswith("the database cannot be used: ")
    assert problem.endswith(ends)
    assert "hunter2" not in problem


@pytest.mark.parametrize("role", ["web", "worker"])
def test_a_replica_waits_only_for_a_database_that_may_still_come(stage, postgres_url, role):
    def settings(url):
        return replace(stage.settings, database_url=url)

    closed = make_url(postgres_url).set(host="127.0.0.1", port=free_port())
    with pytest.raises(DatabaseAway, match="the database cannot be used: "):
        startup.check(settings(closed.render_as_string(hide_password=False)), role)
    with pytest.raises(DatabaseAway):
        startup.check(settings("postgresql://x@no-such-host.invalid/x"), role)
    wrong = make_url(postgres_url).set(database="no-such-database")
    assert "does not exist" in one_line(startup.check(settings(wrong.render_as_string(hide_password=False)), role))
    wrong = make_url(postgres_url).set(username="no-such-role")
    assert "does not exist" in one_line(startup.check(settings(wrong.render_as_string(hide_password=False)), role))
    assert "sslmode" in one_line(startup.check(settings(f"{postgres_url}?sslmode=perhaps"), role))


def test_a_rulebook_is_checked_without_its_database(stage, tmp_path):
    file, nowhere = tmp_path / "rules.yml", f"postgresql://x@127.0.0.1:{free_port()}/x"
    settings = replace(stage.settings, rulebook_path=file, database_url=nowhere)
    file.write_text("version: 1\nagreements: {individual: {text: icla, version: '3.0'}}\n", encoding="utf-8")
    assert startup.unreadable(settings, "web") == ()
    file.write_text("version: 1\npeeple: {}\n", encoding="utf-8")
    assert "peeple" in one_line(startup.unreadable(settings, "web")[0])


@pytest.mark.parametrize("role", ["web", "worker"])
def test_two_processes_need_postgresql(stage, role):
    assert one_line(startup.check(stage.settings, role)) == (
        f"--role {role} needs PostgreSQL: set COUNTERSIGN_DATABASE_URL=postgresql://…"
    )


@pytest.mark.slow
@pytest.mark.from_nothing
def test_replicas_leave_the_schema_to_migrate(stage, postgres_url):
    settings = replace(stage.settings, database_url=postgres_url)
    assert one_line(startup.check(settings, "web")) == ("the database has an older schema: run countersign migrate")
    engine = db.open_engine(postgres_url)
    assert not inspect(engine).has_table("pull")
    migrations.upgrade(engine)
    engine.dispose()

    assert startup.check(settings, "web") is None


@pytest.mark.parametrize("role", ["all", "web", "worker"])
def test_this_release_starts_beside_the_schema_of_a_later_one(stage, postgres_url, role):
    settings, engine = replace(stage.settings, database_url=postgres_url), db.open_engine(postgres_url)
    for oldest, problem in ((migrations.newest(), None), ("9001", migrations.NEWER)):
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9001'")
            connection.exec_driver_sql(f"UPDATE schema_floor SET oldest = '{oldest}'")
        assert startup.check(settings, role) == problem
    assert migrations.current(engine) == "9001"
    engine.dispose()


def test_a_text_that_is_no_private_key_is_told_and_not_shown(stage):
    broken = Secret("-----BEGIN PRIVATE KEY-----\nnot a key\n-----END PRIVATE KEY-----")
    problem = one_line(startup.check(replace(stage.settings, private_key=broken), "all"))
    assert problem.startswith("COUNTERSIGN_PRIVATE_KEY: the private key is not an RSA key in PEM format")
    assert "not a key" not in problem


@pytest.mark.slow
def test_the_start_does_not_ask_github(stage):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        nowhere = f"http://127.0.0.1:{silent.getsockname()[1]}/api/v3"
        said = []
        settings = replace(stage.settings, github_api_url=nowhere, accounts=("cann", "Nobody-Here"))
        assert startup.check(settings, "all", said.append) is None
        silent.settimeout(0)
        with pytest.raises(BlockingIOError):
            silent.accept()
    assert said == []


@pytest.mark.slow
def test_an_unreviewed_agreement_is_one_line_and_no_obstacle(stage):
    said, source = [], "> **Template for counsel to review.**\n\n# Ours\n"
    file = stage.folder / "rules.yml"
    file.write_text("version: 1\nrepositories: [{match: ['*'], require: dco}]\n", encoding="utf-8")
    settings = replace(stage.settings, rulebook_path=file)
    assert startup.check(settings, "all", said.append) is None
    assert said == []

    file.write_text("version: 1\nrepositories: [{match: ['*'], require: cla}]\n", encoding="utf-8")
    engine = db.open_engine(settings.database_url)
    with db.sessions(engine)() as session:
        own, at = (
            AgreementText("own", "1.0", "en", source, sha256(source.encode()).hexdigest()),
            datetime(2026, 11, 21, tzinfo=UTC),
        )
        rows = texts.release(session, [own], by=90, at=at)
        change = stored_ledger.Change(kind="text.released", actor_id=90, subject=stored_ledger.SERVER, rows=rows)
        within(session, Vault(KeyRing.parse(settings.keys.reveal())), at, "t1").append(change)
    assert startup.check(settings, "all", said.append) is None
    assert said == [
        f"{text} says that it is a template for counsel to review: release your own version before anyone signs it"
        for text in ("icla 2.0 (en, zh)", "ccla 2.0 (en, zh)", "own 1.0 (en)")
    ]

    with db.sessions(engine)() as session:
        owners.remember_rules(session, 7, file.read_text(), valid=True, at=datetime(2026, 11, 21, tzinfo=UTC))
    engine.dispose()
    from_github, said = said, []
    assert startup.check(stage.settings, "all", said.append) is None
    assert said == from_github


def test_a_wrong_setting_leaves_the_database_untouched(stage):
    startup.check(replace(stage.settings, keys=Secret("x")), "all")

    assert not (stage.folder / "countersign.db").exists()


def test_a_rulebook_that_names_a_text_of_the_portal_needs_its_database(tmp_path):
    file, source = tmp_path / "rules.yml", "# Ours\n"
    file.write_text("version: 1\nagreements: {individual: {text: icla, version: '3.0'}}\n", encoding="utf-8")
    settings = Settings(rulebook_path=file, database_url=f"sqlite:///{tmp_path / 'x.db'}")
    said = (
        f"COUNTERSIGN_RULEBOOK: {file}, line 2: agreements.individual.version: icla 3.0 was not released; choose from 2.0",
    )
    assert startup.unreadable(settings, "all") == said
    engine = db.open_engine(settings.database_url)
    assert startup.unreadable(settings, "all") == said, "there is no table yet"
    migrations.upgrade(engine)
    with db.sessions(engine)() as session:
        digest = sha256(source.encode()).hexdigest()
        at = datetime(2026, 11, 21, tzinfo=UTC)
        texts.release(session, [AgreementText("icla", "3.0", "en", source, digest)], by=90, at=at)
    engine.dispose()

    assert startup.unreadable(settings, "all") == ()


@pytest.mark.slow
@pytest.mark.parametrize(("content", "why"), [("{", "it is not JSON in UTF-8"), (None, "Is a directory")])
def test_licence_data_that_cannot_be_used_is_told_and_the_server_starts(stage, tmp_path, content, why):
    file = tmp_path / "data.json"
    settings, said = replace(stage.settings, license_data=file), []
    assert startup.check(settings, "all", said.append) is None
    assert said == []
    file.mkdir() if content is None else file.write_text(content, encoding="utf-8")
    assert startup.check(settings, "all", said.append) is None

    [line] = said
    assert one_line(line).startswith(f"COUNTERSIGN_LICENSE_DATA: {file} cannot be used: {why}: remove it, or run ")
