"""The text of the check `Countersign / Licenses`: how a change comes out, why, and what to do; pure, in one language or both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.facts import OWN_UNKNOWN, Cell, Finding
from audit.licenses.expression import spelled
from audit.verdict.pull_request import ChangeKind, ChangeVerdict, LicenseConclusion, Severity, WeighedFinding, worst
from audit.verdict.unknown_license import is_not_looked_up
from bot.report.check_run import CheckText, Language, in_languages, in_short
from bot.report.license_tables import findings, named, of_several, place, reason_of, said, table_of, where
from bot.report.markdown import code, fit
from bot.report.words import licenses as words
from bot.report.words import phrases
from bot.report.words.licenses import phrase
from bot.rulebook.effective import RulebookProblem

_MAX_FIXES = 20
_MAX_NAMES = 10
"""Dependencies that are named where several fail for one reason."""


@dataclass(frozen=True, slots=True)
class PullOutcome:
    """Pull request `number` into `base`, and how the change came out in it: `found` is the verdict, or why there are no rules.

    `outdated` are the dates of licence data older than three years that judged it.
    """

    number: int
    base: str
    found: ChangeVerdict | RulebookProblem
    outdated: tuple[str, ...] = ()

    @property
    def conclusion(self) -> LicenseConclusion:
        """The conclusion for this pull request."""
        return self.found.conclusion if isinstance(self.found, ChangeVerdict) else LicenseConclusion.ACTION_REQUIRED


def conclusion(asked: Sequence[PullOutcome]) -> LicenseConclusion:
    """The conclusion for the commit: the worst of all that ask to merge it."""
    return worst(outcome.conclusion for outcome in asked)


def check_run(asked: Sequence[PullOutcome], language: Language) -> CheckText:
    """The verdict for the check run; of several pull requests with one head each has its part."""
    share = max(1, len(asked))  # Each gets its part of the room.
    return in_languages(
        language,
        lambda each: _title(asked, each),
        lambda each, limit: "\n\n".join(_summary(outcome, each, limit // share - 2, asked) for outcome in asked),
        lambda each, limit: "\n\n".join(
            filter(None, (_text(outcome, each, limit // share - 2, asked) for outcome in asked))
        ),
    )


def in_progress(language: Language) -> CheckText:
    """The text for a head whose licences were not judged yet."""
    return _plain(language, "in_progress")


def not_asked_for(language: Language) -> CheckText:
    """The text for a head whose rules had a part on licences and have none any more."""
    return _plain(language, "neutral")


def could_not_judge(why: str, language: Language = "both") -> CheckText:
    """The text for a head when GitHub or we failed; `why` is a short clause without personal data."""
    return _plain(language, "could_not_judge", "action_required", why=code(why, longest=500))


def _plain(language: Language, name: str, title: str = "", **values: str) -> CheckText:
    return in_languages(
        language,
        lambda each: phrase(each, f"title-{title or name}"),
        lambda each, _limit: phrase(each, name, **values),
    )


def _title(asked: Sequence[PullOutcome], language: phrases.Language) -> str:
    said: str = conclusion(asked)
    broken = [outcome.found.problem() for outcome in asked if isinstance(outcome.found, RulebookProblem)]
    if broken and said == LicenseConclusion.ACTION_REQUIRED:
        found = in_short(broken, language)
        return found[:1].upper() + found[1:]
    # A registry that did not answer yet is no violation, and the title must not call it one.
    count, waiting = _failing(asked)
    counted = phrase(language, "problem" if count == 1 else "problems", count=f"{count:,}")
    if said == LicenseConclusion.FAILURE and waiting:
        name = "title-failure-and-not-looked-up" if count else "title-not-looked-up"
        return phrase(language, name, problems=counted, count=f"{waiting:,}")
    # Not all is compatible, but the rulebook allows it.
    if said == LicenseConclusion.SUCCESS and not all(
        isinstance(outcome.found, ChangeVerdict) and outcome.found.is_compatible for outcome in asked
    ):
        said = "allowed"
    return phrase(language, f"title-{said}", problems=counted)


def _failing(asked: Sequence[PullOutcome]) -> tuple[int, int]:
    """The number of problems, and of uses that fail only because they were not looked up."""
    verdicts = [outcome.found for outcome in asked if isinstance(outcome.found, ChangeVerdict)]
    failing = [move.after for found in verdicts for move in found.moves if move.fails and move.after]
    noted = sum(note.weight is Severity.FAILS for found in verdicts for note in found.findings)
    waiting = sum(map(is_not_looked_up, failing))
    return len(failing) - waiting + noted, waiting


def _summary(outcome: PullOutcome, language: phrases.Language, limit: int, asked: Sequence[PullOutcome]) -> str:
    lines = []
    if len(asked) > 1:
        lines += [f"## {phrase(language, 'pull', number=str(outcome.number), base=code(outcome.base))}", ""]
    if isinstance(outcome.found, RulebookProblem):
        said = phrases.render(outcome.found.problem(), language, show=code, public=True)
        lines += [f"⚠️ {said.message}", "", said.fix]
    else:
        lines += _lines(outcome.found, language)
    if outcome.outdated and isinstance(outcome.found, ChangeVerdict):
        lines += ["", phrase(language, "outdated", data=code(", ".join(outcome.outdated)))]
    return fit(lines, limit, phrase(language, "more", count="{count}"))


def _lines(found: ChangeVerdict, language: phrases.Language) -> list[str]:
    name = f"head-{found.conclusion}"
    if found.conclusion is LicenseConclusion.SUCCESS:
        name = "head" if found.is_compatible else "head-allowed"
    if found.conclusion is LicenseConclusion.FAILURE and not _failing([PullOutcome(0, "", found)])[0]:
        name = "head-not-looked-up"
    before, after = (named(expression) or phrase(language, "own-unknown") for expression in found.own)
    own = phrase(language, "own" if before == after else "own-changed", before=before, license=after)
    lines = [phrase(language, name), "", _counts(found, language), "", own]
    lines += [phrase(language, "not-read", count=f"{sum(found.not_read):,}")] if any(found.not_read) else []
    fixes = list(_fixes(found, language))
    if fixes:
        lines += ["", f"### {phrase(language, 'fix')}", *(f"\n{fix}" for fix in fixes[:_MAX_FIXES])]
        if len(fixes) > _MAX_FIXES:
            lines.append("\n" + phrase(language, "more", count=f"{len(fixes) - _MAX_FIXES:,}"))
        # Waivers are explained only where one would help.
        if len(fixes) > sum(_cannot_be_waived(note) for note in found.findings):
            lines.append("\n" + phrase(language, "waiver"))
    doubts = [note.finding for note in found.findings if note.weight is Severity.DOUBT]
    if doubts:
        lines += ["", f"### {phrase(language, 'unread')}", ""]
        lines += [f"- {_finding(finding, 'doubt', language)}" for finding in doubts]
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


def _fixes(found: ChangeVerdict, language: phrases.Language) -> Iterator[str]:
    """Everything that fails: what, why, what to do, where."""
    for note in found.findings:
        if note.weight is Severity.FAILS and note.finding.code == OWN_UNKNOWN:
            yield f"- {_finding(note.finding, 'own-license-unknown', language)}"
    # What fails for one reason stands together.
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in (move.after for move in found.moves if move.fails and move.after):
        groups.setdefault((cell.judgement.rule, cell.judgement.reason), []).append(cell)
    for cells in groups.values():
        is_alone = len(cells) == 1
        yield _fix(cells[0], found, language) if is_alone else of_several(cells, found.own[1], language, _MAX_NAMES)
    for note in found.findings:
        if note.weight is Severity.FAILS and note.finding.code != OWN_UNKNOWN:
            name = note.finding.code.replace("/", "-") if _cannot_be_waived(note) else "mismatch"
            yield f"- {_finding(note.finding, name, language)}"


def _cannot_be_waived(note: WeighedFinding) -> bool:
    """Whether it fails for a licence header, or for the work's own licence: no waiver is for these."""
    is_about_the_work = note.finding.code.startswith("header/") or note.finding.code == OWN_UNKNOWN
    return note.weight is Severity.FAILS and is_about_the_work


def _fix(cell: Cell, found: ChangeVerdict, language: phrases.Language) -> str:
    dependency = cell.dependency
    said = phrase(
        language,
        "failing",
        name=f"**{named(dependency.name)}** {named(dependency.version)}".strip(),
        license=named(spelled(dependency.license.expression)) or phrase(language, "unknown"),
        usage=words.word(language, "usage", dependency.usage),
        reason=reason_of(cell, found.own[1], language),
    )
    places = where(cell)
    more = [words.advice(language, cell.judgement), phrase(language, "where", places=places) if places else ""]
    return f"- {words.sentence(language, said, *filter(None, more))}"


def _finding(finding: Finding, name: str, language: phrases.Language) -> str:
    return phrase(language, name, place=place(finding.place), message=said(finding, language), code=code(finding.code))


def _text(outcome: PullOutcome, language: phrases.Language, limit: int, asked: Sequence[PullOutcome]) -> str:
    """The tables: what the change brings, what was there before, what gets better, what else was found."""
    if isinstance(outcome.found, RulebookProblem):
        return ""  # The summary says it all.
    lines = [f"## #{outcome.number}", ""] if len(asked) > 1 else []  # GitHub makes a link of it.
    now = outcome.found.of(ChangeKind.ADDED, ChangeKind.WORSE, ChangeKind.CHANGED)
    for title, note, moves in (
        ("section-now", "", now),
        ("section-standing", "standing-note", outcome.found.of(ChangeKind.STANDING)),
        ("section-past", "", outcome.found.of(ChangeKind.BETTER, ChangeKind.GONE)),
    ):
        if moves:
            lines += [f"### {phrase(language, title)}", *(["", phrase(language, note)] if note else [])]
            lines += table_of(moves, outcome.found.own, language)
    told_only = [note.finding for note in outcome.found.findings if note.weight is Severity.TOLD]
    if told_only:
        lines += [f"### {phrase(language, 'section-findings')}", *findings(told_only, language)]
    return fit(lines, limit, "\n" + phrase(language, "more", count="{count}"))
