"""The issue that lists a repository's violations: its text says the same for the same violations, so it is edited only for others."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final, get_args

from audit.facts import Cell, Finding, RepositoryAudit
from audit.licenses.expression import spelled
from audit.verdict.grouping import by_reason
from audit.verdict.unknown_license import is_not_looked_up
from bot.report import license_tables
from bot.report.check_run import Language, languages_of
from bot.report.license_tables import columns, explained, named, of_several, place, where
from bot.report.markdown import fit, row, table
from bot.report.words import licenses as words
from bot.report.words import phrases
from bot.report.words.licenses import phrase

MARKER: Final = "<!-- countersign:licenses -->"
"""The mark by which our App finds its own issue again."""
_MAX_NAMES: Final = 20
"""Dependencies that are named where several were not looked up."""
_MAX_BODY_CHARACTERS: Final = 60_000
"""Characters; GitHub takes 65,536."""


@dataclass(frozen=True, slots=True)
class LicenseIssue:
    """The `title` and `body` of the issue; `wanted` False: there is nothing to tell, it is closed if there is one."""

    title: str
    body: str
    wanted: bool

    @property
    def digest(self) -> str:
        """A hash of the issue: another one as soon as anything of it would be another."""
        # A path may hold lone surrogates, which UTF-8 refuses.
        return sha256(repr((self.title, self.body, self.wanted)).encode("utf-8", "surrogatepass")).hexdigest()


def issue(
    audited: RepositoryAudit, failing: tuple[Cell, ...], language: Language, own: Finding | None = None
) -> LicenseIssue:
    """The issue for these violations, or that they are gone; `own`: the own licence is not known."""
    if not failing and own is None:
        return _closed("issue-none", language, "issue-foot")
    languages = languages_of(language)
    limit = _MAX_BODY_CHARACTERS // len(languages)
    parts = [_in(each, audited, failing, own, limit) for each in languages]
    return LicenseIssue(_title(language), "\n\n".join([*parts, MARKER]), wanted=True)


def ended(language: Language) -> LicenseIssue:
    """The issue where the rulebook asks for none any more: closed, without a word on what it listed."""
    return _closed("issue-ended", language)


def is_closed(digest: str) -> bool:
    """Whether that is the digest of a closed issue, in any language."""
    return any(
        digest == license_issue.digest
        for language in get_args(Language)  # The rulebook's may have changed since.
        for license_issue in (ended(language), _closed("issue-none", language, "issue-foot"))
    )


def _closed(said: str, language: Language, *more: str) -> LicenseIssue:
    parts = [phrase(each, name) for each in languages_of(language) for name in (said, *more)]
    return LicenseIssue(_title(language), "\n\n".join([*parts, MARKER]), wanted=False)


def _title(language: Language) -> str:
    return " / ".join(phrase(each, "issue-title") for each in languages_of(language))


def _in(
    language: phrases.Language, audited: RepositoryAudit, failing: tuple[Cell, ...], unknown: Finding | None, limit: int
) -> str:
    foot = phrase(language, "issue-foot")
    own = spelled(audited.repository.license.expression)
    said = phrase(language, "own", license=named(own) or phrase(language, "own-unknown"))
    listed = tuple(cell for cell in failing if not is_not_looked_up(cell))
    count = len(listed) + (unknown is not None)
    counted = phrase(language, "issue-head" if count > 1 else "issue-head-one", count=f"{count:,}") if count else ""
    parts = [f"{counted} {said}".strip()]
    if unknown is not None:
        values = {"place": place(unknown.place), "message": license_tables.said(unknown, language)}
        parts.append("\n- " + phrase(language, "own-license-unknown", **values))
    groups = by_reason(filter(is_not_looked_up, failing))
    waiting = [f"\n{of_several(group, own, language, _MAX_NAMES)}" for group in groups]
    if listed:
        lines = table(columns(language), ())[:-1]  # Without its last, empty line: rows follow.
        used = sum(map(len, (*parts, *lines, *waiting, foot))) + 100
        more = "\n" + phrase(language, "more", count="{count}")
        # Rows that do not fit are not even made.
        rows = fit((_row(cell, own, language) for cell in listed), limit - used, more, total=len(listed))
        parts += [*lines, rows, "", phrase(language, "waiver")]
    return "\n".join([*parts, *waiting, "", foot])


def _row(cell: Cell, own: str | None, language: phrases.Language) -> str:
    dependency, judged = cell.dependency, cell.judgement
    none = phrase(language, "none")
    return row(
        [
            words.word(language, "verdict", judged.verdict),
            named(dependency.name),
            named(dependency.version) or none,
            named(spelled(dependency.license.expression)) or phrase(language, "unknown"),
            words.word(language, "usage", dependency.usage),
            explained(cell, own, language),
            words.advice(language, judged) or none,
            where(cell) or none,
        ]
    )
