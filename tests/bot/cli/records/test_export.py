"""`export` writes a file that only its owner may read, complete or not at all."""

import json
import shlex
import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from agreements.facts import Account
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.cli.records.export import command
from bot.settings import for_child
from tests.drafts import signature_draft
from tests.within import within

pytestmark = pytest.mark.sqlite_alone  # tests/bot/records/test_export_files.py uses both kinds


def run(url, *arguments, keys="generate"):
    ring = KeyRing.generate("k1") if keys == "generate" else keys
    return CliRunner().invoke(command, list(arguments), env={"COUNTERSIGN_DATABASE_URL": url, "COUNTERSIGN_KEYS": ring})


def test_the_file_is_private_to_its_owner_and_replaces_an_older_one(engine, database_url, tmp_path):
    out = tmp_path / "out" / "all.json"
    out.parent.mkdir()
    out.write_text("old")
    result = run(database_url, "--out", str(out))

    assert (result.exit_code, result.stdout) == (0, "")
    assert "personal data" in result.stderr
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert json.loads(out.read_text())["tables"]["person"] == []
    assert list(out.parent.iterdir()) == [out]


def test_standard_output_is_json_or_a_zip_of_csv(engine, database_url):
    first = run(database_url)
    assert (first.exit_code, first.stderr, first.exception) == (0, "", None)
    assert json.loads(first.stdout)["countersign_export"] == 2
    assert run(database_url, "--format", "csv").stdout_bytes.startswith(b"PK")


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_missing_key_is_one_line_and_leaves_no_file(engine, database_url, tmp_path, form):
    ring = KeyRing.generate("k1")
    with db.sessions(engine)() as session:
        vault = Vault(KeyRing.parse(KeyRing.generate("k0")))
        person_rows.ensure(within(session, vault, clock.now(), "p"), Account(11, "ada"))
        person_rows.ensure(within(session, Vault(KeyRing.parse(ring)), clock.now(), "b"), Account(12, "bo"))
        proven = ProvenAddress(address="a@x.org", how="mailed-code", at=clock.now())
        emails.prove(within(session, vault, new_id="q"), person_rows.find(session, 11), proven)
    folder = tmp_path / "out"
    folder.mkdir()
    result = run(database_url, "--format", form, "--out", str(folder / "all"), keys=ring)

    assert (result.exit_code, result.stdout, list(folder.iterdir())) == (2, "", [])
    assert result.stderr.startswith("countersign: the key that encrypted this is not in the key ring: add the key ")
    assert result.stderr.count("\n") == 1


@pytest.fixture(name="beside")
def _beside(engine, tmp_path, monkeypatch):
    """A text of our own beside the rulebook; a person has signed it."""
    folder = tmp_path / "book" / "texts"
    (folder / "own" / "1.0").mkdir(parents=True)
    (folder / "own" / "1.0" / "en.md").write_text("# Ours\n", encoding="utf-8")
    digest = sha256(b"# Ours\n").hexdigest()
    (folder / "SHA256SUMS").write_text(f"{digest}  own/1.0/en.md\n", encoding="utf-8")
    (folder.parent / "countersign.yml").touch()
    monkeypatch.setenv("COUNTERSIGN_RULEBOOK", str(folder.parent / "countersign.yml"))
    ring = KeyRing.generate("k1")
    vault = Vault(KeyRing.parse(ring))
    draft = signature_draft(agreement="own", version="1.0", source_sha256=digest)
    with db.sessions(engine)() as session:
        person = person_rows.ensure(within(session, vault, clock.now(), "p"), Account(11, "ada"))
        signatures.add(within(session, vault, clock.now(), "s"), person, draft, receipt="R")
    return folder, ring


def test_a_text_beside_the_rulebook_is_exported(database_url, beside):
    _, ring = beside
    (text,) = json.loads(run(database_url, keys=ring).stdout)["tables"]["signed_text"]
    assert (text["agreement"], text["version"], text["source"]) == ("own", "1.0", "# Ours\n")


def test_a_changed_text_is_named_and_nothing_exported(database_url, beside):
    folder, ring = beside
    (folder / "own" / "1.0" / "en.md").write_text("# Other\n", encoding="utf-8")
    result = run(database_url, keys=ring)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("countersign: the agreement texts are not as released: texts/own/1.0/en.md: ")


def test_texts_that_are_left_out_by_mistake_stop_the_export(database_url, beside):
    folder, ring = beside
    (folder / "SHA256SUMS").unlink()
    for said in ("the agreement texts are not as released: texts/SHA256SUMS: cannot be read", "COUNTERSIGN_RULEBOOK: "):
        result = run(database_url, keys=ring)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert result.stderr.startswith(f"countersign: {said}")
        (folder.parent / "countersign.yml").unlink(missing_ok=True)


def test_wrong_input_exits_with_2_in_one_line(engine, database_url, tmp_path):
    for arguments, keys, url in (
        (["--out", str(tmp_path / "no" / "x")], "generate", database_url),
        ([], "", database_url),
        ([], "generate", f"sqlite:///{tmp_path / 'none.db'}"),
    ):
        result = run(url, *arguments, keys=keys)
        assert result.exit_code == 2
        assert result.stderr.startswith("countersign: ")
        assert result.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("form", ["json", "csv"])
@pytest.mark.parametrize(("closed", "why"), [(False, "No space left on device"), (True, "it is closed")])
def test_an_output_that_cannot_be_written_exits_with_2_in_one_line(engine, database_url, form, closed, why):
    settings = {"COUNTERSIGN_DATABASE_URL": database_url, "COUNTERSIGN_KEYS": KeyRing.generate("k1")}
    words = [sys.executable, "-m", "bot", "export", "--format", form]
    if closed:
        words = ["/bin/sh", "-c", f"{shlex.join(words)} >&-"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            words, env=for_child(settings), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (2, f"countersign: cannot write to standard output: {why}\n")
