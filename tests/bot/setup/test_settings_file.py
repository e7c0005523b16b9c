"""One settings file that a shell, systemd and compose read alike, and secrets that go to a store instead."""

import json
import subprocess

import pytest

from bot.settings import load
from bot.setup import settings_file

VALUES = {
    "COUNTERSIGN_URL": "https://cla.example.org",
    "COUNTERSIGN_MAIL_FROM": "The $CLA team <cla@example.org>",
    "COUNTERSIGN_CLIENT_SECRET": "s3cr'et",
    "COUNTERSIGN_DATABASE_URL": "postgresql://cs:p@h/cs",
}


def test_a_shell_reads_the_file_as_it_was_meant(tmp_path):
    file = tmp_path / "countersign.env"
    settings_file.write(file, VALUES)
    script = f'. {file}; printf \'%s\\n\' "$COUNTERSIGN_MAIL_FROM" "$COUNTERSIGN_CLIENT_SECRET_FILE"'
    mail, secret = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()

    assert (mail, secret) == (VALUES["COUNTERSIGN_MAIL_FROM"], str(tmp_path / "client-secret"))
    assert load(settings_file.read(file)).client_secret.reveal() == "s3cr'et"
    assert "postgresql" not in file.read_text()


def test_a_value_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ValueError, match="holds a quote"):
        settings_file.write(tmp_path / "countersign.env", {"COUNTERSIGN_MAIL_FROM": "O'Hara <o@example.org>"})


def test_a_secret_store_gets_every_value_and_nothing_stays(tmp_path):
    file = tmp_path / "countersign.env"
    settings_file.write(file, VALUES)
    assert json.loads(settings_file.for_secret_store(file)) == VALUES
    settings_file.remove(file)
    assert list(tmp_path.iterdir()) == []


def test_a_key_ring_is_never_replaced(beginning):
    """Records may be under it."""
    beginning.install()
    (beginning.folder / "out/keys").write_text("mine:a2V5\n")
    assert (
        settings_file.settings(beginning.progress, api_url="x", today="2026-11-25")["COUNTERSIGN_KEYS"] == "mine:a2V5"
    )
