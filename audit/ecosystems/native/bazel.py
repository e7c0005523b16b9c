"""Bazel: repositories that MODULE.bazel, WORKSPACE and `*.bzl` bring, and the uses that BUILD files spell out of them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.formats import python_literals
from audit.ecosystems.native import known_libraries, named_libraries, platform_libraries, starlark
from audit.ecosystems.native.bazel_hubs import Hubs
from audit.ecosystems.native.starlark import StarlarkCall
from audit.ecosystems.parsed_file import AskedLibrary, BuildFile, PackageDetails, ParsedFile, dependency_at, said
from audit.ecosystems.purls import of_address, of_archive, purl, version_of_archive
from audit.facts import Dependency, Place, Usage
from audit.usage import NOT_SHIPPED, usage_by_folder

# Ends of the names of rules that fetch something.
_DECLARES: Final = ("bazel_dep", "http_archive", "http_file", "git_repository", "go_repository", "http_jar", "maybe")
_COORDINATES: Final = re.compile(
    r"([A-Za-z0-9_.-]++):([A-Za-z0-9_.-]++)(?::[a-z]++(?:-[a-z]++)*+)?:(\d[A-Za-z0-9_.+-]*+)"
)
_LABEL: Final = re.compile(r"@@?([A-Za-z0-9_.+~-]++)(?:~[^/]*+)?(?://|$)")
_TOOLS: Final = (
    "rules_",
    "bazel_",
    "io_bazel_",
    "build_bazel_",
    "aspect_",
    "toolchains_",
    "local_config_",
    "remotejdk",
    "toolchain",
)
_TOOL_NAMES: Final = frozenset({
    "platforms", "gazelle", "bazel_tools", "buildifier_prebuilt", "apple_support", "stardoc", "host_platform", "buildtools",
    "com_github_bazelbuild_buildtools", "hedron_compile_commands", "hermetic_cc_toolchain", "llvm_toolchain", "bant", "package_metadata",
})  # fmt: skip
_LINKED: Final = (
    "deps", "implementation_deps", "interface_deps", "private_deps", "public_deps", "runtime_deps", "exports", "embed", "srcs", "hdrs",
    "textual_hdrs", "actual", "data", "malloc", "additional_linker_inputs", "dynamic_deps", "static_library", "shared_library",
)  # fmt: skip
_FLAGS: Final = ("linkopts", "user_link_flags", "static_library", "shared_library", "interface_library")
_RUN_BY_BUILD: Final = ("tools", "exec_tools", "toolchains", "compiler", "plugins", "generator", "cfg")
_NO_USE: Final = frozenset({"load", "package", "licenses", "exports_files"})
_TEST_RULE: Final = re.compile(r"(?:^|_)(?:tests?|fuzz\w*|benchmarks?)$")
_HOST_PREFIX: Final = re.compile(r"^(?:com_github_|com_googlesource_code_|com_google_|com_gitlab_|org_|net_|io_)")
_REVISION: Final = re.compile(r"\.bcr\.\d++$")  # A revision of Bazel's registry, not of the library.


def read(path: str, content: str) -> ParsedFile:
    """The repositories fetched and built in; rules for Bazel itself (`rules_…`, `bazel_…`) are tools of the build."""
    found: list[AskedLibrary] = []
    java: list[Dependency | None] = []
    own: set[str] = set()
    hubs = Hubs(path)
    aliases: dict[str, str] = {}
    for call in starlark.calls(content):
        name = call.text("name")
        hubs.add(call)
        if call.name in {"module", "workspace"}:
            own |= {repository for repository in (name, call.text("repo_name")) if repository}
        elif call.name == "local_path_override":
            own.add(call.text("module_name"))
        if call.name == "maven.artifact":
            java.append(_java_of(path, call.line, call.text("group"), call.text("artifact"), call.text("version")))
        elif _declares(call) and name:
            dependency = _declared(path, call, name)
            found.append(AskedLibrary(name, dependency))
            aliases |= {call.text("repo_name"): name} if call.text("repo_name") else {}
    used, mentioned = _used(path, content)
    found += used if path.endswith(".bzl") else []  # A macro may use what it names.
    others = (*_java(path, content), *filter(None, java), *hubs.brings)
    found += [AskedLibrary("", dependency) for dependency in others]
    build = BuildFile(asked=tuple(found), packages=frozenset(hubs.names), wraps=aliases, libraries=mentioned)
    findings, lists = tuple(hubs.findings), tuple(hubs.lists)
    return ParsedFile(own=frozenset(own), build=build, findings=findings, includes=lists)


def read_build(path: str, content: str) -> ParsedFile:
    """BUILD files: the labels of other repositories (`@x//…`), and words for the linker."""
    used, mentioned = _used(path, content)
    return ParsedFile(build=BuildFile(asked=tuple(used), libraries=mentioned))


def settle(reads: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The files by path: fetched repositories count as they are used; so do used ones that no file fetches."""
    builds = [(path, file, file.build) for path, file in reads.items() if file.build]
    own = {name for _, file, _ in builds for name in file.own}
    hubs = {name for _, _, build in builds for name in build.packages}
    aliases = {alias: name for _, _, build in builds for alias, name in build.wraps.items()}
    declared = {library.name for _, _, build in builds for library in build.asked if not library.is_linked}
    used: dict[str, set[Usage]] = {}
    for path, _, build in builds:
        aside = usage_by_folder(path)
        for name in build.libraries:
            used.setdefault(aliases.get(name, name), set()).add(aside or Usage.STATIC_LINK)
        for library in build.asked:
            if library.is_linked and library.name:
                used.setdefault(aliases.get(library.name, library.name), set()).add(aside or library.dependency.usage)
    settled = dict(reads)
    for path, read_file, build in builds:
        kept = []
        for library in build.asked:
            is_ours = library.name in own or library.name in hubs
            # A declared repository counts where it is declared: its labels say only how it is used.
            if not library.is_linked and library.name not in own:
                kept.append(_as_used(library.dependency, used.get(library.name, set())))
            elif library.is_linked and (
                not library.name or (not is_ours and aliases.get(library.name, library.name) not in declared)
            ):
                kept.append(library.dependency)
        settled[path] = replace(read_file, dependencies=tuple(kept))
    return settled


def alone(path: str, content: str) -> ParsedFile:
    """A file of any of these kinds, settled as if it was the only one."""
    is_build = path.rpartition("/")[2] in {"BUILD", "BUILD.bazel"}
    return settle({path: (read_build if is_build else read)(path, content)})[path]


def _as_used(dependency: Dependency, how: set[Usage]) -> Dependency:
    if not how or dependency.usage is not Usage.STATIC_LINK or not how <= NOT_SHIPPED | {Usage.DYNAMIC_LINK}:
        return dependency  # Another one that is fetched may need it.
    by = "linkstatic = False" if Usage.DYNAMIC_LINK in how else "only targets of tests and tools use it"
    return replace(dependency, usage=usage.strongest(*how), why=f"{dependency.why}; {by}")


def _declares(call: StarlarkCall) -> bool:
    """Whether it fetches something, also under a name of its own (`tf_http_archive`) or as `maybe(http_archive, …)`."""
    function = call.name.rpartition(".")[2]
    return function.endswith(_DECLARES) and (
        function != "maybe" or any(name.endswith(_DECLARES) for name in call.names)
    )


def _declared(path: str, call: StarlarkCall, name: str) -> Dependency:
    address = call.text("remote", "urls", "url")
    stated = call.text("version", "tag", "commit")
    inside = (version_of_archive(source) for source in (call.text("strip_prefix"), address))
    version = _REVISION.sub("", stated) or next(filter(None, inside), None)
    rule = next((function for function in call.names if function.endswith(_DECLARES)), call.name.rpartition(".")[2])
    git = rule.endswith("git_repository")
    if rule == "go_repository":
        parts = call.text("importpath") or name
        url = purl("golang", parts.rpartition("/")[2], version, parts.rpartition("/")[0])
    else:
        url = of_address(address, version, name) if git else of_archive(address, version, name)
    known = next((library for each in _names(name, url) if (library := known_libraries.known_at(each, version))), None)
    how, why = _how(name, url, call)
    place = Place(path, call.line, said(f"{rule} {name} {version or ''}"))
    more: PackageDetails = {"download": artifacts.repository(address, version) if git else artifacts.address(address)}
    more["direct"] = True
    more["checksums"] = () if git or not address else artifacts.checksum("sha256", call.text("sha256"))
    if known and how not in NOT_SHIPPED:
        more["license"] = known_libraries.learned(known, place)
        how = Usage.HEADER_ONLY if known.header_only else how
    return dependency_at(place, name, version, url, how, f"Bazel: {rule}{why}", **more)


def _names(name: str, url: str | None) -> tuple[str, ...]:
    """The names a library may be known by: its repository's, its own, and that without the host (`com_google_absl`)."""
    of_repository = (url or "").partition("@")[0].rpartition("/")[2]
    return of_repository, name, _HOST_PREFIX.sub("", name), _HOST_PREFIX.sub("", name).partition("_")[2] or name


def _how(name: str, url: str | None, call: StarlarkCall) -> tuple[Usage, str]:
    """Bazel links statically unless told otherwise."""
    if call.text("dev_dependency") == "True":
        return Usage.DEV_TOOL, ", dev_dependency"
    if _is_tool(name):
        return Usage.BUILD_TOOL, ", rules of the build"
    known = next((how for candidate in _names(name, url) if (how := usage.by_name(candidate.replace("_", "-")))), None)
    return (known, "") if known else (Usage.STATIC_LINK, ", linked statically unless told otherwise")


def _is_tool(name: str) -> bool:
    return name.startswith(_TOOLS) or name in _TOOL_NAMES


def _java(path: str, content: str) -> Iterator[Dependency]:
    """The archives that rules_jvm_external is told of, by their coordinates, wherever the list of them stands."""
    for _, text, line in python_literals.tokens(content) if _COORDINATES.search(content) else ():
        match = _COORDINATES.fullmatch(text) if text else None
        # A label can look alike: coordinates have a dot in the group or in the version.
        found = (
            _java_of(path, line, match[1], match[2], match[3])
            if match and ("." in match[1] or "." in match[3])
            else None
        )
        if found:
            yield found


def _java_of(path: str, line: int, group: str, name: str, version: str) -> Dependency | None:
    if not group or not name:
        return None
    place, url = Place(path, line, said(f"{group}:{name}:{version}")), purl("maven", name, version or None, group)
    return dependency_at(place, f"{group}:{name}", version, url, Usage.DYNAMIC_LINK, "Bazel: maven", direct=True)


def _used(path: str, content: str) -> tuple[list[AskedLibrary], frozenset[str]]:
    """The other repositories that the rules of a file use, each once for each way; and those that its texts mention."""
    found: dict[tuple[str, Usage], AskedLibrary] = {}
    aside: set[tuple[str, int]] = set()
    for call in starlark.calls(content):
        is_test = bool(_TEST_RULE.search(call.name)) or call.text("testonly") in {"True", "1"}
        is_shared = call.text("linkstatic") == "False"
        if is_test or is_shared or call.name in _NO_USE or _declares(call):
            aside.update(call.texts(*call.arguments))
        if call.name in _NO_USE:
            continue
        aside.update(call.texts(*_RUN_BY_BUILD))
        linked = Usage.TEST_ONLY if is_test else Usage.DYNAMIC_LINK if is_shared else Usage.STATIC_LINK
        for keys, how in ((_LINKED, linked), (_RUN_BY_BUILD, Usage.BUILD_TOOL)):
            for text, line in call.texts(*keys):
                name = _repository(text)
                if name:
                    found.setdefault((name, how), _labelled(name, how, Place(path, line, said(text))))
        found |= _flags(path, call, is_test=is_test)
    # A macro may link what is named anywhere in the file, if no rule for tests or tools names it.
    texts = ((text, line) for _, text, line in python_literals.tokens(content) if text and "@" in text)
    mentioned = frozenset(name for text, line in texts if (text, line) not in aside and (name := _repository(text)))
    return list(found.values()), mentioned


def _repository(text: str) -> str:
    """The other repository that a label names; empty for tools of the build, and for all other texts."""
    label = _LABEL.match(text)
    name = label[1].partition("~")[0].rstrip("+") if label else ""  # Canonical names: `x+`, `x~1.0`.
    return "" if _is_tool(name) else name


def _labelled(name: str, how: Usage, place: Place) -> AskedLibrary:
    known = next((found for each in _names(name, None) if (found := known_libraries.by_name(each))), None)
    dependency = known_libraries.dependency(name, known, how, "Bazel: a label of another repository", place)
    return AskedLibrary(
        name, replace(dependency, usage=how) if dependency.usage not in NOT_SHIPPED else dependency, is_linked=True
    )


def _flags(path: str, call: StarlarkCall, *, is_test: bool) -> dict[tuple[str, Usage], AskedLibrary]:
    """`linkopts = ["-lx"]`, and files of libraries that an import names."""
    found: dict[tuple[str, Usage], AskedLibrary] = {}
    for text, line in call.texts(*_FLAGS):
        for linked in (*named_libraries.linked(text), *named_libraries.files(text)):
            if not linked.name or "$" in linked.name or platform_libraries.is_system(linked.name, text):
                continue
            known = known_libraries.linked_as(linked.name)
            how = Usage.TEST_ONLY if is_test else Usage.STATIC_LINK if linked.static else None
            dependency = known_libraries.dependency(
                linked.name, known, how, "Bazel: linkopts", Place(path, line, said(text))
            )
            found[(f"-l{linked.name}", dependency.usage)] = AskedLibrary("", dependency, is_linked=True)
    return found
