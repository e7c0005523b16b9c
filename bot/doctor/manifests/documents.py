"""Reads a folder of manifests: YAML files, kustomizations and compose files, put together as they would be deployed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from bot.doctor.manifests import kustomize
from bot.doctor.manifests.workloads import workloads

NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_MAX_FILE_BYTES: Final = 2_000_000
"""Bytes of one file; what people write by hand has a hundredth."""


class ManifestsInvalid(Exception):
    """The folder cannot be read as manifests: one line that says which file, where and why."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """What would be deployed together: the objects of a cluster, or one compose file. `unread` is what nobody here understands."""

    source: str
    objects: tuple[Mapping[str, Any], ...] = ()
    compose: Mapping[str, Any] | None = None
    unread: tuple[str, ...] = ()


def read(folder: Path) -> tuple[Deployment, ...]:
    """Every deployment in the folder. Raises ManifestsInvalid when it is none, has none, or a file is wrong.

    A kustomization that another one takes as its base is judged with that one alone. Files without any are one deployment, each
    compose file is one.
    """
    if not folder.is_dir():
        raise ManifestsInvalid(f"{folder} is not a folder")
    roots = sorted(path.parent for path in folder.rglob("*") if path.name in NAMES)
    builds = {root: kustomize.build(root, load, kustomization) for root in roots}
    taken = {used.resolve() for one in builds.values() for used in one.used}
    found = [
        Deployment(_shown(root, folder), tuple(one.objects), unread=tuple(one.unread))
        for root, one in builds.items()
        if root.resolve() not in taken
    ]
    found += _plain(folder, roots)
    if not found:
        raise ManifestsInvalid(f"{folder} contains no Kubernetes manifests and no compose file")
    return tuple(found)


def kustomization(folder: Path) -> Path | None:
    """The folder's kustomization, if it has one."""
    return next((folder / name for name in NAMES if (folder / name).is_file()), None)


def load(path: Path) -> list[Any]:
    """The documents of a YAML file, empty ones left out. Raises ManifestsInvalid."""
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise ManifestsInvalid(f"{path} has more than {_MAX_FILE_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise ManifestsInvalid(f"cannot read {path}: {why}") from None
    try:
        return [one for one in YAML(typ="safe").load_all(text) if one is not None]
    except (YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        what = getattr(error, "problem", None) or "it is not valid YAML"
        hint = "; render the template first" if "{{" in text else ""
        raise ManifestsInvalid(f"{path}{where}: {what}{hint}") from None


def _plain(folder: Path, roots: list[Path]) -> Iterator[Deployment]:
    """The files that no kustomization names: Kubernetes objects together, and each compose file."""
    objects: list[Mapping[str, Any]] = []
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".yaml", ".yml") and path.is_file()):
        if path.name in NAMES or any(path.is_relative_to(root) for root in roots) or _is_template(path):
            continue
        for document in load(path):
            if not isinstance(document, dict):
                continue
            if "apiVersion" in document and "kind" in document:
                objects += kustomize.flat(document)
            elif isinstance(document.get("services"), dict):
                yield Deployment(_shown(path, folder), compose=document)
    if workloads(objects):
        yield Deployment(folder.name or ".", tuple(objects))


def _is_template(path: Path) -> bool:
    """Whether it belongs to a Helm chart: only rendered it is a manifest."""
    return any((parent / "Chart.yaml").is_file() for parent in path.parents)


def _shown(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder.parent)) if path != folder else folder.name or "."
