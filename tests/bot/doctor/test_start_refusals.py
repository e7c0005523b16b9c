"""The doctor finds each refusal of `serve`: both lists are read from the code, so an addition to one alone shows."""

import ast
import inspect
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from agreements.vault import KeyRing, Vault
from bot import clock, startup
from bot.cli import serve
from bot.demo import sample_data
from bot.doctor import start_refusals
from bot.records.erasure_keys import ErasureKeyFile
from bot.settings import NAMES, load
from tests.bot.doctor.test_operation import NOON
from tests.conftest import free_port

NOTHING = dict.fromkeys(name + ending for name in NAMES for ending in ("", "_FILE"))


def test_each_reason_to_refuse_the_start_has_its_item():
    assert startup.REFUSALS.keys() == start_refusals.ITEMS.keys()


FOUND_BY = {
    "check": "calls the others",
    "unreadable": "settings.valid: the doctor calls it",
    "_refused": "settings.valid, by unreadable",
    "rulebook_problem": "settings.valid, by unreadable",
    "_catalog": "settings.valid, by unreadable",
    "_alone": "settings.valid, by unreadable",
    "_database": "database.schema, as the doctor calls migrations.problem; then it calls _records",
    "_records": "walks through REFUSALS, as the doctor does; then it makes the file of erasure keys",
}
"""Each function of `bot.startup` that can refuse, and the item that the doctor finds it by."""


def test_every_function_of_startup_that_refuses_is_in_the_table():
    found = {
        node.name
        for node in ast.walk(ast.parse(inspect.getsource(startup)))
        if isinstance(node, ast.FunctionDef)
        and node.returns is not None
        and ast.unparse(node.returns) in ("str | None", "tuple[str, ...]")
    }
    assert found - {"_license_data_warnings", "template_warnings"} == FOUND_BY.keys()


def test_every_refusal_of_the_serve_command_is_in_the_table():
    raised = [
        ast.unparse(node) for node in ast.walk(ast.parse(inspect.getsource(serve))) if isinstance(node, ast.Raise)
    ]
    assert sorted(raised) == ["raise CommandError(problem)", *["raise CommandError(str(error)) from None"] * 2]


def no_log(deployed):
    """Records without a log."""
    with closing(deployed.database.raw_connection()) as connection:
        connection.cursor().execute(
            "INSERT INTO campaign (id, agreement, version, until, started_at, started_by)"
            " VALUES ('c', 'icla', '2.0', '2026-11-21', '2026-11-21', 90)"
        )
        connection.commit()
    return {}


def changed_log(deployed):
    """A log of a release that made no codes; an attacker has changed its newest entry."""
    with deployed.sessions() as session:
        sample_data.sign(session, Vault(KeyRing.parse(deployed.keys.read_text())), deployed.boss, NOON)
    with closing(deployed.database.raw_connection()) as connection:
        for statement in (
            "DELETE FROM row_mac",
            "DROP TRIGGER ledger_entry_no_update",
            "UPDATE ledger_entry SET kind = 'campaign.ended'",
        ):
            connection.cursor().execute(statement)
        connection.commit()
    return {}


def foreign_ring(deployed):
    """Records, and another ring with a key of the same name."""
    with deployed.sessions() as session:
        sample_data.sign(session, Vault(KeyRing.parse(deployed.keys.read_text())), deployed.boss, NOON)
    deployed.keys.write_text(KeyRing.generate("first") + "\n")
    return {}


def lost_erasure_keys(deployed, file="gone"):
    """Records under erasure keys, and another file or none."""
    keys = ErasureKeyFile(deployed.folder / "erasure-keys")
    keys.make()
    with deployed.sessions() as session:
        ring = KeyRing.parse(deployed.keys.read_text())
        sample_data.sign(session, Vault(ring, erasure_keys=keys), deployed.boss, NOON)
    return {"ERASURE_KEYS_FILE": str(deployed.folder / file)} if file else {}


def other_erasure_keys(deployed):
    """A file that has no person's key."""
    ErasureKeyFile(deployed.folder / "other").make()
    return lost_erasure_keys(deployed, "other")


def forgotten_erasure_keys(deployed):
    """The setting is missing."""
    return lost_erasure_keys(deployed, "")


def no_folder(deployed):
    """No record needs the file yet, and the server could not make it."""
    return {"ERASURE_KEYS_FILE": str(deployed.folder / "no" / "where")}


def older_schema(deployed):
    """A web replica does not change it."""
    with closing(deployed.database.raw_connection()) as connection:
        connection.cursor().execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    return {}


@pytest.mark.parametrize(
    ("broken", "item"),
    [
        (no_log, "database.log"), (changed_log, "database.log-signed"), (foreign_ring, "keys.fit"), (lost_erasure_keys, "keys.erasure"), (other_erasure_keys, "keys.erasure"),
        (forgotten_erasure_keys, "keys.erasure"), (no_folder, "keys.erasure"),
        *[((lambda _deployed, name=name, value=value: {name: value}), "settings.valid") for name, value in (
            ("KEYS", "x"), ("PRIVATE_KEY", "-----BEGIN RSA PRIVATE KEY-----"), ("RULEBOOK", "/nowhere"), ("WEBHOOKS", "/nowhere"), ("LOGO", "/nowhere"),
            ("SMTP_URL", "smtp://h/x"), ("DATABASE_URL", "postgresql://u:p@h:port/x"), ("URL", ""), ("PROXIES", "many"),
        )],
    ],
)  # fmt: skip
def test_the_doctor_finds_each_refusal_of_serve_in_the_same_words(deployed, broken, item):
    changed = broken(deployed)
    if "KEYS" in changed:
        changed["KEYS_FILE"] = ""
    environ = {**deployed.environ, **{f"COUNTERSIGN_{name}": value for name, value in changed.items()}}
    files = sorted(deployed.folder.rglob("*"))
    status, message = deployed.item(item, **changed)
    assert [
        path for path in sorted(deployed.folder.rglob("*")) if path not in files and "test.db" not in path.name
    ] == []
    refused = CliRunner(env={**NOTHING, **environ}).invoke(serve.command, ["--port", str(free_port())])

    assert (refused.exit_code, status) == (2, "fail")
    said = refused.stderr.strip().splitlines()[-1].partition("countersign: ")[2]
    assert said[1:40] in message


def test_an_older_schema_is_migrated_only_by_a_process_that_is_web_and_worker(deployed):
    older_schema(deployed)
    settings = load(deployed.environ, serving=True)
    assert startup._database(settings, "web", print) is not None
    assert deployed.item("database.schema")[0] == "fail"


def test_a_role_that_needs_postgresql_fails_on_sqlite(deployed):
    deployed.options = replace(deployed.options, role="web")
    status, message = deployed.item("settings.valid")
    assert (status, "--role web needs PostgreSQL" in message) == ("fail", True)


def test_missing_erasure_keys_fail(deployed):
    file = ErasureKeyFile(deployed.folder / "erasure-keys")
    file.make()
    ring = KeyRing.parse(deployed.keys.read_text())
    other = deployed.world.user("other", emails=["other@example.org"])
    with deployed.sessions() as session:
        for who in (deployed.boss, other):
            sample_data.sign(session, Vault(ring, erasure_keys=file), who, clock.now())
    setting = {"ERASURE_KEYS_FILE": str(file.path)}
    assert deployed.item("keys.erasure", **setting)[0] == "pass"
    file.destroy([min(file.ids())])
    status, message = deployed.item("keys.erasure", **setting)
    assert (status, "lacks the erasure keys of 1 of the people" in message) == ("fail", True)


def test_an_erasure_key_file_that_is_mounted_by_itself_fails(deployed, monkeypatch, tmp_path):
    """A file that is a mount of its own cannot be replaced."""
    from bot.records import erasure_keys

    file = ErasureKeyFile(deployed.folder / "erasure keys")
    file.make()
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        f"36 35 98:0 /x {str(file.path.resolve()).replace(' ', chr(92) + '040')} rw - ext4 /dev/root rw\n"
    )
    assert deployed.item("keys.erasure", ERASURE_KEYS_FILE=str(file.path))[0] == "pass"
    monkeypatch.setattr(erasure_keys, "_MOUNTS", Path(mounts))
    status, message = deployed.item("keys.erasure", ERASURE_KEYS_FILE=str(file.path))
    assert (status, "mounted by itself" in message) == ("fail", True)
