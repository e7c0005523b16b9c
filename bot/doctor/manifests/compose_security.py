"""What a compose file's services may do to the host and to others: for each requirement what does not meet it."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from bot.doctor.manifests import compose_file, containers, secret_values
from bot.doctor.manifests.checklist import Findings
from bot.doctor.manifests.commands import listener
from bot.doctor.manifests.compose_file import Port, Service, Services, command, pairs
from bot.doctor.manifests.containers import listed, mapping, mappings, words

_WHOLE: Final = frozenset(
    {"/", "/etc", "/home", "/var", "/usr", "/lib", "/bin", "/sbin", "/opt", "/mnt", "/media", "/tmp"}  # noqa: S108 - compared
)
_BELOW: Final = (
    "/proc",
    "/sys",
    "/dev",
    "/boot",
    "/root",
    "/run",
    "/var/run",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/etc/shadow",
    "/etc/docker",
    "/etc/kubernetes",
)
"""Folders of the host's own: what is in them is the host's, its other containers' or its administrators'."""
_SHARED: Final = (
    ("network_mode", "network"),
    ("pid", "processes"),
    ("ipc", "memory"),
    ("uts", "name"),
    ("userns_mode", "accounts"),
    ("cgroup", "control groups"),
)
_STORE_PORTS: Final = frozenset({"5432", "3306", "6379", "27017", "6432"})


def judge(document: Mapping[str, Any], found: Services) -> Findings:
    """Every requirement about security."""
    judged: Findings = {
        name: [f"service {label}: {why}" for label, one in found.items() if (why := check(one))]
        for name, check in _SERVICES.items()
    }
    judged["security.host-namespaces"] = [
        f"service {label}: {why}" for label, one in found.items() for why in _host_namespaces(document, one)
    ]
    judged["security.host-paths"] = [
        f"service {label}: {why}" for label, one in found.items() for why in _host_paths(document, one)
    ]
    judged["security.secrets"] = [
        *(f"service {label}: {why}" for label, one in found.items() for why in _secrets(one)),
        *_configs(document),
    ]
    judged["security.exposure"] = list(_exposed(found))
    judged["security.tls"] = list(_unencrypted(found)) if any(map(compose_file.is_web, found.values())) else None
    return judged


def _root(one: Service) -> str:
    user = one.get("user")
    if user is None:
        return "it runs as the image's user, which may be root"
    name = str(user).partition(":")[0].strip()
    if name.startswith("$"):
        return f"the environment decides about its user ({user})"
    return "it runs as root" if name in ("", "root") or not name.strip("0") else ""


def _privileged(one: Service) -> str:
    if containers.is_yes(one.get("privileged")):
        return "privileged is true"
    hooks = [
        key
        for key in ("post_start", "pre_stop")
        for hook in mappings(one.get(key))
        if containers.is_yes(hook.get("privileged"))
    ]
    return f"{hooks[0]}.privileged is true" if hooks else ""


def _writable(one: Service) -> str:
    return "" if containers.is_yes(one.get("read_only")) else "read_only is not true"


def _capabilities(one: Service) -> str:
    added = {name.upper().removeprefix("CAP_") for name in listed(one.get("cap_add"))} - {"NET_BIND_SERVICE"}
    if added:
        return f"cap_add has {', '.join(sorted(added))}"
    return "" if "ALL" in [name.upper() for name in listed(one.get("cap_drop"))] else "cap_drop does not contain ALL"


def _options(one: Service) -> list[str]:
    return [option.replace("=", ":").replace(" ", "").lower() for option in listed(one.get("security_opt"))]


def _escalation(one: Service) -> str:
    is_set = {"no-new-privileges", "no-new-privileges:true"} & set(_options(one))
    return "" if is_set else "security_opt does not contain no-new-privileges:true"


def _seccomp(one: Service) -> str:
    return "security_opt has seccomp:unconfined" if "seccomp:unconfined" in _options(one) else ""


def _confined(one: Service) -> str:
    off = sorted({"apparmor:unconfined", "label:disable"} & set(_options(one)))
    return f"security_opt has {', '.join(off)}" if off else ""


def _masked(one: Service) -> str:
    return "security_opt has systempaths:unconfined" if "systempaths:unconfined" in _options(one) else ""


def _shared(one: Service) -> str:
    return f"pid is {one.get('pid')}" if str(one.get("pid", "")).startswith(("service:", "container:")) else ""


def _sysctls(one: Service) -> str:
    names = sorted(set(pairs(one.get("sysctls"))) - containers.SAFE_SYSCTLS)
    return f"sysctls sets {', '.join(names)}" if names else ""


def _image(one: Service) -> str:
    image = str(one.get("image") or "")
    if not image and "build" in one:
        return ""
    return "" if containers.is_pinned(image) else f"the image {image or '(none)'} is not pinned"


_SERVICES: Final[Mapping[str, Callable[[Service], str]]] = {
    "security.non-root": _root,
    "security.privileged": _privileged,
    "security.read-only-root": _writable,
    "security.capabilities": _capabilities,
    "security.privilege-escalation": _escalation,
    "security.seccomp": _seccomp,
    "security.confinement": _confined,
    "security.proc-mount": _masked,
    "security.shared-processes": _shared,
    "security.sysctls": _sysctls,
    "security.image": _image,
}
"""What every service must meet."""


def _host_namespaces(document: Mapping[str, Any], one: Service) -> Iterator[str]:
    yield from (f"{key} is host" for key, _ in _SHARED if str(one.get(key)) == "host")
    known = mapping(document, "networks")
    for name in pairs(one.get("networks")):
        if mapping(known, str(name)).get("name") == "host" or mapping(known, str(name)).get("driver") == "host":
            yield f"its network {name} is the host's"


def _host_paths(document: Mapping[str, Any], one: Service) -> Iterator[str]:
    for mount in compose_file.mounts(one):
        source = mount.source
        if mount.kind == "volume":
            source = str(mapping(document, "volumes", source, "driver_opts").get("device") or "")
        if mount.kind in ("bind", "volume") and _is_the_hosts(source):
            yield f"volumes mounts {source} of the host"
    if containers.is_yes(one.get("use_api_socket")):
        yield "use_api_socket is true, so it has the container engine's socket"
    yield from (f"devices has {device}" for device in listed(one.get("devices")))
    yield from (f"device_cgroup_rules has {rule}" for rule in listed(one.get("device_cgroup_rules")))


def _is_the_hosts(source: str) -> bool:
    if source.startswith("~"):
        return source.rstrip("/") == "~"
    if not source.startswith("/"):
        return False
    path = str(PurePosixPath("/", *[part for part in source.split("/") if part not in ("", ".")]))
    return (
        path in _WHOLE
        or path.endswith((".sock", ".socket"))
        or any(PurePosixPath(path).is_relative_to(place) for place in _BELOW)
    )


def _secrets(one: Service) -> Iterator[str]:
    said = compose_file.variables(one)
    names = [name for name, value in said.items() if value is not None and secret_values.is_secret(name, str(value))]
    if names:
        yield f"{', '.join(names)} {'has its' if len(names) == 1 else 'have their'} value in the file"
    arguments = pairs(one["build"].get("args")) if isinstance(one.get("build"), dict) else {}
    yield from (
        f"build.args has the value of {name}"
        for name, value in arguments.items()
        if value and secret_values.is_secret(name, str(value))
    )
    for key, value in (
        ("entrypoint", one.get("entrypoint")),
        ("command", one.get("command")),
        ("healthcheck.test", mapping(one, "healthcheck").get("test")),
    ):
        yield from (f"{what} stands in its {key}" for what in secret_values.in_command(words(value)))


def _configs(document: Mapping[str, Any]) -> Iterator[str]:
    for name, one in mapping(document, "configs").items():
        text = one.get("content") if isinstance(one, dict) else None
        yield from (f"configs.{name}: {what} is a secret" for what in secret_values.in_text(str(name), str(text or "")))


def _published(found: Services, label: str) -> list[Port]:
    """The ports that other machines reach a service by, also those of the service whose network it shares."""
    one = found[label]
    owner = str(one.get("network_mode", "")).removeprefix("service:")
    lent = compose_file.ports(found[owner]) if owner in found else ()
    return [port for port in (*compose_file.ports(one), *lent) if port.is_public]


def _exposed(found: Services) -> Iterator[str]:
    for label, one in found.items():
        public = _published(found, label)
        own = [port.target for port in public if one.get("ports") or port.target in _STORE_PORTS]
        if containers.is_store(one.get("image")) and own:
            yield f"service {label}: a database publishes the ports {', '.join(own)}"
        elif containers.is_collector(one.get("image")) and one.get("ports") and public:
            yield f"service {label}: metrics are published on the port {public[0].target}"
        if name := containers.is_open_store(compose_file.variables(one)):
            yield f"service {label}: {name} lets everybody in without a password"


def _unencrypted(found: Services) -> Iterator[str]:
    for label, one in found.items():
        if not compose_file.is_web(one):
            continue
        at = listener(command(one))
        for port in _published(found, label):
            if at.port is None or not re.fullmatch(r"\d+", port.target) or int(port.target) == at.port:
                yield f"service {label}: the port {port.target} is published without TLS"
