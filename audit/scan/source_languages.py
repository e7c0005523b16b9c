"""Sources in languages whose imports are not read, or that no manifest speaks for: which languages these are, and how many files."""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from audit import display_text
from audit.ecosystems import FILE_READERS, SOURCE_FAMILIES, row
from audit.ecosystems.parsed_file import ParsedFile, nearest
from audit.facts import Finding, Place
from audit.scan import manifest_coverage, script_needs
from audit.scan.decoding import shown
from audit.usage import usage_by_folder

LANGUAGE: Final = "scope/language"
_MAX_NAMES: Final = 5  # Names of what is loaded that a finding tells.


@dataclass(frozen=True, slots=True)
class Language:
    """A language by its `name`, the `endings` of its files, and the `manifests` that name what they load.

    `manifests` are families of readers and patterns of names. `loads` finds the names that a file loads, where the
    language is looked into: any name that is not its `own`, and not of the repository, comes from another package.
    Without it, each file may load anything. `declares` finds names that the repository makes.
    """

    name: str
    endings: str
    manifests: str
    loads: re.Pattern[str] | None = None
    declares: re.Pattern[str] | None = None
    own: frozenset[str] = frozenset()
    is_dotted: bool = False
    """Whether the first part of a dotted name is what a manifest would name."""


_PYTHON: Final = re.compile(
    r"^[ \t\"]*+(?:from[ \t]++([A-Za-z_]\w*+)[\w.]*+[ \t]++import\b|c?import[ \t]++([A-Za-z_][\w., \t]*+))",
    re.MULTILINE,
)
# A text that goes on behind the name is one of a comment ("used from 'onclick' event handler").
_SCRIPT: Final = re.compile(
    r"(?:\bfrom|\bimport|\bimport[ \t]*+\(|\brequire[ \t]*+\()[ \t]*+['\"](https?://[^'\"/\s]{1,100}+|(?:@[^'\"/\s]{1,100}+/)?[^'\"\s./#~@][^'\"/\s]{0,100}+)"
    r"(?:/|['\"](?=[ \t]*+(?:$|[\r;)}/<.]|,[ \t]*+\{|with\b|assert\b)))",
    re.MULTILINE,
)
_JVM: Final = re.compile(r"^[ \t]*+import[ \t]++(?:static[ \t]++)?(\w++\.\w++)", re.MULTILINE)
_PACKAGE: Final = re.compile(r"^[ \t]*+package[ \t]++(\w++\.\w++)", re.MULTILINE)
# Modules of older Pythons: `sys.stdlib_module_names` has those of the running one alone.
_BEFORE_PYTHON_3_13: Final = frozenset(
    {
        "__builtin__", "ConfigParser", "Queue", "SocketServer", "StringIO", "cPickle", "cStringIO", "commands", "httplib", "urllib2",
        "urlparse", "asynchat", "asyncore", "cgi", "cgitb", "chunk", "crypt", "distutils", "imghdr", "imp", "mailcap", "nntplib", "optparse",
        "pipes", "smtpd", "sndhdr", "spwd", "sunau", "telnetlib", "tkinter", "Tkinter", "uu", "xdrlib", "aifc", "audioop", "msilib", "nis",
        "ossaudiodev", "lib2to3", "thread",
    }
)  # fmt: skip
# Modules that come with Node, which may be loaded without `node:`.
_NODE: Final = frozenset(
    {
        "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel",
        "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process",
        "punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls", "tty", "url", "util", "v8", "vm",
        "wasi", "worker_threads", "zlib",
    }
)  # fmt: skip
# Packages that come with the platform, or with the language's compiler.
_JDK: Final = frozenset({"java", "javax", "jdk", "sun", "kotlin", "groovy", "org.w3c", "org.xml", "org.ietf"})
_LANGUAGES: Final = (
    Language("Python", ".py .pyw .pyx .ipynb", "python requirements conda", _PYTHON, None, sys.stdlib_module_names | _BEFORE_PYTHON_3_13, is_dotted=True),
    Language("JavaScript", ".js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .astro", "npm", _SCRIPT, None, _NODE),
    Language("Java", ".java .kt .kts .groovy", "maven gradle bazel build.xml ivy.xml *.sbt build.sc build.mill", _JVM, _PACKAGE, _JDK),
    Language("Scala", ".scala .sc", "maven gradle bazel *.sbt project/*.scala build.sc build.mill"),
    Language("C#", ".cs .csx", "dotnet *.nuspec paket.dependencies Packages/manifest.json"),
    Language("F#", ".fs .fsx", "dotnet paket.dependencies"),
    Language("Visual Basic", ".vb", "dotnet paket.dependencies"),
    Language("Rust", ".rs", "rust bazel"),
    Language("Ruby", ".rb", "ruby metadata.rb"),
    Language("PHP", ".php", "php package.xml"),
    Language("Swift", ".swift", "swift cocoapods project.pbxproj Cartfile project.yml Project.swift"),
    Language("Dart", ".dart", "dart"),
    Language("Elixir", ".ex .exs", "elixir"),
    Language("Perl", ".pl .pm", "cpanfile Makefile.PL Build.PL META.json META.yml dist.ini"),
    Language("Raku", ".raku .rakumod", "META6.json"),
    Language("R", ".R .r .Rmd .qmd", "DESCRIPTION renv.lock packrat.lock conda"),
    Language("Julia", ".jl", "Project.toml Manifest.toml"),
    Language("Lua", ".lua", "*.rockspec package.lua"),
    Language("Fortran", ".f .for .f77 .f90 .f95 .f03 .f08 .F .F90", "fpm.toml"),
    Language("Ada", ".adb .ads", "alire.toml *.gpr"),
    Language("Pascal", ".pas .dpr .lpr", ""),
    Language("D", ".d", "dub.json dub.sdl"),
    Language("Nim", ".nim", "*.nimble"),
    Language("Zig", ".zig", "build.zig build.zig.zon"),
    Language("Crystal", ".cr", "shard.yml"),
    Language("Haskell", ".hs .lhs", "*.cabal package.yaml"),
    Language("OCaml", ".ml .mli", "*.opam dune dune-project"),
    Language("Erlang", ".erl .hrl", "rebar.config"),
    Language("Gleam", ".gleam", "gleam.toml"),
    Language("Elm", ".elm", "elm.json"),
    Language("PureScript", ".purs", "spago.dhall spago.yaml npm"),
    Language("Clojure", ".clj .cljs .cljc", "project.clj deps.edn build.boot"),
    Language("Common Lisp", ".lisp", "*.asd qlfile"),
    Language("Scheme", ".scm .ss", "guix.scm"),
    Language("Racket", ".rkt", "info.rkt"),
    Language("Emacs Lisp", ".el", "Cask Eask Eldev *-pkg.el"),
    Language("Tcl", ".tcl", ""),
    Language("Haxe", ".hx", "haxelib.json *.hxml"),
    Language("Solidity", ".sol", "foundry.toml npm"),
    Language("Move", ".move", "Move.toml"),
    Language("Lean", ".lean", "lakefile.lean lakefile.toml"),
    Language("Objective-C or MATLAB", ".m .mm", "cocoapods swift project.pbxproj Cartfile"),
    Language("Cython or Mojo", ".pxd .mojo", "python requirements conda"),
    Language("COBOL", ".cob .cbl", ""),
    Language("CoffeeScript", ".coffee .litcoffee", "npm bower.json component.json"),
    Language("Vala", ".vala", "native make"),
    Language("QML", ".qml", "native make python"),
    Language("GDScript or GAP", ".gd", ""),
    Language("VHDL", ".vhd .vhdl", "*.core Bender.yml"),
    Language("SystemVerilog", ".sv .svh", "*.core Bender.yml"),
    Language("Verilog, V or Rocq", ".v", "*.core Bender.yml v.mod *.opam dune dune-project"),
    Language("Idris", ".idr", "*.ipkg"),
    Language("Agda", ".agda", ""),
    Language("Chapel", ".chpl", "Mason.toml"),
    Language("Pony", ".pony", "corral.json"),
    Language("Cairo", ".cairo", "Scarb.toml"),
    Language("Vyper", ".vy", "python requirements conda"),
    Language("Odin", ".odin", ""),
    Language("Ballerina", ".bal", ""),
    Language("AutoHotkey or AutoIt", ".ahk .au3", ""),
    Language("Visual Basic for scripts", ".vbs", ""),
    Language("PowerShell", ".ps1 .psm1", ""),
)  # fmt: skip
# Its files have a reader of their own, which finds their imports.
_GO: Final = Language(
    "Go", "", "go bazel Gopkg.toml Gopkg.lock glide.yaml Godeps/Godeps.json vendor/vendor.json", re.compile("")
)
_BY_ENDING: Final = {ending: language for language in _LANGUAGES for ending in language.endings.split()}
# Families of readers, and patterns of names, with the languages that they speak for.
_COVERS: Final = {
    manifest: tuple(language.name for language in (*_LANGUAGES, _GO) if manifest in language.manifests.split())
    for manifest in {each for language in (*_LANGUAGES, _GO) for each in language.manifests.split()}
}


def is_known(path: str) -> bool:
    """Whether a file is a source in one of the languages, outside of folders of tests, examples and documentation."""
    return _language(path) is not None and usage_by_folder(path) is None


def _language(path: str) -> Language | None:
    name = path.rpartition("/")[2]
    return None if name.startswith(".") else _BY_ENDING.get(name[name.rfind(".") :])


@dataclass
class SourceLanguages:
    """The sources of a repository's own `folders`, what manifests say of them, and names `declared` there."""

    claimed: set[str] = field(default_factory=set)
    """Languages of which a manifest is there by its name: whether it speaks for a source is known once it was read."""
    spoken: dict[str, set[str]] = field(default_factory=dict)
    """By language, the folders for which a manifest speaks, with all below."""
    packages: manifest_coverage.NamedPackages = field(default_factory=manifest_coverage.NamedPackages)
    """The packages that any manifest names, or is of."""
    named: set[str] = field(default_factory=set)
    """Names of files and folders, in small letters: what is loaded under one of them is the repository's own."""
    sources: dict[str, list[str]] = field(default_factory=dict)
    """The paths of files by language."""
    loaded: dict[str, frozenset[str]] = field(default_factory=dict)
    """The names that a file loads and that are not its language's own, by its path."""
    needed: dict[str, frozenset[str]] = field(default_factory=dict)
    """The packages that a file itself says it needs, whether or not a manifest speaks for it."""
    declared: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)

    def enter(self, folder: str, names: Sequence[str]) -> None:
        """A folder of the repository's own with the names of its files: manifests count before sources are looked into."""
        self.folders.add(folder)
        self.named.add(folder.rpartition("/")[2].lower())
        is_aside = usage_by_folder(f"{folder}/x") if folder else None
        for name in names:
            path = f"{folder}/{name}" if folder else name
            language = _language(name)
            at = row(path)
            is_manifest = at is not None and FILE_READERS[at][1] not in SOURCE_FAMILIES
            # A manifest of tests or examples speaks for these alone.
            if at is not None and is_manifest and not is_aside:
                self.claimed.update(_covered(at))
            elif language is not None and not is_manifest:
                self.named.add(name.partition(".")[0].lower())
                if not is_aside:
                    self.sources.setdefault(language.name, []).append(path)

    def manifest(self, path: str, at: int, found: ParsedFile | None) -> None:
        """A manifest of row `at` with what it says; None: it could not be read, which is told."""
        if usage_by_folder(path):
            return
        if found is not None:
            self.packages.add((*(dependency.name for dependency in found.dependencies), *found.own))
        if manifest_coverage.speaks(at, found):
            for language in _covered(at):
                self.spoken.setdefault(language, set()).add(manifest_coverage.folder_of(path, at))

    def wants(self, path: str) -> bool:
        """Whether a source is to be looked into: its language's imports tell something, and no manifest is there."""
        language = _language(path)
        return language is not None and language.name not in self.claimed and _tells(language, path)

    def waits(self, path: str) -> bool:
        """Whether it is to be looked into if, once all manifests are read, none speaks for it."""
        language = _language(path)
        return language is not None and language.name in self.claimed and _tells(language, path)

    def is_open(self, path: str) -> bool:
        """Whether no manifest at its folder or above speaks for a source."""
        language = _language(path)
        return language is not None and not _speak(self.spoken.get(language.name, ()), path)

    def take(self, path: str, content: str) -> None:
        """Notes what a source loads."""
        language = _BY_ENDING[path[path.rfind(".") :]]
        if path.endswith(script_needs.NOTEBOOK):
            content = script_needs.cells(content)
        if language.declares:
            self.declared.update(language.declares.findall(content))
        self.loaded[path] = frozenset(_loaded(language, content))

    def head(self, path: str, data: bytes) -> bool:
        """The beginning of any text file: what it says itself that it needs. True if it is Python."""
        language = _language(path)
        is_script = data.startswith(b"#!") and "." not in path.rpartition("/")[2]
        if is_script and path not in self.loaded and (ending := script_needs.ending(data)):
            language = _BY_ENDING[ending]
            self.sources.setdefault(language.name, []).append(path)
            self.named.add(path.rpartition("/")[2].lower())
            loaded = _loaded(language, data.decode("utf-8", "replace")) if language.loads else ()
            self.loaded[path] = frozenset(loaded)
        if language is not None and (names := script_needs.names(language.name, data)):
            self.needed[path] = names
        return language is not None and language.is_dotted

    def imported(self, path: str, packages: Iterable[str]) -> None:
        """Notes what a Go file imports, by the paths of packages."""
        self.sources.setdefault(_GO.name, []).append(path)
        self.loaded[path] = frozenset(packages)

    def findings(self, is_ours: Callable[[str], bool]) -> list[Finding]:
        """A finding for each language of which files may load what nothing tells; `is_ours` tells it of a folder."""
        found: list[Finding] = []
        for language in (*_LANGUAGES, _GO):
            paths = [path for path in self.sources.get(language.name, ()) if is_ours(path.rpartition("/")[0])]
            spoken = self._spoken(language, paths)
            unspoken = [path for path in paths if not _speak(spoken, path)]
            if unspoken and language.loads is None:  # Any file may load something.
                said = "imports of this language are not read, and no manifest names them"
                found.append(_finding(language, unspoken, said))
            loaded = {path: self._foreign(language, path) for path in unspoken}
            needed = {path: self._unnamed(self.needed.get(path, ())) for path in {*paths} - {*unspoken}}
            found += _of_names(language, "import", loaded)
            found += _of_names(language, "ask for", needed)
        return found

    def _spoken(self, language: Language, paths: Iterable[str]) -> Collection[str]:
        spoken = self.spoken.get(language.name, ())
        if language.loads is not None or not spoken:  # Its imports tell more.
            return spoken
        there = {folder for path in paths for folder in _above(path)}
        # A manifest with no source of its language below speaks for those around it (`rockspecs/`).
        return {next((above for above in _above(f"{folder}/x") if above in there), folder) for folder in spoken}

    def _foreign(self, language: Language, path: str) -> list[str]:
        """The names that a file loads and that are neither the repository's own nor named by a manifest."""
        loaded = [name for name in self.loaded.get(path, ()) if name not in self.declared and not self._is_here(name)]
        return self._unnamed(loaded, in_part=language.is_dotted)

    def _unnamed(self, names: Iterable[str], *, in_part: bool = False) -> list[str]:
        return [name for name in names if not self.packages.has(name, in_part=in_part)]

    def _is_here(self, name: str) -> bool:
        first, _, rest = name.partition("/")
        inside = "/".join(rest.split("/")[2:]) if "." in first else ""  # Behind host, owner and name.
        return inside in self.folders if inside else first.lower() in self.named


def _finding(language: Language, paths: Collection[str], said: str) -> Finding:
    counted = f"{language.name} ({display_text.count(len(paths), 'file', 'files')})"
    return Finding(LANGUAGE, Place(shown(min(paths))), f"{counted}: {said}", len(paths))


def _of_names(language: Language, verb: str, names: Mapping[str, Collection[str]]) -> Iterator[Finding]:
    """The finding for files that load, or say they need, what no manifest names."""
    paths = [path for path, foreign in names.items() if foreign]
    if paths:
        listed = sorted({name for foreign in names.values() for name in foreign})
        more = f" and {len(listed) - _MAX_NAMES:,} more" if len(listed) > _MAX_NAMES else ""
        what = ", ".join(display_text.line(name, 60) for name in listed[:_MAX_NAMES])
        yield _finding(language, paths, f"no manifest names what they {verb} ({what}{more})")


def _covered(at: int) -> tuple[str, ...]:
    pattern, family, _ = FILE_READERS[at]
    return (*_COVERS.get(family, ()), *_COVERS.get(pattern, ()))


def _tells(language: Language, path: str) -> bool:
    return language.loads is not None and usage_by_folder(path) is None


def _above(path: str) -> Iterator[str]:
    while path:
        path = path.rpartition("/")[0]
        yield path


def _speak(folders: Collection[str], path: str) -> bool:
    return bool(folders) and nearest(path.rpartition("/")[0], folders) is not None


def _loaded(language: Language, content: str) -> Iterator[str]:
    assert language.loads is not None
    for match in language.loads.finditer(content):
        for listed in match[match.lastindex or 0].split(","):
            name = next(iter(listed.split()), "")
            first = name.partition(".")[0]
            if name and first not in language.own and name not in language.own and not name.startswith("node:"):
                yield first if language.is_dotted else name
