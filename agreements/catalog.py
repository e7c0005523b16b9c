"""The agreement texts by name, version and language; a released text that changed is refused, never used."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

PLACEHOLDER = "{organization}"

_FOLDER = Path(__file__).parent / "texts"
_SUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")
_AGREEMENT = re.compile(r"([a-z][a-z0-9-]*)/([0-9]+(?:\.[0-9]+)*)/([a-z]{2})\.md")
_CERTIFICATE = re.compile(r"(dco)/([0-9]+(?:\.[0-9]+)*)\.txt")


class CatalogBroken(Exception):  # noqa: N818 - reads as what happened
    """The texts are not as released; `problems` names each file. The verdict is `rulebook/invalid`."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


@dataclass(frozen=True, slots=True)
class Text:
    """One released text: `source` as in its file (UTF-8), `sha256` of those bytes in hexadecimal digits."""

    name: str
    version: str
    language: str
    source: str
    sha256: str

    @property
    def signable(self) -> bool:
        """True for agreements; the DCO is certified by each commit and never signed here."""
        return self.name != "dco"

    def for_organization(self, organization: str) -> str:
        """The source with the organisation's name filled in: Markdown signs in the name are taken as letters."""
        return self.source.replace(PLACEHOLDER, re.sub(r"([\\`*_\[\]<>#|!~&])", r"\\\1", organization))


class Catalog:
    """All released texts, read once."""

    def __init__(self, texts: Mapping[tuple[str, str, str], Text]) -> None:
        self._texts = dict(texts)

    @classmethod
    def load(cls, folder: Path | None = None) -> Self:
        """Read the texts of `folder` (default: the released ones) and check each against SHA256SUMS.

        Raises CatalogBroken naming every file that changed, is missing, is not listed or has no place in the catalog.
        """
        folder = folder or _FOLDER
        sums, problems = _read_sums(folder)
        texts: dict[tuple[str, str, str], Text] = {}
        for path in sorted({*sums, *_present(folder)}):
            text = _read(folder, path, sums.get(path))
            if isinstance(text, Text):
                texts[text.name, text.version, text.language] = text
            else:
                problems.append(text)
        if problems:
            raise CatalogBroken(tuple(problems))
        return cls(texts)

    def get(self, name: str, version: str, language: str) -> Text | None:
        """The text, or None when no such text was released."""
        return self._texts.get((name, version, language))

    def languages(self, name: str, version: str) -> tuple[str, ...]:
        """The languages in which that version was released, in alphabetical order."""
        return tuple(sorted(key[2] for key in self._texts if key[:2] == (name, version)))

    def accepted(self) -> frozenset[tuple[str, str, str, str]]:
        """(name, version, language, SHA-256) of each text that may be signed; no other signature counts."""
        return frozenset((t.name, t.version, t.language, t.sha256) for t in self._texts.values() if t.signable)


def _read_sums(folder: Path) -> tuple[dict[str, str], list[str]]:
    """The released files and their hashes, and what is wrong with the list itself."""
    try:
        lines = (folder / _SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}, [f"{_SUMS}: cannot be read"]
    matches = [_LINE.fullmatch(line) for line in lines]
    problems = [f"{_SUMS}: line {number} is not `sha256  path`" for number, found in enumerate(matches, 1) if not found]
    return {found[2]: found[1] for found in matches if found}, problems


def _present(folder: Path) -> set[str]:
    """Paths of the text files in the folder, relative, with forward slashes."""
    found = {path.relative_to(folder).as_posix() for pattern in ("*.md", "*.txt") for path in folder.rglob(pattern)}
    return found - {"README.md"}


def _read(folder: Path, path: str, expected: str | None) -> Text | str:
    """The text of one file, or one line that says what is wrong with it."""
    place = _AGREEMENT.fullmatch(path)
    certificate = _CERTIFICATE.fullmatch(path)
    if place:
        name, version, language = place.groups()
    elif certificate:
        name, version, language = *certificate.groups(), "en"
    else:
        return f"{path}: not of the form name/version/language.md"
    if expected is None:
        return f"{path}: not listed in {_SUMS}"
    try:
        content = (folder / path).read_bytes()
    except OSError:
        return f"{path}: released, but cannot be read"
    found = sha256(content).hexdigest()
    if found != expected:
        return f"{path}: a released text changed (SHA-256 is {found}, released was {expected})"
    try:
        return Text(name, version, language, content.decode("utf-8"), found)
    except UnicodeDecodeError:
        return f"{path}: not UTF-8"
