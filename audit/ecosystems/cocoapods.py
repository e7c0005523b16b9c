"""CocoaPods: Podfile has the requested pods; Podfile.lock every pod with its version, its needs, and its origin."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath
from typing import Any, Final

from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import yaml_text
from audit.ecosystems.formats.tokenizer import Token, TokenKind, tokens
from audit.ecosystems.origins import NO_REGISTRY, host, named
from audit.ecosystems.parsed_file import Graph, GraphRoot, Include, PackageDetails, ParsedFile, first_lines, rows, text
from audit.ecosystems.purls import of_address, purl
from audit.ecosystems.ruby import gemfile
from audit.facts import Usage

_POD: Final = re.compile(r"([^\s(/]++)((?:/[^\s(]++)?)(?:[ \t]++\(([^)]*+)\))?")
_LISTED: Final = re.compile(r"^  - [\"']*+([^\s(/\"']++)")
# CocoaPods' shared specs had each of these names.
_TRUNK: Final = frozenset({"trunk", "https://github.com/cocoapods/specs", "https://cdn.cocoapods.org"})
_OPTIONS: Final = ("git", "commit", "tag", "branch", "podspec")
_TARGETS: Final = frozenset({"target", "abstract_target"})
_HOOKS: Final = frozenset({"pre_install", "post_install", "pre_integrate", "post_integrate"})
_KNOWN_CALLS: Final = frozenset({  # CocoaPods' own functions, and Ruby's; none of them asks for a pod.
    "platform", "project", "xcodeproj", "workspace", "inherit!", "install!", "plugin", "script_phase", "podspec",
    "use_frameworks!", "use_modular_headers!", "inhibit_all_warnings!", "ensure_bundler!", "supports_swift_versions",
    "generate_bridging_header!", "set_arc_compatibility_flag!", "link_with", "target", "current_target_definition",
    "require", "require_relative", "puts", "print", "warn", "raise", "abort", "system", "return", "else", "elsif", "when", "rescue", "ensure",
    "next", "break", "setup_permissions",
})  # fmt: skip
# Functions of Flutter and React Native: their pods are the native parts of the packages that the tool's manifest names.
_OF_MANIFESTS: Final = {
    **dict.fromkeys((
        "flutter_ios_podfile_setup", "flutter_macos_podfile_setup", "flutter_install_all_ios_pods", "flutter_install_all_macos_pods",
        "flutter_install_ios_plugin_pods", "flutter_install_macos_plugin_pods",
    ), "pubspec.yaml"),
    **dict.fromkeys((
        "use_native_modules!", "use_react_native!", "prepare_react_native_project!", "use_flipper!", "use_expo_modules!",
        "use_unimodules!", "use_test_app!",
    ), "package.json"),
}  # fmt: skip
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


@dataclass
class _Podfile(DependencyList):
    """One Podfile so far: the targets of the open `blocks`, None for a hook, and where pods come from as `source`.

    `manifests` name the packages whose native parts a tool makes pods of.
    """

    blocks: list[str | None] = field(default_factory=list)
    source: str = ""
    manifests: dict[str, Include] = field(default_factory=dict)


def read_podfile(path: str, content: str) -> ParsedFile:
    """Podfile, a Ruby program: its literal `pod` calls are read; those of a target `…Tests` are for tests."""
    podfile = _Podfile(path)
    lines = gemfile.statements(tokens(content))
    defined = {line[1].text for line in lines if line[0].text == "def" and len(line) > 1}
    for line in lines:
        words = [token.text if token.kind is TokenKind.WORD else "" for token in line]
        around = podfile.blocks[-1] if podfile.blocks else ""
        if words[0] == "end":
            del podfile.blocks[-1:]
        # Each block is counted, also one that is no target: `end` does not say which it closes.
        elif words[0] in gemfile.BLOCKS or "do" in words:
            podfile.blocks.append(None if words[0] in _HOOKS else _literal(line) if words[0] in _TARGETS else around)
        elif words[0] == "source":  # Any pod may come from the first private one.
            podfile.source = podfile.source or (_literal(line) if _is_own(_literal(line)) else "")
        elif "pod" in words:
            _add_pod(podfile, line[words.index("pod") + 1 :])
        elif around is not None and (called := _unknown_call(line, words, defined)):
            if called in _OF_MANIFESTS:
                _take_in(podfile, _OF_MANIFESTS[called], line[0].line)
            else:
                podfile.not_read(line[0].line, "calls functions of others, which may ask for pods")
    return podfile.parsed(includes=tuple(podfile.manifests.values()))


def _take_in(podfile: _Podfile, manifest: str, number: int) -> None:
    """A manifest of the tool, which lies in the folder above (`ios/Podfile`), else beside the Podfile."""
    beside = dirname(podfile.path)
    above = join(dirname(beside), manifest)
    at = normpath(join(beside, manifest))
    place = podfile.place(number, manifest)
    podfile.manifests.setdefault(manifest, Include(above if beside else at, place, "cocoapods", or_at=at))


def _literal(line: list[Token]) -> str:
    return next((token.text for token in line[1:] if token.kind in {TokenKind.STRING, TokenKind.SYMBOL}), "")


def _unknown_call(line: list[Token], words: list[str], defined: set[str]) -> str:
    """The function that a statement calls; empty for one of CocoaPods' or Ruby's, or one in the file."""
    # `config = use_native_modules!`; a constant's or an object's method asks for nothing.
    at = 2 if len(line) > 2 and line[1].text == "=" else 0
    after = line[at + 1].text if at + 1 < len(line) else ""
    is_function = words[at][:1].islower() and after not in {".", "[", "=", ":", "|", "?"}
    # A lone word behind `=` is rather a variable.
    is_unknown = is_function and words[at] not in _KNOWN_CALLS | defined and (at == 0 or words[at].endswith("!"))
    return words[at] if is_unknown else ""


def _add_pod(podfile: _Podfile, call: list[Token]) -> None:
    """One `pod "name", "version", option: value` call."""
    call = [token for token in call if token.kind is not TokenKind.MARK or token.text not in {"(", ")"}]
    given = gemfile.options_of(call)
    options = {key: listed[0].text for key, listed in given.items() if listed}
    if not call or call[0].kind is not TokenKind.STRING:
        if call and "path" not in given:
            podfile.not_read(call[0].line, "computes names of pods")
        return
    literal, number = call[0].text, call[0].line
    if "path" in given:  # A folder, also one that is computed.
        podfile.outside(options.get("path", ""), number, f"{literal} {options.get('path', '')}".rstrip())
        return
    pod, ranges = literal.partition("/")[0], gemfile.versions(call)
    version = gemfile.exact(ranges[0]) if len(ranges) == 1 else None
    taken = {f":{key}": options[key] for key in _OPTIONS if key in options}
    url, download = _origin(pod, version or "", taken, podfile.source)
    target = podfile.blocks[-1] if podfile.blocks else ""
    how = Usage.TEST_ONLY if target and _TESTS.fullmatch(target) else Usage.STATIC_LINK
    more = PackageDetails(direct=True, download=download)
    more["version_range"] = "" if version or taken else ", ".join(ranges)  # A repository has no ranges.
    podfile.add(podfile.place(number, " ".join([literal, *ranges])), pod, version, url, how, "Podfile", **more)


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
