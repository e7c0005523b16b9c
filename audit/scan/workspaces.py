"""The parts of a monorepo, as its own manifests list them: npm, pnpm, Lerna, Cargo, Maven, Gradle, Go and uv workspaces."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any, Final

from audit.ecosystems import gradle
from audit.ecosystems.formats import json_text, toml_text, xml_text, yaml_text
from audit.ecosystems.parsed_file import ParseError, rows, table, texts

# Gradle's builds keep their parts in such a folder, and Meson's the works of others.
OWN_PARTS: Final = "subprojects"
FILES: Final = frozenset({"pnpm-workspace.yaml", "lerna.json", "go.work"})
"""Files that name parts and nothing else that is read."""
_SETTINGS: Final = frozenset({"settings.gradle", "settings.gradle.kts"})
_MANIFESTS: Final = frozenset({"package.json", "Cargo.toml", "pom.xml", "pyproject.toml"}) | _SETTINGS
_HUMP: Final = re.compile(r"(?<=[a-z0-9])[A-Z]")  # `myPart` may lie in `my-part`.
_MAX_PATTERNS: Final = 2_000  # Patterns of one file.
_MAX_PATTERN_CHARACTERS: Final = 300  # Characters of a pattern.


def members(path: str, content: str) -> frozenset[str]:
    """The folders, as patterns below the repository's root, that a file lists as parts; none for a file that is broken."""
    name = path.rpartition("/")[2]
    # Most manifests list no parts: they are not parsed for that.
    if name not in FILES | _MANIFESTS or not any(
        word in content for word in ("workspace", "packages", "modules", "use", "include")
    ):
        return frozenset()
    try:
        listed = _listed(name, content)
    except ParseError:
        return frozenset()
    folder = path.rpartition("/")[0]
    cleaned = (
        pattern.removeprefix("./").strip("/")
        for pattern in listed[:_MAX_PATTERNS]
        if pattern and not pattern.startswith(("!", "..", "/"))  # Nothing outside of the tree.
    )
    below = f"{folder}/" if folder else ""
    return frozenset(
        below + pattern for pattern in cleaned if pattern not in {"", "."} and len(pattern) <= _MAX_PATTERN_CHARACTERS
    )


def is_member(folder: str, patterns: Iterable[str]) -> bool:
    """Whether the folder is one of those parts, or lies in one."""
    parts = folder.split("/")
    return any(_begins(parts, pattern.split("/")) for pattern in patterns)


def _begins(parts: list[str], pattern: list[str]) -> bool:
    for at, wanted in enumerate(pattern):
        if wanted == "**":
            return True
        if at >= len(parts) or not fnmatchcase(parts[at], wanted):
            return False
    return True


def _listed(name: str, content: str) -> list[str]:
    if name in {"package.json", "lerna.json"}:
        data = json_text.top(content)
        said: Any = data.get("workspaces" if name == "package.json" else "packages")
        return texts(table(said).get("packages") if isinstance(said, dict) else rows(said))
    if name == "pnpm-workspace.yaml":
        return texts(rows(table(yaml_text.load(content)).get("packages")))
    if name in {"go.work", "pom.xml"}:
        return (
            _used(content)
            if name == "go.work"
            else [element.words.strip() for element in xml_text.load(content).all("modules", "module")]
        )
    if name in _SETTINGS:  # Many builds keep their parts in `subprojects`, and say so by a program.
        folders = [project.strip(":").replace(":", "/") for project in gradle.included(content)]
        spelled = [*folders, *(_HUMP.sub(lambda match: f"-{match[0].lower()}", folder) for folder in folders)]
        return [*spelled, *(f"{OWN_PARTS}/{folder}" for folder in spelled)]
    manifest = toml_text.load(content)
    if name == "Cargo.toml":
        return texts(rows(table(manifest.get("workspace")).get("members")))
    return texts(rows(table(table(table(manifest.get("tool")).get("uv")).get("workspace")).get("members")))


def _used(content: str) -> list[str]:
    """`use ./a` and the lines of `use ( … )`."""
    found, inside = [], False
    for raw in content.split("\n"):
        line = raw.partition("//")[0].strip()
        if inside:
            inside = line != ")"
            found += [line] if inside and line else []
        elif line.startswith("use"):
            rest = line[3:].strip()
            inside = rest == "("
            found += [rest] if rest and not inside else []
    return found
