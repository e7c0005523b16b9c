"""Assembles what a walk has found into one Repository: its own licence, its dependencies, what is to be told of it."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from audit.ecosystems import includes, purls
from audit.ecosystems.dependency_merge import DependencyFile, merge
from audit.ecosystems.dependency_merge import settle as settle_files
from audit.ecosystems.native.submodules import why as submodule_why
from audit.ecosystems.parsed_file import ParsedFile
from audit.ecosystems.purls import bare
from audit.facts import Dependency, Finding, Place, Repository, Usage
from audit.licenses.expression import Expression
from audit.licenses.expression import read as read_expression
from audit.scan import (
    file_licenses,
    installed_packages,
    model_works,
    package_folders,
    tagged_sources,
    vendored_works,
)
from audit.scan.gathering import ScanResult
from audit.scan.installed_packages import InstalledPackage
from audit.scan.own_license import own_license
from audit.scan.vendored_works import CODE_FILE, is_data, settle
from audit.texts import work_license
from audit.usage import MODELS_AND_DATA, NOT_SHIPPED, by_name

# The end of the name of the work's own bundle, or of an earlier release of it, in a folder of its site or its tests.
_EDITION: Final = re.compile(r"(?:[-_.](?:min|v?\d[\w.]*+))++$")


def assemble(gathered: ScanResult, name: str, detect: work_license.Detect) -> Repository:
    """All that a walk has come by as a Repository of this name; `detect` names the licences of texts."""
    said = file_licenses.FileLicenseList.of(gathered.files)
    stated = own_license(gathered, said, detect)
    own = model_works.own_license(stated.license, gathered, detect)
    expression = read_expression(own.expression)
    whole = vendored_works.OwnLicense(expression, tuple(gathered.own.licenses))  # It tells works by others.
    works, open_findings = settle(gathered.works, whole, detect)
    nameless = package_folders.unnamed(gathered.packages.shelves, gathered.packages.found, gathered.works)
    sources = _sources(gathered, works)
    reads = {path: source.read for path, source in sources.items()}

    def is_ours(path: str) -> bool:
        return gathered.works.of_file(path) not in works

    data = tagged_sources.uses(said.files, expression, is_ours, gathered.own.licenses, gathered.models.usages)
    used, contradictions = _dependencies(gathered, sources, works, nameless, [*data, *stated.components])
    suppliers = (supplier for path in sorted(reads) if "/" not in path for supplier in reads[path].suppliers)
    models = model_works.found(used, gathered, own, detect, {file.path for file in said.files if file.expression})
    return Repository(
        name=name,
        license=own,
        dependencies=tuple(_named(use, detect, gathered.code_files.folders) for use in models.dependencies),
        findings=(
            *gathered.findings,
            *(finding for each in reads.values() for finding in each.findings),
            *includes.findings(reads, frozenset(reads)),
            *stated.findings,
            *contradictions,
            *work_license.nested(own, gathered.works.loose, gathered.own.licenses, detect),
            *_of_files(said, expression, reads, gathered, detect, is_ours),
            *open_findings,
            *_scope(gathered, is_ours, has_found=bool(models.dependencies)),
            *models.findings,
            *package_folders.unnamed_findings(nameless),
        ),
        licenses=tuple(gathered.own.licenses),
        notices=tuple(gathered.own.notices),
        suppliers=tuple(dict.fromkeys(suppliers)),
    )


def _scope(gathered: ScanResult, is_ours: Callable[[str], bool], *, has_found: bool) -> list[Finding]:
    languages = list(gathered.languages.findings(is_ours))
    # A root that could not be listed is told already.
    if any(finding.code == "file/unreadable" and finding.place.path == "." for finding in gathered.findings):
        return languages
    has_sources = has_found or bool(gathered.languages.sources)
    return [*gathered.scope.findings(gathered.packages.submodules, has_sources=has_sources), *languages]


def _sources(gathered: ScanResult, works: Mapping[str, InstalledPackage]) -> dict[str, DependencyFile]:
    sources = {}
    for path, source in gathered.reads.items():
        at = gathered.works.of(path.rpartition("/")[0])
        # A manifest in a folder for works by others speaks for the work there alone.
        if at is None or at not in works or not gathered.works.found[at].is_shelved:
            sources[path] = source
    settled = {source.path: source for source in settle_files(sources.values())}
    return {path: settled[source.path] for path, source in sources.items()}


def _of_files(
    said: file_licenses.FileLicenseList,
    own: Expression | None,
    reads: Mapping[str, ParsedFile],
    gathered: ScanResult,
    detect: work_license.Detect,
    is_ours: Callable[[str], bool],
) -> list[Finding]:
    stated = tagged_sources.stated(reads, gathered.works.loose)
    files = [file for file in said.files if gathered.models.usages.get(file.path) is not Usage.MODEL_WEIGHTS]
    beyond: list[str] = []
    found = [*tagged_sources.sources(files, own, detect, beyond), *stated]
    return [
        *said.findings,
        *tagged_sources.uncompared(beyond),
        *tagged_sources.findings(found, own, is_ours, _of_folders(reads, gathered, detect)),
    ]


def _of_folders(
    reads: Mapping[str, ParsedFile], gathered: ScanResult, detect: work_license.Detect
) -> dict[str, Expression]:
    stated = {path: file.license.expression for path, file in reads.items() if file.license.expression}
    # Of several manifests in one folder the first by path counts.
    found = {path.rpartition("/")[0]: read_expression(said) for path, said in sorted(stated.items(), reverse=True)}
    for text in gathered.works.loose:  # A text counts before a statement.
        found[text.path.rpartition("/")[0]] = read_expression(detect(text.text, text.path))
    return {folder: said for folder, said in found.items() if folder and said is not None}


def _dependencies(
    gathered: ScanResult,
    sources: Mapping[str, DependencyFile],
    works: Mapping[str, InstalledPackage],
    nameless: Collection[str],
    data: Sequence[Dependency],
) -> tuple[list[Dependency], tuple[Finding, ...]]:
    listed, stated = merge(sources.values(), gathered.code_files.headers, is_settled=True)
    merged, contradictions = installed_packages.attach(listed, gathered.packages.found.values(), stated)
    # A lock file of npm says all that is used below it: what else lies there is left over.
    locks = [path for path, file in sources.items() if file.family == "npm" and file.read.graph]
    locked = tuple(path.removesuffix(path.rpartition("/")[2]) for path in locks)
    unlocked = [package for folder, package in gathered.packages.found.items() if not folder.startswith(locked)]
    merged = (*merged, *installed_packages.unlisted(merged, unlocked))
    packages = gathered.packages
    told = installed_packages.unlisted_python(merged, packages.found.values(), packages.environments)
    with_works = _with_works(_with_shelves(merged, gathered, works, nameless), gathered, works)
    ours = frozenset(name for path, file in sources.items() if "/" not in path for name in file.read.own)
    known = {bare(work.name) for work in with_works}
    # What a licence file says that the work bundles may be known by its name already.
    more = [
        dependency
        for dependency in dict.fromkeys(data)
        if dependency.usage is not Usage.BUNDLED or bare(dependency.name) not in known
    ]
    found = _with_libraries([*with_works, *more], gathered, works)
    # The work's own bundle, or that of an earlier release, is no work by others.
    kept = [
        dependency
        for dependency in found
        if dependency.usage is not Usage.VENDORED
        or dependency.download
        or _EDITION.sub("", dependency.name) not in ours
    ]
    return kept, (*contradictions, *told)


def _with_shelves(
    found: tuple[Dependency, ...],
    gathered: ScanResult,
    works: Mapping[str, InstalledPackage],
    nameless: Collection[str],
) -> list[Dependency]:
    """Folders of vendored trees: texts for the dependency that is known already, else a dependency of its own."""
    names = {_plain(dependency.name): at for at, dependency in enumerate(found)} | {  # Folders omit scopes and owners.
        _plain(dependency.name.rpartition("/")[2]): at for at, dependency in enumerate(found)
    }
    lying = {dependency.why: at for at, dependency in enumerate(found)}
    submodules = {  # Known by their path: a name alone may be another work's.
        place.said.rstrip("/").removesuffix(".git").rpartition("/")[2].lower(): at
        for at, dependency in enumerate(found)
        for place in dependency.places
        if place.path == ".gitmodules"
    }
    listed = list(found)
    for folder, package in sorted(gathered.packages.found.items()):
        if folder not in gathered.packages.shelves or folder in nameless:
            continue
        if work_license.is_for_texts(folder) and package.folder not in gathered.code_files.folders:
            gathered.works.loose += package.licenses  # Licence texts without code are no work.
            continue
        _describe(package, gathered, works.get(folder))
        last = _plain(folder.rpartition("/")[2])
        at = (
            lying.get(submodule_why(folder), submodules.get(folder.rpartition("/")[2].lower()))
            if folder in gathered.packages.submodules
            else names.get(
                _plain(folder.rpartition("vendor/")[2]), names.get(_plain(package.name) or last, names.get(last))
            )
        )
        dependency = installed_packages.vendored(package, gathered.packages.shelves[folder] or folder)
        if at is None or (folder not in gathered.packages.submodules and not _is_that(listed[at], dependency)):
            listed.append(dependency)
        elif not listed[at].licenses:
            dependency = installed_packages.with_texts(listed[at], package)
            listed[at] = replace(dependency, places=(*dependency.places, Place(package.folder)))
    return listed


def _is_that(known: Dependency, lying: Dependency) -> bool:
    # A name is little: what only tests or builds use is no copy in the work, unless it is a tool of a known name.
    if known.usage in NOT_SHIPPED and lying.usage not in NOT_SHIPPED and by_name(known.name) is None:
        return False
    kind = purls.kind_of(known.purl)
    # A package whose texts are there is the folder only if it is of the same kind.
    return not known.licenses or kind in {"", "generic", "conan", purls.kind_of(lying.purl)}


def _describe(package: InstalledPackage, gathered: ScanResult, by_heads: InstalledPackage | None) -> None:
    work = gathered.works.found.get(package.folder)
    if work is not None:
        package.name = package.name or work.package.name
        package.version = package.version or work.package.version
    if by_heads is not None and not package.licenses:
        package.licenses = by_heads.licenses
        package.license = package.license if package.license.expression else by_heads.license


def _with_works(
    listed: list[Dependency], gathered: ScanResult, works: Mapping[str, InstalledPackage]
) -> list[Dependency]:
    """The works in all other folders: texts for a library that a build looks for, else dependencies of their own."""
    # A build looks for a library of the system by its name; a registry's package of that name is another one.
    wanted = {
        bare(dependency.name): at
        for at, dependency in enumerate(listed)
        if not dependency.licenses and purls.kind_of(dependency.purl) in {"", "generic", "conan"}
    }
    for folder, package in sorted(works.items()):
        if folder in gathered.packages.shelves:
            continue
        dependency = installed_packages.vendored(package, package.folder.rpartition("/")[0] or ".")
        at = wanted.get(bare(dependency.name)) if dependency.usage is Usage.VENDORED else None
        if at is None or not _is_that(listed[at], dependency):
            listed.append(dependency)
            continue
        del wanted[bare(dependency.name)]  # One folder for one library.
        known = listed[at]
        is_open = known.usage in {Usage.UNKNOWN, Usage.VENDORED}
        joined = replace(
            installed_packages.with_texts(known, package),
            usage=Usage.VENDORED if is_open else known.usage,
            why=dependency.why if is_open else known.why,
            version=known.version or dependency.version,
            purl=known.purl if known.version or not dependency.version else dependency.purl,
            places=(*known.places, *dependency.places),
        )
        listed[at] = joined
    return listed


def _with_libraries(
    listed: Sequence[Dependency], gathered: ScanResult, works: Mapping[str, InstalledPackage]
) -> list[Dependency]:
    # A library within another author's work is a part of that.
    alone = [
        path
        for path in gathered.code_files.libraries[: installed_packages.MAX_LIBRARIES]
        if path not in gathered.reads and gathered.works.of(path.rpartition("/")[0]) not in works
    ]
    found = installed_packages.with_libraries(listed, alone)
    return sorted(found, key=lambda use: (use.name.lower(), use.version or "", use.usage.value, use.purl or ""))


def _named(dependency: Dependency, detect: work_license.Detect, with_code: Collection[str]) -> Dependency:
    """The dependency with its licence by its texts; a folder of fonts or documents without code is data."""
    if not dependency.licenses or dependency.usage in MODELS_AND_DATA:
        return dependency
    dependency = replace(dependency, license=work_license.completed(dependency.license, dependency.licenses, detect))
    if dependency.usage is not Usage.VENDORED or not is_data(dependency.license.expression):
        return dependency
    if any(place.path in with_code or CODE_FILE.search(place.path) for place in dependency.places):
        return dependency
    return replace(dependency, usage=Usage.DATA_OR_DOC, why=f"{dependency.why}, by its licence fonts or documents")


def _plain(name: str) -> str:
    # Folders and registries spell a name alike: `pyproject-hooks` lies in `pyproject_hooks`.
    return name.lower().replace("_", "-").replace(".", "-")
