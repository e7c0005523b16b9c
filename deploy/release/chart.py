"""Makes the chart's templates and the PrometheusRule from the manifests and the rules, so that there is one source: `make chart`.

`python deploy/release/chart.py [--check]`: with --check nothing is written, and exit code 1 names what would change.
"""

import json
import sys
from pathlib import Path

import yaml

DEPLOY = Path(__file__).parents[1]
KUBERNETES = DEPLOY / "kubernetes"
RULE = KUBERNETES / "components/monitoring/prometheus-rule.yaml"
TEMPLATES = DEPLOY / "chart/templates"
NOTE = "# Made from {} by `make chart`; change that.\n"
IMAGE = (
    "{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}"
    "{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}"
)
LABELS = {"app.kubernetes.io/name": "countersign", "app.kubernetes.io/part-of": "countersign"}
HOOK = {"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation"}
SETTINGS = """apiVersion: v1
kind: ConfigMap
metadata:
  name: countersign
  namespace: {{ .Release.Namespace }}
  labels:
    app.kubernetes.io/name: countersign
    app.kubernetes.io/part-of: countersign
data:
  {{- toYaml .Values.settings | nindent 2 }}
  {{- with .Values.tracing.endpoint }}
  OTEL_EXPORTER_OTLP_ENDPOINT: {{ . }}
  {{- end }}
"""
SOURCES = {
    "base/service-account.yaml": "",
    "base/migrate.yaml": "",
    "base/web.yaml": "",
    "base/worker.yaml": "",
    "base/service.yaml": "",
    "base/disruption-budgets.yaml": "",
    "base/network-policies.yaml": "",
    "components/backups/backup.yaml": ".Values.backups.enabled",
    "components/ingress/ingress.yaml": ".Values.ingress.enabled",
    "components/autoscaling/autoscalers.yaml": ".Values.autoscaling.enabled",
    "components/monitoring/pod-monitor.yaml": ".Values.monitoring.enabled",
    "components/monitoring/prometheus-rule.yaml": ".Values.monitoring.enabled",
    "components/tracing/network-policy.yaml": ".Values.tracing.endpoint",
}
"""Each source of a template, and the value without which there is no such object."""


class Expressions:
    """Stands marks in the place of what the values choose, and puts Helm's expressions where the marks came out."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def mark(self, expression: str) -> str:
        """A word for a value that is one expression, or for a block that is printed as YAML."""
        word = f"EXPRESSION{len(self.known):03}X"
        self.known[word] = expression
        return word

    def block(self, value: str) -> str:
        """A mark for a whole mapping or list of the values."""
        return self.mark(f"toYaml {value}")

    def put(self, text: str) -> str:
        """The text of a template: each mark exchanged, blocks indented below their key."""
        lines = []
        for line in text.splitlines():
            while word := next((word for word in self.known if word in line), None):
                expression = self.known[word]
                if expression.startswith("toYaml "):
                    depth = len(line) - len(line.lstrip()) + 2
                    line = line.replace(f" {word}", f"\n{' ' * depth}{{{{- {expression} | nindent {depth} }}}}")  # noqa: PLW2901 - the same line, further on
                else:
                    line = line.replace(word, expression if "{{" in expression else f"{{{{ {expression} }}}}")  # noqa: PLW2901 - the same line, further on
            lines.append(line)
        return "\n".join(lines) + "\n"


def prometheus_rule(rules: str) -> str:
    """The rules of deploy/monitoring as an object of the Prometheus Operator's."""
    made = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "countersign"},
        "spec": yaml.safe_load(rules),
    }
    return NOTE.format("deploy/monitoring/rules.yaml") + dumped(made)


def dumped(document: object) -> str:
    """YAML with keys in their order, long lines left whole."""
    return yaml.safe_dump(document, sort_keys=False, width=1000, allow_unicode=True)


def template(source: str, text: str) -> str:
    """One template from one source."""
    parts = []
    for document in yaml.safe_load_all(text):
        marks = Expressions()
        _vary(document, marks)
        shown = dumped(json.loads(json.dumps(document)))  # without aliases
        if document["kind"] == "PrometheusRule":  # Prometheus's own braces are no expressions of Helm's
            shown = shown.replace("{{", '{{ "{{" }}')
        parts.append(_without_fixed_replicas(marks.put(shown)))
    wish = SOURCES[source]
    body = "---\n".join(parts)
    return NOTE.format(f"deploy/kubernetes/{source}") + (
        f"{{{{- if {wish} }}}}\n{body}{{{{- end }}}}\n" if wish else body
    )


def _vary(document: dict, marks: Expressions) -> None:
    """Stand marks wherever the values choose."""
    metadata, spec, kind = document["metadata"], document.get("spec", {}), document["kind"]
    metadata["namespace"] = marks.mark(".Release.Namespace")
    metadata["labels"] = {**LABELS, **metadata.get("labels", {})}
    if kind in ("Deployment", "Job", "CronJob"):
        around = spec["jobTemplate"]["spec"] if kind == "CronJob" else spec
        _vary_pod(document, around["template"]["spec"], marks)
    if kind == "Deployment":
        role = metadata["labels"]["app.kubernetes.io/component"]
        spec["replicas"] = marks.mark(f".Values.{role}.replicas")
        sums = {"checksum/settings": marks.mark("toJson (list .Values.settings .Values.tracing) | sha256sum")}
        spec["template"]["metadata"]["annotations"] |= sums
        spec["template"]["spec"]["containers"][0]["resources"] = marks.block(f".Values.{role}.resources")
    elif kind == "Job":
        metadata["annotations"] = HOOK
    elif kind == "CronJob":
        spec["schedule"] = marks.mark(".Values.backups.schedule | quote")
    elif kind == "PersistentVolumeClaim":
        spec["resources"]["requests"]["storage"] = marks.mark(".Values.backups.storage")
    elif kind == "NetworkPolicy" and "ingress" in spec:
        spec["ingress"][0]["from"] = marks.block(".Values.networkPolicy.from")
    elif kind == "HorizontalPodAutoscaler":
        role = metadata["name"].removeprefix("countersign-")
        for name in ("minReplicas", "maxReplicas"):
            spec[name] = marks.mark(f".Values.autoscaling.{role}.{name}")
    elif kind == "Ingress":
        host = marks.mark(".Values.ingress.host")
        metadata["annotations"] = marks.block(".Values.ingress.annotations")
        spec["ingressClassName"] = marks.mark(".Values.ingress.className")
        spec["tls"] = [{"hosts": [host], "secretName": marks.mark(".Values.ingress.tlsSecretName")}]
        spec["rules"][0]["host"] = host


def _vary_pod(document: dict, pod: dict, marks: Expressions) -> None:
    for container in (*pod.get("initContainers", []), *pod["containers"]):
        if container["image"].startswith("countersign:"):
            container["image"] = marks.mark(f'"{IMAGE}"')
    for volume in pod["volumes"]:
        if "secret" in volume:
            own = document["kind"] == "Deployment"
            volume["secret"]["secretName"] = marks.mark(".Values.secretName" if own else ".Values.ownerSecretName")


def _without_fixed_replicas(text: str) -> str:
    """An autoscaler and a number of ours would set the replicas back and forth."""
    lines = text.splitlines()
    at = next((at for at, line in enumerate(lines) if line.startswith("  replicas: ")), None)
    if at is not None:
        lines[at : at + 1] = ["  {{- if not .Values.autoscaling.enabled }}", lines[at], "  {{- end }}"]
    return "\n".join(lines) + "\n"


def made() -> dict[Path, str]:
    """Every file that is made, with its text."""
    rule = prometheus_rule((DEPLOY / "monitoring/rules.yaml").read_text(encoding="utf-8"))
    files = {RULE: rule, TEMPLATES / "settings.yaml": SETTINGS}
    for source in SOURCES:
        path = KUBERNETES / source
        text = rule if path == RULE else path.read_text(encoding="utf-8")
        files[TEMPLATES / _name(source)] = template(source, text)
    return files


def _name(source: str) -> str:
    """The template's file: a component's own name where it has just one object of a kind that others have, too."""
    return "tracing.yaml" if source.startswith("components/tracing/") else Path(source).name


def main(arguments: list[str]) -> int:
    """Write what differs, or name it."""
    files = made()
    stale = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    stale += [path for path in TEMPLATES.glob("*.yaml") if path not in files]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(DEPLOY)} is not what its source makes: make chart", file=sys.stderr)
        return 1 if stale else 0
    TEMPLATES.mkdir(exist_ok=True)
    for path in stale:
        if path in files:
            path.write_text(files[path], encoding="utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
