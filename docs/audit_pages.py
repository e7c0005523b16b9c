"""The parts of docs/reference that come from the licence audit's code and data."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from audit import ecosystems
from audit.licenses import license_review, model_terms
from audit.licenses.license_review import Grade
from audit.licenses.model_terms import TermsKind
from docs.markdown_table import table

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
    "SPDX 2.2 and 2.3, CycloneDX": ("sbom",),
}
"""The families of readers, by what people call them; those of tools that are not read have a list of their own."""


def files_read() -> str:
    """The patterns of the files from which dependencies are read, by family."""
    patterns: dict[str, list[str]] = {}
    for pattern, family, _ in ecosystems._READERS:
        patterns.setdefault(family, []).extend(pattern.split())
    unnamed = set(patterns) - {one for families in _FAMILIES.values() for one in families} - {"unsupported"}
    assert not unnamed, unnamed
    rows = (
        (title, " ".join(f"`{one}`" for family in families for one in patterns[family]))
        for title, families in _FAMILIES.items()
    )
    return table("family | files", rows)


def tools_not_read() -> str:
    """The tools whose files are known and not read; files of tools without a name stand for themselves."""
    listed = tomllib.loads(_UNREAD_TOOLS.read_text(encoding="utf-8"))["files"]["listed"]
    unnamed = ("a ", "an ", "packaging")
    names = (f"`{files}`" if tool.startswith(unnamed) else tool for files, tool, _ in listed)
    return ", ".join(dict.fromkeys(names)) + "."


_GRADES: Final[Mapping[Grade, tuple[str, str, str]]] = {
    Grade.NOTICES: (
        "Keep the notices",
        "These are `compatible` in work under any permissive licence.",
        "you must also",
    ),
    Grade.CONDITION: ("One more condition", "These are `obligations`.", "you must also"),
    Grade.LIMITED: (
        "Not every change",
        "These are `incompatible` in work under a free licence. You may use the thing itself as a tool.",
        "it",
    ),
    Grade.USE: (
        "Not every use",
        "These are `incompatible` in work under a free licence, and `review` as a tool.",
        "it",
    ),
    Grade.COPYLEFT_FILE: ("Copyleft of its own files", "These are judged like the MPL.", "it"),
    Grade.COPYLEFT_STRONG: ("Copyleft of the whole", "These are judged like strong copyleft.", "it"),
    Grade.UNCLEAR: ("Not clear", "A permission is missing or cannot be understood. These are `review`.", "it"),
}
"""By grade: the section's title, what follows from it, and how a condition's sentence begins."""


def reviewed_licenses() -> str:
    """Each licence of the review in the section of its grade; licences with the same row share a line."""
    sections = []
    for grade, (title, meaning, begin) in _GRADES.items():
        grouped: dict[tuple[str, str], list[str]] = {}
        for license_id, row in license_review.rows().items():
            if row.grade is grade:
                grouped.setdefault((row.condition, row.like), []).append(f"`{license_id}`")
        lines = (
            (", ".join(ids), condition or "—", f"`{like}`" if like else "none")
            for (condition, like), ids in grouped.items()
        )
        count = sum(map(len, grouped.values()))
        listed = table(f"licence | {begin} | asks for as much as", lines)
        sections.append(f"## {title} ({count})\n\n{meaning}\n\n{listed}")
    return "\n\n".join(sections)


_TERMS_KINDS: Final[Mapping[TermsKind, str]] = {
    TermsKind.ATTRIBUTION: "credit",
    TermsKind.SHARE_ALIKE: "share alike",
    TermsKind.RESTRICTED: "restricted use",
    TermsKind.NON_COMMERCIAL: "no commercial use",
    TermsKind.NO_DERIVATIVES: "no changed versions",
}


def model_licenses() -> str:
    """The licences of models and data: one a line, with its names in cards, its kind and what it demands."""
    names = model_terms.names()
    rows = (
        (
            f"[{one.name}]({one.source})",
            f"`{one.license}`",
            ", ".join(f"`{name}`" for name, license_id in names.items() if license_id == one.license),
            _TERMS_KINDS[one.kind],
            one.limits,
            one.duties,
        )
        for one in model_terms.all_terms()
    )
    return table("licence | id | in cards | kind | how it may be used | if it is passed on", rows)


def unclear_model_licenses() -> str:
    """The names in cards that stand for no licence of the table."""
    return table("name | stands for", ((f"`{name}`", words) for name, words in model_terms.unclear_names().items()))


def published_models() -> str:
    """The well-known models and data sets, by the beginnings of their names."""
    rows = ((f"`{begin}…`", f"`{one.license}`", f"<{one.source}>") for begin, one in model_terms.published())
    return table("name | licence | source", rows)
