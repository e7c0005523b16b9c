"""Comments of each language, by a file's extension or name, and the lines that have to stay above a header.

Those are shebangs, encodings, XML declarations, document types, front matter and `<?php`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

HEADER_SEARCH_CHARACTERS: Final = 64 * 1024  # Of a file, in which a header is looked for.
_WITH_DECLARATIONS: Final = frozenset({"markup", "component", "jsp"})
_MAX_PREAMBLE_LINES: Final = 500  # Of front matter, or of a declaration.
_MAGIC_COMMENT_LINES: Final = 5  # In these a comment may mean something to a program.
_MAGIC: Final = re.compile(
    r"[#;%/\"'-]{1,3}[ \t]*+(?:[^\n]{0,80}-\*-|[^\n]{0,40}coding[:=]|vim?:|frozen_string_literal:|warn_indent:|typed:"
    r"|(?:syntax|escape|check)[ \t]*=|language:)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CommentStyle:
    """One way of commenting.

    `lines` begin a comment that ends with its line, `blocks` are the signs around one of any length. `header` is how a header
    is written: the line before it, what stands before each of its lines, the line behind it; "" for none. `code`: files of
    this kind are source code, asked for a header without being named.
    """

    lines: tuple[str, ...] = ()
    blocks: tuple[tuple[str, str], ...] = ()
    header: tuple[str, str, str] = ("", "", "")
    code: bool = True


_C: Final = (("/*", "*/"),)
_XML: Final = (("<!--", "-->"),)
_BLOCK: Final = ("/*", " * ", " */")
_MARKUP: Final = ("<!--", "  ", "-->")
_KINDS: Final[Mapping[str, tuple[CommentStyle, str]]] = {
    "c": (
        CommentStyle(("//",), _C, _BLOCK),
        (
            ".c .h .java .scala .sc .groovy .gradle .kt .kts .js .mjs .cjs .jsx .ts .mts .cts .tsx .less .scss .idl .S .s "
            ".l .y .ld Jenkinsfile"
        ),
    ),
    "css": (CommentStyle((), _C, _BLOCK), ".css"),
    "slashes": (
        CommentStyle(("//",), _C, ("", "// ", "")),
        (
            ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tpp .cs .cu .cuh .cl .cce .d .dart .glsl .hlsl .vert .frag .comp .go "
            ".ino .jsonnet .libsonnet .metal .mm .proto .qml .rs .sol .sv .svh .swift .thrift .vala .vh .wgsl .zig .pas .bicep"
        ),
    ),
    "php": (CommentStyle(("//", "#"), _C, _BLOCK), ".php"),
    "hash": (
        CommentStyle(("#",), (("<#", "#>"),), ("", "# ", "")),
        (
            ".sh .bash .zsh .fish .ksh .ps1 .psm1 .psd1 .pl .pm .rb .rake .gemspec .r .R .jl .nim .cr .ex .exs .tcl .awk .cmake "
            ".mk .bzl .bazel .gn .gni .nix .tf .hcl .graphql .rego .coffee .star Makefile makefile GNUmakefile Dockerfile Containerfile "
            "CMakeLists.txt BUILD WORKSPACE Rakefile Gemfile Vagrantfile SConstruct SConscript meson.build Kconfig Kbuild"
        ),
    ),
    "python": (CommentStyle(("#",), (('"""', '"""'), ("'''", "'''")), ("", "# ", "")), ".py .pyi .pyx .pxd .pxi"),
    "configuration": (
        CommentStyle(("#",), (), ("", "# ", ""), code=False),
        ".yml .yaml .toml .properties .conf .cfg .gitignore .gitattributes .editorconfig .dockerignore",
    ),
    "ini": (CommentStyle((";", "#"), (), ("", "; ", ""), code=False), ".ini"),
    "dashes": (
        CommentStyle(("--",), (("{-", "-}"), ("--[[", "]]"), *_C), ("", "-- ", "")),
        ".sql .lua .hs .elm .adb .ads .vhd .vhdl .applescript .purs .dhall",
    ),
    "percent": (CommentStyle(("%",), (), ("", "% ", "")), ".tex .sty .cls .bib .erl .hrl"),
    "semicolons": (
        CommentStyle((";",), (), ("", ";; ", "")),
        ".el .lisp .lsp .clj .cljs .cljc .edn .scm .ss .rkt .asm .nasm",
    ),
    "exclamation": (CommentStyle(("!",), (), ("", "! ", "")), ".f90 .f95 .f03 .f08 .F90 .F95"),
    "quote": (CommentStyle(("'",), (), ("", "' ", "")), ".vb .vbs .bas"),
    "vim": (CommentStyle(('"',), (), ("", '" ', "")), ".vim .vimrc"),
    "batch": (CommentStyle(("@rem", "rem", "::"), (), ("", "@REM ", "")), ".bat .cmd"),
    "dnl": (CommentStyle(("dnl", "#"), (), ("", "dnl ", "")), ".m4 .ac"),
    "ml": (CommentStyle((), (("(*", "*)"),), ("(*", " * ", " *)")), ".ml .mli .mll .mly"),
    "fsharp": (CommentStyle(("//",), (("(*", "*)"),), ("", "// ", "")), ".fs .fsi .fsx"),
    "haml": (CommentStyle((), (("{#", "#}"),), ("{#", "  ", "#}")), ".j2 .jinja .jinja2"),
    "jsp": (CommentStyle((), (("<%--", "--%>"), *_XML), ("<%--", "  ", "--%>")), ".jsp .jspf .aspx .ascx"),
    "component": (CommentStyle((), _XML, _MARKUP), ".vue .svelte"),
    "markup": (
        CommentStyle((), _XML, _MARKUP, code=False),
        ".html .htm .xhtml .xml .xsd .xsl .xslt .xaml .pom .csproj .fsproj .vbproj .props .targets .md .markdown",
    ),
    "rst": (CommentStyle(("..",), (), ("", ".. ", ""), code=False), ".rst"),
}


_BY_WORD: Final = {word: kind for kind, (_, words) in _KINDS.items() for word in words.split()}


def kind_of(path: str) -> str | None:
    """The name of the way in which a file's comments are written; None where it is not known."""
    name = path.rpartition("/")[2]
    ending = f".{name.rpartition('.')[2]}" if "." in name else ""
    # People also write endings in capitals.
    return _BY_WORD.get(name) or _BY_WORD.get(ending) or _BY_WORD.get(ending.lower())


def style_of(path: str) -> CommentStyle | None:
    """The way in which a file's comments are written; None where it is not known: JSON, data, other languages."""
    kind = kind_of(path)
    return None if kind is None else _KINDS[kind][0]


def comment_lines(text: str, style: CommentStyle) -> Iterator[tuple[int, str | None]]:
    """The lines of a text's beginning, from 1: their words in comments, without the signs; None for a line of code."""
    end = ""
    for number, line in enumerate(text[:HEADER_SEARCH_CHARACTERS].split("\n"), 1):
        bare = line.strip()
        if not end:
            start, end = next((block for block in style.blocks if bare.startswith(block[0])), ("", ""))
            if not start:
                sign = next((prefix for prefix in style.lines if bare[: len(prefix)].lower() == prefix), None)
                is_code = sign is None and bool(bare)  # An empty line says nothing.
                yield number, None if is_code else _plain(bare[len(sign or "") :])
                continue
            bare = bare[len(start) :]
        said, closed, _ = bare.partition(end)
        end = "" if closed else end
        yield number, _plain(said)


def _plain(said: str) -> str:
    return said.strip().lstrip("*/#!;-%=~|'\"+").strip()


def preamble(lines: Sequence[str], kind: str | None) -> int | None:
    """The number of lines that have to stay above a header; None where that can't be told, so that people add one."""
    # Rust's attributes (`#![…]`) begin as shebangs do.
    at = 1 if lines[0].startswith("#!") and not lines[0].startswith("#![") else 0
    if kind == "php":
        return at + 1 if at < len(lines) and lines[at].strip() == "<?php" else None  # Text before it is a page's.
    if kind in _WITH_DECLARATIONS:
        return _declarations(lines, at)
    # CSS demands that an encoding comes first.
    while kind == "css" and at < len(lines) and lines[at].startswith("@charset"):
        at += 1
    # An encoding counts on the second line, too, below any other comment: what stands above it may not get longer.
    if at < 2 <= len(lines) and _MAGIC.match(lines[1]) and (at == 1 or lines[0].strip()[:1] in ("", "#")):
        at = 2
    while at < min(len(lines), _MAGIC_COMMENT_LINES) and _MAGIC.match(lines[at]):
        at += 1
    return at


def _declarations(lines: Sequence[str], at: int) -> int | None:
    """Front matter, `<?xml … ?>`, `<!DOCTYPE …>`; each alone on its lines."""
    if at < len(lines) and lines[at].strip() == "---":
        return _behind(lines, at + 1, "---")
    for begins, ends in (("<?xml", "?>"), ("<!doctype", ">")):
        if at < len(lines) and lines[at].lstrip().lower().startswith(begins):
            after = _behind(lines, at, ends)
            if after is None:
                return None
            at = after
    return at


def _behind(lines: Sequence[str], at: int, ends: str) -> int | None:
    """The line behind the first that ends so; None where more stands on it, or there is none."""
    for number in range(at, min(len(lines), at + _MAX_PREAMBLE_LINES)):
        if ends == ">" and "[" in lines[number]:
            return None  # A document type with declarations of its own.
        if ends in lines[number]:
            return number + 1 if lines[number].strip().endswith(ends) and lines[number].count(ends) == 1 else None
    return None
