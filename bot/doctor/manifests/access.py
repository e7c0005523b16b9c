"""Checks what manifests of Kubernetes give away: rights in the cluster, tokens for it, and secrets in the files."""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from bot.doctor.manifests import secret_values
from bot.doctor.manifests.checklist import Findings
from bot.doctor.manifests.containers import listed, mapping, mappings, words
from bot.doctor.manifests.workloads import Container, Object, Workload, name_of, namespace_of, of_kind, shown

# Roles of every cluster that read Secrets or make pods (kubernetes.io/docs/reference/access-authn-authz/rbac).
_POWERFUL: Final = frozenset({"cluster-admin", "admin", "edit"})
_RISING: Final = frozenset({"bind", "escalate", "impersonate"})  # With these verbs a caller gets more rights.
_WRITING: Final = frozenset({"create", "update", "patch"})
# With any verb on one of these another pod, node or account can be taken over.
_INSIDE: Final = frozenset({
    "pods/exec", "pods/attach", "pods/portforward", "pods/ephemeralcontainers", "pods/proxy", "services/proxy", "nodes/proxy",
    "serviceaccounts/token", "certificatesigningrequests/approval",
})  # fmt: skip
# A caller who may write an object of one of these kinds can run anything, or give rights.
_MAKING: Final = frozenset({
    "pods", "deployments", "statefulsets", "daemonsets", "replicasets", "replicationcontrollers", "jobs", "cronjobs", "roles",
    "clusterroles", "rolebindings", "clusterrolebindings", "persistentvolumes", "nodes", "mutatingwebhookconfigurations",
    "validatingwebhookconfigurations",
})  # fmt: skip


def judge(objects: Sequence[Object], found: Sequence[Workload]) -> Findings:
    """Every requirement about rights and secrets."""
    return {
        "security.rbac": list(_bindings(objects)),
        "security.service-account-token": list(_tokens(objects, found)),
        "security.secrets": list(_secrets(objects, found)),
    }


def _bindings(objects: Sequence[Object]) -> Iterator[str]:
    roles = {
        (str(role["kind"]), namespace_of(role) if role["kind"] == "Role" else "", name_of(role)): role
        for role in of_kind(objects, "Role", "ClusterRole")
    }
    for binding in of_kind(objects, "RoleBinding", "ClusterRoleBinding"):
        given = [who for subject in mappings(binding.get("subjects")) if (who := _machine(subject, binding))]
        reference = mapping(binding, "roleRef")
        kind, name = str(reference.get("kind")), str(reference.get("name"))
        role = roles.get((kind, namespace_of(binding) if kind == "Role" else "", name))
        why = _granted(name, role)
        if given and why:
            yield f"{shown(binding)}: gives {', '.join(given)} {why}"


def _machine(subject: Object, binding: Object) -> str:
    """The subject, if pods or any caller can act as it: a service account, or a group or user of Kubernetes' own."""
    kind, name = subject.get("kind"), str(subject.get("name"))
    if kind == "ServiceAccount":
        return f"serviceaccount/{subject.get('namespace') or namespace_of(binding) or 'default'}/{name}"
    return f"{str(kind).lower()} {name}" if name.startswith("system:") else ""  # Kubernetes' own begin so.


def _granted(name: str, role: Object | None) -> str:
    if role is None:
        if name in _POWERFUL:
            return f"the role {name}"
        # The cluster's own role `view` reads no Secrets.
        return "" if name == "view" else f"the role {name}, whose rules are not in these manifests"
    if "aggregationRule" in role:  # The cluster overwrites its own rules.
        return f"the role {name}, which gathers rules from other roles"
    rules = role.get("rules")
    for place, rule in enumerate(mappings(rules)):
        if why := _power(rule):
            return f"{why} ({shown(role)}: rules[{place}])"
    return ""


def _power(rule: Object) -> str:
    verbs, resources = set(listed(rule.get("verbs"))), set(listed(rule.get("resources")))
    if "*" in "".join([*verbs, *resources, *listed(rule.get("apiGroups")), *listed(rule.get("nonResourceURLs"))]):
        return "rights by a wildcard"
    if rising := sorted(verbs & _RISING):
        return f"the right to {', '.join(rising)}"
    if "secrets" in resources:
        return "the right to read or write Secrets"
    if inside := sorted(resources & _INSIDE):
        return f"the right to use {', '.join(inside)}"
    made = sorted(resources & _MAKING) if verbs & _WRITING else []
    return f"the right to write {', '.join(made)}" if made else ""


def _tokens(objects: Sequence[Object], found: Sequence[Workload]) -> Iterator[str]:
    without = {
        (namespace_of(account), name_of(account))
        for account in of_kind(objects, "ServiceAccount")
        if account.get("automountServiceAccountToken") is False
    }
    for workload in found:
        # What the pod says goes before what its account says.
        if (
            workload.pod.get("automountServiceAccountToken", (workload.namespace, workload.account) not in without)
            is not False
        ):
            yield f"{workload.name}: automountServiceAccountToken is not false"
        for volume in mappings(workload.pod.get("volumes")):
            sources = mappings(mapping(volume, "projected").get("sources"))
            # The cluster takes no token that is made for another audience.
            if any(
                "serviceAccountToken" in source and not mapping(source, "serviceAccountToken").get("audience")
                for source in sources
            ):
                yield f"{workload.name}: volume {volume.get('name')} projects a token for the cluster"


def _secrets(objects: Sequence[Object], found: Sequence[Workload]) -> Iterator[str]:
    for workload in found:
        for part in workload.containers:
            yield from (f"{workload.name}, container {part.name}: {what}" for what in _in_container(part))
    for given in of_kind(objects, "ConfigMap"):
        for name, value in {**mapping(given, "data"), **mapping(given, "binaryData")}.items():
            text = _decoded(value) if name in mapping(given, "binaryData") else str(value)
            for what in secret_values.in_text(str(name), text):
                yield f"{shown(given)}: {what} is a secret"
    for given in of_kind(objects, "Secret"):
        for name, value in {**mapping(given, "data"), **mapping(given, "stringData")}.items():
            if value and not str(value).startswith("ENC["):  # SOPS encrypts in place.
                yield f"{shown(given)}: the manifest contains the value of {name}"


def _in_container(part: Container) -> Iterator[str]:
    own = {str(variable.get("name")): str(variable.get("value") or "") for variable in mappings(part.spec.get("env"))}
    for name, value in own.items():
        if secret_values.is_secret(name, value):
            yield f"the manifest contains the value of {name} (env)"
    for key, value in _said(part.spec):
        if key == "httpHeaders":
            headers = {str(header.get("name")): str(header.get("value") or "") for header in mappings(value)}
            yield from (
                f"{name} (httpHeaders) is a secret"
                for name, text in headers.items()
                if secret_values.is_secret(name, text)
            )
        else:
            yield from (f"{what} stands in its {key}" for what in secret_values.in_command(words(value)))


def _said(value: Any) -> Iterator[tuple[str, Any]]:
    """Every command, arguments and headers of a container, also of its probes and hooks."""
    if isinstance(value, Mapping):
        for key, child in value.items():
            if key in ("command", "args", "httpHeaders"):
                yield str(key), child
            else:
                yield from _said(child)


def _decoded(value: Any) -> str:
    try:
        return base64.b64decode(str(value), validate=True).decode(errors="replace")
    except (binascii.Error, ValueError):
        return ""
