"""What the check `Countersign / Licenses` shows: how a change comes out, why, and what to do; pure Markdown in one language or both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.facts import Finding
from audit.licenses.expression import spelled
from audit.verdict.pull_request import (
    ChangeKind,
    ChangeVerdict,
    LicenseConclusion,
    Severity,
    UsageChange,
    WeighedFinding,
    worst,
)
from bot.report.check_run import CheckText, Language, in_languages
from bot.report.license_tables import findings, named, place, reason_of, said, table_of, where
from bot.report.markdown import code, fit
from bot.report.words import licenses as words
from bot.report.words import phrases
from bot.report.words.licenses import phrase
from bot.rulebook.effective import RulebookProblem

_MAX_FIXES = 20


@dataclass(frozen=True, slots=True)
class PullOutcome:
    """One pull request that asks for the change, and how it came out: judged, or why there are no rules to judge it by.

    `outdated` are the dates of licence data older than three years that judged it.
    """

    number: int
    base: str
    found: ChangeVerdict | RulebookProblem
    outdated: tuple[str, ...] = ()

    @property
    def conclusion(self) -> LicenseConclusion:
        """What follows for this pull request."""
        return self.found.conclusion if isinstance(self.found, ChangeVerdict) else LicenseConclusion.ACTION_REQUIRED


def conclusion(asked: Sequence[PullOutcome]) -> LicenseConclusion:
    """What follows for the commit: the worst of all that ask to merge it."""
    return worst(one.conclusion for one in asked)


def check_run(asked: Sequence[PullOutcome], language: Language) -> CheckText:
    """The verdict for the check run; of several pull requests with one head each has its part."""
    share = max(1, len(asked))
    return in_languages(
        language,
        lambda each: _title(asked, each),
        lambda each, limit: "\n\n".join(_summary(one, each, limit // share - 2, asked) for one in asked),
        lambda each, limit: "\n\n".join(filter(None, (_text(one, each, limit // share - 2, asked) for one in asked))),
    )


def in_progress(language: Language) -> CheckText:
    """What a head shows whose licences were not judged yet."""
    return _plain(language, "in_progress")


def not_asked_for(language: Language) -> CheckText:
    """What a head shows whose rules had a part on licences and have none any more."""
    return _plain(language, "neutral")


def could_not_judge(why: str, language: Language = "both") -> CheckText:
    """What a head shows when GitHub or we failed; `why` is a short clause without personal data."""
    return _plain(language, "could_not_judge", "action_required", why=code(why, longest=500))


def _plain(language: Language, name: str, title: str = "", **values: str) -> CheckText:
    return in_languages(
        language,
        lambda each: phrase(each, f"title-{title or name}"),
        lambda each, _limit: phrase(each, name, **values),
    )


def _title(asked: Sequence[PullOutcome], language: phrases.Language) -> str:
    count = sum(
        sum(move.fails for move in one.found.moves) + sum(note.weight is Severity.FAILS for note in one.found.findings)
        for one in asked
        if isinstance(one.found, ChangeVerdict)
    )
    counted = phrase(language, "problem" if count == 1 else "problems", count=f"{count:,}")
    said: str = conclusion(asked)
    if said == LicenseConclusion.SUCCESS and not all(
        isinstance(one.found, ChangeVerdict) and one.found.is_compatible for one in asked
    ):
        said = "allowed"
    return phrase(language, f"title-{said}", problems=counted)


def _summary(one: PullOutcome, language: phrases.Language, limit: int, asked: Sequence[PullOutcome]) -> str:
    lines = []
    if len(asked) > 1:
        lines += [f"## {phrase(language, 'pull', number=str(one.number), base=code(one.base))}", ""]
    lines += (
        _of_rulebook(one.found, language) if isinstance(one.found, RulebookProblem) else _lines(one.found, language)
    )
    if one.outdated and isinstance(one.found, ChangeVerdict):
        lines += ["", phrase(language, "outdated", data=code(", ".join(one.outdated)))]
    return fit(lines, limit, phrase(language, "more", count="{count}"))


def _of_rulebook(found: RulebookProblem, language: phrases.Language) -> list[str]:
    said = phrases.render(found.problem(), language, show=code, public=True)
    return [f"⚠️ {said.message}", "", said.fix]


def _lines(found: ChangeVerdict, language: phrases.Language) -> list[str]:
    name = f"head-{found.conclusion}"
    if found.conclusion is LicenseConclusion.SUCCESS:
        name = "head" if found.is_compatible else "head-allowed"
    lines = [phrase(language, name), "", _counts(found, language), "", _own(found, language)]
    fixes = list(_fixes(found, language))
    if fixes:
        lines += ["", f"### {phrase(language, 'fix')}", *(f"\n{fix}" for fix in fixes[:_MAX_FIXES])]
        if len(fixes) > _MAX_FIXES:
            lines.append("\n" + phrase(language, "more", count=f"{len(fixes) - _MAX_FIXES:,}"))
        if len(fixes) > sum(_is_of_header(note) for note in found.findings):
            lines.append("\n" + phrase(language, "waiver"))
    doubts = [note.finding for note in found.findings if note.weight is Severity.DOUBT]
    if doubts:
        lines += ["", f"### {phrase(language, 'unread')}", ""]
        lines += [f"- {_finding(one, 'doubt', language)}" for one in doubts]
    if found.conclusion is not LicenseConclusion.SUCCESS:
        lines += ["", phrase(language, "again")]
    return lines


def _counts(found: ChangeVerdict, language: phrases.Language) -> str:
    counted = [(kind, len(found.of(kind))) for kind in ChangeKind]
    kinds = [phrase(language, f"count-{kind}", count=f"{count:,}") for kind, count in counted if count]
    if not kinds:
        return phrase(language, "nothing")
    said = ("，" if language == "zh" else ", ").join(kinds)
    return phrase(language, "counts", kinds=said[:1].upper() + said[1:], unchanged=f"{found.unchanged:,}")


def _own(found: ChangeVerdict, language: phrases.Language) -> str:
    before, after = (named(one) or phrase(language, "own-unknown") for one in found.own)
    return phrase(language, "own" if before == after else "own-changed", before=before, license=after)


def _fixes(found: ChangeVerdict, language: phrases.Language) -> Iterator[str]:
    """Everything that fails: what, why, what to do, where."""
    yield from (_fix(move, found, language) for move in found.moves if move.fails)
    for note in found.findings:
        if note.weight is Severity.FAILS:
            name = note.finding.code.replace("/", "-") if _is_of_header(note) else "mismatch"
            yield f"- {_finding(note.finding, name, language)}"


def _is_of_header(note: WeighedFinding) -> bool:
    """Whether it fails for a licence header, which nobody can waive."""
    return note.weight is Severity.FAILS and note.finding.code.startswith("header/")


def _fix(move: UsageChange, found: ChangeVerdict, language: phrases.Language) -> str:
    cell = move.after
    assert cell is not None
    one = cell.dependency
    said = phrase(
        language,
        "failing",
        name=f"**{named(one.name)}** {named(one.version)}".strip(),
        license=named(spelled(one.license.expression)) or phrase(language, "unknown"),
        usage=words.word(language, "usage", one.usage),
        reason=reason_of(cell, found.own[1], language),
    )
    places = where(cell)
    stop, space = ("。", "") if language == "zh" else (".", " ")
    lines = [f"{said}{stop}", words.advice(language, cell.judgement)]
    lines.append(phrase(language, "where", places=places) if places else "")
    return f"- {space.join(filter(None, lines))}"


def _finding(one: Finding, name: str, language: phrases.Language) -> str:
    return phrase(language, name, place=place(one.place), message=said(one, language), code=code(one.code))


def _text(one: PullOutcome, language: phrases.Language, limit: int, asked: Sequence[PullOutcome]) -> str:
    """The tables: what the change brings, what was there before, what gets better, what else was found."""
    if isinstance(one.found, RulebookProblem):
        return ""
    lines = [f"## #{one.number}", ""] if len(asked) > 1 else []
    now = one.found.of(ChangeKind.ADDED, ChangeKind.WORSE, ChangeKind.CHANGED)
    for title, note, moves in (
        ("section-now", "", now),
        ("section-standing", "standing-note", one.found.of(ChangeKind.STANDING)),
        ("section-past", "", one.found.of(ChangeKind.BETTER, ChangeKind.GONE)),
    ):
        if moves:
            lines += [f"### {phrase(language, title)}", *(["", phrase(language, note)] if note else [])]
            lines += table_of(moves, one.found.own, language)
    told_only = [note.finding for note in one.found.findings if note.weight is Severity.TOLD]
    if told_only:
        lines += [f"### {phrase(language, 'section-findings')}", *findings(told_only, language)]
    return fit(lines, limit, "\n" + phrase(language, "more", count="{count}"))
