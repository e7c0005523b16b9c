"""Container files: what an image stands on and has installed is handed on beside our work, what other stages hold builds it."""

import re
from collections.abc import Iterator
from typing import Final

from audit import usage
from audit.ecosystems.images import install_commands
from audit.ecosystems.parsed_file import Read, dependency_at, finding, said
from audit.ecosystems.purls import canonical, purl
from audit.facts import Dependency, Finding, Place, Usage

_LINE: Final = re.compile(r"[ \t]*+(FROM|RUN|ARG)[ \t]++(.*+)", re.IGNORECASE | re.DOTALL)
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
})  # fmt: skip
"""Folders of container files in which nothing is delivered."""
_HOLDS_FILES: Final = re.compile(r"[ \t]*+(?:RUN|COPY|ADD)[ \t]", re.IGNORECASE)
_HERE: Final = re.compile(r"(?<=[ \t])\d?<<-?[\"']?([A-Za-z_]\w*+)[\"']?(?![^ \t;&|>)])")
_RUNS_HERE: Final = re.compile(
    r"[ \t]*+RUN[ \t]++(?:--\S++[ \t]++)*+(?:(?:/\S*/)?(?:ba|da|a|z|k)?sh(?:[ \t]++-\S++)*+[ \t]*+)?<<", re.IGNORECASE
)
"""A RUN whose here-document is the script of a shell, and not what a command such as `cat` reads."""
_LONGEST: Final = 2_000
"""Characters of an instruction in which here-documents may begin."""
_INSTRUCTION: Final = re.compile(
    r"(?:FROM|RUN|CMD|LABEL|MAINTAINER|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|ARG|ONBUILD|STOPSIGNAL|HEALTHCHECK|SHELL)[ \t]++\S",
    re.IGNORECASE,
)


def read(path: str, content: str) -> Read:
    """Stages in their order: the last one is delivered with those on which it stands, the others build."""
    stages: list[tuple[int, str, str, list[tuple[int, str]]]] = []
    arguments: dict[str, str] = {}
    findings: list[Finding] = []
    known = False
    for number, words in _logical(content):
        line = _LINE.fullmatch(words)
        known = known or bool(line) or bool(_INSTRUCTION.match(words.lstrip()))
        if not line:
            continue
        verb, rest = line[1].upper(), line[2].strip()
        if verb == "ARG" and not stages:
            name, _, value = rest.partition("=")
            arguments[name.strip()] = value.strip().strip("\"'")
        elif verb == "FROM":
            image, name = _image(rest, arguments)
            stages.append((number, image, name, []))
        elif verb == "RUN" and stages:
            stages[-1][3].append((number, rest))
    if not known and content.strip():
        findings.append(finding("file/broken", path, 1, "no instruction of a container file in it"))
    aside, shipped = _aside(path), _shipped([(image.lower(), name.lower()) for _, image, name, _ in stages])
    found: list[Dependency] = []
    names: set[str] = set()
    for at, stage in enumerate(stages):
        found += _stage(path, stage, names, aside, last=at in shipped)
        names.add(stage[2].lower())
    return Read(dependencies=tuple(found), findings=tuple(findings))


def _shipped(stages: list[tuple[str, str]]) -> frozenset[int]:
    """The last stage, and those on which it stands; `COPY --from` takes no more of a stage than it names."""
    found: set[int] = set()
    at: int | None = len(stages) - 1 if stages else None
    while at is not None and at not in found:
        found.add(at)
        image = stages[at][0]
        at = next((before for before in range(at - 1, -1, -1) if stages[before][1] == image and image), None)
    return frozenset(found)


def _aside(path: str) -> Usage | None:
    """How all of a container file is used that is no product's, by its name (`Dockerfile.ci`) or a folder (`.devcontainer`)."""
    *folders, name = path.split("/")
    if not _NOT_PRODUCTS.isdisjoint(part.lower().strip(".") for part in folders):
        return Usage.DEV_TOOL
    words = name.lower().replace("dockerfile", "").replace("containerfile", "").strip(".")
    return usage.group(words) if words else None


def _image(rest: str, arguments: dict[str, str]) -> tuple[str, str]:
    """Image and name of a stage, with the arguments' defaults put in."""
    words = [word for word in rest.split() if not word.startswith("--")]
    image = words[0] if words else ""
    image = _VARIABLE.sub(lambda found: arguments.get(found[1], "") or found[2] or "$", image[:1_000])
    return image, words[2] if len(words) > 2 and words[1].upper() == "AS" else ""


def _stage(
    path: str,
    stage: tuple[int, str, str, list[tuple[int, str]]],
    names: set[str],
    aside: Usage | None,
    *,
    last: bool,
) -> Iterator[Dependency]:
    """The image of a stage and what its commands install."""
    number, image, _, runs = stage
    how = aside or (Usage.AGGREGATE if last else Usage.BUILD_TOOL)
    why = "container file: in the image that is delivered" if last else "container file: in a stage that only builds"
    why = "container file: for development or continuous integration, by its name" if aside else why
    if image and image.lower() not in names and image.lower() != "scratch" and "$" not in image:
        name, version = _reference(image)
        place = Place(path, number, said(f"FROM {image}"))
        yield dependency_at(place, name, version, _package_url(image), how, f"{why}: FROM", direct=True)
    space = next((one for one in _DISTRIBUTIONS if one in image.lower()), "")
    for line, words in runs:
        yield from install_commands.packages(words, Place(path, line), how, why, space)


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
    host = parts[0] if len(parts) > 1 and ("." in parts[0] or ":" in parts[0] or parts[0] == "localhost") else ""
    parts = parts[1:] if host else parts
    namespace = "/".join(parts[:-1]) or ("" if host else "library")
    url = purl("docker", parts[-1], version, namespace)
    return canonical(f"{url}?repository_url={host}") if url and host and host != "docker.io" else url


def _logical(content: str) -> Iterator[tuple[int, str]]:
    """Lines put together where one ends in a backslash, without comments; the here-documents of a RUN are its commands."""
    parts: list[str] = []
    first = 1
    lines = enumerate((raw.rstrip("\r") for raw in content.split("\n")), 1)
    for number, line in lines:
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
    """The commands in the here-documents of an instruction, whose lines are taken; none where they are the text of a file."""
    if not _HOLDS_FILES.match(instruction):
        return []
    found: list[str] = []
    for end in _HERE.findall(instruction, 0, _LONGEST):
        text = ""
        for _, line in lines:
            if line.lstrip("\t") == end:
                break
            if not line.lstrip().startswith("#"):
                text += line[:-1] if line.endswith("\\") else f"{line}; "
        found.append(text)
    return found if _RUNS_HERE.match(instruction) else []
