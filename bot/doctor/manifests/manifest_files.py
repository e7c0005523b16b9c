"""The files of a folder of manifests, and what looks like a manifest there and cannot be read as one."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

_MAX_FILE_BYTES: Final = 2_000_000  # Of one file; what people write by hand has a hundredth.
_MAX_FILES: Final = 5_000  # Files and folders that are looked at.
SUFFIXES: Final = (".yaml", ".yml", ".json")  # As `kubectl apply --filename FOLDER` reads.
KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
CHART: Final = "Chart.yaml"
# Another program makes manifests of these.
_TEMPLATES: Final = frozenset({
    ".j2", ".jinja", ".jinja2", ".tpl", ".tmpl", ".gotmpl", ".template", ".erb", ".mustache", ".hbs", ".envsubst", ".in",
})  # fmt: skip
# Languages of their own for what a cluster or a machine runs; `.container` and `.pod` are Podman's.
_LANGUAGES: Final = frozenset({
    ".jsonnet", ".libsonnet", ".cue", ".dhall", ".pkl", ".k", ".tf", ".hcl", ".nomad", ".container", ".pod",
})  # fmt: skip
_MANIFEST: Final = re.compile(rb"(?m)^(?:kind|services)\s*:|[\"'](?:kind|services)[\"']\s*:")
_IMAGE: Final = re.compile(r"\bimage['\"]?\s*[:=]\s*['\"]?[^\s'\"]*countersign", re.IGNORECASE)


class ManifestsInvalid(Exception):
    """The folder cannot be read as manifests: one line that says which file, where and why."""


def files(folder: Path) -> Iterator[Path]:
    """The regular files in it, in order; folders that are links are not followed. Raises ManifestsInvalid."""
    count = 0
    for place, folders, names in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules"))
        count += len(folders) + len(names)
        if count > _MAX_FILES:
            raise ManifestsInvalid(f"{folder} has more than {_MAX_FILES} files: name the folder of the manifests alone")
        yield from (path for name in sorted(names) if (path := Path(place) / name).is_file())


def _unreadable(error: OSError) -> None:
    raise ManifestsInvalid(f"cannot read {error.filename}: {error.strerror}")


def unread(folder: Path, found: Sequence[Path]) -> Iterator[str]:
    """The files among these, and the linked folders, that look like manifests and are not read, as clauses."""
    for path in found:
        if path.suffix in _TEMPLATES and _MANIFEST.search(_start(path)):
            yield f"{shown(path, folder)} is a template"
        elif path.suffix in _LANGUAGES and is_about_us(_start(path).decode("utf-8", errors="replace")):
            yield f"{shown(path, folder)} names an image of Countersign"
    inside = folder.resolve()
    for link in sorted({path for place in _folders(folder) for path in place.iterdir() if path.is_symlink()}):
        if link.is_dir() and not link.resolve().is_relative_to(inside) and _has_manifest(link):
            yield f"{shown(link, folder)} is a link, which is not followed"


def is_about_us(content: Any) -> bool:
    """Whether a text, or a document that is no manifest, names an image of Countersign."""
    return _IMAGE.search(str(content)) is not None


def _folders(folder: Path) -> Iterator[Path]:
    for place, folders, _ in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", "node_modules")]
        yield Path(place)


def _has_manifest(link: Path) -> bool:
    below = (Path(place) / name for place, _, names in os.walk(link) for name in names)
    return any(
        path.name in (*KUSTOMIZATIONS, CHART) or (path.suffix in SUFFIXES and _is_manifest(path))
        for path in islice(below, _MAX_FILES)
        if path.is_file()
    )


def _is_manifest(path: Path) -> bool:
    """Whether a file behind a link is a manifest; one that cannot be read may be."""
    try:
        return _MANIFEST.search(_start(path)) is not None
    except ManifestsInvalid:
        return True


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_FILE_BYTES)
    except OSError as error:
        raise ManifestsInvalid(f"cannot read {path}: {error.strerror}") from None


def text(path: Path) -> str:
    """The text of the file. Raises ManifestsInvalid."""
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise ManifestsInvalid(f"{path} has more than {_MAX_FILE_BYTES} bytes")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise ManifestsInvalid(f"cannot read {path}: {why}") from None


def may_be_object(path: Path) -> bool:
    """Whether a JSON file may be of Kubernetes: there are many others."""
    start = _start(path)
    return b'"kind"' in start and any(word in start for word in (b'"apiVersion"', b'"containers"'))


def shown(path: Path, folder: Path) -> str:
    """The path as reports name it: from the folder's own name on."""
    return str(path.relative_to(folder.parent)) if path != folder else folder.name or "."
