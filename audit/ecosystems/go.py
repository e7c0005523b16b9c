"""Go: go.mod has the modules that are built in, go.work replacements, go.sum more for old modules, vendor/ copies."""

import re
from dataclasses import dataclass, field
from typing import Final

from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import manifest_suppliers
from audit.ecosystems.parsed_file import Graph, ManifestEntry, ParsedFile, dependency_at, said
from audit.ecosystems.purls import purl
from audit.facts import Dependency, Place, Usage

_DIRECTIVE: Final = re.compile(
    r"(module|go|toolchain|use|require|replace|exclude|retract|tool|ignore|godebug)(?:[ \t]++|(?=\())(.*+)"
)
_GO: Final = re.compile(r"1\.(\d{1,4})")
_FIRST_COMPLETE_MINOR: Final = 17  # go.mod names all that is built in since 1.17; go.sum also what never is.


@dataclass
class _Module(DependencyList):
    """The content of one go.mod: its module's `name`, the `minor` version of its Go, and the packages of `tools`.

    `required` has version, line and whether indirect; `replaced`, by name and version ("" for all), name and version.
    """

    name: str = ""
    minor: int = 0
    required: dict[str, tuple[str, int, bool]] = field(default_factory=dict)
    replaced: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    tools: list[str] = field(default_factory=list)


def read(path: str, content: str) -> ParsedFile:
    """go.mod, with `replace` followed; a module that only `tool` lines need is a tool all the same built from source."""
    module = _parsed(path, content)
    for name in module.required:
        _add_required(module, name)
    module.own.add(module.name)
    return module.parsed(
        suppliers=manifest_suppliers.named("", f"{module.name}/"), complete=module.minor >= _FIRST_COMPLETE_MINOR
    )


def read_work(path: str, content: str) -> ParsedFile:
    """go.work: replacements for modules of the whole workspace; one in a folder is the repository's own."""
    work = _parsed(path, content)
    meant: list[ManifestEntry] = []
    for (name, version), (target, other) in work.replaced.items():
        if other:
            place = work.place(None, f"{name} => {target}")
            meant.append(ManifestEntry(name, _entry(target, other, place, "go.work", direct=None), version or None))
        else:
            work.own.add(name)
    return work.parsed(meant=tuple(meant))


def _parsed(path: str, content: str) -> _Module:
    module = _Module(path)
    block = ""
    for number, raw in enumerate(content.split("\n"), 1):
        words, _, comment = raw.strip().partition("//")
        words = words.strip()
        if not words:
            continue
        if block and words.startswith(")"):
            block = ""
            continue
        named = None if block else _DIRECTIVE.fullmatch(words)
        verb, rest = (named[1], named[2].strip()) if named else (block, words)
        if rest == "(":
            block = verb
        elif not verb:
            module.broken(number, f"no line of go.mod: {said(words)!r}")
        else:
            _take(module, verb, rest, number, is_indirect="indirect" in comment)
    return module


def _take(module: _Module, verb: str, rest: str, line: int, *, is_indirect: bool) -> None:
    parts = [part.strip('"`') for part in rest.split()]
    if verb == "module":
        module.name = parts[0]
    elif verb == "go" and (found := _GO.match(parts[0])):
        module.minor = int(found[1])
    elif verb == "use":
        module.outside(parts[0], line, rest)
    elif verb == "tool":
        module.tools.append(parts[0])
    elif verb == "require" and len(parts) == 2:
        module.required[parts[0]] = (parts[1], line, is_indirect)
    elif verb == "require":
        module.unreadable(line, f"no requirement: {said(rest)!r}")
    elif verb == "replace" and "=>" in parts:
        at = parts.index("=>")
        target = parts[at + 1 :]
        if len(target) == 1:  # A folder has no version.
            module.outside(target[0], line, rest)
        if at and target:
            module.replaced[parts[0], "".join(parts[1:at])] = (target[0], target[1] if len(target) > 1 else "")


def _add_required(module: _Module, name: str) -> None:
    version, line, indirect = module.required[name]
    of_version = module.replaced.get((name, version))
    # Go takes the replacement of one version before that of all.
    target, other = of_version or module.replaced.get((name, "")) or (name, version)
    if not other:
        return  # A folder is the work's own.
    # `tool` names a package of the module.
    tool = any(tool == name or tool.startswith(f"{name}/") for tool in module.tools)
    place = module.place(line, f"{name} {version}")
    dependency = _entry(target, other, place, "go.mod: tool" if tool else "go.mod", direct=not indirect, tool=tool)
    module.dependencies.append(dependency)


def _entry(name: str, version: str, place: Place, why: str, *, direct: bool | None, tool: bool = False) -> Dependency:
    namespace, _, last = name.strip("/").rpartition("/")
    url = purl("golang", last, version, namespace) if last else None
    how, why = (Usage.BUILD_TOOL, why) if tool else (Usage.STATIC_LINK, f"{why}: built into the binary")
    return dependency_at(place, name, version, url, how, why, direct=direct)


def read_sum(path: str, content: str) -> ParsedFile:
    """go.sum: each module whose whole content was hashed, not its go.mod alone; of several versions the last one is built in."""
    found = DependencyList(path)
    taken: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(content.split("\n"), 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 3 or not parts[2].startswith("h1:"):
            found.broken(number, f"no line of go.sum: {said(line)!r}")
        # Of a module with only its go.mod hashed, nothing is built in.
        elif not parts[1].endswith("/go.mod"):
            taken[parts[0]] = (parts[1], number)  # Lines are sorted: the last is the highest.
    for name, (version, number) in taken.items():
        place = found.place(number, f"{name} {version}")
        found.dependencies.append(_entry(name, version, place, "go.sum", direct=None))
    return found.parsed(graph=Graph())


def read_vendored(path: str, content: str) -> ParsedFile:
    """vendor/modules.txt: `# module version` and below it `## explicit` for a module that go.mod names."""
    found = DependencyList(path)
    for number, line in enumerate(content.split("\n"), 1):
        parts = line.split()
        if len(parts) >= 3 and parts[0] == "#":
            target = parts[parts.index("=>") + 1 :] if "=>" in parts else parts[1:3]
            if len(target) > 1:  # A folder has no version.
                place = found.place(number, line)
                found.dependencies.append(_entry(target[0], target[1], place, "vendor/modules.txt", direct=None))
    return found.parsed(graph=Graph())
