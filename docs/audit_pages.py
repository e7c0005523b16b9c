"""The parts of docs/reference that come from the licence audit's code and data."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from audit import ecosystems
from audit.licenses import license_review, model_terms
from audit.licenses.license_review import Grade
from audit.licenses.model_terms import TermsKind
from audit.output import spdx_document

_UNREAD_TOOLS: Final = Path(__file__).parents[1] / "audit" / "data" / "unsupported-tools.toml"
_FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "Python": ("python", "requirements"),
    "npm, Deno": ("npm",),
    "Go": ("go",),
    "Rust": ("rust",),
    "Java": ("maven", "gradle"),
    "Ruby": ("ruby",),
    "PHP": ("php",),
    ".NET": ("dotnet",),
    "Swift, CocoaPods": ("swift", "cocoapods"),
    "Dart, Flutter": ("dart",),
    "Elixir": ("elixir",),
    "Conda, Pixi": ("conda",),
    "C and C++": ("conan", "native", "bazel", "submodules", "make"),
    "sources, for the libraries that they name": ("linux", "native-words", "go-source"),
    "images and pipelines": ("image", "pipeline"),
    "Debian packaging": ("debian",),
    "SPDX 2.2 and 2.3, CycloneDX (under other names known by their beginning)": ("sbom",),
}
"""The families of readers, by what people call them; those of tools that are not read have a list of their own."""


def dependency_files() -> Iterator[tuple[str, ...]]:
    """The patterns of the files from which dependencies are read, by family, and of those that are known and not read."""
    patterns: dict[str, list[str]] = {}
    for pattern, family, _ in ecosystems._READERS:
        patterns.setdefault(family, []).extend(pattern.split())
    unnamed = set(patterns) - {one for families in _FAMILIES.values() for one in families} - {"unsupported"}
    assert not unnamed, unnamed
    yield "family or tool", "read", "files"
    for title, families in _FAMILIES.items():
        yield title, "yes", " ".join(one for family in families for one in patterns[family])
    for files, tool, _ in tomllib.loads(_UNREAD_TOOLS.read_text(encoding="utf-8"))["files"]["listed"]:
        yield tool, "no", files


_GRADES: Final[Mapping[Grade, tuple[str, str]]] = {
    Grade.NOTICES: ("keep the notices", "`compatible` in work under any permissive licence"),
    Grade.CONDITION: ("one more condition", "`obligations`"),
    Grade.LIMITED: ("not every change", "`incompatible` in work under a free licence; a tool may be used"),
    Grade.USE: ("not every use", "`incompatible` in work under a free licence, `review` as a tool"),
    Grade.COPYLEFT_FILE: ("copyleft of its own files", "judged like the MPL"),
    Grade.COPYLEFT_STRONG: ("copyleft of the whole", "judged like strong copyleft"),
    Grade.UNCLEAR: ("not clear", "`review`"),
}
"""By grade: what people call it, and what follows from it."""
_TERMS_KINDS: Final[Mapping[TermsKind, str]] = {
    TermsKind.ATTRIBUTION: "credit",
    TermsKind.SHARE_ALIKE: "share alike",
    TermsKind.RESTRICTED: "restricted use",
    TermsKind.NON_COMMERCIAL: "no commercial use",
    TermsKind.NO_DERIVATIVES: "no changed versions",
}


def spdx_types() -> Iterator[tuple[str, ...]]:
    """The relationship type of each usage in an SPDX document."""
    yield "usage", "type", "direction"
    for usage, (kind, forward) in spdx_document.TYPES.items():
        yield usage, kind, "repository → package" if forward else "package → repository"


def review_grades() -> Iterator[tuple[str, ...]]:
    """Each grade of the review of licences: what follows, and how many licences have it."""
    yield "the text asks", "verdict", "licences"
    counts = Counter(row.grade for row in license_review.rows().values())
    for grade, (title, meaning) in _GRADES.items():
        yield title, meaning, str(counts[grade])


def reviewed_licenses() -> Iterator[tuple[str, ...]]:
    """Each licence of the review, with its grade, its condition, and the licence that asks for as much."""
    yield "licence", "grade", "condition or limit", "asks for as much as"
    for license_id, row in license_review.rows().items():
        yield license_id, _GRADES[row.grade][0], row.condition, row.like


def model_licenses() -> Iterator[tuple[str, ...]]:
    """The licences of models and data, with their names in cards, and what each demands."""
    yield "licence", "id", "in cards", "kind", "how it may be used", "if it is passed on", "source"
    names = model_terms.names()
    for one in model_terms.all_terms():
        cards = ", ".join(name for name, license_id in names.items() if license_id == one.license)
        yield one.name, one.license, cards, _TERMS_KINDS[one.kind], one.limits, one.duties, one.source
    for name, words in model_terms.unclear_names().items():
        yield words, "", name, "several or unknown terms", "", "", ""


def published_models() -> Iterator[tuple[str, ...]]:
    """The well-known models and data sets, by the beginnings of their names."""
    yield "name begins", "licence", "source"
    for begin, one in model_terms.published():
        yield begin, one.license, one.source
