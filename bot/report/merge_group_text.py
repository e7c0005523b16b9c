"""The check run of a merge group: the worst of its pull requests, each by its number and with a link."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agreements.facts import WORST_FIRST, Conclusion
from bot.report import words
from bot.report.check_run import CheckText, in_languages, notice
from bot.report.markdown import address, code, fit
from bot.report.verdict_tables import conclusion_word
from bot.report.words import phrase
from bot.report.words.templates import listed

_MAX_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class MemberLine:
    """Pull request `number` of the group, its `conclusion` (None: nothing yet, and `why`), and its page (`explain_url`)."""

    number: int
    conclusion: Conclusion | None
    explain_url: str
    why: str = ""


def worst(conclusions: Sequence[Conclusion | None]) -> Conclusion | None:
    """The conclusion for all of them; None for none, and while one is not known, unless another does not pass."""
    known = [conclusion for conclusion in conclusions if conclusion is not None]
    found = min(known, key=WORST_FIRST.index, default=None)
    # One that does not pass decides before the rest is known: the queue need not wait.
    return None if found is not None and found.passes and len(known) < len(conclusions) else found


def group_text(members: Sequence[MemberLine]) -> CheckText:
    """The text on each pull request, under the answer for all."""
    conclusion = worst([member.conclusion for member in members])

    def title(language: words.Language) -> str:
        if conclusion is None:
            waits = [f"#{member.number}" for member in members if member.conclusion is None]
            named = listed(waits[:_MAX_NAMED], language) + ("…" if len(waits) > _MAX_NAMED else "")
            return phrase(language, "page", "group-waits", pulls=named)
        name = "title-action_required" if conclusion is Conclusion.ACTION_REQUIRED else f"group-{conclusion.value}"
        return phrase(language, "page", name)

    def summary(language: words.Language, limit: int) -> str:
        lines = [phrase(language, "page", "group"), "", *(_line(member, language) for member in members)]
        return fit(lines, limit, phrase(language, "page", "more", count="{count}"))

    return in_languages("both", title, summary)


def not_known(why: str, *, since: datetime | None = None) -> CheckText:
    """The text on a group that cannot be judged, and `why`; `since`: when that began, if the queue waits no longer."""
    shown = {"why": code(why, longest=500)}
    if since is None:
        return notice("both", "title-in_progress", ("group-wait", shown))
    return notice("both", "title-action_required", ("group-given-up", shown | {"since": words.minute(since)}))


def not_offered(why: str) -> CheckText:
    """The text where no group can be judged on this GitHub, and `why`."""
    return notice("both", "title-action_required", ("group-not-offered", {"why": code(why, longest=500)}))


def _line(member: MemberLine, language: words.Language) -> str:
    link = f"[#{member.number}](<{address(member.explain_url)}>)"
    if member.conclusion is None and member.why:
        word = phrase(language, "page", "group-why", why=code(member.why, longest=200))
    elif member.conclusion is None:
        word = phrase(language, "page", "group-pending")
    else:
        word = conclusion_word(member.conclusion, language)
    return f"- {link}: {word}" if language == "en" else f"- {link}：{word}"
