"""pyproject.toml: the standard's tables, dependency groups, and those of Poetry, PDM, uv and Hatch."""

from dataclasses import dataclass, field, replace
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
from audit.ecosystems.python.requirements import beside, is_local
from audit.facts import UNLEARNED, Dependency, Learned, Source, Usage
from audit.licenses.expression import read as read_expression

_PIPFILE_SETTINGS: Final = frozenset({"source", "requires", "scripts", "pipenv"})
_READ_TOOLS: Final = frozenset({"poetry", "pdm", "uv", "rye", "flit", "hatch", "setuptools", "pixi", "tox"})
_PACKAGES: Final = frozenset({"dependencies", "requires", "requirements"})  # What other tools call packages.
_CONDITIONS: Final = frozenset({"marker", "extra", "group"})
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
class PyprojectTables(DependencyList):
    """One file so far: `lines` of its keys, its `indexes`; `named` gives the index and address of each source by a table."""

    lines: toml_text.TomlLines = field(default_factory=lambda: toml_text.TomlLines(""))
    indexes: Indexes = field(default_factory=Indexes)
    named: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def specifiers(self, value: object, how: Usage, said_by: str, *, optional: bool = False) -> None:
        """A list of requirement specifiers; an element that is no text (`include-group`) names no package."""
        for words in texts(value) if isinstance(value, list) else ():
            line = self.lines.string(words, *said_by.rpartition(".")[::2])
            bare = words.removeprefix("-e ").strip()  # PDM's own word for a package whose sources change.
            if is_local(bare):
                self.outside(bare.partition("#")[0], line, words)
                continue
            why, place = f"{self.file}: {said_by}", self.place(line, words)
            dependency = specifiers.dependency(bare, how, why, place, optional=optional)
            if dependency:
                sources = self.named.get(specifiers.normalize(dependency.name), [("", "")])
                self.dependencies += (self.taken(dependency, index, address) for index, address in sources)
            else:
                self.unreadable(line, f"{said_by}: no requirement: {said(words)!r}")

    def taken(self, dependency: Dependency, index: str, address: str) -> Dependency:
        """The dependency as an index has it, or an address."""
        if address:
            asked = specifiers.RequestedVersion(dependency.name, dependency.version, address)
            dependency = replace(dependency, purl=specifiers.package_url(asked))
        return self.indexes.applied(dependency, index)

    def poetry(self, value: object, how: Usage, named: str) -> None:
        """A table of Poetry's: name → constraint, or a table, or several of them, each for some machines."""
        for name, rule in table(value).items():
            if name.lower() != "python":  # The interpreter is no package.
                for each in rows(rule) or [rule]:
                    self._by_rule(name, each, how, named)

    def _by_rule(self, name: str, rule: object, how: Usage, named: str) -> None:
        terms = table(rule)
        archive = text(terms.get("url")) or text(terms.get("file")) or text(terms.get("path"))
        words = text(rule) or text(terms.get("version"))
        place = self.place(self.lines.key(named, name), f"{text(name)} {words}")
        if archive and "://" not in archive and not origins.is_archive(archive):
            self.outside(archive, place.line, place.said)
            return
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
    found = PyprojectTables(path, lines=toml_text.TomlLines(content), indexes=indexes(data), named=named_by_uv(data))
    project, tools = table(data.get("project")), table(data.get("tool"))
    _standard(data, project, found)
    _tools(tools, found)
    poetry = table(tools.get("poetry"))
    found.own |= {specifiers.normalize(text(name)) for name in (project.get("name"), poetry.get("name"))}
    named_files = _dynamic(found, data)
    authors = [*rows(project.get("authors")), *rows(poetry.get("authors"))]
    addresses = (poetry.get("repository"), *table(project.get("urls")).values())
    return found.parsed(
        license=_license(path, found.lines, project, poetry),
        includes=named_files,
        suppliers=manifest_suppliers.named(authors, *addresses),
    )


def _standard(data: dict[str, Any], project: dict[str, Any], into: PyprojectTables) -> None:
    """PEP 621, PEP 735 and PEP 518."""
    into.specifiers(project.get("dependencies"), Usage.RUNTIME_IMPORT, "project.dependencies")
    for extra, listed in table(project.get("optional-dependencies")).items():
        how = usage.of_extra(text(extra))
        into.specifiers(listed, how, f"project.optional-dependencies.{said(extra)}", optional=True)
    groups = table(data.get("dependency-groups"))
    hows = _group_usages(groups)
    for name, listed in groups.items():
        into.specifiers(listed, hows[specifiers.normalize(text(name))], f"dependency-groups.{said(name)}")
    into.specifiers(table(data.get("build-system")).get("requires"), Usage.BUILD_TOOL, "build-system.requires")


def _group_usages(groups: dict[Any, Any]) -> dict[str, Usage]:
    """The usage of each dependency group: by its name, or that of a group that includes it and binds more."""
    included = {
        specifiers.normalize(text(name)): [
            specifiers.normalize(text(table(each).get("include-group"))) for each in rows(listed)
        ]
        for name, listed in groups.items()
    }
    found: dict[str, Usage] = {}
    for name in sorted(included, key=lambda name: usage.rank(usage.of_group(name))):
        waiting = [name]
        while waiting:
            group = waiting.pop()
            if group in included and group not in found:
                found[group] = usage.of_group(name)
                waiting += included[group]
    return found


def _tools(tools: dict[str, Any], into: PyprojectTables) -> None:
    poetry = table(tools.get("poetry"))
    into.poetry(poetry.get("dependencies"), Usage.RUNTIME_IMPORT, "tool.poetry.dependencies")
    into.poetry(poetry.get("dev-dependencies"), Usage.DEV_TOOL, "tool.poetry.dev-dependencies")
    for name, group in table(poetry.get("group")).items():
        how = usage.of_group(text(name))
        into.poetry(table(group).get("dependencies"), how, f"tool.poetry.group.{text(name)}.dependencies")
    for name, listed in table(table(tools.get("pdm")).get("dev-dependencies")).items():
        into.specifiers(listed, usage.group(text(name)) or Usage.DEV_TOOL, f"tool.pdm.dev-dependencies.{said(name)}")
    into.poetry(poetry.get("requires-plugins"), Usage.BUILD_TOOL, "tool.poetry.requires-plugins")
    for tool in ("uv", "rye"):
        listed = table(tools.get(tool)).get("dev-dependencies")
        into.specifiers(listed, Usage.DEV_TOOL, f"tool.{tool}.dev-dependencies")
    flit = table(table(tools.get("flit")).get("metadata"))
    into.specifiers(flit.get("requires"), Usage.RUNTIME_IMPORT, "tool.flit.metadata.requires")
    into.specifiers(flit.get("dev-requires"), Usage.DEV_TOOL, "tool.flit.metadata.dev-requires")
    for extra, listed in table(flit.get("requires-extra")).items():
        named = f"tool.flit.metadata.requires-extra.{said(extra)}"
        into.specifiers(listed, usage.of_extra(text(extra)), named, optional=True)
    _hatch(table(tools.get("hatch")), into)
    for tool, settings in tools.items():
        named = "" if tool in _READ_TOOLS else _packages_of(f"tool.{text(tool)}", settings)
        if named:
            into.not_read(into.lines.key("", named), f"names dependencies for {said(tool)}, whose tables are not read")


def _hatch(hatch: dict[str, Any], into: PyprojectTables) -> None:
    """Environments, and what builds need."""
    for name, environment in table(hatch.get("envs")).items():
        how = usage.group(text(name)) or Usage.DEV_TOOL
        for key in ("dependencies", "extra-dependencies"):
            into.specifiers(table(environment).get(key), how, f"tool.hatch.envs.{said(name)}.{key}")
    build = table(hatch.get("build"))
    targets = [(f"build.targets.{said(name)}", table(of)) for name, of in table(build.get("targets")).items()]
    holders = [("build", build), *targets]
    for above, holder in holders[:]:
        holders += ((f"{above}.hooks.{said(name)}", table(of)) for name, of in table(holder.get("hooks")).items())
    for above, holder in holders:
        into.specifiers(holder.get("dependencies"), Usage.BUILD_TOOL, f"tool.hatch.{above}.dependencies")


def _packages_of(tool: str, settings: object) -> str:
    """The first key in the tables of a tool, at any depth, that is called as lists of packages are; else an empty text."""
    waiting = [(tool, settings)]
    while waiting:
        above, holder = waiting.pop()
        for key, value in table(holder).items():
            named = f"{above}.{text(key)}"
            if key in _PACKAGES and (table(value) or texts(rows(value))):
                return named
            waiting.append((named, value))
    return ""


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


def _dynamic(found: PyprojectTables, data: dict[str, Any]) -> tuple[Include, ...]:
    """Files from which setuptools takes the dependencies; a finding where another program computes them."""
    tools, asked = table(data.get("tool")), texts(table(data.get("project")).get("dynamic"))
    dynamic = table(table(tools.get("setuptools")).get("dynamic"))
    extras = table(dynamic.get("optional-dependencies")).values()
    files = {
        "dependencies": texts(table(dynamic.get("dependencies")).get("file")),
        "optional-dependencies": [name for extra in extras for name in texts(table(extra).get("file"))],
    }
    backend = text(table(data.get("build-system")).get("build-backend")).partition(".")[0]
    # setup.py and setup.cfg are read by themselves; setuptools builds it, too, where no backend is named (PEP 517).
    is_read = backend in {"", "setuptools"} or (backend == "poetry" and "poetry" in tools)
    if not is_read and any(key in asked and not named for key, named in files.items()):
        found.not_read(found.lines.key("project", "dynamic"), "leaves its dependencies to a program, which is not run")
    return tuple(
        Include(beside(found.path, name), found.place(found.lines.string(name), name))
        for named in files.values()
        for name in named
        if name
    )


def read_pipfile(path: str, content: str) -> ParsedFile:
    """Pipfile: `packages`, `dev-packages` and categories of one's own, spelled as Poetry does."""
    data = toml_text.load(content)
    found = PyprojectTables(path, lines=toml_text.TomlLines(content), indexes=indexes(data))
    for name in [text(name) for name in data if name not in _PIPFILE_SETTINGS]:
        found.poetry(data.get(name), of_category(name), name)
    return found.parsed()


def of_category(name: str) -> Usage:
    """The usage of a table of packages of a Pipfile, or of Pipfile.lock: it runs, unless its name says otherwise."""
    return usage.group(name.removesuffix("-packages")) or Usage.RUNTIME_IMPORT


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


def named_by_uv(data: dict[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """`tool.uv.sources`: for each name each index, or address or path, from which it may come; the other is empty."""
    sources = table(table(table(data.get("tool")).get("uv")).get("sources"))
    found = {}
    for name, rule in sources.items():
        listed = [table(terms) for terms in rows(rule) or [rule]]
        taken = []
        for terms in listed:
            git = text(terms.get("git"))
            address = f"git+{git}" if git else text(terms.get("url")) or text(terms.get("path"))
            taken.append((text(terms.get("index")), address))
        # Where no condition holds, it comes from where all others do.
        is_certain = any(_CONDITIONS.isdisjoint(terms) for terms in listed)
        found[specifiers.normalize(text(name))] = taken if is_certain else [*taken, ("", "")]
    return found
