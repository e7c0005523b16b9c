"""Whether the probes of Kubernetes manifests prove that a container works, and whether anything collects its metrics."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bot.doctor.manifests import command_lines, containers
from bot.doctor.manifests.checklist import Findings
from bot.doctor.manifests.containers import listed, mapping, mappings, words
from bot.doctor.manifests.workloads import Container, Object, Workload, namespace_of, of_kind, selects

# Readiness takes a pod from the Service, liveness restarts it: each asks what it is for (docs/reference/health.md).
_PATHS: Final[Mapping[str, str]] = {"readinessProbe": "/readyz", "livenessProbe": "/livez"}
_MAX_SECONDS: Final = 600  # A probe that reacts only after this time might as well not be there.
_HANDLERS: Final = ("httpGet", "tcpSocket", "exec", "grpc")


def judge(objects: Sequence[Object], found: Sequence[Workload]) -> Findings:
    """Every requirement about what is seen of the pods."""
    serving = list(_serving(objects, found))
    return {
        "reliability.probes": [
            f"{workload.name}, container {part.name}: {why}" for workload, part in serving for why in _probes(part)
        ] if serving else None,
        "observability.metrics": list(_metrics(objects, found, serving)),
        "observability.tracing": _tracing(found),
    }  # fmt: skip


def _serving(objects: Sequence[Object], found: Sequence[Workload]) -> Iterator[tuple[Workload, Container]]:
    """The containers that take requests: Countersign's server, one that names a port, or one that a Service leads to."""
    for workload in (workload for workload in found if workload.is_lasting):
        parts = [part for part in workload.containers if not part.is_side]
        own = [part for part in parts if part.spec.get("ports") or (part.listens and part.listens.port)]
        is_behind = any(map(workload.is_behind, of_kind(objects, "Service")))
        yield from ((workload, part) for part in own or (parts[-1:] if is_behind else ()))


def _probes(part: Container) -> Iterator[str]:
    for name, path in _PATHS.items():
        probe = mapping(part.spec, name)
        if not any(handler in probe for handler in _HANDLERS):
            yield f"no {name}"
            continue
        if why := _unproven(part, probe, path):
            yield f"{name}: {why}"
        elif (seconds := _seconds(probe)) > _MAX_SECONDS:
            yield f"{name}: it reacts only after {seconds} seconds (periodSeconds × failureThreshold)"
    startup = mapping(part.spec, "startupProbe")
    if startup and (why := _dead(part, startup)):
        yield f"startupProbe: {why}"


def _seconds(probe: Object) -> int:
    period, failures = probe.get("periodSeconds", 10), probe.get("failureThreshold", 3)  # Kubernetes' own defaults
    return period * failures if isinstance(period, int) and isinstance(failures, int) else 0


def _unproven(part: Container, probe: Object, path: str) -> str:
    if "exec" in probe:
        command = words(mapping(probe, "exec").get("command"))
        return (
            command_lines.does_not_ask(command, [path], part.listens)
            if part.listens
            else command_lines.proves_nothing(command)
        )
    why = _dead(part, probe)
    if why or not part.listens:
        return why
    if "httpGet" not in probe:
        return f"{'tcpSocket' if 'tcpSocket' in probe else 'grpc'} does not request {path}"
    asked = str(mapping(probe, "httpGet").get("path", "/"))
    return "" if asked.partition("?")[0] == path else f"httpGet.path is {asked}, not {path}"


def _dead(part: Container, probe: Object) -> str:
    handler = next((name for name in ("httpGet", "tcpSocket", "grpc") if name in probe), None)
    if handler is None:
        return ""
    said = mapping(probe, handler)
    number, at = part.port(said.get("port")), part.listens
    if number is None:
        return f"{handler}.port is {said.get('port')}, a name that no port of the container has"
    if said.get("host"):
        return f"{handler}.host is {said['host']}, not the pod itself"
    if at and command_lines.is_loopback(at.host):
        return f"Countersign listens on {at.host} alone, where no probe reaches it (--host 0.0.0.0)"
    if at and str(said.get("scheme", "HTTP")).upper() != "HTTP":
        return "httpGet.scheme is HTTPS, which Countersign does not speak"
    listening = {at.port} if at and at.port else set(part.ports.values())
    return f"{handler}.port is {number}, where nothing listens" if listening and number not in listening else ""


def _metrics(
    objects: Sequence[Object], found: Sequence[Workload], serving: Sequence[tuple[Workload, Container]]
) -> Iterator[str]:
    ours = [workload for workload, part in serving if part.is_ours] or [
        workload for workload in found if workload.is_lasting and workload.is_ours
    ]
    for workload in {workload.identity: workload for workload in ours}.values():
        is_asked = str(workload.annotations.get("prometheus.io/scrape")).lower() == "true"
        if not is_asked and not _is_monitored(objects, workload):
            yield f"{workload.name}: nothing collects its metrics"


def _is_monitored(objects: Sequence[Object], workload: Workload) -> bool:
    """Whether a monitor selects the pods, or a Service that leads to them."""
    for monitor in of_kind(objects, "PodMonitor"):
        if _looks_into(monitor, workload.namespace, "podMetricsEndpoints") and selects(
            mapping(monitor, "spec", "selector"), workload.labels
        ):
            return True
    return any(
        _looks_into(monitor, workload.namespace, "endpoints")
        and selects(mapping(monitor, "spec", "selector"), mapping(service, "metadata", "labels"))
        for monitor in of_kind(objects, "ServiceMonitor")
        for service in of_kind(objects, "Service")
        if workload.is_behind(service)
    )


def _looks_into(monitor: Object, namespace: str, key: str) -> bool:
    """Whether the monitor asks the endpoints that it has by that key in the namespace; by default in its own alone."""
    chosen = mapping(monitor, "spec", "namespaceSelector")
    is_there = chosen.get("any") is True or namespace in (listed(chosen.get("matchNames")) or [namespace_of(monitor)])
    # Without endpoints it asks nothing.
    return is_there and any(True for _ in mappings(mapping(monitor, "spec").get(key)))


def _tracing(found: Sequence[Workload]) -> list[str] | None:
    judged = [
        (f"{workload.name}, container {part.name}", containers.is_tracing(part.variables))
        for workload in found
        if workload.is_lasting
        for part in workload.containers
        if part.is_ours and not part.is_side
    ]
    return [f"{name}: no OTEL_EXPORTER_OTLP_ENDPOINT" for name, is_set in judged if not is_set] if judged else None
