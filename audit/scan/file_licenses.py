"""Licences of single files of a work: tags and notices in their heads, sidecars, and REUSE's annotations.

A file's licence stands beside the work's. Where several speak for one file, REUSE's order of precedence decides.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from audit.display_text import count
from audit.ecosystems.native.foreign_builds import OF_TOOLS
from audit.ecosystems.parsed_file import ParseError, finding
from audit.facts import Finding, Learned, Place, Source
from audit.licenses.expression import Expression, all_of, is_unread
from audit.scan.decoding import decode, shown
from audit.scan.reuse import dep5, reuse_toml
from audit.scan.reuse.annotations import AnnotationFiles, LicenseStatement, is_covered
from audit.texts.file_tags import file_tags, without_json
from audit.texts.license_notices import HEADER_CHARACTERS, LicenseNotice, notices
from audit.texts.spdx_tags import TAG_SEARCH_CHARACTERS, tags
from audit.usage import usage_by_folder
from audit.work_budget import WorkBudget

SIDECAR: Final = ".license"
SCOPE_CODE: Final = "scope/tags"
MATCHING_WORK: Final = 200_000_000
"""Patterns times files, and four times the characters by which patterns are followed: what is compared for one repository."""
MAX_SAID: Final = 1_000_000  # Tags and notices of one repository's files: the heads of further files are not looked at.
# Names of files that hold no text, or one that only programs write.
_NO_TEXT: Final = re.compile(
    r".*\.(?:png|jpe?g|gif|ico|icns|bmp|webp|avif|tiff?|psd|pdf|docx?|xlsx?|pptx?|od[tsp]|zip|gz|tgz|bz2|xz|zst|lz4|7z|rar|tar|deb|rpm|jar|aar|war"
    r"|class|pyc|pyo|o|obj|a|so|dll|dylib|exe|bin|dat|wasm|ttf|otf|woff2?|eot|mp[34]|m4a|wav|ogg|flac|avi|mov|mkv|webm|safetensors|pt|pth"
    r"|ckpt|onnx|gguf|npy|npz|h5|hdf5|tflite|pb|pkl|parquet|arrow|db|sqlite3?|lock|map|sum|whl|nupkg|keystore|jks|p12|der|mo|gmo|patch|diff)",
    re.IGNORECASE,
)
_PROSE: Final = re.compile(r"(?:.*\.(?i:md|markdown|mdx|rst|adoc|asciidoc|org|txt)|(?:.*/)?[A-Z]{3,})", re.DOTALL)
SOURCE_FILE: Final = re.compile(
    r".*\.(?:py[iwx]?|pxd|[cm]?[jt]sx?|vue|svelte|java|kts?|scala|groovy|gradle|clj[cs]?|c|cc|cpp|cxx|h|hh|hpp|hxx|inl|ipp|tcc|m|mm|cs|fsx?|vb|go|rs|swift|dart"
    r"|d|zig|nim|cr|v|sv|svh|vhdl?|S|s|asm|nasm|ld|lds|l|ll|y|yy|proto|thrift|cu|cuh|cl|glsl|hlsl|metal|wgsl|f|f90|f95|f03|adb|ads|pas|php|phtml|rb|rake"
    r"|p[lm]|t|lua|tcl|r|R|jl|ml[iy]?|hs|erl|hrl|exs?|elm|el|lisp|scm|rkt|sh|bash|zsh|fish|ksh|ps1|psm1|bat|cmd|awk|sed|vim|sql|html?|xhtml|css|s[ac]ss|less"
    r"|jinja2?|j2|cmake|mk|m4|ac|am|bzl|bazel|nix|tf|qml|ui|vala|ino|cce|tik|td|def|idl|xsl|xslt|ipynb|tex|sty)|(?:.*/)?(?:GNUm|[Mm])akefile|(?:.*/)?"
    r"(?:Dockerfile|Containerfile|CMakeLists\.txt|configure|meson\.build|BUILD|WORKSPACE|Rakefile|Gemfile|Jenkinsfile|SConstruct|Kconfig|Kbuild)",
)
"""Paths of what people write as part of a program; the rest is data and documents."""
_MARKS: Final = (b"licen", b"permission", b"redistribut", b"unencumbered", b"gpl", b"proprietary", b"unauthori")
_TAG: Final = (b"SPDX-License-Identifier", b"spdx-license-identifier")


def may_hold_text(path: str) -> bool:
    """Whether a file may be text that says something of its licence, by its name."""
    return _NO_TEXT.fullmatch(path) is None and path != dep5.PATH


def states_licenses(path: str) -> bool:
    """Whether a file says licences of others by their paths."""
    return path == dep5.PATH or path.rpartition("/")[2] == reuse_toml.NAME


@dataclass(frozen=True, slots=True)
class FileLicense:
    """The `expression` of the file `path`, said at `place`, by itself if `own`; a `notice` is still to be compared."""

    path: str
    place: Place
    expression: Expression | None
    own: bool = True
    notice: LicenseNotice | None = None


@dataclass
class FileLicenses:
    """Licences of files by path: `said` in heads, in `sidecars`, by `annotations` of `covered` files; `findings`."""

    is_reuse: bool = False
    """Whether something says licences of files by their paths, so that all files are asked about."""
    annotations: AnnotationFiles = field(default_factory=AnnotationFiles)
    covered: list[str] = field(default_factory=list)
    said: dict[str, tuple[FileLicense, ...]] = field(default_factory=dict)
    sidecars: dict[str, tuple[LicenseStatement, ...]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    kept: int = 0
    """Tags and notices in `said`."""
    left_out: int = 0
    """Text files whose heads were not looked at."""

    def enter(self, names: Collection[str]) -> None:
        """The names of a folder's files, before they come."""
        self.is_reuse = self.is_reuse or reuse_toml.NAME in names

    def read(self, path: str, data: bytes) -> None:
        """A `REUSE.toml`, a `.reuse/dep5` or a sidecar."""
        content, place = decode(data)[0], shown(path)
        try:
            if path.endswith(SIDECAR):
                self._sidecar(path, content)
            elif path == dep5.PATH:
                self.annotations.add(dep5.read(content))
            else:
                self.annotations.add(reuse_toml.read(place, content))
        except ParseError as broken:
            self.findings.append(finding(broken.code, place, broken.line, broken.why))

    def _sidecar(self, path: str, content: str) -> None:
        said = [LicenseStatement(tag.expression, Place(shown(path), tag.line)) for tag in tags(content)]
        # A sidecar is made for its tags alone: one that cannot be read, or stands behind another, is a mistake.
        read = Counter(statement.place.line for statement in said)
        for number, line in enumerate(content[:TAG_SEARCH_CHARACTERS].lower().split("\n"), 1):
            if line.count("spdx-license-identifier:") > read[number]:
                raise ParseError("what stands here is no SPDX licence expression of known ids", number)
        self.sidecars[path.removesuffix(SIDECAR)] = tuple(said)

    def cover(self, path: str) -> None:
        """A file of the work that is no link and not empty."""
        if self.is_reuse and is_covered(path):
            self.covered.append(path)

    def head(self, path: str, data: bytes) -> None:
        """The beginning of a text file in any language."""
        # A NUL near the beginning is that of a binary file, unless the text is in UTF-16.
        if usage_by_folder(path) or (b"\0" in data[:1024] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))):
            return
        has_tag = any(tag in data for tag in _TAG) or data.startswith((b"\xff\xfe", b"\xfe\xff"))
        beginning = data[:HEADER_CHARACTERS].lower()
        # Most files have no word of a licence: they are not decoded.
        if not has_tag and not any(mark in beginning for mark in _MARKS):
            return
        if self.kept >= MAX_SAID:
            self.left_out += 1
            return
        content = decode(data[:TAG_SEARCH_CHARACTERS])[0]
        found = tuple(_said(path, content))
        if found:
            self.said[path] = found
            self.kept += len(found)

    def of(self, path: str) -> tuple[FileLicense, ...]:
        """The statements that count for one file."""
        has_sidecar = path in self.sidecars
        said = () if has_sidecar else self.said.get(path, ())  # A sidecar replaces them (REUSE).
        own = tuple(LicenseStatement(file.expression, file.place) for file in said if file.expression is not None)
        own = self.sidecars.get(path, own)
        counts = self.annotations.statements(path, own) if is_covered(path) else own
        found = [
            FileLicense(path, statement.place, statement.expression, own=statement in own and not has_sidecar)
            for statement in counts
        ]
        # A notice that is still to be compared counts where nothing else is said.
        return tuple(found) or tuple(file for file in said if file.expression is None)

    def all(self, budget: WorkBudget) -> Iterator[FileLicense]:
        """The statements that count for each file that makes one, or of which one is made, in order of the paths."""
        for path in sorted({*self.said, *self.sidecars, *self.covered}):
            work = 1 + self.annotations.work(path) if self.is_reuse else 1
            if budget.is_left(shown(path), work):
                budget.spend(work)
                yield from self.of(path)


@dataclass(frozen=True, slots=True)
class FileLicenseList:
    """The statements that count for `files`, in order of the paths, and `findings` on how they were found."""

    files: tuple[FileLicense, ...]
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, gathered: FileLicenses) -> "FileLicenseList":
        """All that a walk has come by."""
        budget = WorkBudget(MATCHING_WORK)
        # What a known tool of the build writes into every work is no part of it.
        files = tuple(file for file in gathered.all(budget) if not OF_TOOLS.search(file.path))
        not_compared = ("file is not compared with REUSE's paths", "files are not compared with REUSE's paths")
        more = list(budget.findings(*not_compared))
        names = sorted(name for name in gathered.annotations.names if name != dep5.PATH)
        if names and dep5.PATH in gathered.annotations.names:
            said = f"REUSE allows this file or {names[0]}, not both: remove one"
            more.append(finding("file/broken", dep5.PATH, 1, said))
        if gathered.left_out:
            said = count(gathered.left_out, "text file was not looked at", "text files were not looked at")
            said += " for licence tags and notices: there are more, or larger ones, than are read"
            more.append(finding(SCOPE_CODE, ".", None, said))
        return cls(files, (*gathered.findings, *more))


def _said(path: str, content: str) -> Iterator[FileLicense]:
    found = file_tags(path, content)
    # Prose that speaks of tags makes no statement that cannot be read.
    if _PROSE.fullmatch(path) and not SOURCE_FILE.fullmatch(path):
        found = tuple(tag for tag in found if not is_unread(tag.expression))
    for tag in found:
        yield FileLicense(path, Place(shown(path), tag.line), tag.expression)
    # A tag of the whole file says more exactly what a notice in words says.
    if not any(not tag.snippet for tag in found):
        text = without_json(content) if path.endswith(".ipynb") else content
        for notice in notices(text):
            yield FileLicense(path, Place(shown(path), notice.line), notice.expression, notice=notice)


def of_code(found: Sequence[FileLicense]) -> Learned | None:
    """The licence of most files of code, else those of all joined by `AND`; None where none says anything."""
    by_path: dict[str, list[FileLicense]] = {}
    for file in found:
        if file.expression is not None and SOURCE_FILE.fullmatch(file.path) and not usage_by_folder(file.path):
            by_path.setdefault(file.path, []).append(file)
    said = Counter(all_of(tuple(each.expression for each in listed if each.expression)) for listed in by_path.values())
    if not said:
        return None
    ((most, count),) = said.most_common(1)
    whole = most if 2 * count > said.total() else all_of(tuple(sorted(said, key=str)))  # Without a majority, all count.
    first = next(file.place for listed in by_path.values() for file in listed)
    return Learned(str(whole), Source.METADATA, first)
