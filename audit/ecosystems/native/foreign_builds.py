"""Libraries of C that build files and sources of other languages link: Go's cgo, Rust's build scripts, Python's extensions, shell scripts.

Each kind of file has its own words for that; what stands in them is what a linker or pkg-config is told.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from posixpath import dirname, join, normpath
from typing import Final

from audit.ecosystems import go_imports
from audit.ecosystems.formats import toml_text
from audit.ecosystems.native import kernel_headers, known_libraries, library_includes
from audit.ecosystems.native.named_libraries import (
    COMPILES,
    Line,
    LineKind,
    LinkedName,
    NamedLibraries,
    logical_lines,
    module_names,
)
from audit.ecosystems.parsed_file import Include, ParsedFile, Reader, not_read, said, table, text
from audit.ecosystems.python import setup_files
from audit.facts import Finding, Place, Usage

FAMILY: Final = "native-words"  # Sources of which few link anything: only their beginning is read, where it looks so.
_QUOTED: Final = r"['\"](?P<words>(?>-l(?=[A-Za-z0-9_])|-[LWI][^'\"\n]*? -l)[^'\"\n]++)['\"]"
_TEXT: Final = re.compile(r"['\"]([^'\"\n]*+)['\"]")
_IN_LIST: Final = r"(?:[\s,+*\w.]++|['\"][^'\"\n]*+['\"]|#[^\n]*+)*+"
# A list that does not end is passed over as a whole, so that no part of it is looked through twice.
_PYTHON_LIST: Final = (
    r"(?<!\w)(?P<holder>\w{0,40}(?:libraries|LIBRARIES|libs|LIBS|extra_objects))['\"]?\s{0,8}(?:\+?=|:|\.extend\(|\.append\()\s{0,8}"
    rf"(?:(?P<list>\[{_IN_LIST}\]|['\"][^'\"\n]++['\"])|\[{_IN_LIST})"
)
_PKG_LIST: Final = r"['\"](?:\w+-)?pkg-config['\"],\s*+(?P<modules>(?:['\"][^'\"\n]*+['\"],?\s*+)++)"
_FORMS: Final[dict[str, tuple[str, ...]]] = {  # By kind of file; the groups say what stands in their place.
    "cgo": (
        r"^[ \t]*+(?://[ \t]*+)?#cgo\b[^:\n]{0,200}LDFLAGS[ \t]*+:(?P<words>[^\n]*+)",
        r"^[ \t]*+(?://[ \t]*+)?#cgo\b[^:\n]{0,200}pkg-config[ \t]*+:(?P<modules>[^\n]*+)",
    ),
    "Rust": (
        r"rustc-link-lib(?:=|\s\\\n\s{0,40})(?:(?P<how>static|dylib|framework|raw-dylib)(?::[\w+,-]{1,60})?=)?(?P<link>[A-Za-z][\w.+-]{0,80})",
        r"rustc-link-arg[\w-]{0,20}=(?P<words>-l[^\"\n]++)",
        r"#!?\[(?:cfg_attr\([^\]\n]{1,200},[ ]?)?link\([^\])]{0,200}?name[ ]*+=[ ]*+\"(?P<link>[^\"\n]{1,80})\"(?P<rest>[^\])]{0,200})",
        r"\bprobe(?:_library)?\([ \n]*+\"(?P<modules>[^\"\n]{1,80})\"",
        r"\bvcpkg::(?:find_package|Config[^;]{0,200}?find_package)\([ \n]*+\"(?P<link>[^\"\n]{1,80})\"",
        r"rustc-link-lib(?:=[\w:+-]{0,40})?=?\{(?P<computed>\w*)",
    ),
    "Cargo": (r"link-arg=(?P<words>-l[^\"'\n]++)", r"\"-l\",\s{0,8}\"(?:\w+=)?(?P<link>[A-Za-z][\w.+-]{0,80})\"", _QUOTED),
    "Python": (
        _PYTHON_LIST,
        _QUOTED,
        _PKG_LIST,
        r"\bpkgconfig\.\w{1,20}\([ \n]*+['\"](?P<modules>[^'\"\n]{1,80})",
        r"(?<!\w)libraries\s{0,8}=\s{0,8}(?P<computed>[A-Za-z_][\w.]{0,60})",
        r"(?P<words>pkg-config[ \t][^'\"\n]++)",
    ),
    "Cython": (r"^#[ \t]*+distutils:[ \t]*+libraries[ \t]*+=(?P<names>[^\n]*+)", r"^#[ \t]*+distutils:[ \t]*+extra_link_args[ \t]*+=(?P<words>[^\n]*+)"),
    "Ruby": (
        r"\b(?:have_library|find_library)[ \t(]{1,4}['\"](?P<link>[^'\"\n]{1,80})",
        r"\bappend_library[ \t(]{1,4}\$libs,[ \t]{0,4}['\"](?P<link>[^'\"\n]{1,80})",
        r"\b(?:have_library|find_library)[ \t(]{1,4}(?P<computed>[a-z_]\w{0,40})",
        r"\b(?:pkg_config|PKGConfig\.have_package|PKGConfig\.check_version\?)[ \t(]{1,4}['\"](?P<modules>[^'\"\n]{1,80})",
        r"['\"](?P<words>[ ]?-l[^'\"\n]++)['\"]",
        r"(?P<words>pkg-config[ \t][^'\"\n`]++)",
    ),
    "gyp": (_QUOTED, r"<!@?\((?P<words>[^)\n]++)", r"['\"](?P<files>[^'\"\n]{0,200}\.(?:lib|a|so|dylib))['\"]"),
    "Swift": (
        r"\.linkedLibrary\([ \n]*+\"(?P<link>[^\"\n]{1,80})\"",
        r"\bpkgConfig:[ \n]*+\"(?P<modules>[^\"\n]{1,80})\"",
        r"\.linkedFramework\([ \n]*+\"(?P<framework>[^\"\n]{1,80})\"",
        _QUOTED,
    ),
    "Visual Studio": (
        r"^#[ ]ADD (?:BASE )?LINK32[ ](?P<files>[^\n]*+)",
        r"<AdditionalDependencies[^>\n]{0,200}>(?P<files>[^<]++)",
        r"AdditionalDependencies=\"(?P<files>[^\"]++)",
        r"<(?P<packages>PackageReference)\b",
    ),
    "a script": (r"^[ \t]*+(?P<packages>@Grab\b|#r[ \t]++\"nuget:)",),
    "Xcode": (r"\bOTHER_LDFLAGS\b[^=\n]{0,60}=(?P<words>[^\n]*+)",),
    "modulemap": (r"^[ \t]*+link[ \t]++(?:(?P<how>framework)[ \t]++)?\"(?P<link>[^\"\n]{1,80})\"",),
}  # fmt: skip
_PATTERNS: Final = {
    kind: [re.compile(pattern, re.MULTILINE) for pattern in patterns] for kind, patterns in _FORMS.items()
}
_MAY_LINK: Final = re.compile(
    rb"rustc-link|#!?\[(?:cfg_attr[^\]\n]{0,200})?link\(|probe|vcpkg::|distutils:|[\s\"']-l[A-Za-z:]|pkg-config|\.lib\b|\blink[ \t]+\"|@Grab\b|#r[ \t]+\"nuget:"
)
_SCRIPT_LINE: Final = re.compile(
    r"^[ \t]*+(?:export[ \t]++|(?:set|SET)[ \t]++|local[ \t]++)?(?:\w{0,40}_)?(?:LIBS?|LDFLAGS|LDADD|LDLIBS|libs|ldflags)(?:_\w{0,20})?[ \t]*+\+?:?="
)
OF_TOOLS: Final = re.compile(r"(?:^|/)(?:ltmain|libtool|gradlew|mvnw)(?:\.sh|\.bat|\.cmd)?$")
"""Scripts that tools of the build write into a work, to be run by it."""
_COMMANDS: Final = re.compile(r"\|\|?|&&|;")
# Words for people, not commands.
_SAYS: Final = re.compile(r"^[ \t]*+@?(?:(?:echo|printf|cat|die|warn|log|rem)\b|::|#|//|--)", re.IGNORECASE)
_ASSIGNED: Final = re.compile(
    r"^[ \t]*+(?:export[ \t]++|set[ \t]++|local[ \t]++)?\"?([A-Za-z_]\w*+)=([^\n]*+)", re.MULTILINE
)
_VARIABLE: Final = re.compile(r"\$\{?([A-Za-z_]\w*+)\}?|%([A-Za-z_]\w*+)%")
SCRIPT: Final = "cffi"  # The family of scripts that describe a module for cffi.
_CFFI: Final = re.compile(r"(?<!\w)cffi_modules\s{0,8}=\s{0,8}\[([^\]]*+)")
_CFFI_SCRIPT: Final = re.compile(r"['\"]([\w./-]{1,200}\.py):")
# Options of Microsoft's linker with the name of a file that is made, or that is not linked.
_OWN_FILE: Final = re.compile(r"(?i)/(?:out|implib|pdb|def|libpath|nodefaultlib):(?:\"[^\"\n]{0,300}\"|\S{1,300})")
_EMPTY_LIST: Final = re.compile(r"(?<!\w)(\w{1,60})\s{0,8}=\s{0,8}\[\s{0,8}\]")
_MAX_CHARACTERS: Final = 2_000  # Of a line in which variables are replaced.


def names_library(data: bytes) -> bool:
    """Whether a source may link a library of C."""
    return _MAY_LINK.search(data) is not None


def reader(kind: str) -> Reader:
    """The reader of libraries in files of that kind."""
    return lambda path, content: read(kind, path, content)


def beside(first: Reader, *others: Reader) -> Reader:
    """The reader of a file with words of its own for dependencies, and perhaps those of other tools besides."""

    def all_of_them(path: str, content: str) -> ParsedFile:
        file, more = first(path, content), [other(path, content) for other in others]
        return replace(
            file,
            dependencies=(*file.dependencies, *(each for other in more for each in other.dependencies)),
            findings=(*file.findings, *(each for other in more for each in other.findings)),
            includes=(*file.includes, *_scripts(path, content)),
        )

    return all_of_them


def _scripts(path: str, content: str) -> Iterator[Include]:
    for listed in _CFFI.finditer(content):
        for match in _CFFI_SCRIPT.finditer(listed[1]):
            at = normpath(join(dirname(path), match[1]))
            # Such a script is Python that no table of readers knows: it is read as an include.
            line = content.count("\n", 0, listed.start()) + 1
            yield Include(at, Place(path, line, said(listed[0])), SCRIPT, optional=True)


def read(kind: str, path: str, content: str) -> ParsedFile:
    """Each library once for each way in which it is linked, in the order of the forms."""
    named = NamedLibraries(path)
    if kind == "Visual Studio":
        own = path.rpartition("/")[2].rpartition(".")[0].removeprefix("lib")
        if known_libraries.by_name(own) is None:  # A project for another work's library builds that where it lies.
            named.make(own)
    why = f"{path.rpartition('/')[2]}: for {kind}"
    known, computed = _known(kind, content), None
    more: tuple[Finding, ...] = ()
    for pattern in _PATTERNS[kind]:
        seen, line = 0, 1
        for match in pattern.finditer(content):
            line += content.count("\n", seen, match.start())
            seen = match.start()
            found = match.groupdict()
            if found.get("packages"):
                # NuGet's reader is for projects of other languages.
                more = more or (not_read(path, line, f"names packages for {kind}, which are not read"),)
            elif found.get("computed") is not None:
                computed = computed or (None if match["computed"].rpartition(".")[2] in known else line)
            else:
                _take(named, found, Line(line, match[0].strip(), kind=LineKind.LINKS), why)
    if computed or named.computed:
        at = computed or (named.computed.line if named.computed else None)
        named.computed = None
        more = (not_read(path, at, "links libraries whose names the build computes"),)
    return named.parsed(*more)


def read_cfg(path: str, content: str) -> ParsedFile:
    """setup.cfg: `libraries` of `[build_ext]` and of sections for one extension."""
    named = NamedLibraries(path)
    for line, section, key, words in setup_files.values(content):
        is_named = key == "libraries" and not section.startswith(("options", "metadata"))  # Others are setuptools' own.
        if is_named and not words.startswith(("#", ";")):
            for name in words.replace(",", " ").split():
                named.link(LinkedName(name), line, f"{key} = {words}", "setup.cfg: libraries")
    return named.parsed()


def read_cargo(path: str, content: str) -> ParsedFile:
    """Cargo.toml: the modules that a build script asks pkg-config for by the crate system-deps or metadeps."""
    named = NamedLibraries(path)
    lines = toml_text.TomlLines(content)
    metadata = table(table(toml_text.load(content).get("package")).get("metadata"))
    for section in ("system-deps", "pkg-config"):
        above = f"package.metadata.{section}"
        modules = table(metadata.get(section))  # For all systems, and those for some (`cfg(unix)`).
        of_some = [(key, table(rule)) for key, rule in modules.items() if key.startswith("cfg(")]
        plain = {key: rule for key, rule in modules.items() if not key.startswith("cfg(")}
        for key, rule in (pair for _, holder in [("", plain), *of_some] for pair in holder.items()):
            name, line = text(table(rule).get("name")) or text(key), lines.key(above, key) or 1
            named.module(LinkedName(name), line, name, f"Cargo.toml: {section}, by pkg-config")
    return named.parsed()


def _known(kind: str, content: str) -> frozenset[str]:
    if kind != "Python":
        return frozenset()
    filled = {str(match["holder"]) for match in _PATTERNS[kind][0].finditer(content) if match["list"]}
    return frozenset({"None", "list", *filled, *_EMPTY_LIST.findall(content)})


def _take(named: NamedLibraries, found: Mapping[str, str | None], line: Line, why: str) -> None:
    how = found.get("how") or ("static" if '"static' in (found.get("rest") or "") else "")
    framework = found.get("framework") or (found.get("link") if how == "framework" else None)
    if framework:
        named.words(f"-framework {framework}", line, why)
    elif found.get("link"):
        named.link(LinkedName(str(found["link"]), how == "static"), line.number, line.text, why)
    for name in module_names(found.get("modules") or ""):
        is_static = "--static" in (found.get("modules") or "")
        named.module(LinkedName(name, is_static), line.number, line.text, f"{why}, by pkg-config")
    names = [match[1] for match in _TEXT.finditer(found.get("list") or "")]
    for name in [*names, *(found.get("names") or "").replace(",", " ").split()]:
        # A file, or flags within the list.
        if "-l" in name or "/" in name or name.endswith((".a", ".o", ".so", ".lib", ".obj")):
            named.words(name, line, why)
        else:
            named.link(LinkedName(name), line.number, line.text, why)
    named.words(found.get("words") or _OWN_FILE.sub(" ", found.get("files") or ""), line, why)


def read_go(path: str, content: str) -> ParsedFile:
    """The imports of a Go file, the libraries that cgo links, and the headers that it includes."""
    file = go_imports.read(path, content)
    if '"C"' not in content:  # Without that import what looks like its words is a comment.
        return file
    included = (each for each in library_includes.read(path, content).dependencies if each.purl != kernel_headers.PURL)
    linked = read("cgo", path, content)
    named = (*linked.dependencies, *included)
    if path.endswith("_test.go"):
        named = tuple(replace(each, usage=Usage.TEST_ONLY) for each in named)
    return replace(file, dependencies=named, findings=linked.findings)


def read_commands(path: str, content: str) -> ParsedFile:
    """Scripts of shells and other runners of commands: lines that call a compiler, or set a variable for the linker."""
    named = NamedLibraries(path)
    values = {match[1]: match[2].strip("\"' \r")[: _MAX_CHARACTERS + 1] for match in _ASSIGNED.finditer(content)}
    number = 0

    def expand(words: str) -> str:
        for _ in range(2 if _VARIABLE.search(words) else 0):  # A value may have variables itself.
            if len(words) > _MAX_CHARACTERS:
                named.cut = named.cut or number
            words = _VARIABLE.sub(lambda match: values.get(match[1] or match[2], match[0]), words[:_MAX_CHARACTERS])
        return words

    why = f"{path.rpartition('/')[2]}: the script links it"
    if OF_TOOLS.search(path):
        return named.parsed()
    for number, line in logical_lines(content):
        # A substitution may hold separators: such a line is one command.
        for command in _COMMANDS.split(line) if "$(" not in line and "`" not in line else (line,):
            if not _SAYS.match(command) and (COMPILES.search(command) or _SCRIPT_LINE.match(command)):
                named.words(expand(command), Line(number, line, expand, LineKind.LINKS), why)
    named.computed = None  # Variables get their values elsewhere.
    return named.parsed()
