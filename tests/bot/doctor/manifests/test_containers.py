"""Secrets, pinned images and lost logs are told apart by what stands there."""

import pytest

from bot.doctor.manifests import containers


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("COUNTERSIGN_CLIENT_SECRET", "hunter2", True),
        ("COUNTERSIGN_KEYS", "2026:AAAA", True),
        ("COUNTERSIGN_PRIVATE_KEY", "x", True),
        ("POSTGRES_PASSWORD", "x", True),
        ("anything", "-----BEGIN RSA PRIVATE KEY-----\nMII", True),
        ("COUNTERSIGN_DATABASE_URL", "postgresql://cs:hunter2@db/cs", True),
        ("COUNTERSIGN_SMTP_URL", "smtp://u:p@mail.example.org:587", True),
        ("POSTGRES_PASSWORD", "${PASSWORD:-hunter2}", True),
        ("POSTGRES_PASSWORD", "${PASSWORD:?set it}", False),
        ("POSTGRES_PASSWORD", "${PASSWORD}", False),
        ("COUNTERSIGN_DATABASE_URL", "postgresql://cs:${PASSWORD}@db/cs", False),
        ("COUNTERSIGN_DATABASE_URL", "postgresql://cs@db/cs", False),
        ("COUNTERSIGN_KEYS_FILE", "/run/secrets/keys", False),
        ("POSTGRES_PASSWORD", "", False),
        ("COUNTERSIGN_URL", "https://cla.example.org", False),
        ("BROKEN", "http://[", False),
    ],
)
def test_secrets(name, value, secret):
    """By the name, and by a value that gives itself away."""
    assert containers.is_secret(name, value) is secret


@pytest.mark.parametrize(
    ("image", "pinned"),
    [
        ("countersign:0.1.0", True),
        ("registry.example.org:5000/countersign:0.1.0", True),
        ("countersign@sha256:" + "a" * 64, True),
        ("countersign:latest@sha256:" + "a" * 64, True),
        ("countersign", False),
        ("countersign:latest", False),
        ("countersign:main", False),
        ("registry.example.org:5000/countersign", False),
        ("countersign@sha256:short", False),
        ("", False),
    ],
)
def test_images(image, pinned):
    """A registry's port is no version."""
    assert containers.is_pinned(image) is pinned


@pytest.mark.parametrize(
    ("command", "lost"),
    [
        (["sh", "-c", "countersign serve 2>/dev/null"], True),
        (["sh", "-c", "countersign serve 2>&1 | tee /log"], True),
        (["/bin/bash", "-c", "exec countersign serve &>/log"], True),
        (["sh", "-c", "countersign migrate && exec countersign serve"], False),
        (["countersign", "serve"], False),
        ([], False),
    ],
)
def test_logs(command, lost):
    """Only a shell redirects."""
    assert containers.loses_logs(command) is lost


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        (["backup", "/backups/x"], True),
        (["sh", "-c", "pg_dump -f x"], True),
        (["serve", "--role", "web"], False),
        ([], False),
    ],
)
def test_backups(command, kept):
    """By the command that makes them."""
    assert containers.makes_backups(command) is kept


def test_words_and_mappings():
    """Whatever stands where something else is expected says nothing, and breaks nothing."""
    assert containers.words("sh -c", ["a b", 3], None) == ["sh", "-c", "a b", "3"]
    assert containers.mapping({"a": {"b": [1]}}, "a", "b") == {}
    assert containers.mapping({"a": {"b": {"c": 1}}}, "a", "b") == {"c": 1}
    assert containers.mapping("text", "a") == {}
    assert list(containers.mappings([{"a": 1}, "b", None])) == [{"a": 1}]
    assert list(containers.mappings("text")) == []
    assert not containers.is_tracing({"OTEL_EXPORTER_OTLP_ENDPOINT": None})
