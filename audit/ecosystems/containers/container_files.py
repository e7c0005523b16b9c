"""Container files: packages and images in a delivered image go along with the work, those of other stages build it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import takewhile
from posixpath import join, normpath
from typing import Final

from audit import usage
from audit.ecosystems.containers import install_commands, unread_commands, variables
from audit.ecosystems.containers.instructions import HEAD_CHARACTERS, logical_lines
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.parsed_file import Include, ParsedFile, said
from audit.ecosystems.purls import canonical, purl
from audit.facts import Place, Usage

_LINE: Final = re.compile(r"[ \t]*+(FROM|RUN|ARG|ENV|COPY|ADD)[ \t]++(.*+)", re.IGNORECASE | re.DOTALL)
# A flag of COPY or RUN stands before its own words: a command may have a flag of that name.
_TAKEN_FROM: Final = re.compile(r"--(?:from=|mount=(?:[^ \t]*?,)?from=)([^ \t,]++).*+")
_DISTRIBUTIONS: Final = (
    "debian",
    "ubuntu",
    "alpine",
    "fedora",
    "centos",
    "rockylinux",
    "almalinux",
    "openeuler",
    "opensuse",
    "amazonlinux",
)
_NOT_PRODUCTS: Final = frozenset({
    "ci", "github", "gitlab", "gitlab-ci", "circleci", "buildkite", "jenkins", "devcontainer", "dev", "development", "devel",
    "kokoro", "buildbot", "cirrus", "clusterfuzzlite", "oss-fuzz", "fuzz", "manylinux", "build-images", "builder", "builders", "toolchain",
    "toolchains", "build-env", "buildenv", "build-image",
})  # fmt: skip
"""Folders of container files that deliver nothing."""
_ARTIFACTS: Final = re.compile(r"(?:^|[-_.])artifacts?(?:$|[-_.])")
"""Folders of images in which files for a release are made (`protoc-artifacts`, `grpc_artifact_linux`)."""
_TOOLS: Final = re.compile(
    r"(?:^|[-_.])(?:clang[-_]?(?:format|tidy)|iwyu|scan[-_]?build|shellcheck|cross(?:compil\w{1,5})?|rake[-_]compiler[-_]dock)(?:$|[-_.])"
)
"""Names of images in which sources are checked, or are compiled for other systems, by the tools for that."""
_RUNS_WHAT: Final = re.compile(r"^[ \t]*+(?:ENTRYPOINT|CMD|EXPOSE|HEALTHCHECK)[ \t]", re.IGNORECASE | re.MULTILINE)
# Stages that are an environment for developers: a stage that only stands on one is that, too.
_DEVELOPMENT: Final = frozenset({"dev", "devel", "develop", "development"})
_MIN_COMPILERS: Final = 3  # One or two may build a product's own extensions.
_COMPILERS: Final = frozenset({
    "autoconf", "automake", "bazel", "libtool", "git", "pkg-config", "build-base", "build-essential", "ccache", "clang", "cmake", "g++", "gcc", "gcc-c++", "llvm", "make",
    "maven", "meson", "ninja-build", "rpm-build", "rustc", "cargo", "default-jdk", "debhelper", "devscripts",
})  # fmt: skip
"""Packages that compile, or help to."""
# A file that only adds compilers to an image has none of these signs.
_TAKES_IN: Final = re.compile(
    r"^[ \t]*+(?:COPY|ADD|ENTRYPOINT|EXPOSE|USER|HEALTHCHECK|ONBUILD)[ \t]"
    r"|^[ \t]*+CMD[ \t]++(?!\[?[ \t]*+[\"']?(?:/\S*/)?(?:ba|da|a|z)?sh\b|\[?[ \t]*+[\"']?true\b)"
    r"|\b(?:del|remove|purge|autoremove|erase)\b|\bgit[ \t]++clone\b|\b(?:pip3?|npm|gem|go|cargo)[ \t]++install\b|\bmake[ \t]++install\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Signs that a work is put into an image, or that it serves something."""
_MAX_NAME_CHARACTERS: Final = 200
_MAX_PATTERNS: Final = 100  # Names of stages with variables in them: each is compared with all stages.
_INSTRUCTION: Final = re.compile(
    r"(?:FROM|RUN|CMD|LABEL|MAINTAINER|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|ARG|ONBUILD|STOPSIGNAL|HEALTHCHECK|SHELL)[ \t]++\S",
    re.IGNORECASE,
)
_COMPUTED: Final = re.compile(r"\$|<%|\{\{")
"""A variable without a value, or a template's."""
_FILLED_IN: Final = re.compile(r"@\w++@|%\w++%")  # In a template that another tool fills in.
# Only these names are sure: `Dockerfile.x` may be a template whose instructions stand in another file.
_IS_ONE: Final = re.compile(r"(?:docker|container)file|.*\.dockerfile", re.IGNORECASE)


# pip's lists that are read by their names, wherever they lie.
_READ_BY_NAME: Final = re.compile(
    r"(?:^|/)(?:(?:[^/]*requirements[^/]*|requirements/[^/]+)\.(?:txt|in|lock)|pyproject\.toml|setup\.(?:py|cfg))$"
)
_ARCHIVE: Final = re.compile(r"(?i).*\.(?:tar|tgz|tbz2?|txz|tar\.\w{1,4})")  # ADD unpacks these.
_FROM_THE_NET: Final = re.compile(r"(?i)(?:https?|git|ssh|ftp)://|git@|\$\{?\w{0,40}(?:url|repo)")


@dataclass
class _Stage:
    """One stage from its `line` on: its `image`, its `name`, the commands it `runs`, and the names it `copies` from.

    `stands_on` is the image as it is written: a variable in it may stand for any stage. `takes` are the files that COPY
    and ADD name, `adds` those of ADD alone. `values` are its variables.
    """

    line: int
    image: str
    name: str
    stands_on: str
    values: dict[str, str]
    runs: list[tuple[int, str]] = field(default_factory=list)
    copies: list[tuple[int, str]] = field(default_factory=list)
    takes: list[str] = field(default_factory=list)
    adds: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class _StagePatterns:
    """The `stages` that a name with a variable in it (`build-$TARGETARCH`) may mean: `known` has their numbers by name."""

    stages: list[_Stage]
    known: dict[str, list[int]] = field(default_factory=dict)

    def fitting(self, written: str) -> list[int]:
        """Their numbers; none for a variable alone, which is rather an image."""
        pattern = variables.with_any(written[:_MAX_NAME_CHARACTERS]).lower()
        if pattern not in self.known:
            is_some = pattern.strip("*") and len(self.known) < _MAX_PATTERNS
            named = enumerate(self.stages if is_some else ())
            self.known[pattern] = [at for at, stage in named if fnmatchcase(stage.name, pattern)]
        return self.known[pattern]


def read(path: str, content: str) -> ParsedFile:
    """Stages in their order: those that are delivered with those on which they stand, the others build."""
    found = DependencyList(path)
    stages, known = _stages(content)
    if not known and content.strip() and _IS_ONE.fullmatch(found.file):
        found.broken(1, "no instruction of a container file in it")
    installed = {word for stage in stages for _, command in stage.runs for word in command.split()[:2_000]}
    # An image of one stage that has little but compilers, and takes in nothing of the work, is there for builds.
    compiles = len(stages) == 1 and len(_COMPILERS & installed) >= _MIN_COMPILERS and not _TAKES_IN.search(content)
    aside = _aside(path) or (Usage.BUILD_TOOL if compiles else None)
    taken_up = _taken_up(stages)
    last = stages[-1] if stages and stages[-1].stands_on.lower() in _DEVELOPMENT else None
    # Unless it takes files of another one, runs commands, or says what is run in it.
    if last and not (last.copies or last.runs or _RUNS_WHAT.search("\n".join(content.split("\n")[last.line :]))):
        aside = aside or Usage.DEV_TOOL
    found.findings += install_commands.not_whole(path, (run for stage in stages for run in stage.runs))
    patterns = _StagePatterns(stages)
    shipped = _shipped(stages, taken_up, patterns)
    names: set[str] = set()
    includes: list[Include] = []
    unread: dict[str, int] = {}  # Each clause is said once, at its first line.
    for at, stage in enumerate(stages):
        alone = None if at in shipped or at in taken_up else _group(stage)
        how = aside or alone
        _add_stage(found, stage, names, how, last=at in shipped)
        # Of a folder of tests, examples or documentation nothing is delivered.
        if not how and (at in shipped or at in taken_up) and not usage.usage_by_folder(path):
            includes += _lists(path, stage)
            for line, clause in _left_open(stage, patterns, is_shipped=at in shipped):
                unread.setdefault(clause, line)
        names |= {stage.name, str(at)}  # Docker looks for a stage only among earlier ones.
    for clause, line in unread.items():
        found.not_read(line, clause)
    return found.parsed(includes=tuple(includes))


def _stages(content: str) -> tuple[list[_Stage], bool]:
    """The stages in their order, and whether there is any instruction at all."""
    stages: list[_Stage] = []
    arguments: dict[str, str] = {}  # Before the first stage: Docker puts only these into a FROM.
    latest: dict[str, _Stage] = {}
    expansion = variables.Expansion()
    known = False
    for number, words in logical_lines(content):
        line = _LINE.fullmatch(words)
        known = known or bool(line) or bool(_INSTRUCTION.match(words.lstrip()))
        if not line:
            continue
        verb, rest = line[1].upper(), line[2].strip()
        if verb == "FROM":
            stages.append(_begun(number, rest, arguments, expansion))
            below = latest.get(stages[-1].image.lower())
            stages[-1].values.update(below.values if below else {})
            latest |= {stages[-1].name: stages[-1]} if stages[-1].name else {}
        elif verb in {"ARG", "ENV"}:
            expansion.define(verb, rest, stages[-1].values if stages else arguments, arguments)
        elif stages:
            _take(stages[-1], number, verb, rest, expansion)
    return stages, known


def _take(stage: _Stage, number: int, verb: str, rest: str, expansion: variables.Expansion) -> None:
    """One RUN, COPY or ADD of a stage."""
    flags = takewhile(lambda word: word.startswith("--"), rest[:HEAD_CHARACTERS].split())
    taken = [match[1] for match in map(_TAKEN_FROM.fullmatch, flags) if match]
    stage.copies += [(number, expansion.expand(source, stage.values)) for source in taken]
    if verb == "RUN":
        command = _plain(rest)[: install_commands.MAX_COMMAND_CHARACTERS + 1]
        if len(command) <= install_commands.MAX_COMMAND_CHARACTERS:  # Else it is told that it is cut.
            for _ in range(2 if "$" in command else 0):  # A value that the command assigns may have variables itself.
                command = expansion.expand(command, variables.assigned(command, stage.values))
        stage.runs.append((number, command))
    elif not taken:
        words = _plain(expansion.expand(rest[:HEAD_CHARACTERS], stage.values)).split()
        sources = [word.strip("\"'") for word in words if not word.startswith("--")][:-1]
        stage.takes += sources
        stage.adds += [(number, source) for source in sources] if verb == "ADD" else []


def _left_open(stage: _Stage, patterns: _StagePatterns, *, is_shipped: bool) -> Iterator[tuple[int, str]]:
    """Lines of a stage whose files are delivered, and clauses about what comes into it and is not read.

    What is installed in a stage that only builds is a tool of the build; what it downloads it may hand on.
    """
    for line, source in stage.adds:
        if _FROM_THE_NET.match(source) and not unread_commands.TEXT.search(source):
            yield line, "adds a file from an address, which is not read"
        elif is_shipped and _ARCHIVE.fullmatch(source):
            yield line, "unpacks an archive, which is not read"
    for line, words in stage.runs:
        yield from ((line, clause) for clause in unread_commands.downloads(words))
        if is_shipped:
            yield from ((line, clause) for clause in install_commands.left_open(words))
            yield from ((line, clause) for clause in unread_commands.installs(words))
    computed = [
        (line, image)
        for line, image in [(stage.line, stage.image), *stage.copies]
        if _COMPUTED.search(_reference(image)[0])
    ]
    for line, image in computed if is_shipped else ():
        if not patterns.fitting(image):
            yield line, "takes in an image whose name only the build knows"


def _lists(path: str, stage: _Stage) -> Iterator[Include]:
    """Lists of Python's packages that a stage installs, and that have a name by which they are not read anyway."""
    for line, words in stage.runs:
        for name in install_commands.requirement_files(words):
            if _READ_BY_NAME.search(name):
                continue
            # Not where the image has the file matters, but where it comes from: mostly the folder above is the image's.
            inside = name.lstrip("/").partition("/")[2] or name.lstrip("/") if name.startswith("/") else name
            base = name.rpartition("/")[2]
            source = next((taken for taken in stage.takes if taken.rpartition("/")[2] == base), inside).lstrip("/")
            at, near = normpath(source), normpath(join(path.rpartition("/")[0], source))
            if at.startswith(".."):
                at = near = base
            yield Include(at, Place(path, line, said(f"-r {name}")), or_at=near)


def _plain(command: str) -> str:
    """A command as a shell reads it, also where it is written as a list of words (`["apt-get", "install", "x"]`)."""
    start = command.find("[")
    is_list = start >= 0 and all(word.startswith("--") for word in command[: min(start, HEAD_CHARACTERS)].split())
    try:
        # Cut, a list is no JSON: it is read as a shell's line.
        words = json.loads(command[start : install_commands.MAX_COMMAND_CHARACTERS]) if is_list else None
    except (ValueError, RecursionError):
        return command
    return " ".join(word for word in words if isinstance(word, str)) if isinstance(words, list) else command


def _shipped(stages: list[_Stage], taken_up: frozenset[int], patterns: _StagePatterns) -> frozenset[int]:
    """The last stage and each that nothing else takes up, with those on which they stand."""
    below: list[int | None] = []
    latest: dict[str, int] = {}  # By name: the last stage of a name counts.
    for at, stage in enumerate(stages):
        below.append(latest.get(stage.image.lower()))  # Docker compares the names of stages in lower case.
        latest |= {stage.name: at} if stage.name else {}
    found: set[int] = set()
    followed: set[str] = set()
    for end, stage in enumerate(stages):
        is_last = end == len(stages) - 1
        waiting: list[int | None] = [end] if is_last or (end not in taken_up and not _group(stage)) else []
        while waiting:
            on = waiting.pop()
            if on is None or on in found:  # Each stage is followed once.
                continue
            found.add(on)
            image = stages[on].image
            waiting.append(below[on])  # `COPY --from` takes no more of a stage than it names.
            waiting += patterns.fitting(image) if "$" in image and image not in followed else ()
            followed.add(image)
    return frozenset(found)


def _taken_up(stages: list[_Stage]) -> frozenset[int]:
    """The stages on which a later one stands, or from which it copies."""
    found: set[int] = set()
    latest: dict[str, int] = {}
    patterns: set[str] = set()
    for at, stage in enumerate(stages):
        # A stage that another one takes files from is not delivered itself.
        for written in (stage.stands_on, *(source for _, source in stage.copies)):
            pattern = variables.with_any(written[:_MAX_NAME_CHARACTERS]).lower()
            if "*" not in pattern:
                found |= {latest[pattern]} if pattern in latest else set()
            elif pattern not in patterns:
                patterns |= {pattern}
                known = latest.items() if len(patterns) < _MAX_PATTERNS else ()
                # A variable may stand for any stage.
                found.update(before for name, before in known if fnmatchcase(name, pattern))
        latest |= {str(at): at} | ({stage.name: at} if stage.name else {})
    return frozenset(found) if len(patterns) < _MAX_PATTERNS else frozenset(range(len(stages)))


def _group(stage: _Stage) -> Usage | None:
    """The usage of a stage that is for development, tests or the build, by its name."""
    return usage.group(stage.name) or (Usage.BUILD_TOOL if "build" in stage.name else None) if stage.name else None


def _aside(path: str) -> Usage | None:
    """The usage of a container file that delivers nothing, by name (`Dockerfile.ci`) or folder (`.devcontainer`)."""
    *folders, name = path.split("/")
    if not _NOT_PRODUCTS.isdisjoint(part.lower().strip(".") for part in folders):
        return Usage.DEV_TOOL
    if any(part.lower().endswith(("test", "tests")) for part in folders):
        return Usage.TEST_ONLY
    if any(_ARTIFACTS.search(part.lower()) for part in folders):
        return Usage.BUILD_TOOL
    words = name.lower().replace("dockerfile", "").replace("containerfile", "").strip(".")
    if any(_TOOLS.search(part) for part in (*map(str.lower, folders), words)):
        return Usage.BUILD_TOOL
    return usage.group(words) if words else None


def _begun(number: int, rest: str, arguments: dict[str, str], expansion: variables.Expansion) -> _Stage:
    """A stage, with the arguments' defaults put into its image."""
    words = [word for word in rest.split() if not word.startswith("--")]
    written = _FILLED_IN.sub("$", words[0][:1_000]) if words else ""
    name = words[2].lower() if len(words) > 2 and words[1].upper() == "AS" else ""
    return _Stage(number, expansion.expand(written, arguments), name, written, {})


def _add_stage(found: DependencyList, stage: _Stage, names: set[str], aside: Usage | None, *, last: bool) -> None:
    """The image of a stage, the images that it copies from, and the packages that its commands install."""
    how = aside or (Usage.AGGREGATE if last else Usage.BUILD_TOOL)
    where = "in the image that is delivered" if last else "in a stage that only builds"
    where = "for development, tests or the build, by its name or as nothing of the work is in it" if aside else where
    why = f"container file: {where}"
    for line, verb, image in [
        (stage.line, "FROM ", stage.image),
        *((at, "--from=", source) for at, source in stage.copies),
    ]:
        name, version = _reference(image)
        if image and image.lower() not in names and image.lower() != "scratch" and not _COMPUTED.search(name):
            if version and _COMPUTED.search(version):  # The version alone is not known.
                version = None
            place, because = found.place(line, f"{verb}{image}"), f"{why}: {verb.strip(' =')}"
            url = _package_url(image if version else name)
            found.add(place, name, version, url, how, because, direct=True)
    space = next((distribution for distribution in _DISTRIBUTIONS if distribution in stage.image.lower()), "")
    for line, words in stage.runs:
        found.dependencies += install_commands.packages(words, Place(found.path, line), how, why, space)


def image(written: str) -> tuple[str, str | None, str | None]:
    """Name, tag or digest, and package URL of an image."""
    return (*_reference(written), _package_url(written))


def _reference(image: str) -> tuple[str, str | None]:
    """Name and tag, or digest, of an image."""
    name, _, digest = image.partition("@")
    head, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    return f"{head}{slash}{last}", digest or tag or None


def _package_url(image: str) -> str | None:
    """`pkg:docker/library/debian@12`; a registry of its own is a qualifier."""
    name, version = _reference(image)
    parts = name.split("/")
    # Docker's own rule for whether the first part is a host.
    host = parts[0] if len(parts) > 1 and ("." in parts[0] or ":" in parts[0] or parts[0] == "localhost") else ""
    parts = parts[1:] if host else parts
    namespace = "/".join(parts[:-1]) or ("" if host else "library")  # Docker Hub's folder of official images.
    url = purl("docker", parts[-1], version, namespace)
    return canonical(f"{url}?repository_url={host}") if url and host and host != "docker.io" else url
