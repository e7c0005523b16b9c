"""Secrets are told from what only looks like one, and never repeated."""

import pytest

from bot.doctor.manifests.secret_values import in_command, in_text, is_secret


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("COUNTERSIGN_CLIENT_SECRET", "hunter2", True),
        ("COUNTERSIGN_KEYS", "2026:AAAA", True),
        ("COUNTERSIGN_PRIVATE_KEY", "x", True),
        ("POSTGRES_PASSWORD", "x", True),
        ("PGPASSWORD", "x", True),
        ("DB_PASS", "x", True),
        ("AWS_SECRET_ACCESS_KEY", "x", True),
        ("clientSecret", "x", True),
        ("webhook-secret", "x", True),
        ("PASSWORD_2", "x", True),
        ("anything", "-----BEGIN RSA PRIVATE KEY-----\nMII", True),
        ("anything", "ghp_" + "a" * 36, True),
        ("anything", "AKIA" + "A" * 16, True),
        ("COUNTERSIGN_DATABASE_URL", "postgresql://cs:hunter2@db/cs", True),
        ("REDIS", "redis://:hunter2@redis:6379/0", True),
        ("COUNTERSIGN_SMTP_URL", "smtp://u:p@mail.example.org:587", True),
        ("POSTGRES_PASSWORD", "${PASSWORD:?set it}", False),
        ("POSTGRES_PASSWORD", "${PASSWORD}", False),
        ("POSTGRES_PASSWORD", "$(PASSWORD)", False),
        ("POSTGRES_PASSWORD", "{{ .Values.password }}", False),
        ("COUNTERSIGN_DATABASE_URL", "postgresql://cs:${PASSWORD}@db/cs", False),
        ("COUNTERSIGN_DATABASE_URL", "postgresql://cs:$(PGPASSWORD)@db/cs", False),
        ("COUNTERSIGN_DATABASE_URL", "postgresql://cs@db/cs", False),
        ("COUNTERSIGN_KEYS_FILE", "/run/secrets/keys", False),
        ("TOKEN", "/var/run/secrets/token", False),
        ("SECRET_NAME", "countersign", False),
        ("TOKEN_URL", "https://sso.example.org/token", False),
        ("MAX_TOKENS", "100", False),
        ("ALLOW_EMPTY_PASSWORD", "yes", False),
        ("PUBLIC_KEY", "ssh-ed25519 AAAA", False),
        ("MONKEY", "banana", False),
        ("POSTGRES_PASSWORD", "", False),
        ("COUNTERSIGN_URL", "https://cla.example.org", False),
        ("BROKEN", "http://[", False),
    ],
)
def test_secret_values_are_known_by_name_or_by_form(name, value, secret):
    assert is_secret(name, value) is secret


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["serve", "--token", "hunter2"], ["--token"]),
        (["serve", "--token=hunter2"], ["--token"]),
        (["serve", "--token-file=/run/secrets/token", "--role", "web"], []),
        (["serve", "--token", "--role", "web"], []),
        (["sh", "-c", "PGPASSWORD=hunter2 pg_dump -h db"], ["PGPASSWORD"]),
        (["sh", "-c", "export PGPASSWORD='a b'; pg_dump"], ["PGPASSWORD"]),
        (["sh", "-c", 'export PGPASSWORD="$(cat /run/secrets/p)"'], []),
        (["sh", "-c", "app --password hunter2"], ["--password"]),
        (["psql", "postgresql://cs:hunter2@db/cs"], ["an address with a password"]),
        (["curl", "-H", "Authorization: Bearer hunter2", "http://x"], ["an Authorization header"]),
        (["curl", "-u", "me:hunter2", "http://x"], ["a user with a password"]),
        (["curl", "-u", "me:$PASSWORD", "http://x"], []),
        (["sh", "-c", "psql <<'SQL'\nALTER ROLE app PASSWORD :'password';\nSQL"], []),
    ],
)
def test_secrets_in_commands_are_named_and_not_repeated(words, said):
    assert in_command(words) == said
    assert "hunter2" not in str(said)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("password", "hunter2", ["password"]),
        ("app.yaml", "database:\n  user: cs\n  password: hunter2\n", ["app.yaml (password)"]),
        (".env", "A=1\nexport COUNTERSIGN_KEYS='1:x'\n", [".env (COUNTERSIGN_KEYS)"]),
        ("url", "postgresql://cs:hunter2@db/cs", ["url (an address with a password)"]),
        ("nginx.conf", "server {\n  ssl_certificate_key /etc/tls/key.pem;\n}\n", []),
        ("COUNTERSIGN_MAIL_FROM", "Countersign <cla@example.org>", []),
    ],
)
def test_secrets_in_files_are_found_line_by_line(name, text, said):
    assert in_text(name, text) == said
