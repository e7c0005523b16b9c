"""A compose file as compose reads it: defaults put in for variables, an override merged, short forms told apart."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from bot.doctor.manifests import containers
from bot.doctor.manifests.containers import mapping, words

Service = Mapping[str, Any]
Services = Mapping[str, Service]

_VARIABLE: Final = re.compile(r"\$\$|\$\{([A-Za-z_]\w*)(?::?-((?:[^{}]|\{[^{}]*\})*))?(?::?\?[^}]*)?\}")
# A drive of Windows and a variable's message have colons, too.
_SHORT_MOUNT: Final = re.compile(r"((?:[A-Za-z]:(?=[\\/][^:]*:[\\/]))?(?:\$\{[^}]*\}|[^:])*+):(.*)", re.DOTALL)
# An override replaces these, where it adds to every other list (docs.docker.com/reference/compose-file/merge).
_REPLACED: Final = frozenset({"command", "entrypoint", "test"})


@dataclass(frozen=True, slots=True)
class Mount:
    """A mount at `target`: its `kind` (`bind`, `volume` by name, `tmpfs`, `anonymous`), `source`, `is_read_only`."""

    kind: str
    source: str
    target: str
    is_read_only: bool


@dataclass(frozen=True, slots=True)
class Port:
    """A port of a service (`target`) that the host publishes; `address` is "" for all of the host's addresses."""

    address: str
    target: str

    @property
    def is_public(self) -> bool:
        """Whether other machines reach it."""
        return not re.match(r"127\.|localhost\Z|\[?::1\]?\Z", self.address)


def settled(value: Any) -> Any:
    """The document with the defaults of its variables: `${NAME:-x}` is x, where the environment says nothing; the rest stays."""
    if isinstance(value, str):
        return _VARIABLE.sub(_default, value) if "$" in value else value
    if isinstance(value, dict):
        return {key: settled(child) for key, child in value.items()}
    return [settled(child) for child in value] if isinstance(value, list) else value


def _default(found: re.Match[str]) -> str:
    if found[0] == "$$":  # Compose's escape.
        return "$"
    return _VARIABLE.sub(_default, found[2]) if found[2] else found[0]  # An empty default leaves it to the environment


def overridden(value: Any, other: Any, key: str = "") -> Any:
    """A document with its override merged in, as `docker compose` does by itself."""
    if isinstance(value, dict) and isinstance(other, dict):
        return {**value, **other} | {
            name: overridden(child, other[name], str(name)) for name, child in value.items() if name in other
        }
    if isinstance(value, list) and isinstance(other, list) and key not in _REPLACED:
        return [*value, *(entry for entry in other if entry not in value)]
    # One file may write a mapping, the other a list.
    if isinstance(value, list | dict) and isinstance(other, list | dict) and key == "environment":
        return {**pairs(value), **pairs(other)}
    return other


def unread(document: Mapping[str, Any]) -> list[str]:
    """The parts that this file takes from other files, which are not read."""
    found = services(document).items()
    inherited = [f"services.{name}.extends" for name, service in found if "extends" in service]
    bare = [name for name, service in found if not {"image", "build", "extends"} & service.keys()]
    partial = [f"services.{name} has neither image nor build" for name in bare]
    return [*(["include"] if "include" in document else []), *inherited, *partial]


def services(document: Mapping[str, Any]) -> Services:
    """The services of a compose file."""
    return {
        str(name): service if isinstance(service, dict) else {}
        for name, service in mapping(document, "services").items()
    }


def command(service: Service) -> list[str]:
    """The command of the service in place of the image's own; empty where the image decides."""
    return words(service.get("entrypoint"), service.get("command"))


def pairs(value: Any) -> dict[str, Any]:
    """A mapping, which compose also takes as a list of NAME=VALUE; a name alone is taken from the environment."""
    if isinstance(value, list):
        parts = [str(pair).partition("=") for pair in value]
        return {name: text if found else None for name, found, text in parts}
    return dict(value) if isinstance(value, dict) else {}


def variables(service: Service) -> dict[str, Any]:
    """The service's environment, as far as the file says it."""
    return pairs(service.get("environment"))


def variable_files(service: Service) -> list[str]:
    """The files that the service's further variables come from, in any of the forms of `env_file`."""
    said = service.get("env_file")
    entries = said if isinstance(said, list) else [said]
    return [str(entry.get("path") if isinstance(entry, dict) else entry) for entry in entries if entry]


def is_ours(service: Service) -> bool:
    """Whether it runs Countersign."""
    return containers.is_ours(service.get("image"), command(service), variables(service))


def is_server(service: Service) -> bool:
    """Whether it is Countersign and serves: the image's own command does; another may do something once."""
    return is_ours(service) and (not command(service) or "serve" in " ".join(command(service)).split())


def is_web(service: Service) -> bool:
    """Whether it serves requests, and is no worker alone."""
    return is_server(service) and "worker" not in " ".join(command(service)).split()


def mounts(service: Service) -> Iterator[Mount]:
    """All mounts of the service."""
    for path in words(service.get("tmpfs")):
        yield Mount("tmpfs", "", path.partition(":")[0], is_read_only=False)
    for said in _entries(service, "volumes"):
        if isinstance(said, dict):
            kind, source = str(said.get("type", "volume")), str(said.get("source") or "")
            kind = "anonymous" if kind == "volume" and not source else kind
            yield Mount(kind, source, str(said.get("target")), bool(said.get("read_only")))
        else:
            yield _short_mount(str(said))


def _entries(service: Service, key: str) -> list[Any]:
    said = service.get(key)
    return said if isinstance(said, list) else []


def _short_mount(said: str) -> Mount:
    if not (parts := _SHORT_MOUNT.fullmatch(said)):
        return Mount("anonymous", "", said, is_read_only=False)
    source, rest = parts.groups()
    target, _, mode = rest.partition(":")
    # A variable is mostly a path.
    kind = "bind" if re.match(r"[./~$\\]|[A-Za-z]:", source) else "volume"
    return Mount(kind, source, target, "ro" in mode.split(","))


def keeps(service: Service, path: str) -> bool:
    """Whether a file there stays when the container is made anew."""
    own = [mount for mount in mounts(service) if PurePosixPath(path).is_relative_to(mount.target)]
    deepest = max(own, key=lambda mount: len(mount.target), default=None)  # It hides the others.
    return deepest is not None and deepest.kind in ("bind", "volume") and not deepest.is_read_only


def has_volume(service: Service) -> bool:
    """Whether it can write to anything that stays."""
    return any(mount.kind in ("bind", "volume") and not mount.is_read_only for mount in mounts(service))


def ports(service: Service) -> Iterator[Port]:
    """The ports that it publishes."""
    for said in _entries(service, "ports"):
        if isinstance(said, dict):
            yield Port(str(said.get("host_ip") or ""), str(said.get("target")))
        else:
            # The short form is [[ADDRESS:]PUBLISHED:]TARGET[/PROTOCOL].
            before, _, target = str(said).partition("/")[0].rpartition(":")
            address, is_three, _published = before.rpartition(":")
            yield Port(address if is_three else "", target)


def health_command(service: Service) -> list[str] | None:
    """The command of the service's healthcheck; None where it has none, or it is switched off."""
    check = mapping(service, "healthcheck")
    said = check.get("test")
    if containers.is_yes(check.get("disable")) or said in (None, [], ["NONE"], ""):
        return None
    if isinstance(said, str):
        return ["sh", "-c", said]
    found = containers.listed(said)
    return ["sh", "-c", *found[1:]] if found[:1] == ["CMD-SHELL"] else found[1:]


def copies(service: Service) -> int:
    """The number of its containers that run."""
    said = mapping(service, "deploy").get("replicas", service.get("scale", 1))
    return int(said) if str(said).isdecimal() else 1
