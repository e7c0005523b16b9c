"""Judges what Kubernetes and compose say alike of a container: its image, its command, its variables."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from bot.settings import NAMES

_MOVING: Final = re.compile(r"latest|main|master|edge|nightly|dev|stable|snapshot|canary", re.IGNORECASE)
_DIGEST: Final = re.compile(r"@sha256:[0-9a-f]{64}\Z")
# A tag begins so that names one release, one day or one commit. `17` or `v2` moves with every release below it.
_RELEASE: Final = re.compile(r"v?\d+\.\d+|20\d{6}|(?:sha-|git-)?[0-9a-f]{7,40}\Z")
_STORES: Final = ("postgres", "mysql", "mariadb", "redis", "valkey", "mongo", "timescale", "pgbouncer")
_COLLECTORS: Final = (
    "prometheus",
    "grafana-agent",
    "alloy",
    "otel",
    "opentelemetry",
    "victoria",
    "vmagent",
    "pushgateway",
)
_SERVERS: Final = ("postgres", "docker-entrypoint.sh", "redis-server", "valkey-server", "mysqld", "mariadbd", "mongod")
# OpenTelemetry's own variables that say where traces go.
TRACING: Final = frozenset({"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"})
# The sysctls that Kubernetes calls safe (kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster).
SAFE_SYSCTLS: Final = frozenset({
    "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start", "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem",
})  # fmt: skip


def unpinned(image: Any) -> str:
    """The clause that the image is named with neither a digest nor a tag of one release; "" where it is."""
    text = str(image or "")
    name, _, tag = text.rpartition(":")
    is_release = bool(_RELEASE.match(tag)) and not _MOVING.search(tag)
    # A colon before a slash is that of a registry's port.
    if _DIGEST.search(text) or (name and "/" not in tag and "@" not in text and is_release):
        return ""
    return f"the image {text or '(none)'} is not pinned"


def added_capabilities(said: Any) -> str:
    """The Linux capabilities that are added and not harmless; "" for none."""
    # Kubernetes' restricted profile allows NET_BIND_SERVICE alone.
    return ", ".join(sorted({name.upper().removeprefix("CAP_") for name in listed(said)} - {"NET_BIND_SERVICE"}))


def is_ours(image: Any, command: Iterable[str], variables: Iterable[str]) -> bool:
    """Whether a container runs Countersign: its image or its command is called so, or a variable is one of its settings."""
    repository = str(image or "").partition("@")[0]
    # A wrapper such as `exec` may stand before it.
    is_called = any(word.rpartition("/")[2] == "countersign" for line in command for word in line.split()[:2])
    return "countersign" in repository or is_called or any(name.removesuffix("_FILE") in NAMES for name in variables)


def is_store(image: Any) -> bool:
    """Whether the image is that of a database or cache, which must not be reached from outside."""
    return any(name in str(image or "").lower() for name in _STORES)


def is_store_server(image: Any, command: list[str]) -> bool:
    """Whether it runs the database itself, and no client that the image also has."""
    # With options alone the image's own entrypoint starts the database.
    return is_store(image) and (not command or command[0].startswith("-") or command[0].rpartition("/")[2] in _SERVERS)


def is_collector(image: Any) -> bool:
    """Whether the image is that of something which collects metrics or traces."""
    return any(name in str(image or "").lower() for name in _COLLECTORS)


def is_open_store(variables: Mapping[str, Any]) -> str:
    """The variable that opens the database without a password; "" for none."""
    for name, value in variables.items():
        text = str(value).strip().lower()
        is_trusting = name == "POSTGRES_HOST_AUTH_METHOD" and text == "trust"  # The official image's variable.
        if is_trusting or (name.endswith(("ALLOW_EMPTY_PASSWORD", "ALLOW_EMPTY_ROOT_PASSWORD")) and is_yes(text)):
            return name
    return ""


def is_tracing(variables: Mapping[str, Any]) -> bool:
    """Whether any of the variables names where traces go, and none switches them off."""
    return any(variables.get(name) for name in TRACING) and not is_yes(variables.get("OTEL_SDK_DISABLED"))


def is_yes(value: Any) -> bool:
    """Whether it is true, also when it is written as text."""
    return value is True or str(value).strip().lower() in ("true", "yes", "on", "1")


def words(*commands: Any) -> list[str]:
    """The command and its arguments as words, whether a manifest writes them as a list or as one text."""
    found: list[str] = []
    for command in commands:
        if isinstance(command, str):
            found += command.split()
        elif isinstance(command, list):
            found += [str(word) for word in command]
    return found


def listed(value: Any) -> list[str]:
    """The entries of a list as text; none where it is no list."""
    return [str(entry) for entry in value] if isinstance(value, list) else []


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    """The mappings of a list; its other items are left out."""
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict):
            yield entry


def mapping(value: Any, *path: str) -> Mapping[str, Any]:
    """The mapping below these keys; empty where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
