"""The checklist over a compose file: for each requirement what does not meet it, as clauses that name the service."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bot.doctor.manifests import containers
from bot.doctor.manifests.checklist import BACKUPS_KEY, Findings
from bot.doctor.manifests.containers import mapping, words

Service = Mapping[str, Any]
Services = Mapping[str, Service]

_ROOT = ("", "0", "root")
_STORES = ("postgres", "mysql", "mariadb", "redis", "valkey")
"""What an image's name says when it keeps data that nobody outside is to reach."""
_COLLECTORS = ("prometheus", "grafana-agent", "alloy", "otel", "victoria", "vmagent")


def unread(document: Mapping[str, Any]) -> list[str]:
    """What this file takes from others, which nobody here reads."""
    inherited = [f"services.{name}.extends" for name, one in services(document).items() if "extends" in one]
    return [*(["include"] if "include" in document else []), *inherited]


def services(document: Mapping[str, Any]) -> Services:
    """The services of a compose file."""
    return {
        str(name): one if isinstance(one, dict) else {}
        for name, one in mapping(document, "services").items()
    }  # fmt: skip


def judge(document: Mapping[str, Any]) -> Findings:
    """Every requirement that compose can meet over one file."""
    found = services(document)
    judged: Findings = {name: _each(found, check) or [] for name, check in _SERVICE.items()}
    ours = {label: one for label, one in found.items() if _is_ours(one) and _is_serving(one)}
    web = {label: one for label, one in ours.items() if "worker" not in _command(one)}
    judged["reliability.probes"] = _each(web, _probe)
    judged["observability.tracing"] = _each(ours, _tracing)
    judged["observability.metrics"] = [] if any(map(_collects, found.values())) else _each(web, _metrics)
    is_kept = any(containers.makes_backups(_command(one)) or _labels(one).get(BACKUPS_KEY) for one in found.values())
    judged["reliability.backups"] = [] if is_kept else ["nothing makes backups of the database"]
    return judged


def _each(found: Services, check: Callable[[Service], str]) -> list[str] | None:
    return [f"service {label}: {why}" for label, one in found.items() if (why := check(one))] if found else None


def _command(one: Service) -> list[str]:
    return words(one.get("entrypoint"), one.get("command"))


def _pairs(value: Any) -> dict[str, Any]:
    """A mapping, which compose also takes as a list of NAME=VALUE; a name alone is taken from the environment."""
    if isinstance(value, list):
        parts = [str(one).partition("=") for one in value]
        return {name: text if found else None for name, found, text in parts}
    return dict(value) if isinstance(value, dict) else {}


def _labels(one: Service) -> dict[str, Any]:
    return _pairs(one.get("labels"))


def _is_ours(one: Service) -> bool:
    names = _pairs(one.get("environment"))
    return any(name.startswith("COUNTERSIGN_") for name in names) or "countersign" in str(one.get("image"))


def _is_serving(one: Service) -> bool:
    """The image's own command serves; another may do something once."""
    command = _command(one)
    return not command or "serve" in command


def _root(one: Service) -> str:
    user = one.get("user")
    if user is None:
        return "it runs as the image's user, which may be root"
    return "it runs as root" if str(user).partition(":")[0] in _ROOT else ""


def _writable(one: Service) -> str:
    return "" if one.get("read_only") is True else "read_only is not true"


def _capabilities(one: Service) -> str:
    if "ALL" not in [str(name).upper() for name in one.get("cap_drop") or ()]:
        return "cap_drop does not contain ALL"
    added = sorted({str(name) for name in one.get("cap_add") or ()} - {"NET_BIND_SERVICE"})
    return f"cap_add has {', '.join(added)}" if added else ""


def _options(one: Service) -> list[str]:
    return [str(option).replace("=", ":").replace(" ", "") for option in one.get("security_opt") or ()]


def _escalation(one: Service) -> str:
    if one.get("privileged"):
        return "privileged is true"
    is_set = {"no-new-privileges", "no-new-privileges:true"} & set(_options(one))
    return "" if is_set else "security_opt does not contain no-new-privileges:true"


def _seccomp(one: Service) -> str:
    return "seccomp is unconfined" if "seccomp:unconfined" in _options(one) else ""


def _network(one: Service) -> str:
    if one.get("network_mode") == "host":
        return "it uses the host's network"
    is_store = any(name in str(one.get("image")) for name in _STORES)
    return "a database publishes ports" if is_store and one.get("ports") else ""


def _secrets(one: Service) -> str:
    names = [
        name for name, value in _pairs(one.get("environment")).items()
        if value is not None and containers.is_secret(name, str(value))
    ]  # fmt: skip
    return f"{', '.join(names)} {'has its' if len(names) == 1 else 'have their'} value in the file" if names else ""


def _image(one: Service) -> str:
    if "build" in one and "image" not in one:
        return ""  # made from these very files
    image = str(one.get("image", ""))
    return "" if containers.is_pinned(_default(image)) else f"the image {image or '(none)'} is not pinned"


def _default(image: str) -> str:
    """The image that is meant where the environment says nothing: `${IMAGE:-name:1.2}`, `name:${TAG:-1.2}`."""
    head, found, rest = image.partition("${")
    if not found:
        return image
    inside, _, tail = rest.partition("}")
    return head + inside.partition("-")[2] + tail


def _resources(one: Service) -> str:
    limits = mapping(one, "deploy", "resources", "limits")
    lacking = [] if limits.get("memory") or one.get("mem_limit") else ["memory"]
    lacking += [] if limits.get("cpus") or one.get("cpus") else ["cpus"]
    return f"no limit for {' and '.join(lacking)}" if lacking else ""


def _restart(one: Service) -> str:
    if _is_ours(one) and not _is_serving(one):
        return ""
    is_set = str(one.get("restart", "no")).partition(":")[0] in ("always", "unless-stopped", "on-failure")
    return "" if is_set or mapping(one, "deploy", "restart_policy") else "restart is not set"


def _logs(one: Service) -> str:
    if containers.loses_logs(_command(one)):
        return "a shell redirects its output"
    driver, options = mapping(one, "logging").get("driver"), mapping(one, "logging", "options")
    if driver == "none":
        return "its logs are discarded"
    is_endless = driver in (None, "json-file") and not options.get("max-size")
    return "its logs have no size limit (max-size)" if is_endless else ""


def _probe(one: Service) -> str:
    check = mapping(one, "healthcheck")
    return "" if check.get("test") not in (None, [], ["NONE"]) and not check.get("disable") else "no healthcheck"


def _collects(one: Service) -> bool:
    return any(name in str(one.get("image")) for name in _COLLECTORS)


def _metrics(one: Service) -> str:
    is_set = str(_labels(one).get("prometheus.io/scrape")).lower() == "true"
    return "" if is_set else "nothing collects its metrics"


def _tracing(one: Service) -> str:
    return "" if containers.is_tracing(_pairs(one.get("environment"))) else "no OTEL_EXPORTER_OTLP_ENDPOINT"


_SERVICE: Final[Mapping[str, Callable[[Service], str]]] = {
    "security.non-root": _root,
    "security.read-only-root": _writable,
    "security.capabilities": _capabilities,
    "security.privilege-escalation": _escalation,
    "security.seccomp": _seccomp,
    "security.network-policy": _network,
    "security.secrets": _secrets,
    "security.image": _image,
    "reliability.resources": _resources,
    "reliability.restart": _restart,
    "observability.logs": _logs,
}
"""What every service must meet."""
