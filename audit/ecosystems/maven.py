"""Maven's pom.xml, as far as the file itself goes: properties, managed versions, scopes, profiles and plug-ins."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from posixpath import dirname, join, normpath
from typing import Final

from audit import usage
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import manifest_suppliers, xml_text
from audit.ecosystems.origins import NO_REGISTRY, named
from audit.ecosystems.parsed_file import MavenProject, PackageDetails, ParsedFile, ParseError, learned, said
from audit.ecosystems.purls import purl
from audit.facts import UNLEARNED, Dependency, Source, Usage

_PROPERTY: Final = re.compile(r"\$\{([^{}$]{1,200})\}")
_MAX_SUBSTITUTION_ROUNDS: Final = 20  # Real ones nest a few; a circle never ends.
_MAX_VALUE_CHARACTERS: Final = 1_000  # Properties that double each other grow without end.
_MAX_PARENTS: Final = 20
_OF_ITSELF: Final = frozenset(  # These mean the pom itself, also where a parent uses them.
    {
        f"{prefix}{name}"
        for prefix in ("project.", "pom.", "project.parent.", "pom.parent.", "parent.", "")
        for name in ("groupId", "artifactId", "version")
    }
)
# Plug-ins that put all that is used into one archive.
_SHADERS: Final = frozenset({"maven-shade-plugin", "spring-boot-maven-plugin", "onejar-maven-plugin"})
_PLUGINS: Final = "org.apache.maven.plugins"
_MANAGED: Final = ("pluginManagement", "plugins", "plugin")
_TOOLS: Final = (("plugins", "plugin"), ("extensions", "extension"), _MANAGED)
_CONFIGURATIONS: Final = (("configuration",), ("executions", "execution", "configuration"))
_RULES: Final = re.compile(r"(?i)exclu|inclu|ignore|banned|filter|relocat")  # What plug-ins leave out, or look for.
# `<protocArtifact>`: a version, or a property, stands behind the type at the latest.
_IN_ONE_TEXT: Final = re.compile(
    r"([A-Za-z][\w.-]*+):([A-Za-z][\w.-]*+):(?:[a-z]{3,4}:)?((?:\d|\$\{)[^\s:/]*+)(?::[^\s/]*+)?"
)


@dataclass
class _Pom(DependencyList):
    """The content of one pom.xml: its `properties` by name, and the nodes that are `managed`, by group and name."""

    properties: dict[str, str] = field(default_factory=dict)
    managed: dict[tuple[str, str], xml_text.XmlElement] = field(default_factory=dict)

    def resolved(self, words: str, line: int) -> str:
        """The words with their properties put in; empty, with a finding, if they go round in a circle."""
        for _ in range(_MAX_SUBSTITUTION_ROUNDS):
            if "${" not in words or len(words) > _MAX_VALUE_CHARACTERS:
                break
            new = _PROPERTY.sub(lambda found: self.properties.get(found[1].strip(), found[0]), words)
            if new == words:
                break
            words = new  # A value may have properties itself.
        else:
            self.report("file/cycle", line, f"properties go round in a circle: {said(words)}")
            return ""
        if len(words) > _MAX_VALUE_CHARACTERS:
            self.report("file/refused", line, "properties grow beyond a thousand characters")
            return ""
        return words.strip()


def read(path: str, content: str) -> ParsedFile:
    """All dependencies and plug-ins; a version that only a parent knows stays open."""
    root = xml_text.load(content)
    if root.name != "project":
        raise ParseError(f"this is no pom.xml: it begins with <{said(root.name)}>", root.line)
    pom = _Pom(path)
    parent = root.first("parent") or xml_text.XmlElement("parent", root.line)
    for prefix in ("project.", "pom.", ""):
        for name in ("groupId", "artifactId", "version"):
            pom.properties[prefix + name] = root.get(name) or parent.get(name)  # Inherited where not written.
            pom.properties[f"{prefix}parent.{name}"] = parent.get(name)
    for node in root.all("properties"):
        pom.properties |= {child.name: child.words.strip() for child in node.children}
    holders = [root, *root.all("profiles", "profile")]
    # Which profile is active is not known: its properties only fill gaps.
    for definition in (child for holder in holders[1:] for node in holder.all("properties") for child in node.children):
        pom.properties.setdefault(definition.name, definition.words.strip())
    for holder in holders:
        for node in holder.all("dependencyManagement", "dependencies", "dependency"):
            group, name = (pom.resolved(node.get(key), node.line) for key in ("groupId", "artifactId"))
            pom.managed.setdefault((group, name), node)
    for node in (node for holder in holders for node in holder.all("dependencies", "dependency")):
        _add_dependency(pom, node)
    _add_plugins(pom, holders)
    pom.findings = list(dict.fromkeys(pom.findings))  # A property may be put in many times.
    pom.own.add(f"{pom.properties['project.groupId']}:{pom.properties['project.artifactId']}")
    stated = root.all("licenses", "license", "name")
    plugins = (node.get("artifactId") for holder in holders for node in holder.all("build", "plugins", "plugin"))
    return pom.parsed(
        license=learned(stated[0].words, path, stated[0].line, Source.METADATA) if len(stated) == 1 else UNLEARNED,
        bundler=next((name for name in plugins if name in _SHADERS), ""),
        suppliers=manifest_suppliers.named(
            next((element.get("name") for element in root.all("organization")), ""),
            *(element.get("url") for element in root.all("scm")),
        ),
        project=_project(pom, holders, parent),
    )


def _project(pom: _Pom, holders: list[xml_text.XmlElement], parent: xml_text.XmlElement) -> MavenProject:
    asked = (node for holder in holders for node in holder.all("dependencies", "dependency"))
    return MavenProject(
        name=f"{pom.properties['project.groupId']}:{pom.properties['project.artifactId']}",
        parent=f"{parent.get('groupId')}:{parent.get('artifactId')}",
        modules=tuple(element.words.strip() for holder in holders for element in holder.all("modules", "module")),
        properties={name: value for name, value in pom.properties.items() if len(value) <= _MAX_VALUE_CHARACTERS},
        managed={
            f"{group}:{name}": (node.get("version"), node.get("scope")) for (group, name), node in pom.managed.items()
        },
        scoped=frozenset(node.line for node in asked if node.get("scope")),
    )


def settle(reads: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The poms of a tree by path: with what their parents in the tree define and manage, and each part as the work's own."""
    poms = {path: file.project for path, file in reads.items() if file.project}
    # Of two poms of one name the outermost counts.
    outermost_last = sorted(poms.items(), key=lambda pom: (pom[0].count("/"), pom[0]), reverse=True)
    by_name = {project.name: path for path, project in outermost_last}
    own = {path: project.name for path, project in poms.items()}
    settled = dict(reads)
    for path, project in poms.items():
        chain = [project, *_ancestors(project, poms, by_name)]
        below = (normpath(join(dirname(path), module)) for module in project.modules)
        # A module is a folder, or the file.
        poms_below = (part if part.endswith(".xml") else join(part, "pom.xml") for part in below)
        settled[path] = _inherited(reads[path], chain, {own[part] for part in poms_below if part in own})
    return settled


def _ancestors(
    project: MavenProject, poms: Mapping[str, MavenProject], by_name: Mapping[str, str]
) -> Iterator[MavenProject]:
    seen = {project.name}
    # A pom may name itself.
    while project.parent in by_name and project.parent not in seen and len(seen) < _MAX_PARENTS:
        project = poms[by_name[project.parent]]
        seen.add(project.name)
        yield project


def _inherited(read_file: ParsedFile, chain: Sequence[MavenProject], parts: Collection[str]) -> ParsedFile:
    values: dict[str, str] = {}
    for project in reversed(chain):  # The nearest has the last word.
        values |= {
            name: value for name, value in project.properties.items() if name not in _OF_ITSELF or project is chain[0]
        }
    found = tuple(_resolved(dependency, values, chain) for dependency in read_file.dependencies)
    known = {dependency.places[0].line for dependency in found if dependency.version}
    findings = tuple(
        finding
        for finding in read_file.findings
        if finding.code != "dependency/undetermined" or finding.place.line not in known
    )
    return replace(read_file, dependencies=found, findings=findings, own=read_file.own | frozenset(parts))


def _resolved(dependency: Dependency, values: Mapping[str, str], chain: Sequence[MavenProject]) -> Dependency:
    """A dependency with its variables put in, and with the version and the scope that a parent manages for it."""
    written = dependency.places[0].said.split(":")
    group, name, stated = (_put_in(part, values) for part in ([*written, "", "", ""])[:3])
    # A file on a disk is no archive of Maven's.
    if len(written) != 3 or not group or not name or "repository_url=" in (dependency.purl or ""):
        return dependency
    managed = next((found for project in chain if (found := _managed(f"{group}:{name}", project, values))), ("", ""))
    version = dependency.version or _put_in(stated or managed[0], values)
    sure = version if version and not set(version) & set("${}[](),") else None
    scope, how, why = _put_in(managed[1], values), dependency.usage, dependency.why
    # A scope that is written beside the dependency wins over a managed one.
    if scope and dependency.usage is Usage.DYNAMIC_LINK and dependency.places[0].line not in chain[0].scoped:
        how, why = usage.maven(scope), f"pom.xml: scope {scope}, as it is managed"
    url = purl("maven", name, sure, group)
    return replace(dependency, name=f"{group}:{name}", version=sure, purl=url, usage=how, why=why)


def _managed(name: str, project: MavenProject, values: Mapping[str, str]) -> tuple[str, str] | None:
    found = project.managed.get(name)
    # Keys are rarely variables: only then each of them is looked at.
    if found is None and any("${" in each for each in project.managed):
        found = next(
            (each for key, each in project.managed.items() if "${" in key and _put_in(key, values) == name), None
        )
    return found


def _put_in(words: str, values: Mapping[str, str]) -> str:
    for _ in range(_MAX_SUBSTITUTION_ROUNDS):
        new = _PROPERTY.sub(lambda found: values.get(found[1].strip(), found[0]), words) if "${" in words else words
        if new == words or len(new) > _MAX_VALUE_CHARACTERS:
            break
        words = new
    return words.strip()


def _add_dependency(pom: _Pom, node: xml_text.XmlElement) -> None:
    group, name = (pom.resolved(node.get(key), node.line) for key in ("groupId", "artifactId"))
    if not group or not name:
        pom.unreadable(node.line, "a dependency without groupId or artifactId")
        return
    managed = pom.managed.get((group, name))
    version = node.get("version") or (managed.get("version") if managed else "")
    scope = pom.resolved(node.get("scope") or (managed.get("scope") if managed else ""), node.line)
    optional = pom.resolved(node.get("optional"), node.line) == "true"
    why = f"pom.xml: scope {scope or 'compile'}"
    _add(pom, node, (group, name, version), usage.maven(scope), why, optional=optional)
    if scope == "system":  # A file, by <systemPath>.
        dependency = pom.dependencies.pop()
        pom.dependencies.append(replace(dependency, purl=named(dependency.purl, NO_REGISTRY)))


def _add_plugins(pom: _Pom, holders: list[xml_text.XmlElement]) -> None:
    """The plug-ins that a build asks for, and the archives that these use, as those do that are only managed."""
    for way in _TOOLS:
        for node in (node for holder in holders for node in holder.all("build", *way)):
            name = pom.resolved(node.get("artifactId"), node.line)
            group = pom.resolved(node.get("groupId") or _PLUGINS, node.line)  # Maven's default.
            if name and way is not _MANAGED:
                why = "pom.xml: plug-in of the build"
                _add(pom, node, (group, name, node.get("version")), Usage.BUILD_TOOL, why)
            _add_named(pom, node)


def _add_named(pom: _Pom, plugin: xml_text.XmlElement) -> None:
    """The archives that a plug-in runs with, and those that its configuration names: only the plug-in knows what for."""
    name = said(plugin.get("artifactId"))
    for node in plugin.all("dependencies", "dependency"):
        _add_archive(pom, node, Usage.BUILD_TOOL, f"pom.xml: runs with {name}")
    waiting = [node for way in _CONFIGURATIONS for node in plugin.all(*way)]
    while waiting:
        node = waiting.pop()
        spelled = _IN_ONE_TEXT.fullmatch(node.words.strip()) if not node.children else None
        if _RULES.search(node.name):
            continue
        if node.get("groupId") and node.get("artifactId"):
            # `annotationProcessorPaths` has paths.
            how = Usage.BUILD_TOOL if node.name in {"path", "annotationProcessorPath"} else Usage.UNKNOWN
            _add_archive(pom, node, how, f"pom.xml: named in the configuration of {name}")
        elif spelled:
            _add(
                pom,
                node,
                (spelled[1], spelled[2], spelled[3]),
                Usage.UNKNOWN,
                f"pom.xml: named in the configuration of {name}",
            )
        else:
            waiting += node.children


def _add_archive(pom: _Pom, node: xml_text.XmlElement, how: Usage, why: str) -> None:
    group, name = (pom.resolved(node.get(key), node.line) for key in ("groupId", "artifactId"))
    managed = pom.managed.get((group, name))
    if group and name:
        _add(pom, node, (group, name, node.get("version") or (managed.get("version") if managed else "")), how, why)


def _add(
    pom: _Pom,
    node: xml_text.XmlElement,
    coordinates: tuple[str, str, str],
    how: Usage,
    why: str,
    *,
    optional: bool = False,
) -> None:
    """A Java archive by its coordinates; a version that is a range or a property without value is none."""
    group, name, written = coordinates
    version = pom.resolved(written, node.line)
    if "${" in version:
        # Settled later, where a parent in the tree has it.
        pom.undetermined(node.line, f"{group}:{name}: no value for {said(version)} in this file")
    sure = version if version and not set(version) & set("${}[](),") else None
    more = PackageDetails(direct=True, optional=optional, version_range="" if sure or "$" in version else version)
    place, url = pom.place(node.line, f"{group}:{name}:{version}"), purl("maven", name, sure, group)
    pom.add(place, f"{group}:{name}", sure, url, how, why, **more)
