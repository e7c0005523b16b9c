"""CocoaPods: Podfile has the requested pods; Podfile.lock every pod with its version, its needs, and its origin."""

import re
from collections.abc import Mapping
from typing import Any, Final

from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.formats.tokenizer import TokenKind, tokens
from audit.ecosystems.origins import NO_REGISTRY, host, named
from audit.ecosystems.parsed_file import Graph, GraphRoot, PackageDetails, ParsedFile, first_lines, rows, text
from audit.ecosystems.purls import of_address, purl
from audit.ecosystems.ruby import gemfile
from audit.facts import Usage

_POD: Final = re.compile(r"([^\s(/]++)((?:/[^\s(]++)?)(?:[ \t]++\(([^)]*+)\))?")
_LISTED: Final = re.compile(r"^  - [\"']*+([^\s(/\"']++)")
# CocoaPods' shared specs had each of these names.
_TRUNK: Final = frozenset({"trunk", "https://github.com/cocoapods/specs", "https://cdn.cocoapods.org"})
_OPTIONS: Final = ("git", "commit", "tag", "branch", "podspec")
_TESTS: Final = re.compile(r".*Tests?")  # Xcode's templates name the targets of tests so.


def read(path: str, content: str) -> ParsedFile:
    """Every pod once, its subspecs together; one in a folder of the repository is its own."""
    data = yaml_text.top(content)
    sources = yaml_text.mapped(data.get("EXTERNAL SOURCES"))
    taken = yaml_text.mapped(data.get("CHECKOUT OPTIONS"))  # The commit that was taken, for a branch or tag asked for.
    repositories = {
        text(pod): where
        for where, pods in yaml_text.mapped(data.get("SPEC REPOS")).items()
        for pod in rows(pods)
        if _is_own(where)  # The shared specs are the registry.
    }
    pods: dict[str, str] = {}
    needs: dict[str, set[str]] = {}
    for entry in rows(data.get("PODS")):
        written, listed = next(iter(entry.items()), ("", [])) if isinstance(entry, dict) else (text(entry), [])
        pod = _POD.match(written)
        if pod and ":path" not in yaml_text.mapped(sources.get(pod[1])):
            pods.setdefault(pod[1], pod[3] or "")  # Subspecs (`Name/Part`) are parts of one pod, with one version.
            needs.setdefault(pod[1], set()).update(_name(need) for need in rows(listed))
    lines = first_lines(content, _LISTED)
    direct = tuple(_name(need) for need in rows(data.get("DEPENDENCIES")))
    roots = [GraphRoot(name, Usage.STATIC_LINK, "DEPENDENCIES") for name in direct]
    graph = Graph(roots=roots, own={"Podfile": direct})
    found = DependencyList(path)
    for name, version in pods.items():
        options = yaml_text.mapped(taken.get(name) or sources.get(name))
        url, download = _origin(name, version, options, repositories.get(name, ""))
        found.add(lines.get(name), name, version, url, Usage.STATIC_LINK, "Podfile.lock", download=download)
        graph.add((name,), sorted(needs[name] - {name}))
    return found.parsed(graph=graph)


def _is_own(source: str) -> bool:
    return source.lower().removesuffix("/").removesuffix(".git") not in _TRUNK


def read_podfile(path: str, content: str) -> ParsedFile:
    """Podfile, a Ruby program: its literal `pod` calls alone are read; those of a target `…Tests` are for tests."""
    found = DependencyList(path)
    targets: list[str] = []
    source = ""
    for line in gemfile.statements(tokens(content)):
        first = line[0].text if line[0].kind is TokenKind.WORD else ""
        literal = next((token.text for token in line[1:] if token.kind in {TokenKind.STRING, TokenKind.SYMBOL}), "")
        if first == "end":
            targets = targets[:-1]
        # Each block is counted, also one that is no target: `end` does not say which it closes.
        elif any(token.kind is TokenKind.WORD and token.text == "do" for token in line):
            targets.append(literal)
        elif first == "source":
            source = source or (literal if _is_own(literal) else "")  # Any pod may come from the first private one.
        elif first == "pod" and literal:
            call = [token for token in line[1:] if token.text not in {"(", ")"}]
            options = {key: listed[0].text for key, listed in gemfile.options_of(call).items() if listed}
            number, pod = line[0].line, literal.partition("/")[0]
            if "path" in options:
                found.outside(options["path"], number, f"{literal} {options['path']}")
                continue
            ranges = gemfile.versions(call)
            version = gemfile.exact(ranges[0]) if len(ranges) == 1 else None
            given = {f":{key}": options[key] for key in _OPTIONS if key in options}
            url, download = _origin(pod, version or "", given, source)
            how = Usage.TEST_ONLY if targets and _TESTS.fullmatch(targets[-1]) else Usage.STATIC_LINK
            more = PackageDetails(direct=True, download=download)
            more["version_range"] = "" if version or given else ", ".join(ranges)  # A repository has no ranges.
            found.add(found.place(number, " ".join([literal, *ranges])), pod, version, url, how, "Podfile", **more)
    return found.parsed()


def _name(written: object) -> str:
    """The pod of `Name/Part (~> 1.0)`."""
    pod = _POD.match(text(written))
    return pod[1] if pod else ""


def _origin(name: str, version: str, options: Mapping[str, Any], repository: str) -> tuple[str | None, str | None]:
    """Package URL and download of a pod: of the public specs, of others, or of a repository at its commit."""
    git = text(options.get(":git"))
    if not git:
        # Options such as `:podspec` lead away from the registry.
        elsewhere = host(repository) or repository or (NO_REGISTRY if options else "")
        return named(purl("cocoapods", name, version or None), elsewhere), None
    mark = text(options.get(":commit")) or text(options.get(":tag")) or version
    return of_address(git, mark, name), artifacts.repository(git, mark)
