"""The checklist over a compose file: for each requirement what does not meet it, as clauses that name the service."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final

from bot.doctor.manifests import command_lines, compose_file, containers, keeping, secret_values
from bot.doctor.manifests.checklist import Findings
from bot.doctor.manifests.compose_file import Port, Service, Services, command, pairs, variables
from bot.doctor.manifests.containers import listed, mapping, mappings, words

_WHOLE: Final = frozenset({
    "/", "/etc", "/home", "/var", "/usr", "/lib", "/bin", "/sbin", "/opt", "/mnt", "/media", "/tmp",  # noqa: S108 - compared
    "/var/lib", "/users", "/programdata", "/program files",
})  # fmt: skip
# Folders of the host's own: what is in them is the host's, its other containers' or its administrators'.
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
    "/windows",
    "/programdata/docker",
    "/pipe",  # Windows has its sockets there.
)
# Windows' drives are read as the root, and so is a variable that is empty unless the environment says otherwise.
_ROOT: Final = re.compile(r"\A(?:[A-Za-z]:(?=/)|\$\{\w+:?-\})")
_HOME: Final = re.compile(r"\A(?:~|\$\{?HOME\b)")
_UNKNOWN: Final = re.compile(r"\A(?:~|\$\w+|\$\{[^}]*\})[^/]*")
_SHARED: Final = ("network_mode", "pid", "ipc", "uts", "userns_mode", "cgroup")
# PostgreSQL, MySQL, Redis, MongoDB, PgBouncer.
_STORE_PORTS: Final = frozenset({"5432", "3306", "6379", "27017", "6432"})


def judge(document: Mapping[str, Any]) -> Findings:
    """Every requirement that compose can meet over one file."""
    found = compose_file.services(document)
    ours = {label: service for label, service in found.items() if compose_file.is_server(service)}
    web = {label: service for label, service in ours.items() if compose_file.is_web(service)}
    checked = {label: service for label, service in found.items() if compose_file.health_command(service) is not None}
    is_collected = any(containers.is_collector(service.get("image")) for service in found.values())
    judged: Findings = {name: _named(found, check) for name, check in _SERVICE.items()}
    return judged | {
        "security.host-namespaces": _named(found, partial(_host_namespaces, document)),
        "security.host-paths": _named(found, partial(_host_paths, document)),
        "security.secrets": [*_named(found, _secrets), *_configs(document)],
        "security.exposure": list(_exposed(found)),
        "security.tls": list(_unencrypted(found)) if web else None,
        "reliability.probes": _named({**web, **checked}, _probe) if web or checked else None,
        "reliability.database": _named(found, _databases) if ours or any(map(_is_database, found.values())) else None,
        "reliability.backups": list(_backups(found)),
        "observability.tracing": _named(ours, _tracing) if ours else None,
        "observability.metrics": [] if is_collected else _named(web, _metrics) if web else None,
    }


def _named(found: Services, check: Callable[[Service], Iterable[str] | str]) -> list[str]:
    said = {label: check(service) for label, service in found.items()}
    return [
        f"service {label}: {why}"
        for label, clauses in said.items()
        for why in ([clauses] if isinstance(clauses, str) else clauses)
        if why
    ]


def _root(service: Service) -> str:
    user = service.get("user")
    if user is None:
        return "it runs as the image's user, which may be root"
    name = str(user).partition(":")[0].strip()
    if name.startswith("$"):
        return f"the environment decides about its user ({user})"
    return "it runs as root" if name in ("", "root") or not name.strip("0") else ""  # The account 0 is root, too.


def _privileged(service: Service) -> str:
    if containers.is_yes(service.get("privileged")):
        return "privileged is true"
    hooks = [
        key
        for key in ("post_start", "pre_stop")
        for hook in mappings(service.get(key))
        if containers.is_yes(hook.get("privileged"))
    ]
    return f"{hooks[0]}.privileged is true" if hooks else ""


def _capabilities(service: Service) -> str:
    if added := containers.added_capabilities(service.get("cap_add")):
        return f"cap_add has {added}"
    return (
        "" if "ALL" in [name.upper() for name in listed(service.get("cap_drop"))] else "cap_drop does not contain ALL"
    )


def _options(service: Service) -> set[str]:
    return {option.replace("=", ":").replace(" ", "").lower() for option in listed(service.get("security_opt"))}


def _escalation(service: Service) -> str:
    is_set = {"no-new-privileges", "no-new-privileges:true"} & _options(service)
    return "" if is_set else "security_opt does not contain no-new-privileges:true"


def _without(*options: str) -> Callable[[Service], str]:
    def check(service: Service) -> str:
        off = sorted(set(options) & _options(service))
        return f"security_opt has {', '.join(off)}" if off else ""

    return check


def _shared(service: Service) -> str:
    return f"pid is {service.get('pid')}" if str(service.get("pid", "")).startswith(("service:", "container:")) else ""


def _sysctls(service: Service) -> str:
    names = sorted(set(pairs(service.get("sysctls"))) - containers.SAFE_SYSCTLS)
    return f"sysctls sets {', '.join(names)}" if names else ""


def _resources(service: Service) -> str:
    limits = mapping(service, "deploy", "resources", "limits")
    lacking = [] if limits.get("memory") or service.get("mem_limit") else ["memory"]
    lacking += [] if limits.get("cpus") or service.get("cpus") else ["cpus"]
    return f"no limit for {' and '.join(lacking)}" if lacking else ""


def _restart(service: Service) -> str:
    if compose_file.is_ours(service) and not compose_file.is_server(service):
        return ""  # Such a command is meant to end.
    is_set = str(service.get("restart", "no")).partition(":")[0] in ("always", "unless-stopped", "on-failure")
    is_set = is_set or mapping(service, "deploy", "restart_policy").get("condition", "none") != "none"
    return "" if is_set else "restart is not set"


def _logs(service: Service) -> str:
    if command_lines.loses_logs(command(service)):
        return "a shell redirects its output"
    driver, options = mapping(service, "logging").get("driver"), mapping(service, "logging", "options")
    if driver == "none":
        return "its logs are discarded"
    is_endless = driver in (None, "json-file") and not options.get("max-size")  # Docker's default keeps all.
    return "its logs have no size limit (max-size)" if is_endless else ""


# The checks of every service.
_SERVICE: Final[Mapping[str, Callable[[Service], str]]] = {
    "security.non-root": _root,
    "security.privileged": _privileged,
    "security.read-only-root": lambda service: (
        "" if containers.is_yes(service.get("read_only")) else "read_only is not true"
    ),
    "security.capabilities": _capabilities,
    "security.privilege-escalation": _escalation,
    "security.seccomp": _without("seccomp:unconfined"),
    "security.confinement": _without("apparmor:unconfined", "label:disable"),
    "security.proc-mount": _without("systempaths:unconfined"),
    "security.shared-processes": _shared,
    "security.sysctls": _sysctls,
    "security.image": lambda service: (
        "" if "build" in service and not service.get("image") else containers.unpinned(service.get("image"))
    ),
    "reliability.resources": _resources,
    "reliability.restart": _restart,
    "observability.logs": _logs,
}


def _host_namespaces(document: Mapping[str, Any], service: Service) -> Iterator[str]:
    yield from (f"{key} is host" for key in _SHARED if str(service.get(key)) == "host")
    known = mapping(document, "networks")
    for name in pairs(service.get("networks")):
        if mapping(known, str(name)).get("name") == "host" or mapping(known, str(name)).get("driver") == "host":
            yield f"its network {name} is the host's"


def _host_paths(document: Mapping[str, Any], service: Service) -> Iterator[str]:
    for mount in compose_file.mounts(service):
        source = mount.source
        if mount.kind == "volume":
            # A named volume may stand for a folder of the host's.
            source = str(mapping(document, "volumes", source, "driver_opts").get("device") or "")
        if mount.kind in ("bind", "volume", "npipe") and _is_the_hosts(source):
            yield f"volumes mounts {source} of the host"
    for key in ("secrets", "configs"):  # Compose mounts their files.
        for name in (*listed(service.get(key)), *(str(said.get("source")) for said in mappings(service.get(key)))):
            file = str(mapping(document, key, name).get("file") or "")
            if _is_the_hosts(file):
                yield f"{key} mounts {file} of the host"
    if containers.is_yes(service.get("use_api_socket")):
        yield "use_api_socket is true, so it has the container engine's socket"
    yield from (f"devices has {device}" for device in listed(service.get("devices")))
    yield from (f"device_cgroup_rules has {rule}" for rule in listed(service.get("device_cgroup_rules")))


def _is_the_hosts(source: str) -> bool:
    path = _ROOT.sub("", source.replace("\\", "/"))
    if not path.startswith("/"):
        inner = posixpath.normpath(_UNKNOWN.sub(".", path))
        if inner != ".." and not inner.startswith("../"):
            return inner == "." and _HOME.match(path) is not None
        path = re.sub(r"\A(?:\.\./?)+", "/", inner)  # Where it begins is not known: it may climb to the root.
    path = "/" + posixpath.normpath(path).lstrip("/").lower()
    return (
        path in _WHOLE
        or path.endswith((".sock", ".socket"))
        or any(PurePosixPath(path).is_relative_to(place) for place in _BELOW)
    )


def _secrets(service: Service) -> Iterator[str]:
    said = variables(service)
    names = [name for name, value in said.items() if value is not None and secret_values.is_secret(name, str(value))]
    if names:
        yield f"{', '.join(names)} {'has its' if len(names) == 1 else 'have their'} value in the file"
    # The arguments of a build stay in the image's history.
    arguments = pairs(service["build"].get("args")) if isinstance(service.get("build"), dict) else {}
    yield from (
        f"build.args has the value of {name}"
        for name, value in arguments.items()
        if value and secret_values.is_secret(name, str(value))
    )
    for key, value in (
        ("entrypoint", service.get("entrypoint")),
        ("command", service.get("command")),
        ("healthcheck.test", mapping(service, "healthcheck").get("test")),
    ):
        yield from (f"{what} stands in its {key}" for what in secret_values.in_command(words(value)))


def _configs(document: Mapping[str, Any]) -> Iterator[str]:
    for name, config in mapping(document, "configs").items():
        text = config.get("content") if isinstance(config, dict) else None
        yield from (f"configs.{name}: {what} is a secret" for what in secret_values.in_text(str(name), str(text or "")))


def _published(found: Services, label: str) -> list[Port]:
    """The ports that other machines reach a service by, also those of the service whose network it shares."""
    service = found[label]
    owner = str(service.get("network_mode", "")).removeprefix("service:")
    lent = compose_file.ports(found[owner]) if owner in found else ()
    return [port for port in (*compose_file.ports(service), *lent) if port.is_public]


def _exposed(found: Services) -> Iterator[str]:
    for label, service in found.items():
        public = _published(found, label)
        own = [port.target for port in public if service.get("ports") or port.target in _STORE_PORTS]
        if containers.is_store(service.get("image")) and own:
            yield f"service {label}: a database publishes the ports {', '.join(own)}"
        elif containers.is_collector(service.get("image")) and service.get("ports") and public:
            yield f"service {label}: metrics are published on the port {public[0].target}"
        if name := containers.is_open_store(variables(service)):
            yield f"service {label}: {name} lets everybody in without a password"


def _unencrypted(found: Services) -> Iterator[str]:
    for label, service in found.items():
        if not compose_file.is_web(service):
            continue
        at = command_lines.listener(command(service))
        for port in _published(found, label):
            if at.port is None or not re.fullmatch(r"\d+", port.target) or int(port.target) == at.port:
                yield f"service {label}: the port {port.target} is published without TLS"


def _probe(service: Service) -> str:
    asked = compose_file.health_command(service)
    if asked is None:
        return "no healthcheck"
    if not compose_file.is_server(service):
        return command_lines.proves_nothing(asked)
    return command_lines.does_not_ask(asked, ["/readyz", "/livez"], command_lines.listener(command(service)))


def _is_database(service: Service) -> bool:
    return containers.is_store_server(service.get("image"), command(service)) and "postgres" in str(
        service.get("image")
    )


def _databases(service: Service) -> Iterator[str]:
    file = _sqlite(service) if compose_file.is_server(service) else None
    if file is not None and not compose_file.keeps(service, file):
        yield f"the SQLite file {file} is on no volume that stays, so the records are lost with the container"
    if file is not None and compose_file.copies(service) > 1:
        yield f"{compose_file.copies(service)} replicas cannot share a SQLite file"
    if _is_database(service) and not compose_file.has_volume(service):
        yield "the database's files are on no volume that stays, so the records are lost with the container"


def _sqlite(service: Service) -> str | None:
    said = variables(service)
    # It is not known what an env_file sets.
    is_set = "env_file" in service or any(
        name in said for name in ("COUNTERSIGN_DATABASE_URL", "COUNTERSIGN_DATABASE_URL_FILE")
    )
    url = said.get("COUNTERSIGN_DATABASE_URL")
    return keeping.path_of(
        None if url is None else str(url), str(service.get("working_dir") or keeping.HOME), is_set=is_set
    )


def _backups(found: Services) -> Iterator[str]:
    meant = {
        f"service {label}": command_lines.no_backup(
            command(service), is_kept=partial(compose_file.keeps, service), has_volume=compose_file.has_volume(service)
        )
        for label, service in found.items()
        if command_lines.says_backup([label, *command(service)]) and compose_file.copies(service)  # No copy makes none.
    }
    # One service that keeps a backup is enough.
    if all(meant.values()):
        why = [f"{name}: {reason}" for name, reason in meant.items()]
        yield from keeping.without_backups(why, (pairs(service.get("labels")) for service in found.values()))


def _metrics(service: Service) -> str:
    is_set = containers.is_yes(pairs(service.get("labels")).get("prometheus.io/scrape"))
    return "" if is_set else "nothing collects its metrics"


def _tracing(service: Service) -> str:
    return "" if containers.is_tracing(variables(service)) else "no OTEL_EXPORTER_OTLP_ENDPOINT"
