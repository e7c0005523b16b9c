"""Manifests of tools whose files are not read: that they name something is said, so that no clean answer hides it."""

import re
from typing import Final

from audit.ecosystems.parsed_file import ParsedFile, finding
from audit.usage import usage_by_folder

_MARKS: Final = {
    "build.sbt": ("sbt", r"\blibraryDependencies\b"),
    "rebar.config": ("Rebar3", r"^[ \t]*+\{deps,[ \t]*+\[[ \t\n]*+[^\s\]]"),
    "*.cabal": ("Cabal", r"^[ \t]*+build-depends:"),
    "Project.toml": ("Julia", r"^\[deps\]"),
    "DESCRIPTION": ("R", r"^(?:Imports|Depends|LinkingTo):"),
    "cpanfile": ("Perl", r"^[ \t]*+requires\b"),
    "*.rockspec": ("LuaRocks", r"^[ \t]*+dependencies\b"),
    "dub.json": ("DUB", r"\"dependencies\""),
    "dub.sdl": ("DUB", r"^[ \t]*+dependency\b"),
    "shard.yml": ("Crystal", r"^dependencies:"),
    "*.opam": ("opam", r"^depends:"),
    "paket.dependencies": ("Paket", r"^[ \t]*+(?:nuget|github|git|http)\b"),
    "elm.json": ("Elm", r"\"dependencies\""),
    "bower.json": ("Bower", r"\"dependencies\""),
    "ivy.xml": ("Ivy", r"<dependency\b"),
    "Cartfile": ("Carthage", r"^[ \t]*+(?:github|git|binary)\b"),
    "*.podspec": ("CocoaPods", r"^[ \t]*+\w++\.dependency\b"),
    "*.nimble": ("Nimble", r"^[ \t]*+requires\b"),
    "project.clj": ("Leiningen", r":dependencies\b"),
    "deps.edn": ("Clojure", r":deps\b"),
    "build.zig.zon": ("Zig", r"\.dependencies\b"),
    "auto.def": ("autosetup", r"\bcc-check-function-in-lib\b|\bpkg-config\b|-l[a-z]"),
    "wscript": ("waf", r"\bcheck(?:_cfg|_cc|_cxx)?\(|\bcheck_pkg|\buselib_store\b"),
    "xmake.lua": ("xmake", r"\badd_(?:requires|packages|links|syslinks)\b"),
    "premake5.lua": ("Premake", r"^[ \t]*+links\b"),
    "SConstruct": ("SCons", r"\bLIBS\b|\bParseConfig\b|\bCheckLib"),
    "gleam.toml": ("Gleam", r"^\[dependencies\]"),
}
"""By pattern of the file's name: the tool, and what stands where dependencies are named."""
PATTERNS: Final = " ".join(_MARKS)
_BY_ENDING: Final = {pattern[1:]: mark for pattern, mark in _MARKS.items() if pattern.startswith("*")}


def read(path: str, content: str) -> ParsedFile:
    """A finding where the file names dependencies; none in folders of tests, examples and documentation."""
    name = path.rpartition("/")[2]
    tool, mark = _MARKS.get(name) or _BY_ENDING[name[name.rfind(".") :]]
    named = None if usage_by_folder(path) else re.search(mark, content, re.MULTILINE)
    if named is None:
        return ParsedFile()
    message = f"names dependencies for {tool}, whose files are not read: list them in the rulebook, or add an SBOM"
    line = content.count("\n", 0, named.start()) + 1
    return ParsedFile(findings=(finding("file/unsupported", path, line, message),))
