"""Checks who reaches the pods of Kubernetes manifests, and whom they reach: policies, Services and Ingresses."""

from collections.abc import Iterator, Sequence
from ipaddress import ip_network
from typing import Any, Final

from bot.doctor.manifests import containers
from bot.doctor.manifests.checklist import Findings
from bot.doctor.manifests.containers import mapping, mappings
from bot.doctor.manifests.workloads import Container, Object, Workload, namespace_of, of_kind, selects, shown

_WAYS: Final = (("Ingress", "ingress", "from"), ("Egress", "egress", "to"))
_ALL_PORTS: Final = 30_000  # A range of more ports than this limits nothing.
_PLAIN_HTTP: Final = ("ssl-redirect", "force-ssl-redirect", "allow-http")  # Ends of ingress controllers' annotations.


def judge(objects: Sequence[Object], found: Sequence[Workload]) -> Findings:
    """Every requirement about traffic."""
    return {
        "security.network-policy": list(_policies(objects, found)),
        "security.exposure": list(_exposed(objects, found)),
        "security.tls": list(_unencrypted(objects)) if of_kind(objects, "Ingress", "Route", "Gateway") else None,
        "reliability.selectors": [*_selectors(found), *_services(objects, found), *_ingresses(objects)],
    }


def _policies(objects: Sequence[Object], found: Sequence[Workload]) -> Iterator[str]:
    policies = of_kind(objects, "NetworkPolicy")
    for workload in found:
        own = [policy for policy in policies if workload.is_chosen(policy, "spec", "podSelector")]
        for kind, key, peers in _WAYS:
            limiting = [policy for policy in own if kind in _kinds(mapping(policy, "spec"))]
            if not limiting:
                yield f"{workload.name}: no NetworkPolicy limits its {key}"
            for policy in limiting:
                rules = mapping(policy, "spec").get(key)
                for place, rule in enumerate(rules if isinstance(rules, list) else ()):
                    if why := _allows_all(rule if isinstance(rule, dict) else {}, peers):
                        yield f"{workload.name}: {shown(policy)} {key}[{place}] {why}"


def _kinds(policy: Object) -> list[str]:
    # Without policyTypes Kubernetes takes Ingress, and Egress where there are rules for it.
    return containers.listed(policy.get("policyTypes")) or ["Ingress", *(["Egress"] if "egress" in policy else [])]


def _allows_all(rule: Object, peers: str) -> str:
    if not _is_anywhere(rule.get(peers)):
        return ""
    if peers == "from":
        return "lets anyone in"
    # GitHub's addresses change: what goes out may go anywhere on named ports.
    is_every_port = not rule.get("ports") or any(map(_is_every, mappings(rule.get("ports"))))
    return "lets everything out" if is_every_port else ""


def _is_anywhere(peers: Any) -> bool:
    if not peers:  # No list means everywhere.
        return True
    return any(
        _is_internet(mapping(peer, "ipBlock").get("cidr")) if "ipBlock" in peer
        else not peer.get("podSelector") and peer.get("namespaceSelector") == {}
        for peer in mappings(peers)
    )  # fmt: skip


def _is_internet(cidr: Any) -> bool:
    try:
        return ip_network(str(cidr), strict=False).prefixlen <= 1  # Two halves are the whole, too.
    except ValueError:
        return False


def _is_every(port: Object) -> bool:
    first, last = port.get("port"), port.get("endPort")
    return first is None or (isinstance(first, int) and isinstance(last, int) and last - first > _ALL_PORTS)


def _behind(service: Object, found: Sequence[Workload]) -> list[Workload]:
    """The workloads that run on and that a Service leads to."""
    return [workload for workload in found if workload.is_lasting and workload.is_behind(service)]


def _exposed(objects: Sequence[Object], found: Sequence[Workload]) -> Iterator[str]:
    yield from (
        f"{workload.name}, container {part.name}: {name} lets everybody in without a password"
        for workload in found for part in workload.containers if (name := containers.is_open_store(part.variables))
    )  # fmt: skip
    for service in of_kind(objects, "Service"):
        spec = mapping(service, "spec")
        kind = str(spec.get("type", "ClusterIP"))
        if not (kind in ("NodePort", "LoadBalancer") or spec.get("externalIPs")) or _is_internal(service):
            continue
        way = f"spec.type is {kind}" if kind != "ClusterIP" else "spec.externalIPs is set"
        for workload in _behind(service, found):
            for part in workload.containers:
                what = "the database" if containers.is_store(part.spec.get("image")) else "/metrics"
                if what != "/metrics" or part.is_ours or containers.is_collector(part.spec.get("image")):
                    yield f"{shown(service)}: {way}, so {what} of {workload.name} can be reached from outside"


def _is_internal(service: Object) -> bool:
    """Whether an annotation of the cloud's keeps a load balancer inside."""
    said = mapping(service, "metadata", "annotations")
    return mapping(service, "spec").get("type") == "LoadBalancer" and any(
        "load-balancer" in str(name)
        and ("internal" in str(name) or str(value).lower() == "internal")
        and str(value) != "false"
        for name, value in said.items()
    )


def _unencrypted(objects: Sequence[Object]) -> Iterator[str]:
    for ingress in of_kind(objects, "Ingress"):
        ends = list(mappings(mapping(ingress, "spec").get("tls")))
        hosts = {host for end in ends for host in containers.listed(end.get("hosts"))}
        asked = {str(rule.get("host") or "*") for rule in mappings(mapping(ingress, "spec").get("rules"))}
        if bare := sorted(host for host in asked if hosts and not {host, f"*.{host.partition('.')[2]}"} & hosts):
            yield f"{shown(ingress)}: spec.tls does not name {', '.join(bare)}"
        if not ends:
            yield f"{shown(ingress)}: spec.tls is not set"
        for name, value in mapping(ingress, "metadata", "annotations").items():
            if str(name).endswith(_PLAIN_HTTP) and containers.is_yes(value) == str(name).endswith("allow-http"):
                yield f"{shown(ingress)}: {name} is {value}, so it also answers without TLS"
    for route in of_kind(objects, "Route"):
        if not mapping(route, "spec").get("tls"):
            yield f"{shown(route)}: spec.tls is not set"
    for gateway in of_kind(objects, "Gateway"):
        kinds = [str(listener.get("protocol")) for listener in mappings(mapping(gateway, "spec").get("listeners"))]
        if kinds and not {"HTTPS", "TLS"} & set(kinds):
            yield f"{shown(gateway)}: no listener has the protocol HTTPS"


def _selectors(found: Sequence[Workload]) -> Iterator[str]:
    for workload in found:
        selector = mapping(workload.object, "spec", "selector")
        if (
            workload.kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
            and selector
            and not selects(selector, workload.labels)
        ):
            yield f"{workload.name}: spec.selector does not match the labels of its pods"


def _services(objects: Sequence[Object], found: Sequence[Workload]) -> Iterator[str]:
    reached: set[tuple[str, str]] = set()
    for service in of_kind(objects, "Service"):
        if not mapping(service, "spec", "selector"):
            continue  # Its endpoints are made by hand.
        behind = _behind(service, found)
        reached |= {workload.identity for workload in behind}
        if not behind:
            yield f"{shown(service)}: spec.selector matches no pod"
        for workload in behind:
            for port in mappings(mapping(service, "spec").get("ports")):
                said = port.get("targetPort", port.get("port"))  # Kubernetes' default is the same port.
                if not any(_takes(part, said) for part in workload.containers if not part.is_side):
                    yield f"{shown(service)}: nothing listens on port {said} of {workload.name}"
    for workload in found:
        is_web = any(part.listens and "worker" not in " ".join(part.command).split() for part in workload.containers)
        if workload.is_lasting and workload.identity not in reached and is_web:
            yield f"{workload.name}: no Service leads to it"


def _takes(part: Container, said: Any) -> bool:
    number = part.port(said)
    if part.listens and part.listens.port is not None:
        return number == part.listens.port
    return number is not None and (not part.ports or number in part.ports.values())  # They need not be named.


def _ingresses(objects: Sequence[Object]) -> Iterator[str]:
    ports = {
        (namespace_of(service), str(mapping(service, "metadata").get("name"))): {
            str(value)
            for port in mappings(mapping(service, "spec").get("ports"))
            for value in (port.get("name"), port.get("port"))
        }
        for service in of_kind(objects, "Service")
    }
    for ingress in of_kind(objects, "Ingress"):
        backends = [mapping(ingress, "spec", "defaultBackend", "service")]
        for rule in mappings(mapping(ingress, "spec").get("rules")):
            backends += [mapping(path, "backend", "service") for path in mappings(mapping(rule, "http").get("paths"))]
        for backend in filter(None, backends):
            name, said = str(backend.get("name")), mapping(backend, "port")
            own = ports.get((namespace_of(ingress), name))
            if own is None:
                yield f"{shown(ingress)}: it leads to service/{name}, which is not among these manifests"
            elif str(said.get("name") or said.get("number")) not in own:
                yield f"{shown(ingress)}: service/{name} has no port {said.get('name') or said.get('number')}"
