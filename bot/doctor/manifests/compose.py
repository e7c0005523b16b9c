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
    ours = {label: one for label, one in found.items() if compose_file.is_server(one)}
    web = {label: one for label, one in ours.items() if compose_file.is_web(one)}
    checked = {label: one for label, one in found.items() if compose_file.health_command(one) is not None}
    is_collected = any(containers.is_collector(one.get("image")) for one in found.values())
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
    said = {label: check(one) for label, one in found.items()}
    return [
        f"service {label}: {why}"
        for label, clauses in said.items()
        for why in ([clauses] if isinstance(clauses, str) else clauses)
        if why
    ]


def _root(one: Service) -> str:
    user = one.get("user")
    if user is None:
        return "it runs as the image's user, which may be root"
    name = str(user).partition(":")[0].strip()
    if name.startswith("$"):
        return f"the environment decides about its user ({user})"
    return "it runs as root" if name in ("", "root") or not name.strip("0") else ""  # The account 0 is root, too.


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


def _capabilities(one: Service) -> str:
    if added := containers.added_capabilities(one.get("cap_add")):
        return f"cap_add has {added}"
    return "" if "ALL" in [name.upper() for name in listed(one.get("cap_drop"))] else "cap_drop does not contain ALL"


def _options(one: Service) -> set[str]:
    return {option.replace("=", ":").replace(" ", "").lower() for option in listed(one.get("security_opt"))}


def _escalation(one: Service) -> str:
    is_set = {"no-new-privileges", "no-new-privileges:true"} & _options(one)
    return "" if is_set else "security_opt does not contain no-new-privileges:true"


def _without(*options: str) -> Callable[[Service], str]:
    def check(one: Service) -> str:
        off = sorted(set(options) & _options(one))
        return f"security_opt has {', '.join(off)}" if off else ""

    return check


def _shared(one: Service) -> str:
    return f"pid is {one.get('pid')}" if str(one.get("pid", "")).startswith(("service:", "container:")) else ""


def _sysctls(one: Service) -> str:
    names = sorted(set(pairs(one.get("sysctls"))) - containers.SAFE_SYSCTLS)
    return f"sysctls sets {', '.join(names)}" if names else ""


def _resources(one: Service) -> str:
    limits = mapping(one, "deploy", "resources", "limits")
    lacking = [] if limits.get("memory") or one.get("mem_limit") else ["memory"]
    lacking += [] if limits.get("cpus") or one.get("cpus") else ["cpus"]
    return f"no limit for {' and '.join(lacking)}" if lacking else ""


def _restart(one: Service) -> str:
    if compose_file.is_ours(one) and not compose_file.is_server(one):
        return ""  # Such a command is meant to end.
    is_set = str(one.get("restart", "no")).partition(":")[0] in ("always", "unless-stopped", "on-failure")
    is_set = is_set or mapping(one, "deploy", "restart_policy").get("condition", "none") != "none"
    return "" if is_set else "restart is not set"


def _logs(one: Service) -> str:
    if command_lines.loses_logs(command(one)):
        return "a shell redirects its output"
    driver, options = mapping(one, "logging").get("driver"), mapping(one, "logging", "options")
    if driver == "none":
        return "its logs are discarded"
    is_endless = driver in (None, "json-file") and not options.get("max-size")  # Docker's default keeps all.
    return "its logs have no size limit (max-size)" if is_endless else ""


# The checks of every service.
_SERVICE: Final[Mapping[str, Callable[[Service], str]]] = {
    "security.non-root": _root,
    "security.privileged": _privileged,
    "security.read-only-root": lambda one: "" if containers.is_yes(one.get("read_only")) else "read_only is not true",
    "security.capabilities": _capabilities,
    "security.privilege-escalation": _escalation,
    "security.seccomp": _without("seccomp:unconfined"),
    "security.confinement": _without("apparmor:unconfined", "label:disable"),
    "security.proc-mount": _without("systempaths:unconfined"),
    "security.shared-processes": _shared,
    "security.sysctls": _sysctls,
    "security.image": lambda one: (
        "" if "build" in one and not one.get("image") else containers.unpinned(one.get("image"))
    ),
    "reliability.resources": _resources,
    "reliability.restart": _restart,
    "observability.logs": _logs,
}


def _host_namespaces(document: Mapping[str, Any], one: Service) -> Iterator[str]:
    yield from (f"{key} is host" for key in _SHARED if str(one.get(key)) == "host")
    known = mapping(document, "networks")
    for name in pairs(one.get("networks")):
        if mapping(known, str(name)).get("name") == "host" or mapping(known, str(name)).get("driver") == "host":
            yield f"its network {name} is the host's"


def _host_paths(document: Mapping[str, Any], one: Service) -> Iterator[str]:
    for mount in compose_file.mounts(one):
        source = mount.source
        if mount.kind == "volume":
            # A named volume may stand for a folder of the host's.
            source = str(mapping(document, "volumes", source, "driver_opts").get("device") or "")
        if mount.kind in ("bind", "volume", "npipe") and _is_the_hosts(source):
            yield f"volumes mounts {source} of the host"
    for key in ("secrets", "configs"):  # Compose mounts their files.
        for name in (*listed(one.get(key)), *(str(said.get("source")) for said in mappings(one.get(key)))):
            file = str(mapping(document, key, name).get("file") or "")
            if _is_the_hosts(file):
                yield f"{key} mounts {file} of the host"
    if containers.is_yes(one.get("use_api_socket")):
        yield "use_api_socket is true, so it has the container engine's socket"
    yield from (f"devices has {device}" for device in listed(one.get("devices")))
    yield from (f"device_cgroup_rules has {rule}" for rule in listed(one.get("device_cgroup_rules")))


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


def _secrets(one: Service) -> Iterator[str]:
    said = variables(one)
    names = [name for name, value in said.items() if value is not None and secret_values.is_secret(name, str(value))]
    if names:
        yield f"{', '.join(names)} {'has its' if len(names) == 1 else 'have their'} value in the file"
    # The arguments of a build stay in the image's history.
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
        if name := containers.is_open_store(variables(one)):
            yield f"service {label}: {name} lets everybody in without a password"


def _unencrypted(found: Services) -> Iterator[str]:
    for label, one in found.items():
        if not compose_file.is_web(one):
            continue
        at = command_lines.listener(command(one))
        for port in _published(found, label):
            if at.port is None or not re.fullmatch(r"\d+", port.target) or int(port.target) == at.port:
                yield f"service {label}: the port {port.target} is published without TLS"


def _probe(one: Service) -> str:
    asked = compose_file.health_command(one)
    if asked is None:
        return "no healthcheck"
    if not compose_file.is_server(one):
        return command_lines.proves_nothing(asked)
    return command_lines.does_not_ask(asked, ["/readyz", "/livez"], command_lines.listener(command(one)))


def _is_database(one: Service) -> bool:
    return containers.is_store_server(one.get("image"), command(one)) and "postgres" in str(one.get("image"))


def _databases(one: Service) -> Iterator[str]:
    file = _sqlite(one) if compose_file.is_server(one) else None
    if file is not None and not compose_file.keeps(one, file):
        yield f"the SQLite file {file} is on no volume that stays, so the records are lost with the container"
    if file is not None and compose_file.copies(one) > 1:
        yield f"{compose_file.copies(one)} replicas cannot share a SQLite file"
    if _is_database(one) and not compose_file.has_volume(one):
        yield "the database's files are on no volume that stays, so the records are lost with the container"


def _sqlite(one: Service) -> str | None:
    said = variables(one)
    # It is not known what an env_file sets.
    is_set = "env_file" in one or any(
        name in said for name in ("COUNTERSIGN_DATABASE_URL", "COUNTERSIGN_DATABASE_URL_FILE")
    )
    url = said.get("COUNTERSIGN_DATABASE_URL")
    return keeping.path_of(
        None if url is None else str(url), str(one.get("working_dir") or keeping.HOME), is_set=is_set
    )


def _backups(found: Services) -> Iterator[str]:
    meant = {
        f"service {label}": command_lines.no_backup(
            command(one), is_kept=partial(compose_file.keeps, one), has_volume=compose_file.has_volume(one)
        )
        for label, one in found.items()
        if command_lines.says_backup([label, *command(one)]) and compose_file.copies(one)  # No copy makes none.
    }
    # One service that keeps a backup is enough.
    if all(meant.values()):
        why = [f"{name}: {reason}" for name, reason in meant.items()]
        yield from keeping.without_backups(why, (pairs(one.get("labels")) for one in found.values()))


def _metrics(one: Service) -> str:
    is_set = containers.is_yes(pairs(one.get("labels")).get("prometheus.io/scrape"))
    return "" if is_set else "nothing collects its metrics"


def _tracing(one: Service) -> str:
    return "" if containers.is_tracing(variables(one)) else "no OTEL_EXPORTER_OTLP_ENDPOINT"
