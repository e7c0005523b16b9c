"""The checklist over a compose file: for each requirement what does not meet it, as clauses that name the service."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from bot.doctor.manifests import commands, compose_file, compose_security, containers
from bot.doctor.manifests.checklist import BACKUPS_KEY, Findings
from bot.doctor.manifests.compose_file import Service, Services, command, pairs, variables
from bot.doctor.manifests.containers import mapping
from bot.doctor.manifests.keeping import NOWHERE, path_of

_HOME: Final = "/var/lib/countersign"


def judge(document: Mapping[str, Any]) -> Findings:
    """Every requirement that compose can meet over one file."""
    found = compose_file.services(document)
    ours = {label: one for label, one in found.items() if compose_file.is_server(one)}
    web = {label: one for label, one in ours.items() if compose_file.is_web(one)}
    judged = compose_security.judge(document, found)
    judged |= {name: _each(found, check) or [] for name, check in _SERVICE.items()}
    judged["reliability.probes"] = _each(
        {**web, **{label: one for label, one in found.items() if _has_check(one)}}, _probe
    )
    judged["reliability.database"] = list(_databases(found)) if ours or any(map(_is_database, found.values())) else None
    judged["reliability.backups"] = list(_backups(found))
    judged["observability.tracing"] = _each(ours, _tracing)
    judged["observability.metrics"] = (
        [] if any(containers.is_collector(one.get("image")) for one in found.values()) else _each(web, _metrics)
    )
    return judged


def _each(found: Services, check: Callable[[Service], str]) -> list[str] | None:
    return [f"service {label}: {why}" for label, one in found.items() if (why := check(one))] if found else None


def _has_check(one: Service) -> bool:
    return compose_file.health_command(one) is not None


def _resources(one: Service) -> str:
    limits = mapping(one, "deploy", "resources", "limits")
    lacking = [] if limits.get("memory") or one.get("mem_limit") else ["memory"]
    lacking += [] if limits.get("cpus") or one.get("cpus") else ["cpus"]
    return f"no limit for {' and '.join(lacking)}" if lacking else ""


def _restart(one: Service) -> str:
    if compose_file.is_ours(one) and not compose_file.is_server(one):
        return ""
    is_set = str(one.get("restart", "no")).partition(":")[0] in ("always", "unless-stopped", "on-failure")
    return (
        ""
        if is_set or mapping(one, "deploy", "restart_policy").get("condition", "none") != "none"
        else "restart is not set"
    )


def _logs(one: Service) -> str:
    if commands.loses_logs(command(one)):
        return "a shell redirects its output"
    driver, options = mapping(one, "logging").get("driver"), mapping(one, "logging", "options")
    if driver == "none":
        return "its logs are discarded"
    is_endless = driver in (None, "json-file") and not options.get("max-size")
    return "its logs have no size limit (max-size)" if is_endless else ""


_SERVICE: Final[Mapping[str, Callable[[Service], str]]] = {
    "reliability.resources": _resources,
    "reliability.restart": _restart,
    "observability.logs": _logs,
}
"""What every service must meet."""


def _probe(one: Service) -> str:
    asked = compose_file.health_command(one)
    if asked is None:
        return "no healthcheck"
    if not compose_file.is_server(one):
        return commands.proves_nothing(asked)
    return commands.does_not_ask(asked, ["/readyz", "/livez"], commands.listener(command(one)))


def _is_database(one: Service) -> bool:
    return containers.is_store_server(one.get("image"), command(one)) and "postgres" in str(one.get("image"))


def _databases(found: Services) -> Iterator[str]:
    for label, one in found.items():
        file = _sqlite(one) if compose_file.is_server(one) else None
        if file is not None and not compose_file.keeps(one, file):
            yield f"service {label}: the SQLite file {file} is on no volume that stays, so the records are lost with the container"
        if file is not None and compose_file.copies(one) > 1:
            yield f"service {label}: {compose_file.copies(one)} replicas cannot share a SQLite file"
        if _is_database(one) and not compose_file.has_volume(one):
            yield f"service {label}: the database's files are on no volume that stays, so the records are lost with the container"


def _sqlite(one: Service) -> str | None:
    said = variables(one)
    is_set = "env_file" in one or any(
        name in said for name in ("COUNTERSIGN_DATABASE_URL", "COUNTERSIGN_DATABASE_URL_FILE")
    )
    url = said.get("COUNTERSIGN_DATABASE_URL")
    return path_of(None if url is None else str(url), str(one.get("working_dir") or _HOME), is_set=is_set)


def _backups(found: Services) -> Iterator[str]:
    why: list[str] = []
    for label, one in found.items():
        if not commands.says_backup([label, *command(one)]) or compose_file.copies(one) == 0:
            continue
        reason = commands.no_backup(
            command(one), is_kept=partial(compose_file.keeps, one), has_volume=compose_file.has_volume(one)
        )
        if not reason:
            return
        why.append(f"service {label}: {reason}")
    if any(str(pairs(one.get("labels")).get(BACKUPS_KEY, "")).strip().lower() not in NOWHERE for one in found.values()):
        return
    yield from why or ["nothing makes backups of the database"]


def _metrics(one: Service) -> str:
    is_set = containers.is_yes(pairs(one.get("labels")).get("prometheus.io/scrape"))
    return "" if is_set else "nothing collects its metrics"


def _tracing(one: Service) -> str:
    return "" if containers.is_tracing(variables(one)) else "no OTEL_EXPORTER_OTLP_ENDPOINT"
