"""package.json: four lists of dependencies, the package's own licence, and whether a bundler puts it all into one file."""

from typing import Final

from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import json_text, manifest_suppliers
from audit.ecosystems.npm import package_names
from audit.ecosystems.parsed_file import PackageDetails, ParsedFile, dependency_at, learned, rows, table, text, texts
from audit.facts import UNLEARNED, Dependency, Learned, Source, Usage

SECTIONS: Final = {
    "dependencies": Usage.RUNTIME_IMPORT,
    "optionalDependencies": Usage.RUNTIME_IMPORT,
    "peerDependencies": Usage.RUNTIME_IMPORT,
    "devDependencies": Usage.DEV_TOOL,
}
_BUNDLERS: Final = {  # These put what runs into one file; the program is the word by which a script calls them.
    "webpack": "webpack", "vite": "vite", "rollup": "rollup", "parcel": "parcel", "esbuild": "esbuild",
    "@angular/cli": "ng", "react-scripts": "react-scripts", "next": "next", "nuxt": "nuxt", "@vue/cli-service": "vue-cli-service",
    "browserify": "browserify", "@rspack/cli": "rspack", "@sveltejs/kit": "vite", "tsup": "tsup",
}  # fmt: skip


def read(path: str, content: str) -> ParsedFile:
    """All dependencies that package.json names, each once."""
    data = json_text.top(content)
    peers = table(data.get("peerDependenciesMeta")).items()
    optional = {name for name, rule in peers if table(rule).get("optional") is True}
    optional |= table(data.get("optionalDependencies")).keys()
    bundled, bundler = _bundled(data), _bundler(data)
    found, once = DependencyList(path, own={text(data.get("name"))}), dict[str, Dependency]()
    for section, how in SECTIONS.items():
        entries = data.get(section)
        lines = json_text.lines_of(entries)
        for name, spec in table(entries).items():
            package = package_names.package(text(name), text(spec))
            place = found.place(lines.get(name), f"{text(name)}@{text(spec)}")
            if package is None:
                found.outside(package_names.folder(text(spec)), place.line, place.said)
            # A package may stand in several lists: `dependencies` counts, else the first.
            if package is None or not package.name or (name in once and section != "dependencies"):
                continue
            runs = how is Usage.RUNTIME_IMPORT
            # A bundle holds copies: that is distribution, and not use beside it.
            kind = Usage.BUNDLED if runs and (name in bundled or bundler) else how
            why = f"package.json: {section}" + (f", bundled by {bundler}" if runs and bundler else "")
            more = PackageDetails(direct=True, optional=name in optional, version_range=package.range)
            once[name] = dependency_at(place, package.name, package.version, package.purl, kind, why, **more)
    found.dependencies = list(once.values())
    holders = (data, data.get("workspaces"))
    return found.parsed(
        license=license_of(path, data),
        bundler=bundler,
        meant=(
            *(entry for holder in holders for entry in package_names.catalogs(path, holder)),
            *package_names.replacements(path, "overrides", data.get("overrides")),
            *package_names.replacements(path, "resolutions", data.get("resolutions")),
            *package_names.replacements(path, "pnpm.overrides", table(data.get("pnpm")).get("overrides")),
        ),
        suppliers=manifest_suppliers.named(data.get("author"), manifest_suppliers.short(data.get("repository"))),
    )


def _bundled(data: json_text.LocatedObject) -> set[str]:
    """The packages that are packed with this one: a list, or `true` for all of `dependencies`."""
    # npm takes both spellings; the second counts only where the first is missing.
    stated = data.get("bundleDependencies", data.get("bundledDependencies"))
    return set(table(data.get("dependencies")) if stated is True else texts(stated))


def _bundler(data: json_text.LocatedObject) -> str:
    """The bundler of the package: one that its own script calls, where it is private, or never meant as a library."""
    listed = {*table(data.get("dependencies")), *table(data.get("devDependencies"))}
    scripts = " ".join(text(words) for words in table(data.get("scripts")).values())[:20_000]
    words = set(scripts.replace("/", " ").replace("&", " ").split())
    # A library is bundled by those who use it, and its own bundle is not what they take.
    library = any(key in data for key in ("main", "module", "exports", "types")) and data.get("private") is not True
    for name, program in _BUNDLERS.items():
        if name in listed and program in words and not library:
            return name
    return ""


def license_of(path: str, data: json_text.LocatedObject) -> Learned:
    """The licence that package.json states: `license`, or the older objects and lists."""
    stated = data.get("license") or data.get("licence")
    line = data.lines().get("license") if stated else None
    if isinstance(stated, dict):
        stated = stated.get("type")
    older = [text(table(row).get("type")) or text(row) for row in rows(data.get("licenses"))]
    # npm's old list gave the choice among its licences.
    words = text(stated) or " OR ".join(name for name in older if name)
    return learned(words, path, line, Source.METADATA) if words else UNLEARNED
