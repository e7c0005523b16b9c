"""pyproject.toml: the standard's tables, dependency groups, and those of Poetry, PDM, uv and Hatch."""

from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Final

from audit import usage
from audit.ecosystems import origins
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import manifest_suppliers, toml_text
from audit.ecosystems.parsed_file import (
    Include,
    PackageDetails,
    ParsedFile,
    dependency_at,
    learned,
    rows,
    said,
    table,
    text,
    texts,
)
from audit.ecosystems.python import specifiers
from audit.facts import UNLEARNED, Dependency, Learned, Source, Usage
from audit.licenses.expression import read as read_expression

_PUBLIC: Final = frozenset({"", "pypi"})  # Without a name, or PyPI's own.


@dataclass(frozen=True, slots=True)
class Indexes:
    """Private indexes of a file: `addresses` by name; `anywhere`, the first that any package may be from ("": none)."""

    addresses: dict[str, str] = field(default_factory=dict)
    anywhere: str = ""

    def applied(self, dependency: Dependency, index: str) -> Dependency:
        """The dependency with the index that it comes from in its package URL; `index` is the one that it names."""
        if index.lower() in _PUBLIC:
            address = "" if index else self.anywhere
            return replace(dependency, purl=origins.taken(dependency.purl, address))
        address = self.addresses.get(index, "")
        purl = origins.taken(dependency.purl, address) if address else origins.named(dependency.purl, index)
        return replace(dependency, purl=purl)


@dataclass
class _PyprojectTables(DependencyList):
    """One file so far: `lines` of its keys, its `indexes`; `named` gives index and address of a package by a table."""

    lines: toml_text.TomlLines = field(default_factory=lambda: toml_text.TomlLines(""))
    indexes: Indexes = field(default_factory=Indexes)
    named: dict[str, tuple[str, str]] = field(default_factory=dict)

    def specifiers(self, value: object, how: Usage, said_by: str, *, optional: bool = False) -> None:
        """A list of requirement specifiers; an element that is no text (`include-group`) names no package."""
        for words in texts(value) if isinstance(value, list) else ():
            line = self.lines.string(words, *said_by.rpartition(".")[::2])
            why, place = f"{self.file}: {said_by}", self.place(line, words)
            dependency = specifiers.dependency(words, how, why, place, optional=optional)
            if dependency:
                index, address = self.named.get(specifiers.normalize(dependency.name), ("", ""))
                if address:
                    asked = specifiers.RequestedVersion(dependency.name, dependency.version, address)
                    dependency = replace(dependency, purl=specifiers.package_url(asked))
                self.dependencies.append(self.indexes.applied(dependency, index))
            else:
                self.unreadable(line, f"{said_by}: no requirement: {said(words)!r}")

    def poetry(self, value: object, how: Usage, named: str) -> None:
        """A table of Poetry's: name → constraint, or a table, or several of them."""
        for name, rule in table(value).items():
            terms = table(rows(rule)[0] if rows(rule) else rule)  # Of several the first counts.
            archive = text(terms.get("url")) or text(terms.get("file")) or text(terms.get("path"))
            words = text(rule) or text(terms.get("version"))
            place = self.place(self.lines.key(named, name), f"{text(name)} {words}")
            if name.lower() == "python":  # The interpreter is no package.
                continue
            if archive and "://" not in archive and not origins.is_archive(archive):
                self.outside(archive, place.line, place.said)
                continue
            address = text(terms.get("git")) or archive
            bare = words.removeprefix("==").strip()  # `1.2.3` is one version, `^1.2` and `>=1` are not.
            is_exact = bare[:1].isdigit() and not set(bare) & set("*,|<> ")
            version = (bare if is_exact else "") or text(terms.get("tag")) or text(terms.get("rev")) or None
            spec = f"git+{address}" if "git" in terms else address
            request = specifiers.RequestedVersion(text(name), version, spec)
            more: PackageDetails = {"direct": True, "optional": terms.get("optional") is True}
            more["version_range"] = "" if version or address else words or "*"
            url = specifiers.package_url(request)
            found = dependency_at(place, text(name), version, url, how, f"{self.file}: {named}", **more)
            index = text(terms.get("source")) or text(terms.get("index"))
            self.dependencies.append(self.indexes.applied(found, index))


def read(path: str, content: str) -> ParsedFile:
    """All that the file asks for, with the repository's own name and licence."""
    data = toml_text.load(content)
    named = {specifiers.normalize(name): index for name, index in named_by_uv(data).items()}
    found = _PyprojectTables(path, lines=toml_text.TomlLines(content), indexes=indexes(data), named=named)
    project, tools = table(data.get("project")), table(data.get("tool"))
    _standard(data, project, found)
    _tools(tools, found)
    poetry = table(tools.get("poetry"))
    found.own |= {specifiers.normalize(text(name)) for name in (project.get("name"), poetry.get("name"))}
    named_files = _dynamic(found, tools)
    # setup.py and setup.cfg are read by themselves; setuptools builds it, too, where no backend is named (PEP 517).
    backend = text(table(data.get("build-system")).get("build-backend")).partition(".")[0]
    if "dependencies" in texts(project.get("dynamic")) and not named_files and backend not in {"", "setuptools"}:
        line = found.lines.key("project", "dynamic")
        found.not_read(line, "leaves its dependencies to a program, which is not run")
    authors = [*rows(project.get("authors")), *rows(poetry.get("authors"))]
    addresses = (poetry.get("repository"), *table(project.get("urls")).values())
    return found.parsed(
        license=_license(path, found.lines, project, poetry),
        includes=named_files,
        suppliers=manifest_suppliers.named(authors, *addresses),
    )


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
    stated = project.get("license")
    for named, value in (
        ("project", text(stated) or text(table(stated).get("text"))),
        ("tool.poetry", text(poetry.get("license"))),
    ):
        if value and "\n" not in value.strip():  # Several lines are a licence's text.
            return learned(value, path, lines.key(named, "license"), Source.METADATA)
    classified = [
        classifier for classifier in texts(project.get("classifiers") or []) if classifier.startswith("License ::")
    ]
    meant = read_expression(classified[0]) if len(classified) == 1 else None  # Several do not say how they relate.
    if meant is not None:
        return learned(str(meant), path, lines.key("project", "classifiers"), Source.METADATA)
    file = text(table(stated).get("file"))
    if file and not file.lower().startswith("readme"):  # A readme is about more than the licence.
        return learned(f"SEE LICENSE IN {file}", path, lines.key("project", "license"), Source.METADATA)
    return UNLEARNED


def _dynamic(found: _PyprojectTables, tools: dict[str, Any]) -> tuple[Include, ...]:
    """Files from which setuptools takes the dependencies."""
    dynamic = table(table(tools.get("setuptools")).get("dynamic"))
    named = [name for name in texts(table(dynamic.get("dependencies")).get("file")) if name]
    folder = PurePosixPath(found.path).parent
    return tuple(Include(str(folder / name), found.place(found.lines.string(name), name)) for name in named)


def read_pipfile(path: str, content: str) -> ParsedFile:
    """Pipfile: `packages` and `dev-packages`, spelled as Poetry does."""
    data = toml_text.load(content)
    found = _PyprojectTables(path, lines=toml_text.TomlLines(content), indexes=indexes(data))
    found.poetry(data.get("packages"), Usage.RUNTIME_IMPORT, "packages")
    found.poetry(data.get("dev-packages"), Usage.DEV_TOOL, "dev-packages")
    return found.parsed()


def indexes(data: dict[str, Any]) -> Indexes:
    """The indexes of Poetry, uv and PDM in a pyproject.toml, or a Pipfile; explicit ones hold only what names them."""
    tools = table(data.get("tool"))
    poetry, uv, pdm = (table(tools.get(name)) for name in ("poetry", "uv", "pdm"))
    listed = [table(row) for holder in (poetry, pdm, data) for row in rows(holder.get("source"))]
    listed += [table(row) for row in rows(uv.get("index"))]
    shared = [
        text(index.get("url"))
        for index in listed
        if index.get("priority") != "explicit" and index.get("explicit") is not True
    ]
    for holder in (uv, table(uv.get("pip"))):
        shared += [text(holder.get("index-url")), *texts(holder.get("extra-index-url") or [])]
    addresses = {text(index.get("name")): text(index.get("url")) for index in listed}
    # Each may have any package.
    return Indexes(addresses, next((address for address in shared if origins.host(address)), ""))


def named_by_uv(data: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """`tool.uv.sources`: for each name, as it is written there, an index, or an address or path; the other is empty."""
    sources = table(table(table(data.get("tool")).get("uv")).get("sources"))
    found = {}
    for name, rule in sources.items():
        terms = table(rows(rule)[0] if rows(rule) else rule)
        git = text(terms.get("git"))
        address = f"git+{git}" if git else text(terms.get("url")) or text(terms.get("path"))
        found[text(name)] = (text(terms.get("index")), address)
    return found
