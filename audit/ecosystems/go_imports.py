"""The imports of a repository's own Go files: whether a module is built in, only tested with, or a tool."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from audit import usage
from audit.ecosystems.parsed_file import Imports, ParsedFile, nearest
from audit.facts import Dependency, Usage

FAMILY: Final = "go-source"
_TOKEN: Final = re.compile(
    r"(?P<comment>//[^\n]*+)|(?P<block>/\*)|\"(?P<path>[^\"\\\n]*+)\"|`(?P<raw>[^`\n]*+)`|(?P<word>[A-Za-z_]\w*+)|(?P<mark>[()\n;])"
)
_CONSTRAINT: Final = re.compile(r"//(?:go:build|[ \t]*+\+build)[ \t]++([a-z]++)[ \t\r]*+")
# Tags of files outside the build: lists of tools, `go run`.
_TOOLS: Final = frozenset({"tools", "tool", "ignore", "mage"})
# Of a longer file only 256,000 bytes are read, four at most a character: its imports may be cut off.
_MIN_TRUNCATED_CHARACTERS: Final = 60_000
_PLACES: Final = "go.mod"
_MAX_PATH_PARTS: Final = 50
NOT_READ: Final = ParsedFile(imports=Imports(frozenset(), Usage.STATIC_LINK, complete=False))
# Modules that say of themselves that they are for tests, without `/v2` and the like. Imports in tests alone show
# nothing: another module may build the same one in, and go.mod has no graph.
LIBRARIES: Final = frozenset({
    "github.com/DATA-DOG/go-sqlmock", "github.com/alecthomas/assert", "github.com/approvals/go-approval-tests",
    "github.com/bradleyjkemp/cupaloy", "github.com/cucumber/godog", "github.com/franela/goblin", "github.com/frankban/quicktest",
    "github.com/gavv/httpexpect", "github.com/golang/mock", "github.com/google/go-cmp", "github.com/h2non/gock",
    "github.com/jarcoal/httpmock", "github.com/leanovate/gopter", "github.com/matryer/is", "github.com/maxatome/go-testdeep",
    "github.com/onsi/ginkgo", "github.com/onsi/gomega", "github.com/ory/dockertest", "github.com/sebdah/goldie",
    "github.com/shoenig/test", "github.com/smartystreets/goconvey", "github.com/stretchr/testify",
    "github.com/testcontainers/testcontainers-go", "go.uber.org/goleak", "go.uber.org/mock", "gopkg.in/check.v1", "gotest.tools",
    "pgregory.net/rapid",
})  # fmt: skip
_VERSIONED: Final = re.compile(r"/v\d{1,3}")


def read(path: str, content: str) -> ParsedFile:
    """The imports of a Go file that are none of the standard library's; the code below them is not looked at."""
    how = Usage.TEST_ONLY if path.endswith("_test.go") else usage.usage_by_folder(path) or Usage.STATIC_LINK
    paths: set[str] = set()
    at, inside, listed, named, ended = 0, False, False, False, False
    while piece := _TOKEN.search(content, at):
        at, kind = piece.end(), piece.lastgroup or ""
        if kind == "block":
            end = content.find("*/", at)
            at = len(content) if end < 0 else end + 2
        elif kind == "comment":
            tag = None if named else _CONSTRAINT.fullmatch(piece[0])  # Go reads tags only above `package`.
            how = Usage.BUILD_TOOL if tag and tag[1] in _TOOLS else how
        elif kind in {"path", "raw"}:
            paths.update({piece[kind]} if inside else ())
        elif kind == "word" and piece[0] == "package":
            named = True
        elif kind == "word" and piece[0] == "import":
            inside = True
        elif kind == "mark" and inside:
            listed = piece[0] == "(" or (listed and piece[0] != ")")
            inside = listed
        # Go allows imports only before any other declaration.
        elif kind == "word" and not inside and piece[0] in {"func", "type", "var", "const"}:
            ended = True
            break
    # The standard library's paths have no dot there.
    others = frozenset(import_path for import_path in paths if "." in import_path.partition("/")[0])
    complete = ended or len(content) < _MIN_TRUNCATED_CHARACTERS
    return ParsedFile(imports=Imports(others, how, complete)) if others or not complete else ParsedFile()


def settle(found: Iterable[Dependency], sources: Mapping[str, ParsedFile]) -> list[Dependency]:
    """Modules that a go.mod names, as the Go files below it use them; `sources` are reads by path."""
    listed = list(found)
    files = {path: file.imports for path, file in sources.items() if file.imports}
    if not files or not all(file.complete for file in files.values()):  # An import may be unseen.
        return listed
    modules: dict[str, set[str]] = {}
    for dependency in listed:
        for folder, name in _named(dependency):
            modules.setdefault(folder, set()).add(name)
    uses: dict[tuple[str, str], set[Usage]] = {}
    for path, imports in files.items():
        below = nearest(path.rpartition("/")[0], modules)
        if below is None:
            continue
        for package in imports.paths:
            # As in Go, the longest path that fits is the module.
            module = nearest("/".join(package.split("/")[:_MAX_PATH_PARTS]), modules[below])
            if module:
                uses.setdefault((below, module), set()).add(imports.usage)
    return [
        _settled(dependency, {how for each in _named(dependency) for how in uses.get(each, ())})
        for dependency in listed
    ]


def _named(dependency: Dependency) -> list[tuple[str, str]]:
    """The folders of the go.mod files that name a module, with the path by which its packages are imported."""
    places = (each for each in dependency.places if each.path.rpartition("/")[2] == _PLACES and each.said)
    return [(each.path.rpartition("/")[0], each.said.split()[0]) for each in places]


def _settled(dependency: Dependency, uses: set[Usage]) -> Dependency:
    """A module as the files that import it use it; one that no file imports is as go.mod says."""
    if not uses or dependency.usage not in {Usage.STATIC_LINK, Usage.BUILD_TOOL}:
        return dependency
    if Usage.STATIC_LINK in uses:
        return replace(dependency, usage=Usage.STATIC_LINK, why="go.mod: built into the binary")
    if dependency.direct is False or dependency.usage is Usage.BUILD_TOOL:  # `// indirect`: another module needs it.
        return dependency
    if uses == {Usage.BUILD_TOOL}:
        return replace(dependency, usage=Usage.BUILD_TOOL, why="go.mod: only files that list or run tools import it")
    who = "only tests import it" if uses == {Usage.TEST_ONLY} else "only tests, examples and tools import it"
    if all(_VERSIONED.sub("", name) in LIBRARIES for _, name in _named(dependency)):
        return replace(dependency, usage=Usage.TEST_ONLY, why=f"go.mod: a library for tests, and {who}")
    # Tests and examples import libraries, too.
    return replace(dependency, why=f"go.mod: {who}, but it is not known whether another module builds it in")
