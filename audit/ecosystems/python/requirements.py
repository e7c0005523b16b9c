"""pip's requirements files: one requirement a line, other files by `-r`, and pip-compile's comments on who asked for it."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final, TypeVar

from audit import usage
from audit.ecosystems import artifacts
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.origins import host, is_archive, taken
from audit.ecosystems.parsed_file import Include, ParsedFile, said
from audit.ecosystems.python import specifiers
from audit.facts import Place, Usage

_COMMENT: Final = re.compile(r"(?:^|[ \t])#[^\n]*+")
_OPTION: Final = re.compile(r"(-[a-zA-Z]|--[a-z-]++)[ \t=]*+(.*+)")
_VIA: Final = re.compile(r"[ \t]*+#[ \t]*+(?:via[ \t]*+)?(.*+)")
_HASH: Final = re.compile(r"[ \t]--hash[ \t=]([a-z0-9]++:[0-9a-f]++)")
_FOLLOWS: Final = frozenset({"-r", "--requirement"})
# Any package of the file may come from there.
_INDEXES: Final = frozenset({"-i", "--index-url", "--extra-index-url", "-f", "--find-links"})
_T = TypeVar("_T")
# No product installs what their files list.
_TOOLING: Final = frozenset({"ci", "dev", "scripts", "tools", "tooling", ".github"})
_EDITABLE: Final = frozenset({"-e", "--editable"})


def read(path: str, content: str) -> ParsedFile:
    """The requirements of one file; its name tells how they are used: `requirements-dev.txt`."""
    found = DependencyList(path)
    # The file's name counts, or that of its folder below `requirements`.
    *_, folder, name = ["", *path.split("/")]
    named = f"{folder}-{name}" if folder.startswith(("requirements", "reqs")) else name
    how = usage.group(named.rpartition(".")[0]) or Usage.RUNTIME_IMPORT
    why = f"{found.file}: " + ("what runs" if how is Usage.RUNTIME_IMPORT else how.value)
    locked = path.endswith(".lock")
    index = ""
    includes: list[Include] = []
    for line, words, said_of in _logical(content):
        option = _OPTION.fullmatch(words)
        if option and option[1] in _INDEXES:
            index = index if host(index) else option[2].strip()  # The first private one counts.
        if option and option[1] in _FOLLOWS:
            includes.append(Include(beside(path, option[2]), found.place(line, words)))
            continue
        if option and option[1] not in _EDITABLE:
            continue
        spec = _bare(option[2] if option else words)
        if is_local(spec):
            found.outside(spec.partition(";")[0].partition("[")[0].partition("#")[0], line, words)
            continue
        # Options follow, such as `--hash`.
        dependency = specifiers.dependency(spec.partition(" --")[0], how, why, Place(path, line))
        if dependency is None:
            found.unreadable(line, f"no requirement: {said(words)!r}")
        else:
            sums = _HASH.findall(words, 0, specifiers.MAX_SPECIFIER_CHARACTERS)
            # Of several, the line does not say which file is whose.
            checksums = artifacts.prefixed(sums[0]) if len(sums) == 1 else ()
            asked_for = None if locked else _asked_for(said_of)
            found.dependencies.append(replace(dependency, direct=asked_for, checksums=checksums))
    own = (("", index),) if host(index) else ()
    return _marked(found.parsed(includes=tuple(includes), registries=own))


def _marked(read: ParsedFile) -> ParsedFile:
    index = dict(read.registries).get("", "")
    return replace(
        read,
        dependencies=tuple(replace(dependency, purl=taken(dependency.purl, index)) for dependency in read.dependencies),
    )


def apply_includes(reads: Mapping[str, ParsedFile]) -> dict[str, ParsedFile]:
    """The files by path, each read together with those that it takes in by `-r`, and those that take it in."""
    below: dict[str, list[str]] = {path: [] for path in reads}
    for path, named in ((path, named.path) for path, read in reads.items() for named in read.includes):
        stem = named.removesuffix(".in")  # pip-compile or uv makes others of it.
        made = (f"{stem}.txt", f"{stem}.lock") if stem != named else ()
        below[path] += (file for file in (named, *made) if file in reads)
    above: dict[str, list[str]] = {}
    for path, inside in below.items():
        for file in inside:
            above.setdefault(file, []).append(path)
    indexes = {path: read.registries for path, read in sorted(reads.items()) if read.registries}
    # pip's options are global: an index counts for all files that are read with it, above and below.
    indexes = _spread(_spread(indexes, above), below)
    # A file that production takes in runs there.
    runs = _spread({path: path for path in sorted(reads) if _is_for_production(path)}, below)
    marked = {path: _marked(replace(read, registries=indexes.get(path, ()))) for path, read in reads.items()}
    return {path: _running(read, runs[path]) if runs.get(path, path) != path else read for path, read in marked.items()}


def _is_for_production(path: str) -> bool:
    """Whether all that the file takes in runs: `requirements.txt` or `requirements/prod.txt`, not below a folder of tools."""
    *folders, name = path.split("/")
    words = name.rpartition(".")[0].split("-")
    runs = words == ["requirements"] or usage.of_group("-".join(words)) is Usage.RUNTIME_IMPORT
    return runs and usage.usage_by_folder(path) is None and _TOOLING.isdisjoint(folders)


def _running(read: ParsedFile, by: str) -> ParsedFile:
    why = f"{by} reaches this file by -r: what runs"
    running = (
        dependency
        if usage.rank(dependency.usage) <= usage.rank(Usage.RUNTIME_IMPORT)  # What binds more stays.
        else replace(dependency, usage=Usage.RUNTIME_IMPORT, why=why)
        for dependency in read.dependencies
    )
    return replace(read, dependencies=tuple(running))


def _spread(known: Mapping[str, _T], to: Mapping[str, Sequence[str]]) -> dict[str, _T]:
    """The values of some files, and of all that follow from these; the nearest counts."""
    found = dict(known)
    waiting = deque(found)
    while waiting:
        path = waiting.popleft()
        new = [follower for follower in to.get(path, ()) if follower not in found]
        found |= dict.fromkeys(new, found[path])
        waiting += new
    return found


def read_vendored(path: str, content: str) -> ParsedFile:
    """_vendor/vendor.txt: the tool that copies packages into the tree keeps their versions there."""
    found = read(path, content)
    why = "vendor.txt: copied into the tree"
    return replace(
        found,
        dependencies=tuple(replace(dependency, usage=Usage.VENDORED, why=why) for dependency in found.dependencies),
    )


def _logical(content: str) -> Iterator[tuple[int, str, list[str]]]:
    """Lines put together where one ends in a backslash: number of the first, words, and the comments that follow it."""
    pending: tuple[int, str, list[str]] | None = None
    parts: list[str] = []
    first = 0
    for number, line in enumerate(content.split("\n"), 1):
        bare = line.rstrip("\r")
        if not parts and bare.lstrip().startswith("#"):  # pip-compile's words on the line above.
            if pending:
                pending[2].append(bare)
            continue
        first = first if parts else number
        if bare.endswith("\\"):
            parts.append(bare[:-1])
            continue
        whole = "".join([*parts, bare])
        parts = []
        comment = _COMMENT.search(whole)
        words = (whole[: comment.start()] if comment else whole).strip()
        if words:
            if pending:
                yield pending
            pending = (first, words, [comment[0].strip()] if comment else [])
    if pending:
        yield pending
    if parts and "".join(parts).strip():
        yield first, "".join(parts).strip(), []


def _asked_for(comments: list[str]) -> bool | None:
    """False if pip-compile's `# via` names packages alone; True if it names a file, or says nothing."""
    if not any("via" in comment for comment in comments):
        return True
    named = [found[1].strip() for comment in comments if (found := _VIA.fullmatch(comment)) and found[1].strip()]
    # A file, or a project in brackets.
    return any(name.startswith("-r") or "(" in name for name in named) if named else None


def _bare(words: str) -> str:
    words = words.strip()
    return words[1:-1] if len(words) > 1 and words[0] == words[-1] and words[0] in "\"'" else words


def is_local(spec: str) -> bool:
    """A folder of the repository itself, which is no dependency."""
    if is_archive(spec.partition(";")[0].partition(" ")[0]):
        return False
    # pip takes a path without `./` too.
    return spec.startswith((".", "/", "file:", "~")) or ("/" in spec and "://" not in spec and "@" not in spec)


def beside(path: str, other: str) -> str:
    """The path of a file that is named beside another; `..` above the root stays, and so does an absolute path."""
    parts: list[str] = list(PurePosixPath(path).parts[:-1])
    named = PurePosixPath(_bare(other)[:1_000])
    if named.is_absolute():
        return str(named)
    for part in named.parts:
        if part == "..":
            if not parts or parts[-1] == "..":
                parts.append("..")  # Outside: this is told later.
            else:
                parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
