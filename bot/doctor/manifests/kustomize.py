"""What `kustomize build` makes of a folder, as far as the checklist needs it; whatever else a kustomization asks for is named.

Understood: resources, components and bases (folders and files), patches (strategic merge and RFC 6902), images, replicas, and the two
generators. Names, namespaces, labels and annotations for all objects change nothing that is judged.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from bot.doctor.manifests.containers import mapping, mappings

Object = dict[str, Any]
_Entry = TypeVar("_Entry", str, Object)
_KINDS: Final[Mapping[type, str]] = {str: "text", dict: "mappings"}

_UNDERSTOOD: Final = frozenset({
    "apiVersion", "kind", "metadata", "resources", "bases", "components", "patches", "patchesStrategicMerge", "images", "replicas",
    "configMapGenerator", "secretGenerator",
})  # fmt: skip
_HARMLESS: Final = frozenset({
    "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels", "commonAnnotations", "generatorOptions", "buildMetadata",
    "sortOptions", "configurations", "openapi", "crds",
})  # fmt: skip
_KEYS: Final = ("name", "mountPath", "containerPort", "port", "ip", "topologyKey")
"""By the first of these that all entries of a list have, Kubernetes merges them."""


class UnsupportedPatch(Exception):
    """A patch that nobody here can apply, or a key that holds what it cannot; it says which."""


@dataclass(slots=True)
class Build:
    """The objects of a kustomization, the folders that it took in, and what of it is not understood."""

    objects: list[Object] = field(default_factory=list)
    used: list[Path] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


Load = Callable[[Path], list[Any]]


def build(folder: Path, load: Load, find: Callable[[Path], Path | None]) -> Build:
    """Build the folder's kustomization; `find` gives the file, `load` its documents, and raises what it likes."""
    made = Build()
    _add(made, folder, load, find)
    return made


def _add(made: Build, folder: Path, load: Load, find: Callable[[Path], Path | None]) -> None:
    """Add what a kustomization or component has, then change what is there by now, which for a component is its user's."""
    file = find(folder)
    document = (load(file) or [{}])[0] if file else {}
    said: Mapping[str, Any] = document if isinstance(document, dict) else {}
    made.unread += [f"{file}: {key}" for key in said if key not in _UNDERSTOOD | _HARMLESS]
    try:
        _fill(made, said, folder, load, find)
        _change(made, said, folder, load, str(file))
    except UnsupportedPatch as why:
        made.unread.append(f"{file}: {why}")


def _fill(made: Build, said: Mapping[str, Any], folder: Path, load: Load, find: Callable[[Path], Path | None]) -> None:
    """Add the objects that a kustomization names or generates. Raises UnsupportedPatch."""
    for key in ("resources", "bases", "components"):
        for entry in _entries(said, key, str):
            path = folder / entry
            if path.is_file():
                made.objects += [one for found in load(path) for one in flat(found)]
            elif not path.is_dir():
                made.unread.append(f"{find(folder)}: {key}: {entry} is not in this folder")
            elif key == "components":
                made.used.append(path)
                _add(made, path, load, find)
            else:
                made.used.append(path)
                _take(made, build(path, load, find))
    for key, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
        made.objects += _generated(said, folder, key, kind)


def _take(made: Build, other: Build) -> None:
    made.objects += other.objects
    made.used += other.used
    made.unread += other.unread


def flat(document: Any) -> Iterator[Object]:
    """The object, or those of a `List`."""
    if isinstance(document, dict) and document.get("kind") == "List":
        items = document.get("items")
        for one in items if isinstance(items, list) else ():
            yield from flat(one)
    elif isinstance(document, dict) and document.get("kind"):
        yield document


def _generated(said: Mapping[str, Any], folder: Path, key: str, kind: str) -> Iterator[Object]:
    for entry in _entries(said, key, dict):
        data = dict(one.partition("=")[::2] for one in _entries(entry, "literals", str))
        for name in [*_entries(entry, "envs", str), *filter(None, [entry.get("env")])]:
            data |= dict(_lines(folder / str(name)))
        for one in _entries(entry, "files", str):
            name, _, path = one.rpartition("=")
            file = folder / path
            data[name or Path(path).name] = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        yield {"apiVersion": "v1", "kind": kind, "metadata": {"name": entry.get("name")}, "data": data}


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """The variables of an environment file; none of one that is made only when it is deployed."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        name, found, value = line.partition("=")
        if found and not line.lstrip().startswith("#"):
            yield name.strip(), value


def _change(made: Build, said: Mapping[str, Any], folder: Path, load: Load, file: str) -> None:
    """Apply patches, images and replicas to the objects, which are this build's own from here on. Raises UnsupportedPatch."""
    made.objects = copy.deepcopy(made.objects)
    patches = [*_entries(said, "patches", dict)]
    patches += [
        {"path": one} if (folder / one).is_file() else {"patch": one}
        for one in _entries(said, "patchesStrategicMerge", str)
    ]
    for entry in patches:
        try:
            _patch(made.objects, entry, folder, load)
        except UnsupportedPatch as why:
            made.unread.append(f"{file}: {why}")
    for entry in _entries(said, "images", dict):
        for spec in _containers(made.objects):
            spec["image"] = _image(str(spec.get("image", "")), entry)
    for entry in _entries(said, "replicas", dict):
        for one in made.objects:
            if one.get("kind") in ("Deployment", "StatefulSet") and _name(one) == entry.get("name"):
                one["spec"] = {**mapping(one, "spec"), "replicas": entry.get("count")}


def _patch(objects: list[Object], entry: Mapping[str, Any], folder: Path, load: Load) -> None:
    """Apply one entry of `patches`. Raises UnsupportedPatch."""
    target = entry.get("target")
    for document in _documents(entry, folder, load):
        if isinstance(document, list):
            meant = [one for one in objects if _is_meant(one, target or {})]
            if not meant:
                raise UnsupportedPatch(f"a patch for {target}, which does not exist")
            for one in meant:
                for operation in mappings(document):
                    _operate(one, operation)
        elif isinstance(document, dict):
            wanted = target or {"kind": document.get("kind"), "name": _name(document)}
            meant = [one for one in objects if _is_meant(one, wanted)]
            if not meant:
                raise UnsupportedPatch(f"a patch for {wanted.get('kind')} {wanted.get('name')}, which does not exist")
            for one in meant:
                if document.get("$patch") == "delete":
                    objects.remove(one)
                else:
                    kept = _name(one)
                    one.update(merge(one, document))
                    one["metadata"] = {**mapping(one, "metadata"), "name": kept}


def _documents(entry: Mapping[str, Any], folder: Path, load: Load) -> list[Any]:
    """The documents of a patch, in a file or in the kustomization itself. Raises UnsupportedPatch."""
    text = entry.get("path", entry.get("patch", ""))
    if not isinstance(text, str):
        raise UnsupportedPatch("a patch that is not text")
    if "path" in entry:
        return load(folder / text)
    try:
        return list(YAML(typ="safe").load_all(text))
    except (YAMLError, RecursionError):
        raise UnsupportedPatch("a patch that is not valid YAML") from None


def _is_meant(one: Object, target: Any) -> bool:
    if not isinstance(target, dict):
        raise UnsupportedPatch("a patch whose target is not a mapping")
    if unknown := set(target) - {"group", "version", "kind", "name", "namespace"}:
        raise UnsupportedPatch(f"a patch whose target has {', '.join(sorted(map(str, unknown)))}")
    return target.get("kind") in (None, one.get("kind")) and target.get("name") in (None, _name(one))


def merge(value: Any, patch: Any) -> Any:
    """A strategic merge: mappings key by key, lists of named entries by name, anything else replaced; null takes away."""
    if isinstance(value, Mapping) and isinstance(patch, Mapping):
        if patch.get("$patch") == "replace":
            return {key: one for key, one in patch.items() if key != "$patch"}
        merged = {key: merge(one, patch[key]) if key in patch else one for key, one in value.items()}
        merged |= {key: one for key, one in patch.items() if key not in value}
        return {key: one for key, one in merged.items() if one is not None}
    if isinstance(value, list) and isinstance(patch, list):
        return _merged_list(value, patch)
    return patch


def _merged_list(value: list[Any], patch: list[Any]) -> list[Any]:
    entries = [one for one in (*value, *patch) if isinstance(one, Mapping)]
    key = next((key for key in _KEYS if entries and all(key in one for one in entries)), None)
    if key is None or len(entries) != len(value) + len(patch):
        return patch
    merged = list(value)
    for one in patch:
        place = next((place for place, old in enumerate(merged) if old[key] == one[key]), None)
        if one.get("$patch") == "delete":
            merged = [old for old in merged if old[key] != one[key]]
        elif place is None:
            merged.append(one)
        else:
            merged[place] = merge(merged[place], one)
    return merged


def _operate(one: Object, operation: Mapping[str, Any]) -> None:
    """One operation of RFC 6902: add, replace or remove. Raises UnsupportedPatch."""
    kind, path = operation.get("op"), str(operation.get("path", ""))
    *way, last = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]] or [""]
    try:
        if kind not in ("add", "replace", "remove"):
            raise UnsupportedPatch(f"a patch with the operation {kind}")
        node: Any = one
        for part in way:
            node = node[int(part)] if isinstance(node, list) else node[part]
        if isinstance(node, list):
            _operate_on_list(node, str(kind), last, operation.get("value"))
        elif kind == "remove":
            del node[last]
        else:
            node[last] = operation.get("value")
    except (KeyError, IndexError, TypeError, ValueError):
        raise UnsupportedPatch(f"a patch of {path}, which does not exist") from None


def _operate_on_list(node: list[Any], kind: str, last: str, value: Any) -> None:
    if kind == "add":
        node.insert(len(node) if last == "-" else int(last), value)
    elif kind == "remove":
        del node[int(last)]
    else:
        node[int(last)] = value


def _image(image: str, entry: Mapping[str, Any]) -> str:
    name, _, rest = image.partition("@") if "@" in image else _tagged(image)
    if name != entry.get("name"):
        return image
    name = str(entry.get("newName") or name)
    if entry.get("digest"):
        return f"{name}@{entry['digest']}"
    if entry.get("newTag"):
        return f"{name}:{entry['newTag']}"
    return f"{name}{image[len(image) - len(rest) - 1 :] if rest else ''}"


def _tagged(image: str) -> tuple[str, str, str]:
    name, found, tag = image.rpartition(":")
    return (name, found, tag) if found and "/" not in tag else (image, "", "")


def _containers(value: Any) -> Iterator[MutableMapping[str, Any]]:
    """Every container's mapping, wherever its pod's template is."""
    if isinstance(value, dict):
        for key, one in value.items():
            if key in ("containers", "initContainers"):
                yield from mappings(one)
            else:
                yield from _containers(one)
    elif isinstance(value, list):
        for one in value:
            yield from _containers(one)


def _name(one: Object) -> Any:
    return mapping(one, "metadata").get("name")


def _entries(said: Mapping[str, Any], key: str, kind: type[_Entry]) -> list[_Entry]:
    """The list below that key, all of one kind. Raises UnsupportedPatch when it is none."""
    value = said.get(key) or []
    if not isinstance(value, list) or not all(isinstance(one, kind) for one in value):
        raise UnsupportedPatch(f"{key} is not a list of {_KINDS[kind]}")
    return value
