"""Gemfile: which gems are asked for, and in which groups; a program of Ruby's, of which only literal calls are read."""

import re
from dataclasses import dataclass, field, replace
from posixpath import dirname, join, normpath
from typing import Final

from audit import usage
from audit.ecosystems import origins
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats.tokenizer import END, Token, TokenKind, tokens, value
from audit.ecosystems.parsed_file import Include, PackageDetails, ParsedFile, said
from audit.ecosystems.purls import of_options, purl
from audit.facts import Dependency, Usage

COMPUTED: Final = "computes names of gems"
_TAKES_IN: Final = frozenset({"eval_gemfile", "instance_eval", "eval", "load"})  # Other files, as parts of this one.
BLOCKS: Final = frozenset({"if", "unless", "case", "begin", "def", "class", "module", "while", "until", "for"})
_ORIGINS: Final = ("git", "github", "path")
ANY: Final = ">= 0"  # RubyGems writes this where nothing is said of the version.
_EXACT: Final = re.compile(r"=?[ \t]*+(\d++(?:\.[0-9A-Za-z]++)*+)")

# These test, check, document or package, also works in other languages: no part of them is delivered.
_TOOLS: Final = re.compile(
    r"(?:rspec|rubocop|danger|cocoapods|fastlane-plugin|guard|minitest|simplecov)(?:-[a-z0-9_-]{1,60})?"
    r"|fastlane|jazzy|xcpretty|xcode-install|slather|test-unit|yard|rdoc|pry|byebug|brakeman|bundler-audit|overcommit|reek|jekyll|github-pages"
)


@dataclass
class _Gemfile(DependencyList):
    """The Gemfile so far: groups and origins of the open `blocks`, and the registry of all gems as `source`.

    `of_gem`: a gemspec beside it is taken in, so it is the Gemfile of who develops a gem. `parts` are other Gemfiles that it
    takes in, `texts` stand in the values of its variables.
    An origin is a registry's address, or with its option's name (`git`, `github`, `path`) that of a repository or a folder.
    """

    blocks: list[tuple[list[str], str]] = field(default_factory=list)
    source: str = ""
    of_gem: bool = False
    parts: list[Include] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)


def read(path: str, content: str) -> ParsedFile:
    """All `gem` calls with their groups; a `path:` is the repository's own, a version counts where it is exact."""
    gemfile = _Gemfile(path)
    for line in statements(tokens(content)):
        _statement(gemfile, line)
    if gemfile.of_gem:
        gemfile.dependencies = list(map(_of_developers, gemfile.dependencies))
    return gemfile.parsed(includes=tuple(gemfile.parts))


def _of_developers(dependency: Dependency) -> Dependency:
    """A gem of the Gemfile beside a gemspec: who installs the gem gets what the gemspec names."""
    # A gemspec can't say where a gem comes from: one from a repository or a registry of its own stays.
    if (
        dependency.usage in usage.NOT_SHIPPED
        or not (dependency.purl or "").startswith("pkg:gem/")
        or "?" in (dependency.purl or "")
    ):
        return dependency
    return replace(dependency, usage=Usage.DEV_TOOL, why="Gemfile: of a gem, whose gemspec names what runs")


def exact(version: str) -> str | None:
    """The one version that a requirement of RubyGems allows; None for a range."""
    found = _EXACT.fullmatch(version.strip())
    return found[1] if found else None


def statements(read: list[Token]) -> list[list[Token]]:
    """The tokens of each statement: a line, and the next one where the line ends in a comma or an open bracket.

    A block in one line (`if x then gem "a" end`) has as many as in several.
    """
    found: list[list[Token]] = [[]]
    for token in read:
        word = token.text if token.kind is TokenKind.WORD else ""
        if (token.kind is TokenKind.MARK and token.text == ";") or (word == "end" and found[-1]):
            found.append([])
        if token.kind is not TokenKind.LINE:
            found[-1] += [token] if token.kind is not TokenKind.MARK or token.text != ";" else []
        elif found[-1] and not (found[-1][-1].kind is TokenKind.MARK and found[-1][-1].text in {",", "(", "[", "{"}):
            found.append([])
        if word in {"do", "then"}:
            found.append([])
    return [line for line in found if line]


def _statement(gemfile: _Gemfile, line: list[Token]) -> None:
    """One statement: a block that opens or closes, a registry, another file, gems."""
    words = [token.text if token.kind is TokenKind.WORD else "" for token in line]
    first = words[0]
    if first == "end":
        del gemfile.blocks[-1:]
    elif first in BLOCKS or "do" in words[1:]:
        _open(gemfile, first, line)
    elif first == "source":  # The first registry counts.
        gemfile.source = gemfile.source or next((token.text for token in line if token.kind is TokenKind.STRING), "")
    elif first == "gemspec":
        gemfile.of_gem = True
    elif first == "plugin":
        _gem(gemfile, line[1:], [], is_plugin=True)
    elif not _TAKES_IN.isdisjoint(words):
        _take_in(gemfile, line, next(at for at, word in enumerate(words) if word in _TAKES_IN))
    elif len(line) > 1 and line[1].text == "=":
        gemfile.texts[line[0].text] = [token.text for token in line[2:] if token.kind is TokenKind.STRING]
    else:
        starts = [at for at, word in enumerate(words) if word == "gem"]
        # `group(:test) { gem "x" }` may stand in one line.
        inline = value(line, 1)[0] if first == "group" else []
        for at, until in zip(starts, [*starts[1:], len(line)], strict=False):
            _gem(gemfile, line[at + 1 : until], [token.text for token in inline])


def _open(gemfile: _Gemfile, first: str, line: list[Token]) -> None:
    """A block with the groups and the origin of the gems in it."""
    groups, source = gemfile.blocks[-1] if gemfile.blocks else ([], "")
    if first == "group":
        groups = [token.text for token in line if token.kind in {TokenKind.SYMBOL, TokenKind.STRING}]
    elif first in {"source", *_ORIGINS}:
        said_there = next((token.text for token in line if token.kind is TokenKind.STRING), source)
        source = said_there if first == "source" else f"{first} {said_there}"
    gemfile.blocks.append((groups, source))


def _take_in(gemfile: _Gemfile, line: list[Token], at: int) -> None:
    """Another Gemfile, read where the call at that place, or the value of its variable, has one text, the path."""
    until = next((end for end in range(at, len(line)) if line[end].text in {"if", "unless"}), len(line))
    call = line[at + 1 : until]
    named = [token.text for token in call if token.kind is TokenKind.STRING]
    named = named or next((gemfile.texts[token.text] for token in call if token.text in gemfile.texts), [])
    path = named[0].removeprefix("#{__dir__}/") if len(named) == 1 else ""
    if not path or "#{" in path:
        gemfile.not_read(line[at].line, "takes in other Gemfiles whose paths are computed")
        return
    # `File.expand_path("../Gemfile.x", __FILE__)` begins at the file itself.
    path = path.removeprefix("../") if any(token.text == "__FILE__" for token in call) else path
    place = gemfile.place(line[at].line, f"{line[at].text} {path}")
    optional = until < len(line) or bool(gemfile.blocks)
    gemfile.parts.append(Include(normpath(join(dirname(gemfile.path), path)), place, "ruby", optional))


def _gem(gemfile: _Gemfile, call: list[Token], groups: list[str], *, is_plugin: bool = False) -> None:
    """One `gem "name", "version", option: value` call, or one of a plug-in of Bundler's, which helps to install gems."""
    call = call[1:] if call and call[0].text == "(" and call[0].kind is TokenKind.MARK else call
    if not call or call[0].kind is not TokenKind.STRING or not call[0].text:
        if call and "path" not in options_of(call):  # A path is the repository's own.
            gemfile.not_read(call[0].line, COMPUTED)
        return
    around, source = gemfile.blocks[-1] if gemfile.blocks else ([], "")
    name, options = call[0].text, options_of(call)
    origin, _, address = source.partition(" ")
    if origin in _ORIGINS and not {*_ORIGINS, "source"} & options.keys():  # The gem's own words count first.
        options |= {origin: [Token(TokenKind.STRING, address, call[0].line)]}
    source = "" if origin in _ORIGINS else source
    if "path" in options:
        for option in options["path"][:1]:
            gemfile.outside(option.text, call[0].line, f"{name} {option.text}")
        return  # The repository's own.
    named = [token.text for key in ("group", "groups") for token in options.get(key, [])] or groups or around
    ranges = versions(call)
    version = exact(ranges[0]) if len(ranges) == 1 else None
    how, why = used(named)
    if is_plugin:
        how, why = Usage.BUILD_TOOL, "a plug-in of Bundler"
    elif not named and _TOOLS.fullmatch(name):
        how, why = Usage.DEV_TOOL, "a tool of development, by its name"
    place = gemfile.place(call[0].line, " ".join([name, *ranges]))
    url = _purl(name, version, options, source or gemfile.source)
    is_released = (url or "").startswith("pkg:gem/")
    wanted = ", ".join(ranges) or ANY
    more = PackageDetails(direct=True, version_range=wanted if is_released and not version else "")
    gemfile.add(place, name, version, url, how, f"Gemfile: {why}", **more)


def used(groups: list[str]) -> tuple[Usage, str]:
    """The usage of gems of these groups, the most binding first; a group that no tool is named after runs."""
    if not groups:
        return Usage.RUNTIME_IMPORT, "what runs"
    how = usage.strongest(*(usage.group(group) or Usage.RUNTIME_IMPORT for group in groups))
    return how, f"group {said(', '.join(groups))}"


def options_of(call: list[Token]) -> dict[str, list[Token]]:
    """The options of a call, in both of Ruby's spellings: `group: :test`, `:group => :test`."""
    found: dict[str, list[Token]] = {}
    end = 0
    for at, token in enumerate(call):
        is_label = token.kind is TokenKind.LABEL
        is_key = token.kind is TokenKind.SYMBOL and [other.text for other in call[at + 1 : at + 3]] == ["=", ">"]
        if at >= end and (is_label or is_key):
            named, end = value(call, at + (1 if is_label else 3))
            found.setdefault(token.text, named)
    return found


def versions(call: list[Token]) -> list[str]:
    """The requirements behind the name, up to the first option."""
    found = []
    for at, token in enumerate(call[1:], 1):
        nearby = call[at + 1] if at + 1 < len(call) else END
        if token.kind is TokenKind.LABEL or (token.kind is TokenKind.SYMBOL and nearby.text == "="):  # `:git => "…"`.
            break
        if token.kind is TokenKind.STRING:
            found.append(token.text)
    return found


def _purl(name: str, version: str | None, options: dict[str, list[Token]], source: str) -> str | None:
    """The gem's package URL: of its repository, or of its registry."""
    first = {key: listed[0].text for key, listed in options.items() if listed}
    if "github" in first or "git" in first:
        return of_options(first, name)
    return origins.taken(purl("gem", name, version), first.get("source") or source)
