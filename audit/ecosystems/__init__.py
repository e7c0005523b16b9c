"""One table from file names to readers of dependencies: every text gets an answer.

The scan comes in by `read` and `row`.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Final

from audit.ecosystems import (
    cargo,
    cocoapods,
    composer,
    conda,
    format_checks,
    go,
    go_imports,
    gradle,
    maven,
    mix,
    nuget,
    pixi,
    pub,
    swift,
    unsupported,
)
from audit.ecosystems.containers import container_files, install_commands
from audit.ecosystems.formats import toml_text, yaml_text
from audit.ecosystems.native import (
    autoconf,
    bazel,
    build_tree,
    cmake,
    conan,
    debian_control,
    foreign_builds,
    kernel_headers,
    library_includes,
    makefile,
    meson,
    pkgconfig,
    submodules,
)
from audit.ecosystems.npm import bun, deno, npm_registries, package_json, package_lock, package_names, pnpm, yarn
from audit.ecosystems.parsed_file import NOT_READ, ParsedFile, ParseError, Reader, finding
from audit.ecosystems.python import inline_metadata, locks, pyproject, requirements, setup_files
from audit.ecosystems.ruby import gemfile, gemfile_lock, gemspec
from audit.ecosystems.sbom import cyclonedx_reader, sbom_forms, spdx_packages

# Patterns of the path's end (`*` within one part), family, reader.
_READERS: Final[tuple[tuple[str, str, Reader], ...]] = (
    (  # One file may hold the tables of a project, of Pixi, and of a build of native code.
        "pyproject.toml",
        "python",
        foreign_builds.beside(pyproject.read, pixi.read_pyproject, foreign_builds.reader("Python")),
    ),
    ("setup.cfg", "python", foreign_builds.beside(setup_files.read_cfg, foreign_builds.read_cfg)),
    ("setup.py", "python", foreign_builds.beside(setup_files.read_py, foreign_builds.reader("Python"))),
    ("Pipfile", "python", pyproject.read_pipfile),
    ("Pipfile.lock", "python", locks.read_pipfile_lock),
    ("poetry.lock", "python", partial(locks.read, "poetry.lock")),
    ("uv.lock", "python", partial(locks.read, "uv.lock")),
    ("pdm.lock", "python", partial(locks.read, "pdm.lock")),
    ("pylock.toml pylock.*.toml", "python", partial(locks.read, "pylock.toml")),
    (
        "*requirements*.txt *requirements*.in *requirements*.lock requirements/*.lock requirements/*.txt requirements/*.in",
        "requirements",
        requirements.read,
    ),
    ("*requirements*.pip reqs.txt *-reqs.txt *_reqs.txt reqs/*.txt reqs/*.in", "requirements", requirements.read),
    ("_vendor/vendor.txt", "requirements", requirements.read_vendored),  # pip's list of what it bundles.
    ("package.json", "npm", package_json.read),
    ("package-lock.json npm-shrinkwrap.json", "npm", package_lock.read),
    ("yarn.lock", "npm", yarn.read),
    ("pnpm-lock.yaml", "npm", pnpm.read),
    ("pnpm-workspace.yaml", "npm", package_names.read_workspace),
    ("bun.lock", "npm", bun.read),
    ("deno.lock", "npm", deno.read),
    ("deno.json deno.jsonc import_map.json", "npm", deno.read_config),
    ("config/importmap.rb", "npm", deno.read_rails),
    (".npmrc", "npm", npm_registries.read),
    (".yarnrc.yml", "npm", npm_registries.read_yarn),
    ("go.mod", "go", go.read),
    ("go.work", "go", go.read_work),
    ("go.sum", "go", go.read_sum),
    ("vendor/modules.txt", "go", go.read_vendored),
    ("Cargo.toml", "rust", foreign_builds.beside(cargo.read, foreign_builds.read_cargo)),
    ("Cargo.lock", "rust", cargo.read_lock),
    (
        ".cargo/config.toml .cargo/config",
        "rust",
        foreign_builds.beside(cargo.read_config, foreign_builds.reader("Cargo")),
    ),
    ("pom.xml", "maven", maven.read),
    ("gradle.lockfile *-gradle.lockfile", "gradle", gradle.read_lock),
    ("libs.versions.toml", "gradle", gradle.read_catalogue),
    ("settings.gradle settings.gradle.kts", "gradle", gradle.read_settings),
    ("*.gradle *.gradle.kts", "gradle", gradle.read_build),
    ("conanfile.txt", "conan", conan.read),
    ("conanfile.py", "conan", conan.read_py),
    ("conan.lock", "conan", conan.read_lock),
    ("vcpkg.json", "native", build_tree.alone(conan.read_vcpkg)),
    ("CMakePresets.json", "native", build_tree.alone(conan.read_presets)),
    ("CMakeLists.txt *.cmake", "native", build_tree.alone(cmake.read)),
    ("*Config.cmake.in *-config.cmake.in", "native", build_tree.alone(cmake.read_template)),
    ("meson.build", "native", build_tree.alone(meson.read)),
    ("subprojects/*.wrap", "native", build_tree.alone(meson.read_wrap)),
    ("*.csproj *.fsproj *.vbproj Directory.Build.props Directory.Build.targets", "dotnet", nuget.read),
    ("Directory.Packages.props", "dotnet", nuget.read_versions),
    ("packages.config", "dotnet", nuget.read_config),
    ("packages.lock.json", "dotnet", nuget.read_lock),
    ("dotnet-tools.json", "dotnet", nuget.read_tools),
    ("Package.swift", "swift", foreign_builds.beside(swift.read, foreign_builds.reader("Swift"))),
    ("Package.resolved", "swift", swift.read_resolved),
    ("Podfile.lock", "cocoapods", cocoapods.read),
    ("Podfile", "cocoapods", cocoapods.read_podfile),
    ("pubspec.yaml", "dart", pub.read),
    ("pubspec.lock", "dart", pub.read_lock),
    ("mix.exs", "elixir", mix.read),
    ("mix.lock", "elixir", mix.read_lock),
    (
        "environment.yml environment.yaml environment-*.yml environment-*.yaml environment_*.yml",
        "conda",
        conda.read,
    ),
    ("conda-lock.yml *.conda-lock.yml", "conda", conda.read_lock),
    ("pixi.toml", "conda", pixi.read),
    ("pixi.lock", "conda", conda.read_pixi_lock),
    ("conda-*.lock explicit*.txt spec-file*.txt", "conda", conda.read_explicit),
    ("composer.json", "php", composer.read),
    ("composer.lock", "php", composer.read_lock),
    ("Gemfile gems.rb", "ruby", gemfile.read),
    ("Gemfile.lock gems.locked", "ruby", gemfile_lock.read),
    ("*.gemspec", "ruby", gemspec.read),
    (".gitmodules", "submodules", submodules.read),
    (
        "WORKSPACE WORKSPACE.bazel WORKSPACE.bzlmod MODULE.bazel *.MODULE.bazel *.bzl BUILD BUILD.bazel",
        "bazel",
        bazel.alone,
    ),
    ("Dockerfile Dockerfile.* *.Dockerfile *.dockerfile Containerfile Containerfile.*", "image", container_files.read),
    (
        ".github/workflows/*.yml .github/workflows/*.yaml .gitlab-ci.yml azure-pipelines*.yml .circleci/config.yml .travis.yml Jenkinsfile",
        "pipeline",
        install_commands.read_pipeline,
    ),
    ("*.spdx.json", "sbom", partial(spdx_packages.read, "json")),
    ("*.spdx.yaml *.spdx.yml", "sbom", partial(spdx_packages.read, "yaml")),
    ("*.spdx.xml", "sbom", partial(spdx_packages.read, "xml")),
    ("*.spdx.rdf *.spdx.rdf.xml", "sbom", partial(spdx_packages.read, "rdf")),
    ("*.spdx", "sbom", partial(spdx_packages.read, "tags")),
    ("*.cdx.json bom.json", "sbom", cyclonedx_reader.read),
    ("*.cdx.xml bom.xml", "sbom", cyclonedx_reader.read_xml),
    # By these names it may have any form.
    ("*sbom.json *sbom.xml *.cyclonedx.json *.cyclonedx.xml *.sbom", "sbom", sbom_forms.unread),
    ("debian/control debian/control.in", debian_control.FAMILY, debian_control.read),
    ("Kbuild", "linux", kernel_headers.read_build),  # The kernel's name for a Makefile.
    *((pattern, "unsupported", partial(unsupported.read, pattern)) for pattern in unsupported.PATTERNS),
    ("configure.ac configure.in configure.ac.in configure.in.in *.m4", "make", autoconf.read),
    ("configure configure.win lib/*/conf auto/unix config.mak.in", "make", autoconf.read_script),
    ("Configurations/*.conf", "make", autoconf.read_script),
    (
        "*.vcxproj *.vcproj *.dsp *.props *.targets *.wixproj *.sqlproj *.shproj *.proj *.projitems",
        "make",
        foreign_builds.reader("Visual Studio"),
    ),
    ("*.xcconfig", "make", foreign_builds.reader("Xcode")),
    ("extconf.rb", "make", foreign_builds.reader("Ruby")),
    ("*.gyp *.gypi", "make", foreign_builds.reader("gyp")),
    ("module.modulemap *.modulemap module.map", "make", foreign_builds.reader("modulemap")),
    ("justfile Justfile Rakefile rakefile *.ninja", "make", foreign_builds.read_commands),
    ("*.rs", foreign_builds.FAMILY, foreign_builds.reader("Rust")),
    ("*.pyx *.pxd", foreign_builds.FAMILY, foreign_builds.reader("Cython")),
    ("*.groovy *.fsx *.csx", foreign_builds.FAMILY, foreign_builds.reader("a script")),
    ("*.sh *.bash *.ksh *.bat *.cmd", foreign_builds.FAMILY, foreign_builds.read_commands),
    ("*.pc *.pc.in *.pc.cmakein", "make", pkgconfig.read),
    (
        "Makefile makefile GNUmakefile BSDmakefile Makefile.* Makefile-* Makefile_* makefile.* GNUmakefile.* *.mk *.mk.in *.mak *.make *.gmk *.am Makevars Makevars.* make.inc Make.* config.mak.* *.pro *.pri",
        "make",
        makefile.read,
    ),
    (
        "*.c *.h *.cc *.cpp *.cxx *.hpp *.hh *.c++ *.hxx *.h++ *.C *.H *.inl *.ipp *.tpp *.tcc *.ixx *.cppm *.cu *.cuh *.l *.ll *.lpp *.y *.yy *.ypp",
        "linux",
        library_includes.read,
    ),
    ("*.go", go_imports.FAMILY, foreign_builds.read_go),
)
FILE_READERS: Final[list[tuple[str, str, Reader]]] = []  # A row for each pattern; the first one that fits counts.
PLUGINS: Final[list[str]] = []  # Name and version of each: what was read without it is read again.

SOURCE_FAMILIES: Final = frozenset({"linux", go_imports.FAMILY, foreign_builds.FAMILY})
"""Families of sources, of which only so many files, and of each only the beginning, are read."""
# Programs write these files, of any length; people write the others.
_LONG: Final = (
    ".lock", "lock.json", "shrinkwrap.json", "lock.yaml", "go.sum", "lockfile", "modules.txt", ".spdx", ".spdx.json", ".cdx.json", "bom.json", ".cdx.xml", "bom.xml", ".cyclonedx.json", ".cyclonedx.xml", ".sbom",
    ".spdx.yaml", ".spdx.yml", ".spdx.xml", ".spdx.rdf", ".spdx.rdf.xml",
    "requirements*.txt", "requirements*.in", "requirements/*.txt", "requirements/*.in", "pylock.toml", "pylock.*.toml",
    "configure", "Makefile.*",
    "gems.locked", "Package.resolved", "conda-lock.yml", "explicit*.txt", "spec-file*.txt",
)  # fmt: skip
# A reader says one of these where it came upon the marks of a merge conflict by itself.
_AMISS: Final = frozenset({"file/broken", "dependency/unreadable"})
_MAX_MANIFEST_CHARACTERS: Final = 1_000_000
"""Characters of a file that people write: no real one is near it, and a reader's work grows with them."""
_WORK: Final = {
    "bazel": (10, 10), "cocoapods": (10, 10), "conan": (10, 10), "elixir": (10, 10), "gradle": (10, 10), "native": (10, 10), "ruby": (10, 10),
    "swift": (10, 10), "image": (5, 10), "pipeline": (5, 10), "python": (3, 10), "setup.py": (10, 10), "sbom": (3, 10), "requirements": (1, 100),
}  # fmt: skip
"""By family or pattern, what a character and a line cost more than in JSON: tests/audit/ecosystems/test_slow_files.py counts it."""
_NO_BUILD_FILE: Final = re.compile(
    r"(?:\.dockerignore|^(?:Docker|Container|GNUmake|[Mm]ake)file\..*\.?(?:md|rst|adoc|html?|nanorc|vim|tmLanguage|json|ya?ml|xml|png|svg|sh|py|js|ts|go|rs|rb|java|sig|asc|bak|orig|rej))$"
)
"""Files called like container files and Makefiles that document them, colour them in an editor, or process them."""


class _Lookup:
    """Finds the row of a path; made anew when rows are registered."""

    def __init__(self) -> None:
        rows = [(at, pattern) for at, (pattern, _, _) in enumerate(FILE_READERS)]
        self.exact = {pattern: at for at, pattern in rows if not set(pattern) & set("*/")}
        # The caller of the tool names these files, or Windows does not tell the cases apart.
        any_case = {
            pattern: pattern.lower() for pattern, at in self.exact.items() if FILE_READERS[at][1] in {"dotnet", "image"}
        }
        any_case["*requirements*.txt"] = "requirements.txt"
        self.any_case = {any_case[pattern]: at for at, pattern in rows if pattern in any_case}
        self.ending = {pattern[1:]: at for at, pattern in rows if pattern.startswith("*.")}
        self.others = [at for at, pattern in rows if pattern not in self.exact and pattern[1:] not in self.ending]
        self.pattern = re.compile(
            "|".join(f"({re.escape(FILE_READERS[at][0]).replace(re.escape('*'), '[^/]*')})" for at in self.others)
        )


_lookup = _Lookup()


def register(readers: Iterable[tuple[str, str, Reader]], plugin: str = "") -> None:
    """Add readers: patterns, family, reader. `plugin` is the name and version of the distribution that brings them.

    Raises ValueError for no pattern, a family that exists, and a pattern of files that are read already: nothing is added then.
    Files that are named, but not read, without the plugin (`unsupported`) are its own from then on.
    """
    global _lookup  # noqa: PLW0603 - registering is the only change
    added = [(pattern, kind, reader) for patterns, kind, reader in readers for pattern in patterns.split()]
    if not added:  # Else a plugin with an empty table would pass as one that reads something.
        raise ValueError("no file is named")
    known = [(pattern.rpartition("/")[2], kind) for pattern, kind, _ in FILE_READERS]
    for pattern, kind, _ in added:
        if kind in {of for _, of in known}:
            raise ValueError(f"the family {kind} exists already")
        # A pattern of ours that is wider than the new one reads its files already.
        fitting = {of for name, of in known if fnmatchcase(name, pattern)} | {family(pattern.replace("*", "x"))}
        if taken := fitting - {"", "unsupported"}:
            raise ValueError(f"{pattern} is read already, by the family {min(taken)}")
    own = {pattern for pattern, _, _ in added}
    # A plugin reads what we only named so far: such a row would hide the plugin's own.
    FILE_READERS[:] = [reader for reader in FILE_READERS if reader[1] != "unsupported" or reader[0] not in own] + added
    _lookup = _Lookup()
    PLUGINS.extend([plugin] if plugin else [])


def row(path: str) -> int | None:
    """The row of the table that reads a path below the root; None if none does."""
    folder, _, name = path.rpartition("/")
    exact = _lookup.exact.get(name, _lookup.any_case.get(name.lower()))
    if exact is not None or len(name) > 300:  # File systems end names at 255 bytes; Git does not.
        return exact
    if _NO_BUILD_FILE.search(name):
        return None
    endings = _lookup.ending
    # From the left, so that the longest ending counts: `.spdx.json` comes before `.json`.
    ending = next((endings[name[at:]] for at, mark in enumerate(name) if mark == "." and name[at:] in endings), None)
    if ending is not None:
        return ending
    near = folder.split("/")[-2:]  # No pattern of ours names more than two folders.
    for shown in (name, "/".join([*near[-1:], name]), "/".join([*near, name])):
        found = _lookup.pattern.fullmatch(shown)
        if found and found.lastindex:
            at = _lookup.others[found.lastindex - 1]
            # GitHub runs workflows only of the folder at the root.
            return None if FILE_READERS[at][0].startswith(".github/") and not path.startswith(".github/") else at
    return None


def sbom_row(path: str, head: bytes) -> int | None:
    """The row that reads an SBOM of any name, by the beginning of the file; None for any other file."""
    ending = sbom_forms.ending(path, head)
    return row(f"x{ending}") if ending else None


def work(content: str, at: int | None) -> int:
    """An upper bound of the work of reading a file by row `at` (None: of metadata), in characters that are read."""
    # A character costs more where programs are taken apart token by token, a line where each may be a dependency.
    pattern, kind = FILE_READERS[at][:2] if at is not None else ("", "")
    character, line = _WORK.get(pattern) or _WORK.get(kind, (1, 10))
    return character * len(content) + line * content.count("\n")


def read_inline(path: str, content: str) -> ParsedFile:
    """The packages that a source of Python says it needs (PEP 723); a block that can't be read is a finding."""
    try:
        return inline_metadata.read(path, content)
    except ParseError as broken:
        return ParsedFile(findings=(finding(broken.code, path, broken.line, broken.why),))
    finally:
        toml_text.load.cache_clear()  # The parse is shared by the readers of one file, and of no use after it.


def family(path: str) -> str:
    """The family of a path's reader; empty if none reads it."""
    at = row(path)
    return FILE_READERS[at][1] if at is not None else ""


def read(path: str, content: str, at: int | None = None) -> ParsedFile:
    """The content of a file, by the row that fits its path or by row `at`; a file that can't be read is a finding."""
    at = row(path) if at is None else at
    if at is None:
        return ParsedFile()
    if FILE_READERS[at][2] is sbom_forms.unread:
        by_form = sbom_row(path, content[: sbom_forms.HEAD_CHARACTERS].encode("utf-8", "replace"))
        at = at if by_form is None else by_form
    pattern, kind, reader = FILE_READERS[at]
    if len(content) > _MAX_MANIFEST_CHARACTERS and not pattern.endswith(_LONG) and kind != "unsupported":
        said = f"{len(content):,} characters: no such file that people write has more than {_MAX_MANIFEST_CHARACTERS:,}; it is not read"
        return ParsedFile(findings=(finding("file/too-large", path, None, said),))
    found = ParsedFile()
    try:
        found = reader(path, content)
        found = replace(found, findings=found.findings + format_checks.passed_over(path, pattern, content, found))
        # Sources may hold such marks in strings; where the reader has told of them, they are told once.
        if kind not in SOURCE_FAMILIES and not any(fault.code in _AMISS for fault in found.findings):
            marks = format_checks.conflicts(path, content)
            # The marks themselves are what a reader of a program did not understand.
            kept = tuple(fault for fault in found.findings if not marks or fault.code != NOT_READ)
            found = replace(found, findings=kept + marks)
    except ParseError as broken:
        # Where a check behind the reader fails, the reader's results stay; of a reader that fails there are none.
        return replace(found, findings=(finding(broken.code, path, broken.line, broken.why),))
    except RecursionError:  # the format's own reader goes deeper than those that follow what it found
        return ParsedFile(findings=(finding("file/refused", path, None, "nested too deeply"),))
    finally:
        toml_text.load.cache_clear()
        yaml_text.documents.cache_clear()
    return found


register(_READERS)
