"""Container files: packages and images in a delivered image go along with the work, those of other stages build it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Final

from audit import usage
from audit.ecosystems import install_commands
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.parsed_file import ParsedFile
from audit.ecosystems.purls import canonical, purl
from audit.facts import Place, Usage

_LINE: Final = re.compile(r"[ \t]*+(FROM|RUN|ARG|COPY)[ \t]++(.*+)", re.IGNORECASE | re.DOTALL)
# A flag of COPY or RUN stands before its own words: a command may have a flag of that name.
_TAKEN_FROM: Final = re.compile(r"--(?:from=|mount=(?:[^ \t]*?,)?from=)([^ \t,]++).*+")
_VARIABLE: Final = re.compile(r"\$\{?([A-Za-z_]\w{0,100})(?::?-([^}]*))?\}?")
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
_HOLDS_FILES: Final = re.compile(r"[ \t]*+(?:RUN|COPY|ADD)[ \t]", re.IGNORECASE)
_HERE: Final = re.compile(r"(?<=[ \t])\d?<<-?[\"']?([A-Za-z_]\w*+)[\"']?(?![^ \t;&|>)])")
# Such a RUN gives a shell its script; elsewhere the text is what a command such as `cat` reads.
_RUNS_HERE: Final = re.compile(
    r"[ \t]*+RUN[ \t]++(?:--\S++[ \t]++)*+(?:(?:/\S*/)?(?:ba|da|a|z|k)?sh(?:[ \t]++-\S++)*+[ \t]*+)?<<", re.IGNORECASE
)
_INSTRUCTION_HEAD_CHARACTERS: Final = 2_000  # Of an instruction: in these a here-document begins.
_MAX_NAME_CHARACTERS: Final = 200
_MAX_PATTERNS: Final = 100  # Names of stages with variables in them: each is compared with all stages.
_INSTRUCTION: Final = re.compile(
    r"(?:FROM|RUN|CMD|LABEL|MAINTAINER|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|ARG|ONBUILD|STOPSIGNAL|HEALTHCHECK|SHELL)[ \t]++\S",
    re.IGNORECASE,
)
_COMPUTED: Final = re.compile(r"\$|<%|\{\{")
"""A variable without a value, or a template's."""
# Only these names are sure: `Dockerfile.x` may be a template whose instructions stand in another file.
_IS_ONE: Final = re.compile(r"(?:docker|container)file|.*\.dockerfile", re.IGNORECASE)


@dataclass
class _Stage:
    """One stage from its `line` on: its `image`, its `name`, the commands it `runs`, and the names it `copies` from.

    `stands_on` is the image as it is written: a variable in it may stand for any stage.
    """

    line: int
    image: str
    name: str
    stands_on: str
    runs: list[tuple[int, str]] = field(default_factory=list)
    copies: list[tuple[int, str]] = field(default_factory=list)


def read(path: str, content: str) -> ParsedFile:
    """Stages in their order: those that are delivered with those on which they stand, the others build."""
    stages: list[_Stage] = []
    arguments: dict[str, str] = {}
    found = DependencyList(path)
    known = False
    for number, words in _logical(content):
        line = _LINE.fullmatch(words)
        known = known or bool(line) or bool(_INSTRUCTION.match(words.lstrip()))
        if not line:
            continue
        verb, rest = line[1].upper(), line[2].strip()
        if verb == "ARG" and not stages:  # Docker puts only these into a FROM.
            name, _, value = rest.partition("=")
            arguments[name.strip()] = value.strip().strip("\"'")
        elif verb == "FROM":
            stages.append(_begun(number, rest, arguments))
        elif stages:
            flags = takewhile(lambda word: word.startswith("--"), rest[:_INSTRUCTION_HEAD_CHARACTERS].split())
            stages[-1].copies += [(number, match[1]) for match in map(_TAKEN_FROM.fullmatch, flags) if match]
            stages[-1].runs += [(number, _plain(rest))] if verb == "RUN" else []
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
    shipped = _shipped(stages, taken_up)
    names: set[str] = set()
    for at, stage in enumerate(stages):
        alone = None if at in shipped or at in taken_up else _group(stage)
        _add_stage(found, stage, names, aside or alone, last=at in shipped)
        names |= {stage.name, str(at)}  # Docker looks for a stage only among earlier ones.
    return found.parsed()


def _plain(command: str) -> str:
    """A command as a shell reads it, also where it is written as a list of words (`["apt-get", "install", "x"]`)."""
    start = command.find("[")
    is_list = start >= 0 and all(
        word.startswith("--") for word in command[: min(start, _INSTRUCTION_HEAD_CHARACTERS)].split()
    )
    try:
        # Cut, a list is no JSON: it is read as a shell's line.
        words = json.loads(command[start : install_commands.MAX_COMMAND_CHARACTERS]) if is_list else None
    except (ValueError, RecursionError):
        return command
    return " ".join(word for word in words if isinstance(word, str)) if isinstance(words, list) else command


def _shipped(stages: list[_Stage], taken_up: frozenset[int]) -> frozenset[int]:
    """The last stage and each that nothing else takes up, with those on which they stand."""
    below: list[int | None] = []
    latest: dict[str, int] = {}  # By name: the last stage of a name counts.
    for at, stage in enumerate(stages):
        below.append(latest.get(stage.image.lower()))  # Docker compares the names of stages in lower case.
        latest |= {stage.name: at} if stage.name else {}
    found: set[int] = set()
    for end, stage in enumerate(stages):
        is_last = end == len(stages) - 1
        on: int | None = end if is_last or (end not in taken_up and not _group(stage)) else None
        while on is not None and on not in found:  # Each stage is followed once.
            found.add(on)
            on = below[on]  # `COPY --from` takes no more of a stage than it names.
    return frozenset(found)


def _taken_up(stages: list[_Stage]) -> frozenset[int]:
    """The stages on which a later one stands, or from which it copies."""
    found: set[int] = set()
    latest: dict[str, int] = {}
    patterns: set[str] = set()
    for at, stage in enumerate(stages):
        # A stage that another one takes files from is not delivered itself.
        for written in (stage.stands_on, *(source for _, source in stage.copies)):
            pattern = _VARIABLE.sub("*", written[:_MAX_NAME_CHARACTERS]).lower()
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


def _begun(number: int, rest: str, arguments: dict[str, str]) -> _Stage:
    """A stage, with the arguments' defaults put into its image."""
    words = [word for word in rest.split() if not word.startswith("--")]
    written = words[0][:1_000] if words else ""
    image = _VARIABLE.sub(lambda found: arguments.get(found[1], "") or found[2] or "$", written)
    return _Stage(number, image, words[2].lower() if len(words) > 2 and words[1].upper() == "AS" else "", written)


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
        if image and image.lower() not in names and image.lower() != "scratch" and not _COMPUTED.search(image):
            name, version = _reference(image)
            place, because = found.place(line, f"{verb}{image}"), f"{why}: {verb.strip(' =')}"
            found.add(place, name, version, _package_url(image), how, because, direct=True)
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


def _logical(content: str) -> Iterator[tuple[int, str]]:
    """Lines joined where one ends in a backslash, without comments; the here-documents of a RUN are its commands."""
    parts: list[str] = []
    first = 1
    lines = enumerate((raw.rstrip("\r") for raw in content.split("\n")), 1)
    for number, line in lines:
        # Docker leaves out comments and empty lines also between the parts of one instruction.
        if line.lstrip().startswith("#") or (parts and not line.strip()):
            continue
        first = first if parts else number
        if line.endswith("\\"):
            parts.append(line[:-1])
            continue
        if line.strip():
            whole = " ".join([*parts, line])
            yield first, "; ".join([whole, *_here(whole, lines)])
        parts = []
    if parts:
        yield first, " ".join(parts)


def _here(instruction: str, lines: Iterator[tuple[int, str]]) -> list[str]:
    """The commands in an instruction's here-documents, whose lines are taken; none where these are a file's text."""
    if not _HOLDS_FILES.match(instruction):  # No other instruction has here-documents.
        return []
    found: list[str] = []
    for end in _HERE.findall(instruction, 0, _INSTRUCTION_HEAD_CHARACTERS):
        text = ""
        for _, line in lines:
            # With `<<-` tabs may stand before the word that ends the text.
            if line.lstrip("\t") == end:
                break
            if not line.lstrip().startswith("#"):
                text += line[:-1] if line.endswith("\\") else f"{line}; "
        found.append(text)
    return found if _RUNS_HERE.match(instruction) else []
