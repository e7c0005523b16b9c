"""The tables of a verdict: a row for every commit, or for every person, each with its result and the reason for it."""

from collections.abc import Iterator, Mapping, Sequence

from agreements.facts import Check, CommitStatus, Conclusion, Note, Problem, Verdict
from bot.report.markdown import code, fit, row, table
from bot.report.words import CommandContext, Language, phrase, render, set_aside

_MARKS = {
    Conclusion.SUCCESS: ("✅", "passed"),
    Conclusion.FAILURE: ("❌", "failed"),
    Conclusion.ACTION_REQUIRED: ("⚠️", "action_required"),
    Conclusion.NEUTRAL: ("⚪", "neutral"),
}

_OVERRIDDEN = "dco/overridden"


def headline(check: Check, language: Language) -> str:
    """The end of the check: its mark, its name in bold, a word."""
    mark, word = _MARKS[check.conclusion]
    name, word = phrase(language, "check", check.name), phrase(language, "page", word)
    return phrase(language, "page", "headline", mark=mark, check=name, word=word)


def mark(check: Check) -> str:
    """The sign of the check's end."""
    return _MARKS[check.conclusion][0]


def tables(verdict: Verdict, subjects: Mapping[str, str], language: Language, limit: int) -> str:
    """A section for each check, in at most `limit` characters; `subjects` are the commits' first lines by SHA."""
    share = limit // max(1, len(verdict.checks)) - 2
    return "\n\n".join(_section(check, subjects, language, share) for check in verdict.checks)


def _section(check: Check, subjects: Mapping[str, str], language: Language, limit: int) -> str:
    head: tuple[str, ...]
    if check.commits and check.conclusion is not Conclusion.NEUTRAL:
        head, rows = ("commit", "subject", "result", "reason"), _commit_rows(check, check.commits, subjects, language)
        # Counted beforehand: rows that do not fit are not even made.
        shas = {status.sha for status in check.commits}
        total = len(shas) + len({item.sha for item in _items(check) if not _told_by_commits(item, check)} - shas)
    else:
        head, rows, total = ("result", "reason"), _plain_rows(check, language), len(_items(check))
    if not total:
        return f"### {headline(check, language)}"
    # Each row says its result.
    title = f"### {phrase(language, 'check', check.name)}"
    lines = table([phrase(language, "page", name) for name in head], ())[:-1]
    more = "\n" + phrase(language, "page", "more_rows", count="{count}")
    used = len(title) + sum(len(line) + 1 for line in lines) + 10
    return "\n".join([title, *lines, fit(rows, limit - used, more, total=total)])


def _items(check: Check) -> tuple[Problem | Note, ...]:
    return (*check.problems, *check.notes)


def _commit_rows(
    check: Check, commits: Sequence[CommitStatus], subjects: Mapping[str, str], language: Language
) -> Iterator[str]:
    """A row for every commit in order, then one for what belongs to no commit; made only when it is asked for."""
    about: dict[str | None, list[Problem | Note]] = {}
    by = ""
    for item in _items(check):
        if _told_by_commits(item, check):
            by = code(str(item.values.get("by", "")))
        else:
            about.setdefault(item.sha, []).append(item)

    def reasons(items: Sequence[Problem | Note]) -> str:
        situation = CommandContext()
        return " ".join(render(item, language, show=code, public=True, situation=situation).message for item in items)

    for sha, status in {status.sha: status for status in commits}.items():
        conclusion = Conclusion.SUCCESS if status.status == "pass" else Conclusion.FAILURE
        said = [
            reasons(about.pop(sha, [])),
            set_aside(status.codes, by, language) if _OVERRIDDEN in status.codes else "",
        ]
        # Without words of its own, the codes.
        reason = " ".join(filter(None, said)) or ", ".join(map(code, status.codes))
        subject = code(subjects.get(sha, ""), longest=60)
        yield row([code(sha[:7]), subject, conclusion_word(conclusion, language), reason])
    for other, items in about.items():
        yield row([code((other or "")[:7]), "", conclusion_word(check.conclusion, language), reasons(items)])


def _told_by_commits(item: Problem | Note, check: Check) -> bool:
    return item.code == _OVERRIDDEN and any(_OVERRIDDEN in status.codes for status in check.commits or ())


def _plain_rows(check: Check, language: Language) -> Iterator[str]:
    # A neutral check passes no person: its notes only say why nothing is required.
    passed = Conclusion.NEUTRAL if check.conclusion is Conclusion.NEUTRAL else Conclusion.SUCCESS
    for item in _items(check):
        conclusion = Conclusion.FAILURE if isinstance(item, Problem) else passed
        # A doubt is no failure of the person's.
        if item.code.startswith(("facts/", "rulebook/")):
            conclusion = Conclusion.ACTION_REQUIRED
        yield row([conclusion_word(conclusion, language), render(item, language, show=code, public=True).message])


def conclusion_word(conclusion: Conclusion, language: Language) -> str:
    """The conclusion's mark and a word for it."""
    mark, word = _MARKS[conclusion]
    return f"{mark} {phrase(language, 'page', word)}"
