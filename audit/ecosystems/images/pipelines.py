"""Pipelines of continuous integration, line by line: packages that they install are tools of the build."""

from collections.abc import Iterator

from audit.ecosystems.images import install_commands
from audit.ecosystems.parsed_file import ParsedFile
from audit.facts import Place, Usage


def read(path: str, content: str) -> ParsedFile:
    """Every `apt-get install` and its like; nothing else of the file is understood, so it can't be broken."""
    space = "ubuntu" if "ubuntu" in content[:100_000] else ""
    lines = list(_logical(content))
    found = {
        (one.name, one.version): one
        for number, line in lines
        for one in install_commands.packages(line, Place(path, number), Usage.BUILD_TOOL, "pipeline", space)
    }
    return ParsedFile(dependencies=tuple(found.values()), findings=install_commands.not_whole(path, lines))


def _logical(content: str) -> Iterator[tuple[int, str]]:
    """Lines that speak of installing, put together where one ends in a backslash, without YAML's marks in front."""
    parts: list[str] = []
    first = 1
    for number, raw in enumerate(content.split("\n"), 1):
        line = raw.strip().removeprefix("- ").removeprefix("run:").removeprefix("script:").strip()
        if line.startswith("#"):
            continue
        first = first if parts else number
        if line.endswith("\\"):
            parts.append(line[:-1])
            continue
        whole = " ".join([*parts, line])
        parts = []
        if "install" in whole or " add " in whole:
            yield first, whole
    if parts:
        yield first, " ".join(parts)
