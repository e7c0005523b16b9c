"""Compose: both files fit the format, every service is confined, and its settings are ours."""

import base64
import hashlib
import hmac
import os
import re
import subprocess
from urllib.parse import urlsplit

import psycopg
import pytest
import yaml

from bot import db
from bot.jobs.durable import DurableEngine
from bot.settings import NAMES, SettingsInvalid, load
from tests.deploy.tools import DEPLOY, node_module, run, tool

FOLDER = DEPLOY / "compose"
FILES = {file.name: yaml.safe_load(file.read_text(encoding="utf-8")) for file in FOLDER.glob("compose*.yaml")}
SERVICES = {(file, name): service for file, said in FILES.items() for name, service in said["services"].items()}


@pytest.mark.slow
def test_the_linter_finds_nothing():
    command = [*node_module("dclint/bin/dclint.cjs"), FOLDER, "--recursive", "--config", FOLDER / ".dclintrc.json"]
    done = subprocess.run([*command, "--max-warnings", "0"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("file", "name"), SERVICES, ids="/".join)
def test_every_service_is_confined(file, name):
    service = SERVICES[file, name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert {"mem_limit", "cpus", "pids_limit", "restart"} <= set(service)
    assert service["logging"]["options"]["max-size"]
    assert "privileged" not in service
    assert int(service["user"].partition(":")[0]) > 0
    assert set(service.get("cap_add", [])) <= {"NET_BIND_SERVICE"}
    if "COUNTERSIGN_IMAGE" not in service["image"]:
        assert re.fullmatch(r"docker\.io/(?:library|prom)/\w+:[\w.-]+@sha256:[0-9a-f]{64}", service["image"])


@pytest.mark.parametrize("file", FILES)
def test_only_the_proxy_is_reached_from_outside(file):
    ports = [port for (of, _), service in SERVICES.items() if of == file for port in service.get("ports", [])]

    assert sorted(port for port in ports if not port.startswith("127.0.0.1:")) == ["443:443", "80:80"]
    if "postgresql" in FILES[file]["services"]:
        assert FILES[file]["services"]["postgresql"]["networks"] == ["database"]
        assert FILES[file]["networks"]["database"]["internal"] is True


@pytest.mark.parametrize(("file", "name"), [key for key in SERVICES if "COUNTERSIGN_IMAGE" in SERVICES[key]["image"]])
def test_settings_are_ours_and_their_files_are_mounted(file, name):
    service = SERVICES[file, name]
    settings = {
        variable: value for variable, value in service["environment"].items() if not variable.startswith("OTEL_")
    }
    mounted = [volume.split(":")[1] for volume in service["volumes"]]

    assert [
        setting for setting in settings if setting not in NAMES and setting.removesuffix("_FILE") not in NAMES
    ] == []
    assert [
        path
        for variable, path in settings.items()
        if variable.endswith("_FILE") and not any(path.startswith(f"{folder}/") for folder in mounted)
    ] == []


@pytest.mark.parametrize("file", sorted(FOLDER.glob("prometheus*.yaml")), ids=lambda file: file.name)
def test_prometheus_takes_its_configuration_and_rules(file, tmp_path):
    (tmp_path / "rules.yaml").write_text((DEPLOY / "monitoring/rules.yaml").read_text())
    (tmp_path / "prometheus.yaml").write_text(file.read_text())

    run(tool("promtool"), "check", "config", "prometheus.yaml", cwd=tmp_path)
    assert file.name in (FOLDER / file.name.replace("prometheus", "compose", 1)).read_text()


def test_the_single_process_misses_no_setting(tmp_path):
    service = SERVICES["compose.yaml", "countersign"]
    example = (FOLDER / "countersign.env.example").read_text(encoding="utf-8")
    environment = dict(
        line.replace("'", "").split("=", 1) for line in example.splitlines() if line and not line.startswith("#")
    )
    environment |= {name: "" if value.startswith("${") else value for name, value in service["environment"].items()}
    contents = {
        "private-key.pem": "-----BEGIN PRIVATE KEY-----",
        "smtp-url": "smtp://mail.example.org:587",
        "database-url": "sqlite:////var/lib/countersign/countersign.db",
    }
    for name, path in environment.items():
        if path.startswith("/run/secrets/"):
            file = tmp_path / path.rpartition("/")[2]
            file.write_text(contents.get(file.name, "x"))
            environment[name] = str(file)

    try:
        settings = load(environment, serving=True)
    except SettingsInvalid as invalid:
        pytest.fail(str(invalid))
    assert settings.proxies == 1
    volumes = [volume.split(":")[1] for volume in service["volumes"]]
    assert [folder for folder in ("/run/secrets", str(settings.database_file.parent)) if folder not in volumes] == []
    assert settings.erasure_keys_file is not None
    assert settings.administrators
    assert settings.mail_from


@pytest.fixture(name="engine_prepared")
def _engine_prepared(postgres_url):
    """The job queue's tables are there, as `countersign migrate` leaves them."""
    engine = db.open_engine(postgres_url)
    DurableEngine(engine, executor_id="migrate").prepare()
    engine.dispose()


def stored_key(password, verifier):
    """What SCRAM keeps of a password under the salt of a verifier of PostgreSQL's, and what that verifier keeps."""
    _, parameters, keys = verifier.split("$")
    rounds, salt = parameters.split(":")
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(salt), int(rounds))
    client = hmac.digest(salted, b"Client Key", "sha256")
    return hashlib.sha256(client).digest(), base64.b64decode(keys.split(":")[0])


def test_the_role_of_the_replicas_gets_its_rights_and_password(postgres_url, engine_prepared, tmp_path):
    script = SERVICES["compose.postgresql.yaml", "roles"]["command"][0]
    (tmp_path / "owner-password").write_text("any")
    (tmp_path / "app-password").write_text("it's a 'secret'\n")
    script = script.replace("$$", "$").replace("/run/secrets", str(tmp_path))
    script = script.replace("/etc/countersign/postgresql-roles.sql", str(DEPLOY / "postgresql-roles.sql"))
    address = urlsplit(postgres_url)
    place = {
        "PGHOST": address.hostname,
        "PGPORT": str(address.port),
        "PGUSER": "countersign",
        "PGDATABASE": address.path[1:],
    }
    for _ in ("the first time", "an upgrade"):
        done = subprocess.run(
            ["/bin/sh", "-ec", script], env={"PATH": os.defpath, **place}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    with psycopg.connect(postgres_url) as connection:
        row = connection.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'countersign_app'").fetchone()
        can = connection.execute("SELECT has_table_privilege('countersign_app', 'signature', 'UPDATE')").fetchone()
    ours, kept = stored_key("it's a 'secret'", row[0])
    assert ours == kept
    assert can == (False,)
