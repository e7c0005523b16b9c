"""Reads a folder of manifests as it would be deployed: kustomizations and charts rendered by their own tools, other files as they are."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from bot.doctor.manifests import compose_file, manifest_files, secret_values
from bot.doctor.manifests.containers import listed, mapping, mappings
from bot.doctor.manifests.manifest_files import (
    CHART,
    KUSTOMIZATIONS,
    SUFFIXES,
    ManifestsInvalid,
    may_be_object,
    shown,
)
from bot.doctor.manifests.workloads import workloads
from bot.settings import for_child

_TIMEOUT_SECONDS: Final = 60  # A kustomization may fetch its base from elsewhere.
_MAX_OUTPUT_BYTES: Final = 20_000_000
_MAX_SHOWN: Final = 300  # Characters of a tool's own words that are shown.
# Some releases of kubectl write an error so, in their own log's form.
_LOGGED: Final = re.compile(r"err=[\"<]\s*(.*?)\s*[\">]\Z")
NAMESPACE: Final = "countersign"  # As docs/how-to/install-kubernetes.md installs a chart.


class Unrendered(Exception):
    """A tool could not render; the message is its reason in one line."""


class ToolMissing(Unrendered):
    """No tool for it is on this machine; the message says which to install."""


def kustomized(folder: Path) -> tuple[str, str]:
    """The output of `kubectl kustomize` for the folder, and the command's name. Raises Unrendered."""
    for name, words in (("kubectl", ("kustomize",)), ("kustomize", ("build",))):
        if tool := shutil.which(name):
            return _run([tool, *words, str(folder.resolve())]), f"{name} {words[0]}"
    raise ToolMissing("kubectl is not on this machine: install kubectl (or kustomize)")


def templated(chart: Path) -> tuple[str, str]:
    """The output of `helm template` for the chart with its own values, and the command's name. Raises Unrendered."""
    tool = shutil.which("helm")
    if tool is None:
        raise ToolMissing(
            "helm is not on this machine: install helm, or render the chart with `helm template` into a folder"
        )
    return _run([tool, "template", NAMESPACE, str(chart.resolve()), "--namespace", NAMESPACE]), "helm template"


def _run(command: Sequence[str]) -> str:
    name = f"{Path(command[0]).name} {command[1]}"
    with tempfile.TemporaryFile() as output:  # A tool may write without an end.
        try:
            done = subprocess.run(  # noqa: S603 - a program from PATH that the operator installed, and a folder
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, env=for_child({"GIT_TERMINAL_PROMPT": "0"}),
                timeout=_TIMEOUT_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Unrendered(f"{name} took more than {_TIMEOUT_SECONDS} seconds") from None
        except OSError as error:
            raise Unrendered(f"{name} could not be run: {error.strerror}") from None
        if done.returncode != 0:
            raise Unrendered(f"{name}: {_line(done.stderr)}")
        if output.tell() > _MAX_OUTPUT_BYTES:
            raise Unrendered(f"{name} wrote more than {_MAX_OUTPUT_BYTES} bytes")
        output.seek(0)
        return output.read().decode("utf-8", errors="replace")


def _line(stderr: bytes) -> str:
    """The tool's error in one line, without the warnings before it."""
    lines = [line.strip() for line in stderr.decode("utf-8", errors="replace").splitlines() if line.strip()]
    first = next((place for place, line in enumerate(lines) if line.lower().startswith("error")), 0)
    text = " ".join(lines[first:]) or "it failed and said nothing"
    if logged := _LOGGED.search(text):
        text = f"error: {logged[1]}".replace('\\"', '"')
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


_OVERRIDES: Final = ("compose.override", "docker-compose.override")
_COMPOSE: Final = re.compile(r"(?:docker-)?compose(?:[.-].*)?\.ya?ml")
_MAX_VALUES: Final = 500_000  # In one file, aliases expanded; what is rendered for a large cluster has a tenth.
_MAX_DEPTH: Final = 100
_MERGE: Final = "tag:yaml.org,2002:merge"


@dataclass(frozen=True, slots=True)
class Deployment:
    """A set that is deployed together, from `source`: the `objects` of a cluster, or one `compose` file.

    `read_by` says how it was read; `unread` is what of it could not be read, `missing` why it could not be rendered here at
    all. `exposed` are the secrets in files that it takes variables from.
    """

    source: str
    objects: tuple[Mapping[str, Any], ...] = ()
    compose: Mapping[str, Any] | None = None
    read_by: str = ""
    unread: tuple[str, ...] = ()
    missing: str = ""
    exposed: tuple[str, ...] = ()

    @property
    def is_ours(self) -> bool:
        """Whether Countersign is part of it."""
        if self.compose is not None:
            return any(map(compose_file.is_ours, compose_file.services(self.compose).values()))
        return any(workload.is_ours for workload in workloads(self.objects))


def read(folder: Path) -> tuple[Deployment, ...]:
    """Every deployment in the folder. Raises ManifestsInvalid when it is none, has none, or a file is wrong."""
    if not folder.is_dir():
        raise ManifestsInvalid(f"cannot read {folder}: no such folder")
    files = list(manifest_files.files(folder))
    roots = sorted({path.parent for path in files if path.name in KUSTOMIZATIONS})
    charts = sorted({path.parent for path in files if path.name == CHART})
    # A chart below another one is rendered with it.
    charts = [chart for chart in charts if not any(chart != other and chart.is_relative_to(other) for other in charts)]
    alone, left = _applied(roots)
    others = [path for path in files if not any(path.is_relative_to(place) for place in (*roots, *charts))]
    # Neither kubectl nor helm reads a compose file beside their own.
    templates = [chart / "templates" for chart in charts]
    others += [
        path
        for path in files
        if _COMPOSE.fullmatch(path.name)
        and path not in others
        and not any(path.is_relative_to(place) for place in templates)
    ]
    outside = [path for path in files if not any(path.is_relative_to(chart) for chart in charts)]
    unread = [
        *(f"{shown(root, folder)}: no kustomization that is applied names it" for root in left),
        *manifest_files.unread(folder, outside),
    ]
    # Files that neither has are one deployment, and each compose file with its override is one.
    found = [
        *(_rendered(root, folder, "kustomization") for root in alone),
        *(_rendered(chart, folder, "chart") for chart in charts),
        *_plain(folder, others),
        *([Deployment(folder.name or ".", unread=tuple(unread))] if unread else ()),
    ]
    if not found:
        raise ManifestsInvalid(f"{folder} contains no Kubernetes manifests and no compose file")
    return tuple(found)


def _applied(roots: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The kustomizations that are applied by themselves, and those that neither are nor are named by any of these."""
    said = {root.resolve(): _kustomization(root) for root in roots}
    named = {
        root: {
            (root / entry).resolve()
            for key in ("resources", "bases", "components")
            for entry in listed(kustomization.get(key))
            if "://" not in entry  # Such a base is fetched.
        }
        & said.keys()
        for root, kustomization in said.items()
    }
    # A component is applied only where a kustomization takes it in.
    whole = [root for root in roots if said[root.resolve()].get("kind") != "Component"]
    below = {root: _reached(root.resolve(), named) for root in whole}
    # A kustomization that another one takes as its base is judged with that one alone.
    alone = [root for root in whole if not any(root.resolve() in below[other] for other in whole if other != root)]
    taken = {path for root in alone for path in below[root]}
    return alone, [root for root in whole if root not in alone and root.resolve() not in taken]


def _reached(root: Path, named: Mapping[Path, set[Path]]) -> set[Path]:
    found: set[Path] = set()
    ahead = [*named[root]]
    while ahead:
        if (path := ahead.pop()) not in found:
            found.add(path)
            ahead += named[path]
    return found


def _kustomization(folder: Path) -> Mapping[str, Any]:
    """The kustomization of a folder; empty where its file holds none, which its own tool says."""
    file = next((folder / name for name in KUSTOMIZATIONS if (folder / name).is_file()), None)
    try:
        return mapping({"said": (load(file) or [{}])[0]}, "said") if file else {}
    except ManifestsInvalid:
        return {}


def _rendered(place: Path, folder: Path, kind: str) -> Deployment:
    source = shown(place, folder)
    try:
        text, command = templated(place) if kind == "chart" else kustomized(place)
        objects = [manifest for document in parsed(text) for manifest in flat(document)]
    except ToolMissing as missing:
        return Deployment(source, missing=f"the {kind} {source}: {missing}")
    except (Unrendered, YAMLInvalid) as why:
        return Deployment(source, unread=(f"{source}: {why}",))
    said = f"{source} was rendered by `{command}`{' with its own values.yaml' if kind == 'chart' else ''}"
    return Deployment(source, tuple(objects), read_by=said)


def load(path: Path) -> list[Any]:
    """The documents of a YAML or JSON file, empty ones left out. Raises ManifestsInvalid."""
    text = manifest_files.text(path)
    try:
        return parsed(text)
    except YAMLInvalid as why:
        hint = "; render the template first" if "{{" in text else ""
        raise ManifestsInvalid(f"{path}, {why}{hint}") from None


def _plain(folder: Path, files: Sequence[Path]) -> Iterator[Deployment]:
    """The files that no kustomization and no chart has: Kubernetes objects together, and each compose file."""
    objects: list[Mapping[str, Any]] = []
    composed: dict[Path, Mapping[str, Any]] = {}
    unread: list[str] = []
    read = [file for file in files if file.suffix in SUFFIXES and (file.suffix != ".json" or may_be_object(file))]
    for path, document in ((file, content) for file in read for content in load(file)):
        if isinstance(document, dict) and {"apiVersion", "kind"} <= document.keys():
            objects += flat(document)
        elif isinstance(document, dict) and (path in composed or _is_compose(document, path)):
            # Compose merges the documents of a file.
            composed[path] = compose_file.overridden(composed.get(path, {}), document)
        elif why := _lacking(document):
            unread.append(f"{shown(path, folder)} {why}")
    yield from _composed(folder, composed)
    if workloads(objects):
        source = folder.name or "."
        said = f"{source} was read as raw files, which may differ from what is applied"
        yield Deployment(source, tuple(objects), read_by=said, unread=tuple(unread))
    elif unread:
        yield Deployment(folder.name or ".", unread=tuple(unread))


def _is_compose(document: Mapping[str, Any], path: Path) -> bool:
    is_only_including = "include" in document and _COMPOSE.fullmatch(path.name) is not None
    return is_only_including or isinstance(document.get("services"), dict)


def _lacking(document: Any) -> str:
    """The reason that a document is no manifest though it looks like one; "" for others, which may have a kind, too."""
    if not isinstance(document, dict):  # As a playbook of Ansible's.
        return "names an image of Countersign" if manifest_files.is_about_us(document) else ""
    is_half = {"metadata", "spec"} & document.keys() and {"apiVersion", "kind"} & document.keys()
    return f"has {'kind' if 'kind' in document else 'apiVersion'} alone" if is_half else ""


def _composed(folder: Path, composed: dict[Path, Mapping[str, Any]]) -> Iterator[Deployment]:
    overrides = {path for path in composed if path.stem in _OVERRIDES}
    for path, document in composed.items():
        if path in overrides:
            continue
        own = [other for other in overrides if other.parent == path.parent and other.stem == f"{path.stem}.override"]
        whole: Any = document
        for other in own:
            whole = compose_file.overridden(whole, composed[other])
            overrides.discard(other)
        named = f" with {own[0].name}" if own else ""
        said = f"{shown(path, folder)} was read as a raw file{named}; variables have their defaults"
        settled, unread = compose_file.settled(whole), list[str]()
        exposed = tuple(_exposed(path, settled, unread))
        yield Deployment(
            shown(path, folder), compose=settled, read_by=said, exposed=exposed, unread=tuple(dict.fromkeys(unread))
        )
    for source in (shown(path, folder) for path in sorted(overrides)):
        yield Deployment(source, unread=(f"{source}: the file that it changes is not here",))


def _exposed(path: Path, document: Mapping[str, Any], unread: list[str]) -> Iterator[str]:
    for label, service in compose_file.services(document).items():
        for file in (path.parent / name for name in compose_file.variable_files(service)):
            if not file.is_file():  # Mostly it is made on the server alone.
                continue
            try:
                lines = [line for line in manifest_files.text(file).splitlines() if not line.lstrip().startswith("#")]
            except ManifestsInvalid as why:
                unread.append(str(why))
                continue
            found = secret_values.in_text(file.name, "\n".join([*lines, ""]))
            yield from (f"service {label}: env_file {what} is a secret" for what in found)


def flat(document: Any) -> Iterator[Mapping[str, Any]]:
    """The object, or those of a `List`, also of one kind: `DeploymentList`."""
    if isinstance(document, dict) and "items" in document and str(document.get("kind")).endswith("List"):
        for manifest in mappings(document.get("items")):
            yield from flat(manifest)
    elif isinstance(document, dict) and document.get("kind"):
        yield document


class YAMLInvalid(Exception):
    """The file cannot be read as YAML; the message is one line that says where and why."""


class _Loader(yaml.CSafeLoader):
    """As Kubernetes reads it: YAML 1.1, where `yes` is true."""


def _once(loader: yaml.CSafeLoader, node: yaml.MappingNode) -> Any:
    # A key that stands twice is refused, since tools differ in which one counts.
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise YAMLInvalid(f"line {key.start_mark.line + 1}: a key that is no text")
        if key.value in seen and key.tag != _MERGE:
            raise YAMLInvalid(f"line {key.start_mark.line + 1}: the key {key.value!r} stands twice")
        seen.add(key.value)
    return loader.construct_yaml_map(node)


_Loader.add_constructor("tag:yaml.org,2002:map", _once)


def parsed(text: str) -> list[Any]:
    """The documents of a YAML text, empty ones left out. Raises YAMLInvalid."""
    try:
        _bounded(text)  # Before anything is built of it.
        return [document for document in yaml.load_all(text, _Loader) if document is not None]
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise YAMLInvalid(f"{where}{' '.join((error.problem or 'it is not valid YAML').split())}") from None
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        raise YAMLInvalid(f"it is not valid YAML: {' '.join(str(error).split())}") from None


def _bounded(text: str) -> None:
    """Raises YAMLInvalid when the text, with every alias replaced by what it means, is too large or endless."""
    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    size = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        where = f"line {event.start_mark.line + 1}" if event.start_mark else "somewhere"
        if isinstance(event, yaml.AliasEvent):
            # The size of an anchor is known when its node has ended: an alias inside it would be endless.
            if event.anchor not in sizes:
                raise YAMLInvalid(f"{where}: *{event.anchor} stands inside what it means, or means nothing")
            size += sizes[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            size += 1
            sizes |= {event.anchor: 1} if event.anchor else {}
        elif isinstance(event, yaml.CollectionStartEvent):
            size += 1
            open_nodes.append((event.anchor, size))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            sizes |= {anchor: size - before + 1} if anchor else {}
        if len(open_nodes) > _MAX_DEPTH:
            raise YAMLInvalid(f"{where}: nested deeper than {_MAX_DEPTH} levels")
        if size > _MAX_VALUES:
            raise YAMLInvalid(f"{where}: more than {_MAX_VALUES} values with all aliases")
