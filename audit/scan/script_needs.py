"""What a source says itself that it needs, beside all manifests: inline metadata, commands of notebooks, and the like.

Also the language of a script without an ending, by its first line.
"""

import re
from collections.abc import Iterator
from typing import Final

from audit.ecosystems import install_commands, read_inline
from audit.ecosystems.npm import deno
from audit.ecosystems.parsed_file import ParsedFile, not_read
from audit.ecosystems.python import inline_metadata
from audit.facts import Dependency, Place, Usage

NOTEBOOK: Final = ".ipynb"
_ARCHIVE: Final = rb"([\w.-]{1,100}+:[\w.-]{1,100}+)"
# By language: words of which one is there, so that most files are not searched, and the names behind them.
_NAMED: Final[dict[str, tuple[tuple[bytes, ...], re.Pattern[bytes]]]] = {
    "JavaScript": (
        (b"npm:", b"jsr:", b"https://"),
        re.compile(rb"(?:\bfrom|\bimport|\bimport\()[ \t]*+['\"](?:(?:npm|jsr):/?((?:@[^/@'\"\s]{1,100}+/)?[^/@'\"\s]{1,100}+)|(https?://[^'\"\s]{1,300}+))"),
    ),
    "Java": (
        (b"//DEPS", b"@Grab", b"DependsOn"),
        re.compile(
            rb"^//DEPS[ \t]++" + _ARCHIVE + rb"|@Grab\([ \t]*+(?:value[ \t]*+=[ \t]*+|group[ \t]*+=[ \t]*+)?['\"]([\w.:-]{1,200}+)"
            rb"|@file:DependsOn\([ \t]*+\"" + _ARCHIVE, re.MULTILINE,
        ),
    ),
    "Scala": ((b"//>", b"import $"), re.compile(rb"^//>[ \t]*+using[ \t]++(?:dep|lib)s?[ \t]++\"?([\w.-]++)|^import \$(?:ivy|dep)\.`([\w.-]++)", re.MULTILINE)),
    "C#": ((b"nuget:", b"#:package"), re.compile(rb"^#r[ \t]++\"nuget:[ \t]*+([\w.-]++)|^#:package[ \t]++([\w.-]++)", re.MULTILINE)),
    "F#": ((b"nuget:",), re.compile(rb"^#r[ \t]++\"nuget:[ \t]*+([\w.-]++)", re.MULTILINE)),
    "Ruby": ((b"bundler/inline",), re.compile(rb"^[ \t]*+gem[ \t(]++['\"]([\w.-]++)", re.MULTILINE)),
    "Elixir": ((b"Mix.install",), re.compile(rb"^[ \t]*+Mix\.install\(\s*+\[\s*+\{?:?(\w++)", re.MULTILINE)),
    "Rust": ((b"---", b"```cargo"), re.compile(rb"\A(?:#![^\n]*+\n)?\s*+(---[ \t]*+(?:cargo)?|//! ```cargo)[ \t]*+\n")),
}  # fmt: skip
_SHEBANG: Final = re.compile(
    rb"#![^\n]*?\b(python|pypy|uv run|node|deno|bun|ruby|perl|php|Rscript|lua|tclsh|wish|julia|pwsh|racket|guile|elixir|escript|runghc|groovy|scala)"
)
_ENDINGS: Final = {
    "python": ".py", "pypy": ".py", "uv run": ".py", "node": ".js", "deno": ".ts", "bun": ".ts", "ruby": ".rb", "perl": ".pl", "php": ".php",
    "Rscript": ".R", "lua": ".lua", "tclsh": ".tcl", "wish": ".tcl", "julia": ".jl", "pwsh": ".ps1", "racket": ".rkt", "guile": ".scm",
    "elixir": ".exs", "escript": ".erl", "runghc": ".hs", "groovy": ".groovy", "scala": ".scala",
}  # fmt: skip
_INSTALLS: Final = re.compile(r"^[ \t]*+[%!][ \t]*+((?:python3?[ \t]++-m[ \t]++)?(pip3?|uv|conda|mamba)\b[^\n]*?\binstall\b[^\n]*+)", re.MULTILINE)  # fmt: skip


def ending(data: bytes) -> str:
    """The ending that a script without one would have, by its first line; empty where that does not tell."""
    found = _SHEBANG.match(data[:200])
    return _ENDINGS[found[1].decode()] if found else ""


def names(language: str, data: bytes) -> frozenset[str]:
    """The packages that a source names in the words of its language for that."""
    words, pattern = _NAMED.get(language, ((), None))
    if pattern is None or not any(word in data for word in words):
        return frozenset()
    found = (match[match.lastindex or 0].decode("utf-8", "replace") for match in pattern.finditer(data))
    return frozenset(deno.module_of(name)[0] if "://" in name else name for name in found)


def cells(content: str) -> str:
    """A notebook's lines: they are texts of JSON, all in one line or one in each."""
    return content.replace('"', "\n").replace("\\n", "\n")


def read(path: str, content: str) -> ParsedFile | None:
    """The packages that a source of Python says it needs, or that a notebook installs; None: it says nothing."""
    if inline_metadata.MARK in content:
        return read_inline(path, content)
    if not path.endswith(NOTEBOOK) or "install" not in content:
        return None
    found = list(_INSTALLS.finditer(cells(content)))
    is_unread = any(match[2] in {"conda", "mamba"} for match in found)
    findings = (not_read(path, None, "installs packages by a command that is not read"),) if is_unread else ()
    dependencies = {dependency.purl or dependency.name: dependency for dependency in _installed(path, found)}
    return ParsedFile(dependencies=tuple(dependencies.values()), findings=findings) if found else None


def _installed(path: str, found: list[re.Match[str]]) -> Iterator[Dependency]:
    for match in found:
        yield from install_commands.packages(match[1], Place(path), Usage.RUNTIME_IMPORT, "notebook")
