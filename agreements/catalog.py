"""The agreement texts by name, version and language; a released text that changed is refused, never used."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Self

from agreements import form_fields, versions
from agreements.form_fields import AgreementField
from agreements.rulebook.rules import Rules

PLACEHOLDER = "{organization}"

_FOLDER = Path(__file__).parent / "texts"
_SUMS = "SHA256SUMS"
# The banner of the shipped texts, quoted or not, in each of their languages.
_TEMPLATE = re.compile(r"^[ \t\u3000>*_#]*(?:template for counsel|供法律顾问审阅的模板)", re.IGNORECASE | re.MULTILINE)
_QUOTED_BANNER = re.compile(r"\A> ?\**(?:template for counsel|供法律顾问审阅的模板).*\n(?:>.*\n)*\n*", re.IGNORECASE)
"""The banner and nothing else: a quotation at the very beginning, so that no term of an agreement can hide in it."""
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")  # as `sha256sum` writes it
_AGREEMENT = re.compile(r"([a-z][a-z0-9-]*)/([0-9]+(?:\.[0-9]+)*)/([a-z]{2})\.md")
_FIELDS = re.compile(r"([a-z][a-z0-9-]*)/([0-9]+(?:\.[0-9]+)*)/fields\.toml")
_CERTIFICATE = re.compile(r"(dco)/([0-9]+(?:\.[0-9]+)*)\.txt")


class CatalogBroken(Exception):
    """The texts are not as released; `problems` names each file. The verdict is `rulebook/invalid`."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


@dataclass(frozen=True, slots=True)
class AgreementText:
    """One released text (`name`, `version`, `language`): `source` as in its file (UTF-8), `sha256` of those bytes in hexadecimal digits.

    `fields` are the questions besides name and address, the same in every language of a version.
    """

    name: str
    version: str
    language: str
    source: str
    sha256: str
    fields: tuple[AgreementField, ...] = ()

    @property
    def signable(self) -> bool:
        """True for agreements; the DCO is certified by each commit and never signed here."""
        return self.name != "dco"

    @property
    def is_template(self) -> bool:
        """True while its banner says that counsel has to review it before people sign it."""
        return _TEMPLATE.search(self.source) is not None

    @property
    def terms(self) -> str:
        """The source without the banner, which speaks to the organisation and not to signers."""
        return _QUOTED_BANNER.sub("", self.source)

    def for_organization(self, organization: str) -> str:
        """The source with the organisation's name filled in."""
        # Markdown's signs in a name are escaped: a name must not change the form of the text.
        return self.source.replace(PLACEHOLDER, re.sub(r"([\\`*_\[\]<>#|!~&])", r"\\\1", organization))


class Catalog:
    """All released texts."""

    def __init__(self, texts: Mapping[tuple[str, str, str], AgreementText]) -> None:
        self._texts = dict(texts)

    @classmethod
    def load(cls, folder: Path | None = None) -> Self:
        """Read the texts of `folder` (default: the released ones) and check each against SHA256SUMS.

        Raises CatalogBroken naming every file that changed, is missing, is not listed or has no place in the catalog.
        """
        folder = folder or _FOLDER
        sums, problems = _read_sums(folder)
        found: list[_Read] = []
        for path in sorted({*sums, *_present(folder)}):
            try:
                found.append(_read(folder, path, sums.get(path)))
            except ValueError as error:
                problems.append(f"{path}: {error}")
        if problems:
            raise CatalogBroken(tuple(problems))  # All problems at once: an operator repairs them in one go.
        asked = {key: fields for key, fields in found if isinstance(fields, tuple)}
        texts = [replace(text, fields=asked.get(key, ())) for key, text in found if isinstance(text, AgreementText)]
        return cls({_key(text): text for text in texts})

    def with_texts(self, texts: Iterable[AgreementText]) -> "Catalog":
        """The catalog with these texts, too; a version without `fields` has those of the version before.

        Raises CatalogBroken naming every text that changed, and every one that is there already with other words.
        """
        joined, problems = Catalog(self._texts), []
        for text in sorted(texts, key=_order):
            # The hash is computed anew: the row in the database may have been changed since the release.
            found, there = sha256(text.source.encode()).hexdigest(), self._texts.get(_key(text))
            where = "/".join(_key(text))
            if found != text.sha256:
                problems.append(f"{where}: a released text changed (SHA-256 is {found}, released was {text.sha256})")
            # Signatures name a text by its hash: one version has one wording.
            elif there is not None and there.sha256 != text.sha256:
                problems.append(f"{where}: released twice, with different words")
            else:
                asked = text.fields or joined.fields(text.name, text.version)
                joined._texts[_key(text)] = there or replace(text, fields=asked)
        if problems:
            raise CatalogBroken(tuple(problems))
        return joined

    def texts(self) -> tuple[AgreementText, ...]:
        """All of them, by name, by version as numbers, by language."""
        return tuple(sorted(self._texts.values(), key=_order))

    def versions(self, name: str) -> tuple[str, ...]:
        """The released versions of that text, the oldest first."""
        return tuple(dict.fromkeys(text.version for text in self.texts() if text.name == name))

    def fields(self, name: str, version: str) -> tuple[AgreementField, ...]:
        """The fields of that version, or else of the newest one before it."""
        until = versions.sort_key(version)
        known = [text for text in self.texts() if text.name == name and versions.sort_key(text.version) <= until]
        return known[-1].fields if known else ()

    def get(self, name: str, version: str, language: str) -> AgreementText | None:
        """The text, or None when no such text was released."""
        return self._texts.get((name, version, language))

    def languages(self, name: str, version: str) -> tuple[str, ...]:
        """The languages in which that version was released, in alphabetical order."""
        return tuple(sorted(key[2] for key in self._texts if key[:2] == (name, version)))

    def templates(self, rules: Rules) -> tuple[AgreementText, ...]:
        """The texts that these rules ask people or companies to sign although counsel has not reviewed them."""
        # With the DCO alone no agreement is asked for.
        if not any(rule.require in ("cla", "both", "either") for rule in rules.repositories):
            return ()
        asked = {(ref.text, ref.version) for ref in (rules.individual, rules.corporate)}
        return tuple(text for text in self.texts() if (text.name, text.version) in asked and text.is_template)

    def accepted(self) -> frozenset[tuple[str, str, str, str]]:
        """(name, version, language, SHA-256) of each text that may be signed; no other signature counts."""
        return frozenset((t.name, t.version, t.language, t.sha256) for t in self._texts.values() if t.signable)


def _key(text: AgreementText) -> tuple[str, str, str]:
    return (text.name, text.version, text.language)


def _order(text: AgreementText) -> tuple[str, tuple[int, ...], str]:
    return (text.name, versions.sort_key(text.version), text.language)


_Read = tuple[tuple[str, str], AgreementText | tuple[AgreementField, ...]]
"""Name and version, and the content of a file: a text, or the fields."""


def _read_sums(folder: Path) -> tuple[dict[str, str], list[str]]:
    """The released files and their hashes, and the mistakes in the list itself."""
    try:
        lines = (folder / _SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}, [f"{_SUMS}: cannot be read"]
    matches = [_LINE.fullmatch(line) for line in lines]
    problems = [f"{_SUMS}: line {number} is not `sha256  path`" for number, found in enumerate(matches, 1) if not found]
    return {found[2]: found[1] for found in matches if found}, problems


def _present(folder: Path) -> set[str]:
    found = (path for pattern in ("*.md", "*.txt", "*.toml") for path in folder.rglob(pattern))
    return {path.relative_to(folder).as_posix() for path in found} - {"README.md"}  # The README is no agreement.


def _read(folder: Path, path: str, expected: str | None) -> _Read:
    """The content of one file and its version. Raises ValueError with the mistake."""
    place = _AGREEMENT.fullmatch(path)
    declared = _FIELDS.fullmatch(path)
    named = place or declared or _CERTIFICATE.fullmatch(path)
    if named is None:
        raise ValueError("not of the form name/version/language.md or name/version/fields.toml")
    source, found = _content(folder / path, expected)
    key = (named[1], named[2])
    # A certificate has no language in its path: the DCO exists in English only.
    return key, form_fields.read(source) if declared else AgreementText(
        *key, place[3] if place else "en", source, found
    )


def _content(path: Path, expected: str | None) -> tuple[str, str]:
    """A file's text and SHA-256. Raises ValueError unless it is listed and as it was released."""
    if expected is None:
        raise ValueError(f"not listed in {_SUMS}")
    try:
        content = path.read_bytes()
    except OSError:
        raise ValueError("released, but cannot be read") from None
    found = sha256(content).hexdigest()
    if found != expected:
        raise ValueError(f"a released text changed (SHA-256 is {found}, released was {expected})")
    try:
        return content.decode("utf-8"), found
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
