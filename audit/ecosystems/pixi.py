"""pixi.toml, and Pixi's part of pyproject.toml: packages of Conda and of PyPI, for what runs, for the build, and by features."""

import re
from collections.abc import Iterator
from typing import Any, Final

from audit import usage
from audit.ecosystems import conda
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import toml_text
from audit.ecosystems.origins import NO_REGISTRY, named
from audit.ecosystems.parsed_file import ParsedFile, rows, table, text
from audit.ecosystems.python import specifiers
from audit.facts import Usage

SECTIONS: Final = {
    "dependencies": Usage.RUNTIME_IMPORT,
    "pypi-dependencies": Usage.RUNTIME_IMPORT,
    "host-dependencies": Usage.RUNTIME_IMPORT,
    "run-dependencies": Usage.RUNTIME_IMPORT,
    "build-dependencies": Usage.BUILD_TOOL,
}
_CONDA: Final = re.compile(r"(?:==)?[ \t]*+(\d[0-9A-Za-z_.!+]*+)")  # Conda's bare version is exact.
_PYPI: Final = re.compile(r"==[ \t]*+(\d[0-9A-Za-z_.!+]*+)")


def read(path: str, content: str) -> ParsedFile:
    """Every package that the file asks for; folders are the repository's own. A feature named after tools says so."""
    return _parsed(path, content, toml_text.load(content))


def read_pyproject(path: str, content: str) -> ParsedFile:
    """Every package that the table `tool.pixi` of pyproject.toml asks for."""
    data = table(table(toml_text.load(content).get("tool")).get("pixi"))
    return _parsed(path, content, data, "tool.pixi.") if data else ParsedFile()


def _parsed(path: str, content: str, data: dict[str, Any], above: str = "") -> ParsedFile:
    found, lines = DependencyList(path), toml_text.TomlLines(content)
    channels = [
        text(channel) for key in ("workspace", "project") for channel in rows(table(data.get(key)).get("channels"))
    ]
    alone = channels[0] if len(channels) == 1 and "://" not in channels[0] else ""  # Any of several may have had it.
    for prefix, holder, how in _holders(data):
        for section, usual in SECTIONS.items():
            for name, rule in table(holder.get(section)).items():
                _add_asked(found, lines, (f"{above}{prefix}{section}", text(name), alone), rule, how or usual)
    return found.parsed()


def _holders(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], Usage | None]]:
    """Tables of dependencies, of the file, its features, its package and platforms of each; the usage of a feature."""
    parts: list[tuple[str, dict[str, Any], Usage | None]] = [("", data, None)]
    parts.append(("package.", table(data.get("package")), None))
    for name, feature in table(data.get("feature")).items():
        parts.append((f"feature.{text(name)}.", table(feature), usage.group(text(name))))
    for prefix, holder, how in parts:
        yield prefix, holder, how
        for name, target in table(holder.get("target")).items():
            yield f"{prefix}target.{text(name)}.", table(target), how


def _add_asked(
    found: DependencyList, lines: toml_text.TomlLines, named_at: tuple[str, str, str], rule: object, how: Usage
) -> None:
    section, name, channel = named_at
    terms = table(rule)
    if "path" in terms:  # The repository's own.
        return
    words = text(rule) or text(terms.get("version"))
    git, archive = text(terms.get("git")), text(terms.get("url"))
    is_conda = not section.endswith("pypi-dependencies")
    exact = (_CONDA if is_conda else _PYPI).fullmatch(words)
    version = exact[1] if exact else None
    if is_conda:
        url = conda.purl(name.lower(), version, text(terms.get("channel")) or channel)
        url = named(url, NO_REGISTRY) if git or archive else url  # Not of a channel.
    else:
        url = specifiers.package_url(specifiers.RequestedVersion(name, version, f"git+{git}" if git else archive))
    place = found.place(lines.key(section, name), f"{name} {words or git or archive}")
    wanted = "" if version or git or archive else words or "*"
    found.add(place, name, version, url, how, f"{found.file}: {section}", direct=True, version_range=wanted)
