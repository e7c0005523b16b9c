"""Maven's pom.xml, as far as the file itself goes: properties, managed versions, scopes, profiles and plug-ins."""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from audit import usage
from audit.ecosystems.formats import manifest_suppliers, xml_text
from audit.ecosystems.origins import NO_REGISTRY, named
from audit.ecosystems.parsed_file import PackageDetails, ParsedFile, ParseError, dependency_at, finding, learned, said
from audit.ecosystems.purls import purl
from audit.facts import UNLEARNED, Dependency, Finding, Learned, Place, Source, Usage

_PROPERTY: Final = re.compile(r"\$\{([^{}$]{1,200})\}")
_MAX_SUBSTITUTION_ROUNDS: Final = 20
_MAX_VALUE_CHARACTERS: Final = 1_000
_SHADERS: Final = frozenset({"maven-shade-plugin", "spring-boot-maven-plugin", "onejar-maven-plugin"})
_PLUGINS: Final = "org.apache.maven.plugins"
_TOOLS: Final = (("plugins", "plugin"), ("extensions", "extension"))


@dataclass
class _Pom:
    """What one file says, and what was found amiss."""

    path: str
    properties: dict[str, str] = field(default_factory=dict)
    managed: dict[tuple[str, str], xml_text.XmlElement] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def amiss(self, code: str, line: int, message: str) -> None:
        self.findings.append(finding(code, self.path, line, message))

    def resolved(self, words: str, line: int) -> str:
        """The words with their properties put in; empty, with a finding, if they go round in a circle."""
        for _ in range(_MAX_SUBSTITUTION_ROUNDS):
            if "${" not in words or len(words) > _MAX_VALUE_CHARACTERS:
                break
            new = _PROPERTY.sub(lambda found: self.properties.get(found[1].strip(), found[0]), words)
            if new == words:
                break
            words = new
        else:
            self.amiss("file/cycle", line, f"properties go round in a circle: {said(words)}")
            return ""
        if len(words) > _MAX_VALUE_CHARACTERS:
            self.amiss("file/refused", line, "properties grow beyond a thousand characters")
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
            pom.properties[prefix + name] = root.get(name) or parent.get(name)
            pom.properties[f"{prefix}parent.{name}"] = parent.get(name)
    for node in root.all("properties"):
        pom.properties |= {one.name: one.words.strip() for one in node.children}
    holders = [root, *root.all("profiles", "profile")]
    for holder in holders:
        for node in holder.all("dependencyManagement", "dependencies", "dependency"):
            group, name = (pom.resolved(node.get(key), node.line) for key in ("groupId", "artifactId"))
            pom.managed.setdefault((group, name), node)
    found = [_dependency(pom, node) for holder in holders for node in holder.all("dependencies", "dependency")]
    found += [_plugin(pom, node) for holder in holders for tool in _TOOLS for node in holder.all("build", *tool)]
    return ParsedFile(
        dependencies=tuple(one for one in found if one),
        findings=tuple(dict.fromkeys(pom.findings)),
        own=frozenset({f"{pom.properties['project.groupId']}:{pom.properties['project.artifactId']}"}),
        license=_license(path, root),
        bundler=_shader(holders),
        suppliers=manifest_suppliers.named(
            next((one.get("name") for one in root.all("organization")), ""),
            *(one.get("url") for one in root.all("scm")),
        ),
    )


def _shader(holders: list[xml_text.XmlElement]) -> str:
    """The plug-in that puts all into one archive; empty if there is none."""
    plugins = [node for holder in holders for node in holder.all("build", "plugins", "plugin")]
    return next((node.get("artifactId") for node in plugins if node.get("artifactId") in _SHADERS), "")


def _dependency(pom: _Pom, node: xml_text.XmlElement) -> Dependency | None:
    """One <dependency>, with what is managed for it; None without names."""
    group, name = (pom.resolved(node.get(key), node.line) for key in ("groupId", "artifactId"))
    if not group or not name:
        pom.amiss("dependency/unreadable", node.line, "a dependency without groupId or artifactId")
        return None
    managed = pom.managed.get((group, name))
    version = node.get("version") or (managed.get("version") if managed else "")
    scope = pom.resolved(node.get("scope") or (managed.get("scope") if managed else ""), node.line)
    optional = pom.resolved(node.get("optional"), node.line) == "true"
    why = f"pom.xml: scope {scope or 'compile'}"
    one = _entry(pom, node, (group, name, version), usage.maven(scope), why, optional=optional)
    return replace(one, purl=named(one.purl, NO_REGISTRY)) if scope == "system" else one  # a file, by <systemPath>


def _plugin(pom: _Pom, node: xml_text.XmlElement) -> Dependency | None:
    name = pom.resolved(node.get("artifactId"), node.line)
    group = pom.resolved(node.get("groupId") or _PLUGINS, node.line)
    coordinates, why = (group, name, node.get("version")), "pom.xml: plug-in of the build"
    return _entry(pom, node, coordinates, Usage.BUILD_TOOL, why) if name else None


def _entry(
    pom: _Pom,
    node: xml_text.XmlElement,
    coordinates: tuple[str, str, str],
    how: Usage,
    why: str,
    *,
    optional: bool = False,
) -> Dependency:
    """A Java archive by its coordinates; a version that is a range or a property without value is none."""
    group, name, written = coordinates
    version = pom.resolved(written, node.line)
    if "${" in version:
        pom.amiss("dependency/undetermined", node.line, f"{group}:{name}: no value for {said(version)} in this file")
    sure = version if version and not set(version) & set("${}[](),") else None
    place, url = Place(pom.path, node.line, said(f"{group}:{name}:{version}")), purl("maven", name, sure, group)
    more: PackageDetails = {
        "direct": True,
        "optional": optional,
        "version_range": "" if sure or "$" in version else version,
    }
    return dependency_at(place, f"{group}:{name}", sure, url, how, why, **more)


def _license(path: str, root: xml_text.XmlElement) -> Learned:
    """What the file states, if it is one licence."""
    stated = root.all("licenses", "license", "name")
    return learned(stated[0].words, path, stated[0].line, Source.METADATA) if len(stated) == 1 else UNLEARNED
