"""What Kubernetes and compose say alike of a container: its image, its command, its variables, judged without knowing which."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

_SECRET: Final = re.compile(
    r"(?:^|_)(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|SECRETS|TOKEN|PRIVATE_KEY|API_KEY|ACCESS_KEY|KEYS)$", re.IGNORECASE
)
"""Names whose values are secrets: COUNTERSIGN_KEYS and COUNTERSIGN_PRIVATE_KEY as well as POSTGRES_PASSWORD."""
_PEM: Final = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_MOVING: Final = frozenset({"latest", "main", "master", "edge", "nightly", "dev", "stable"})
_DIGEST: Final = re.compile(r"@sha256:[0-9a-f]{64}\Z")
_REFERENCE: Final = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::?\?[^}]*|:?-)?\}\Z|\$[A-Za-z_][A-Za-z0-9_]*\Z")
"""`${NAME}`, `${NAME:?it is missing}`: compose takes it from the environment. With a default it would stand in the file."""
_LOST: Final = re.compile(r"(?:2|&)>{1,2}|\|\s*\w|>{1,2}\s*/dev/null")
_BACKUP: Final = re.compile(r"\bbackup\b|\bpg_dump(?:all)?\b|\bpg_basebackup\b|\bpgbackrest\b|\bwal-g\b|\bbarman\b")
_SHELLS: Final = frozenset({"sh", "bash", "ash", "dash", "/bin/sh", "/bin/bash", "/bin/ash", "/bin/dash"})
TRACING: Final = frozenset({"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"})
"""The variables of OpenTelemetry's own that say where traces go."""


def is_secret(name: str, value: str) -> bool:
    """Whether a variable's literal value is a secret: by its name, or since it is a private key or an address with a password."""
    if not value or is_reference(value):
        return False
    if _PEM.search(value) or _has_password(value):
        return True
    return _SECRET.search(name) is not None and not name.upper().endswith("_FILE")


def is_reference(value: str) -> bool:
    """Whether compose takes the whole value from the environment."""
    return _REFERENCE.match(value) is not None


def _has_password(value: str) -> bool:
    try:
        password = urlsplit(value).password
    except ValueError:
        return False
    return bool(password) and not is_reference(password or "")


def is_pinned(image: str) -> bool:
    """Whether the image is named with a digest, or with a tag that no release moves."""
    if _DIGEST.search(image):
        return True
    name, _, tag = image.rpartition(":")
    return bool(name) and "/" not in tag and any(letter.isdigit() for letter in tag) and tag.lower() not in _MOVING


def words(*commands: Any) -> list[str]:
    """The command and its arguments as words, whether a manifest writes them as a list or as one text."""
    found: list[str] = []
    for command in commands:
        found += command.split() if isinstance(command, str) else [str(word) for word in command or ()]
    return found


def loses_logs(command: Iterable[str]) -> bool:
    """Whether a shell takes standard error away from whoever collects it."""
    said = list(command)
    return bool(said) and said[0] in _SHELLS and _LOST.search(" ".join(said)) is not None


def makes_backups(command: Iterable[str]) -> bool:
    """Whether it runs one of the commands that back a database up."""
    return _BACKUP.search(" ".join(command)) is not None


def is_tracing(variables: Mapping[str, Any]) -> bool:
    """Whether any of the variables names where traces go."""
    return any(variables.get(name) for name in TRACING)


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    """The mappings of a list; whatever else stands there says nothing."""
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict):
            yield one


def mapping(value: Any, *path: str) -> Mapping[str, Any]:
    """The mapping below these keys; empty where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
