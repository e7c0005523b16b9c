"""Packages in a tree beside our own work, installed or copied there, with their metadata and legal texts.

So do libraries in binary form lie there (`libs/libx.so`, `lib/x-1.2.jar`): works of which no manifest tells.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from audit import display_text, ecosystems
from audit.ecosystems import cargo, purls
from audit.ecosystems.formats import json_text
from audit.ecosystems.native import meson
from audit.ecosystems.npm import package_json, package_names
from audit.ecosystems.origins import NO_REGISTRY
from audit.ecosystems.parsed_file import ParsedFile, ParseError, said, text
from audit.ecosystems.purls import bare
from audit.ecosystems.python import pyproject
from audit.facts import UNLEARNED, Dependency, Finding, Learned, Place, Source, Text, Usage
from audit.licenses import contradiction
from audit.licenses.declared_license import DeclaredLicense
from audit.purl_match import parts
from audit.scan.decoding import shown
from audit.scan.python_metadata import ONE_OF_THEM, MetadataHeader, declared, headers
from audit.usage import FOLDERS, NOT_SHIPPED, usage_by_folder

LEGAL: Final = re.compile(
    r"(?:(?P<license>un?li[cs]en[cs]e|li[cs]en[cs]es?|copying\d?|copyright|mit-license|[al]?gpl(?:v?\d)?|ofl)|(?P<notice>notices?))"
    r"(?:[-_. ][^/]*)?|[^/]{1,60}[-_.](?P<ending>li[cs]en[cs]e|notice)(?:\.(?:txt|md|rst))?",
    re.IGNORECASE,
)
"""Names of files that hold a licence or a notice."""
_NO_TEXT: Final = re.compile(
    r"\.(?:py|pyc|[cm]?js|[cm]?ts|[jt]sx|vue|svelte|c|h|cc|cpp|cxx|hpp|hh|m|mm|cs|go|rs|java|kt|kts|scala|groovy|swift|dart|ex|exs|erl|hs|ml"
    r"|el|vim|r|lua|tcl|p[lmy]|t|pod|sh|bash|bat|cmd|ps1|rb|php|sql|html?|css|s[ac]ss|less|png|svg|gif|jpe?g|ico|webp|pdf|docx?|json|ya?ml"
    r"|toml|lock|xml|xsl|spdx|csv|proto|ui|qml|po|pot|mo|ipynb|class|jar|o|so|a|dll|exe|zip|gz|j2|tmpl|tpl|erb|haml|slim|tt|hbs|ejs|mustache|cmake|m4)$",
    re.IGNORECASE,
)
# Names of folders that are no name of a work.
_SAYS_LITTLE: Final = frozenset({
    "src", "lib", "include", "source", "fonts", "font", "css", "js", "dist", "static", "assets", "resources", "data",
    "img", "images", "icons",
})  # fmt: skip
_LIBRARY: Final = re.compile(
    r"(?P<name>[^/]{1,100}?)(?:-(?P<version>\d[\w.+]{0,40})(?:-[\w.-]{1,100})?)?"
    r"\.(?P<kind>jar|aar|whl|nupkg|dll|pyd|node|dylib|jnilib|a|so(?:\.\d{1,6}){0,4})",
    re.IGNORECASE,
)
# These start Gradle and Maven, which write them into the repository themselves.
_WRAPPERS: Final = ("gradle/wrapper/gradle-wrapper.jar", ".mvn/wrapper/maven-wrapper.jar")
STATING: Final = frozenset({"composer.json", "pom.xml", "setup.cfg", "setup.py"})
"""Manifests of which a package in the tree takes over the licence alone."""
_OF_PYTHON: Final = frozenset({"site-packages", "dist-packages"})
_MAX_PLACES: Final = 50  # Places of one library that are kept.
MAX_LIBRARIES: Final = 2_000  # Libraries in binary form that are looked at.


@dataclass(slots=True)
class InstalledPackage:
    """A package in `folder`: `kind`, `name`, `version`, `license` by its metadata; texts (`licenses`, `notices`)."""

    folder: str
    kind: str = ""
    name: str = ""
    version: str = ""
    license: Learned = UNLEARNED
    licenses: list[Text] = field(default_factory=list)
    notices: list[Text] = field(default_factory=list)


def legal(name: str) -> str:
    """`license` or `notice` for a file that is one by its name, else empty."""
    # `license.py` is code that speaks of licences.
    found = LEGAL.fullmatch(name) if len(name) < 120 and not _NO_TEXT.search(name) else None
    if not found:
        return ""
    return "notice" if found["notice"] or (found["ending"] or "").lower() == "notice" else "license"


def metadata(package: InstalledPackage, path: str, content: str) -> None:
    """Take over what a metadata file of the package says; one that is broken says nothing."""
    name = path.rpartition("/")[2]
    try:
        if name == "package.json":
            data = json_text.top(content)
            package.kind, package.name = "npm", text(data.get("name"))
            package.version, package.license = text(data.get("version")), package_json.license_of(path, data)
        elif name in {"METADATA", "PKG-INFO"}:
            _python(package, path, content)
        elif name == "Cargo.toml":
            _manifest(package, "cargo", cargo.read(path, content))
        elif name == "pyproject.toml":
            _manifest(package, package.kind, pyproject.read(path, content))
        elif name == "meson.build":
            _state(package, meson.stated_license(path, content))
        elif name in STATING or name.endswith(".gemspec"):
            _state(package, ecosystems.read(path, content).license)
    except ParseError:
        return  # Its texts count all the same.


def _manifest(package: InstalledPackage, kind: str, read: ParsedFile) -> None:
    package.kind = kind
    package.name = min(read.own, default=package.name)
    _state(package, read.license)


def _state(package: InstalledPackage, stated: Learned) -> None:
    package.license = package.license if package.license.expression else stated


def _python(package: InstalledPackage, path: str, content: str) -> None:
    """Core metadata, by the same order as PyPI's answers."""
    fields: dict[str, list[MetadataHeader]] = {}
    for header in headers(content):
        fields.setdefault(header.name.title(), []).append(header)
    value = {name: found[0].value for name, found in fields.items()}
    package.kind = "pypi"
    package.name, package.version = value.get("Name", ""), value.get("Version", "")
    classifiers = fields.get("Classifier", [])
    stated = declared(value.get("License-Expression"), value.get("License"), [header.value for header in classifiers])
    if stated.expression is None:
        return
    package.license = Learned(stated.expression, Source.METADATA, _said_at(path, stated, fields))


def _said_at(path: str, stated: DeclaredLicense, fields: dict[str, list[MetadataHeader]]) -> Place:
    """The field that decided: the expression, the free text where that is what counts, else the first classifier."""
    free = fields.get("License", ())
    by_text = stated.note == ONE_OF_THEM or any(" ".join(header.value.split()) == stated.expression for header in free)
    classified = [header for header in fields.get("Classifier", ()) if header.value.startswith("License ::")]
    first = next(iter((*fields.get("License-Expression", ()), *(free if by_text else ()), *classified)))
    return Place(path, first.line, stated.note or said(first.value))


def _purl(kind: str, name: str, version: str | None = None) -> str | None:
    if kind == "npm":
        return package_names.registry(name, version)
    return purls.purl(kind, name, version) if kind and name else None


def _key(kind: str, name: str) -> str:
    return parts(_purl(kind, name) or "")[0]


def attach(
    dependencies: Sequence[Dependency], packages: Iterable[InstalledPackage], stated: Mapping[str, Sequence[Learned]]
) -> tuple[tuple[Dependency, ...], tuple[Finding, ...]]:
    """Dependencies with the texts and the metadata of what is installed.

    Licences that these and what files state (`stated`, by `contradiction.key`) contradict each other in are findings.
    """
    by_key: dict[str, list[InstalledPackage]] = {}
    # Nearest to the root first.
    for package in sorted(packages, key=lambda candidate: (candidate.folder.count("/"), candidate.folder)):
        key = _key(package.kind, package.name)
        if key:
            by_key.setdefault(key, []).append(package)
    found = []
    statements = {key: list(each) for key, each in stated.items()}
    for dependency in dependencies:
        candidates = by_key.get(parts(dependency.purl or "")[0], ())
        # A version that is not known on one side is no difference.
        there = next(
            (
                each
                for each in candidates
                if not dependency.version or not each.version or each.version == dependency.version
            ),
            None,
        )
        if there is None:
            found.append(dependency)
            continue
        dated = _dated(dependency, there)
        statements.setdefault(contradiction.key(dated), [dependency.license]).append(there.license)
        found.append(with_texts(dated, there))
    settled, findings = contradiction.settle(found, statements)
    return tuple(settled), tuple(findings)


def _dated(dependency: Dependency, there: InstalledPackage) -> Dependency:
    if dependency.version or not there.version:
        return dependency
    name = there.name if there.kind == "npm" else purls.without_version(dependency.purl).rpartition("/")[2]
    url, mark, qualifiers = _purl(there.kind, name, there.version), *(dependency.purl or "").partition("?")[1:]
    return replace(dependency, version=there.version, purl=f"{url}{mark}{qualifiers}" if url else None)


def unlisted(dependencies: Iterable[Dependency], packages: Iterable[InstalledPackage]) -> list[Dependency]:
    """Packages in node_modules that no file lists, where no lock file stands above: they are there, so are used."""
    listed = list(dependencies)
    known = {dependency.purl if dependency.version else purls.without_version(dependency.purl) for dependency in listed}
    # Where those that are listed go out with the work (`bundleDependencies`), so do those that they need.
    usage = Usage.BUNDLED if any(dependency.usage is Usage.BUNDLED for dependency in listed) else Usage.RUNTIME_IMPORT
    others: dict[str, InstalledPackage] = {}
    for package in packages:
        if package.kind == "npm" and package.name and "node_modules/" in package.folder:
            url = package_names.registry(package.name, package.version)
            if url and not {url, _key("npm", package.name)} & known:
                others.setdefault(url, package)
    return [
        with_texts(
            Dependency(
                name=package.name, version=package.version or None, purl=url,
                usage=usage_by_folder(package.folder) or usage, why="installed in node_modules, and no lock file says who needs it",
                places=(Place(package.folder),), direct=False,
            ),
            package,
        )
        for url, package in others.items()
    ]  # fmt: skip


def unlisted_python(
    dependencies: Iterable[Dependency], packages: Iterable[InstalledPackage], environments: Collection[str]
) -> list[Finding]:
    """The finding for packages in site-packages that no file lists: none says whether they go out with the work.

    `environments` are folders of virtual environments, which hold what a developer works with.
    """
    known = {parts(dependency.purl or "")[0] for dependency in dependencies}
    starts = tuple(f"{environment}/" if environment else "" for environment in environments)
    left = sorted(
        package.folder
        for package in packages
        if package.kind == "pypi"
        and not _OF_PYTHON.isdisjoint(package.folder.split("/"))
        and _key(package.kind, package.name) not in known
        and not package.folder.startswith(starts)
        and not usage_by_folder(f"{package.folder}/x")
    )
    if not left:
        return []
    said = f"{display_text.count(len(left), 'Python package', 'Python packages')} installed in the tree, and no file lists them: list in the rulebook what goes out with the work"
    return [Finding("file/unsupported", Place(left[0]), said, len(left))]


def with_texts(dependency: Dependency, package: InstalledPackage) -> Dependency:
    """A dependency with the texts of a package, and its licence where none is known."""
    # A distribution of Linux speaks of its own copy.
    is_elsewhere = dependency.license.source is Source.DISTRIBUTION and bool(
        package.licenses or package.license.expression
    )
    return replace(
        dependency,
        license=dependency.license if dependency.license.expression and not is_elsewhere else package.license,
        licenses=(*dependency.licenses, *package.licenses),
        notices=(*dependency.notices, *package.notices),
    )


def folder_name(folder: str) -> str:
    """The name of a folder; with the one above where its own name says nothing."""
    above, _, last = folder.rpartition("/")
    return f"{above.rpartition('/')[2]}/{last}" if above and last.lower() in _SAYS_LITTLE else last


def vendored(package: InstalledPackage, shelf: str) -> Dependency:
    """A folder of a vendored tree as a dependency of its own."""
    name = package.name or folder_name(package.folder)
    # Python packages keep others in such a folder, as pip does.
    package.kind = package.kind or ("pypi" if shelf.endswith("_vendor") else "")
    version = package.version or None
    known = _purl(package.kind, name, version)
    how = usage_by_folder(f"{shelf}/x")
    dependency = Dependency(
        name=name,
        version=version,
        purl=known or purls.purl("generic", name.lower(), version),
        usage=how or Usage.VENDORED,
        why=f"sources in {shelf}/" + (f", a folder of {FOLDERS[how]}" if how else ""),
        places=(Place(package.folder),),
        direct=True,
    )
    return with_texts(dependency, package)


def is_library(name: str) -> bool:
    """Whether a file is one by its name."""
    return _LIBRARY.fullmatch(name) is not None


def with_libraries(listed: Sequence[Dependency], paths: Iterable[str]) -> list[Dependency]:
    """The dependencies with these files, as places of a library that a build names, else on their own."""
    found = list(listed)
    named = {bare(dependency.name): at for at, dependency in enumerate(found) if _is_of_no_registry(dependency)}
    own: dict[tuple[str, str, Usage], Dependency] = {}
    for path in sorted(paths):
        # The file is not looked into: its licence is not known until the rulebook states it.
        dependency = _dependency(path)
        at = named.get(bare(dependency.name))
        # A library that is shipped is not the one that only tests or builds use.
        if at is not None and (dependency.usage in NOT_SHIPPED or found[at].usage not in NOT_SHIPPED):
            found[at] = replace(found[at], places=(*found[at].places, *dependency.places)[:_MAX_PLACES])
            continue
        key = (dependency.name, dependency.version or "", dependency.usage)
        known = own.get(key, replace(dependency, places=()))
        own[key] = replace(known, places=(*known.places, *dependency.places)[:_MAX_PLACES])
    return [*found, *own.values()]


def _is_of_no_registry(dependency: Dependency) -> bool:
    return purls.kind_of(dependency.purl) in {"", "generic", "conan"} or f"={NO_REGISTRY}" in (dependency.purl or "")


def _dependency(path: str) -> Dependency:
    """A file as a dependency; a static library is linked as such, anything else is loaded."""
    file = path.rpartition("/")[2]
    parts = _LIBRARY.fullmatch(file)
    name, version, kind = (parts["name"], parts["version"], parts["kind"].lower()) if parts else (file, None, "")
    is_native = kind in {"a", "dylib", "jnilib"} or kind.startswith("so")
    name = name[3:] if is_native and name.startswith("lib") and len(name) > 3 else name  # `libz.so` is z.
    apart = usage_by_folder(path)
    how = apart or (Usage.STATIC_LINK if kind == "a" else Usage.DYNAMIC_LINK)
    how = Usage.BUILD_TOOL if path.endswith(_WRAPPERS) else how
    why = "a library in binary form lies in the tree" + (f", in a folder of {FOLDERS[apart]}" if apart else "")
    url = purls.purl("generic", name.lower(), version)
    return Dependency(
        name=name, version=version, purl=url, usage=how, why=why, places=(Place(shown(path)),), direct=True
    )
