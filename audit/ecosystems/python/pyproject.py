"""pyproject.toml: the standard's tables, dependency groups, and those of Poetry, PDM, uv and Hatch."""

from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from audit import usage
from audit.ecosystems import includes
from audit.ecosystems.formats import manifest_suppliers, toml_text
from audit.ecosystems.origins import is_archive
from audit.ecosystems.parsed_file import (
    Include,
    PackageDetails,
    ParsedFile,
    dependency_at,
    finding,
    learned,
    not_read,
    rows,
    said,
    table,
    text,
    texts,
)
from audit.ecosystems.python import specifiers
from audit.ecosystems.python.indexes import Indexes, indexes, named_by_uv
from audit.facts import UNLEARNED, Dependency, Finding, Learned, Place, Source, Usage
from audit.licenses.expression import read as read_expression


@dataclass
class _PyprojectTables:
    """What has been found so far in one file; `named` are index and address of a package that another table names."""

    path: str
    lines: toml_text.TomlLines
    indexes: Indexes = field(default_factory=Indexes)
    named: dict[str, tuple[str, str]] = field(default_factory=dict)
    dependencies: list[Dependency] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def specifiers(self, value: object, how: Usage, said_by: str, *, optional: bool = False) -> None:
        """A list of requirement specifiers; what is no text in it (`include-group`) names no package."""
        for words in texts(value) if isinstance(value, list) else ():
            line = self.lines.string(words, *said_by.rpartition(".")[::2])
            one = specifiers.dependency(
                words, how, f"pyproject.toml: {said_by}", Place(self.path, line), optional=optional
            )
            if one:
                index, address = self.named.get(specifiers.normalize(one.name), ("", ""))
                if address:
                    asked = specifiers.RequestedVersion(one.name, one.version, address)
                    one = replace(one, purl=specifiers.package_url(asked))
                self.dependencies.append(self.indexes.applied(one, index))
            else:
                message = f"{said_by}: no requirement: {said(words)!r}"
                self.findings.append(finding("dependency/unreadable", self.path, line, message))

    def poetry(self, value: object, how: Usage, named: str) -> None:
        """A table of Poetry's: name → constraint, or a table, or several of them."""
        for name, rule in table(value).items():
            terms = table(rows(rule)[0] if rows(rule) else rule)
            archive = text(terms.get("url")) or text(terms.get("file")) or text(terms.get("path"))
            words = text(rule) or text(terms.get("version"))
            place = Place(self.path, self.lines.key(named, name), said(f"{text(name)} {words}"))
            if name.lower() == "python":
                continue
            if archive and "://" not in archive and not is_archive(archive):
                self.findings += includes.outside(archive, place)
                continue
            address = text(terms.get("git")) or archive
            version = _exact(words) or text(terms.get("tag")) or text(terms.get("rev")) or None
            spec = f"git+{address}" if "git" in terms else address
            one = specifiers.RequestedVersion(text(name), version, spec)
            more: PackageDetails = {"direct": True, "optional": terms.get("optional") is True}
            more["version_range"] = "" if version or address else words or "*"
            url = specifiers.package_url(one)
            found = dependency_at(place, text(name), version, url, how, f"pyproject.toml: {named}", **more)
            index = text(terms.get("source")) or text(terms.get("index"))
            self.dependencies.append(self.indexes.applied(found, index))


def _exact(words: str) -> str | None:
    """Poetry's own word for one version: `1.2.3` is one, `==1.2.3` too; `^1.2` and `>=1` are not."""
    bare = words.removeprefix("==").strip()
    return bare if bare and bare[0].isdigit() and not set(bare) & set("*,|<> ") else None


def read(path: str, content: str) -> ParsedFile:
    """All that the file asks for, with the repository's own name and licence."""
    data = toml_text.load(content)
    named = {specifiers.normalize(name): index for name, index in named_by_uv(data).items()}
    gathered = _PyprojectTables(path, toml_text.TomlLines(content), indexes(data), named)
    project, tools = table(data.get("project")), table(data.get("tool"))
    _standard(data, project, gathered)
    _tools(tools, gathered)
    poetry = table(tools.get("poetry"))
    own = {specifiers.normalize(text(name)) for name in (project.get("name"), poetry.get("name")) if text(name)}
    named_files = _dynamic(path, tools, gathered.lines)
    if "dependencies" in texts(project.get("dynamic")) and not named_files and not _has_setup_files(data):
        line = gathered.lines.key("project", "dynamic")
        gathered.findings.append(not_read(path, line, "leaves its dependencies to a program, which is not run"))
    return ParsedFile(
        dependencies=tuple(gathered.dependencies),
        findings=tuple(gathered.findings),
        own=frozenset(own),
        license=_license(path, gathered.lines, project, poetry),
        includes=named_files,
        suppliers=_suppliers(project, poetry),
    )


def _has_setup_files(data: dict[str, Any]) -> bool:
    """Whether setuptools builds it, whose setup.py and setup.cfg are read by themselves (also where no backend is named, as PEP 517 says)."""
    return text(table(data.get("build-system")).get("build-backend")).partition(".")[0] in {"", "setuptools"}


def _suppliers(project: dict[str, Any], poetry: dict[str, Any]) -> tuple[str, ...]:
    """Authors of either table; else the account of the first address among the project's that has one."""
    authors = [*rows(project.get("authors")), *rows(poetry.get("authors"))]
    return manifest_suppliers.named(authors, poetry.get("repository"), *table(project.get("urls")).values())


def _standard(data: dict[str, Any], project: dict[str, Any], into: _PyprojectTables) -> None:
    """PEP 621, PEP 735 and PEP 518."""
    into.specifiers(project.get("dependencies"), Usage.RUNTIME_IMPORT, "project.dependencies")
    for extra, listed in table(project.get("optional-dependencies")).items():
        how = usage.of_extra(text(extra))
        into.specifiers(listed, how, f"project.optional-dependencies.{said(extra)}", optional=True)
    for name, listed in table(data.get("dependency-groups")).items():
        into.specifiers(listed, usage.of_group(text(name)), f"dependency-groups.{said(name)}")
    into.specifiers(table(data.get("build-system")).get("requires"), Usage.BUILD_TOOL, "build-system.requires")


def _tools(tools: dict[str, Any], into: _PyprojectTables) -> None:
    """Poetry, PDM, uv, Hatch."""
    poetry = table(tools.get("poetry"))
    into.poetry(poetry.get("dependencies"), Usage.RUNTIME_IMPORT, "tool.poetry.dependencies")
    into.poetry(poetry.get("dev-dependencies"), Usage.DEV_TOOL, "tool.poetry.dev-dependencies")
    for name, group in table(poetry.get("group")).items():
        how = usage.of_group(text(name))
        into.poetry(table(group).get("dependencies"), how, f"tool.poetry.group.{text(name)}.dependencies")
    for name, listed in table(table(tools.get("pdm")).get("dev-dependencies")).items():
        into.specifiers(listed, usage.group(text(name)) or Usage.DEV_TOOL, f"tool.pdm.dev-dependencies.{said(name)}")
    into.specifiers(table(tools.get("uv")).get("dev-dependencies"), Usage.DEV_TOOL, "tool.uv.dev-dependencies")
    for name, environment in table(table(tools.get("hatch")).get("envs")).items():
        how = usage.group(text(name)) or Usage.DEV_TOOL
        for key in ("dependencies", "extra-dependencies"):
            into.specifiers(table(environment).get(key), how, f"tool.hatch.envs.{said(name)}.{key}")


def _license(path: str, lines: toml_text.TomlLines, project: dict[str, Any], poetry: dict[str, Any]) -> Learned:
    """What the file states of the project's own licence."""
    stated = project.get("license")
    for named, value in (
        ("project", text(stated) or text(table(stated).get("text"))),
        ("tool.poetry", text(poetry.get("license"))),
    ):
        if value and "\n" not in value.strip():
            return learned(value, path, lines.key(named, "license"), Source.METADATA)
    classified = [one for one in texts(project.get("classifiers") or []) if one.startswith("License ::")]
    meant = read_expression(classified[0]) if len(classified) == 1 else None
    if meant is not None:
        return learned(str(meant), path, lines.key("project", "classifiers"), Source.METADATA)
    file = text(table(stated).get("file"))
    if file and not file.lower().startswith("readme"):
        return learned(f"SEE LICENSE IN {file}", path, lines.key("project", "license"), Source.METADATA)
    return UNLEARNED


def _dynamic(path: str, tools: dict[str, Any], lines: toml_text.TomlLines) -> tuple[Include, ...]:
    """Files from which setuptools takes the dependencies."""
    dynamic = table(table(tools.get("setuptools")).get("dynamic"))
    named = texts(table(dynamic.get("dependencies")).get("file"))
    folder = PurePosixPath(path).parent
    return tuple(Include(str(folder / name), Place(path, lines.string(name), said(name))) for name in named if name)


def read_pipfile(path: str, content: str) -> ParsedFile:
    """Pipfile: `packages` and `dev-packages`, spelled as Poetry does."""
    data = toml_text.load(content)
    gathered = _PyprojectTables(path, toml_text.TomlLines(content), indexes(data))
    gathered.poetry(data.get("packages"), Usage.RUNTIME_IMPORT, "packages")
    gathered.poetry(data.get("dev-packages"), Usage.DEV_TOOL, "dev-packages")
    found = [replace(one, why=one.why.replace("pyproject.toml", "Pipfile")) for one in gathered.dependencies]
    return ParsedFile(dependencies=tuple(found), findings=tuple(gathered.findings))
