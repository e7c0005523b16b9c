"""A verdict as the text of a check run: title, summary and tables in Markdown; pure, in one language or both."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from agreements import moments
from agreements.completeness import TOO_MANY
from agreements.domains.masking import masked_text
from agreements.facts import Check, Conclusion, Problem, Verdict
from bot import verdict_codes
from bot.report import words
from bot.report.markdown import address, code, fit
from bot.report.verdict_tables import headline, mark, tables
from bot.report.words import CommandContext, phrase, render
from bot.report.words.templates import listed

Language = Literal["en", "zh", "both", "both-zh"]
"""The language of a text; `both` is English with Chinese folded below it, `both-zh` the other way round."""

CHECK_LIMIT = 65_535
"""Characters that GitHub takes for a check run's summary, and again for its text."""
MAX_NAMED = 10
"""The most people or pull requests in one sentence; the rest is counted."""
_MAX_FIXES = 20
_MAX_NAME_CHARACTERS = 60
"""Characters of a name in a title; the name of an agent is a stranger's."""
_MAX_LINES = 3
"""Lines with errors that a title names."""
_ERROR_LINE = re.compile(r"(?:[^:]*, )?line (\d+):")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContext:
    """The context that the words need besides the verdict on `head_sha`, the head of pull request `number` of `repository`.

    `sign_url`, `employer_url`, `emails_url` and `explain_url` lead to our pages; `faq_url` and `dco_url`: where questions are
    answered and what a sign-off certifies; "" leaves the link out. `marker` stands in the comment, so that it is found again.
    `subjects` are the commits' first lines by SHA, as git wrote them. `language` is that of the text.
    `situation`: what the commands depend on that sign commits off. `either`: the rulebook asks for a CLA or a DCO, not both.
    `shares_with`: the numbers of other pull requests with the same head: the check run is theirs, too. `waits_for` are
    those of them that do not pass. `since` when it has been as the verdict says. `squash`: what GitHub's default message of a
    squash holds (`PullRequestChanged`), "" if not known; `signoffs`: how many people signed off. `by_bot`: a bot opened it.
    """

    repository: str
    number: int
    head_sha: str
    sign_url: str
    employer_url: str
    emails_url: str
    explain_url: str
    language: Language
    marker: str
    faq_url: str = ""
    dco_url: str = ""
    subjects: Mapping[str, str] = field(default_factory=dict)
    situation: CommandContext = field(default_factory=CommandContext)
    either: bool = False
    shares_with: tuple[int, ...] = ()
    waits_for: tuple[int, ...] = ()
    since: datetime | None = None
    squash: str = ""
    signoffs: int = 0
    by_bot: bool = False


@dataclass(frozen=True, slots=True)
class CheckText:
    """The text of a check run: a `title`, a `summary` with the fix, and the tables (`text`); Markdown within GitHub's limits."""

    title: str
    summary: str
    text: str = ""


def check_run(verdict: Verdict, context: ReportContext) -> CheckText:
    """The verdict for the check run: a section for each check, with reasons for passing too, and how to fix."""
    # The summary says all of a check that has nothing but doubts.
    rest = tuple(check for check in verdict.checks if check.notes or not all(map(_is_doubt, check.problems)))
    return in_languages(
        context.language,
        lambda language: _title(verdict, context, language),
        lambda language, limit: _summary(verdict, context, language, limit),
        lambda language, limit: tables(replace(verdict, checks=rest), context.subjects, language, limit),
    )


def in_progress(context: ReportContext) -> CheckText:
    """The text for a head that was not judged yet."""
    return notice(context.language, "title-in_progress", ("in_progress", {}))


def button(language: Language, name: str) -> str:
    """The label of a button by the name of its words, 20 characters for GitHub, or its description, 40."""
    return " ".join(phrase(each, "page", name) for each in languages_of(language))


def is_asked_again(item: Problem) -> bool:
    """Whether GitHub may answer otherwise later."""
    # Time makes no pull request smaller.
    too_large = item.values.get("why") == TOO_MANY or item.values.get("of") == "coauthors"
    return verdict_codes.of(item.code).asked_again and not too_large


def could_not_judge(
    why: str,
    since: datetime | None = None,
    language: Language = "both",
    *,
    judged: datetime | None = None,
    is_first: bool = False,
) -> CheckText:
    """The text for a head when GitHub or we failed; `why` is a short clause without personal data.

    `since` is when it began, as far as that is known; else `judged` is when it was last judged. `is_first`: nothing was
    shown there before, and the next try comes soon.
    """
    said = [("could_not_judge", {"why": code(why, longest=500)})]
    moment, name = (since, "waiting_since") if since else (judged, "last_judged")
    said += [] if moment is None else [(name, {"since": words.minute(moment)})]
    return notice(language, "title-in_progress" if is_first else "title-action_required", *said)


def languages_of(language: Language) -> tuple[words.Language, ...]:
    """The languages of a text, the first one first."""
    return ("en", "zh") if language == "both" else ("zh", "en") if language == "both-zh" else (language,)


_NAMES: Mapping[words.Language, str] = {"en": "English", "zh": "简体中文"}

FRAME_CHARACTERS = 60
"""Characters that may stand around a folded text."""


def folded(language: Language, text: Callable[[words.Language], str]) -> str:
    """The text in the first language, with the other one folded below it."""
    found = [(each, said) for each in languages_of(language) if (said := text(each))]
    first = "".join(said for _, said in found[:1])
    return first + "".join(
        f"\n\n<details><summary>{_NAMES[each]}</summary>\n\n{said}\n\n</details>" for each, said in found[1:]
    )


def in_languages(
    language: Language,
    title: Callable[[words.Language], str],
    summary: Callable[[words.Language, int], str],
    text: Callable[[words.Language, int], str] = lambda _language, _limit: "",
) -> CheckText:
    """The parts in every language asked for, each with its share of the room."""
    languages = languages_of(language)
    limit = CHECK_LIMIT // len(languages) - FRAME_CHARACTERS
    return CheckText(
        " / ".join(title(each) for each in languages),
        folded(language, lambda each: summary(each, limit)),
        folded(language, lambda each: text(each, limit)),
    )


def notice(language: Language, title: str, *paragraphs: tuple[str, Mapping[str, str]]) -> CheckText:
    """A title and paragraphs of the page's words by their names, each with its values."""
    return in_languages(
        language,
        lambda each: phrase(each, "page", title),
        lambda each, _limit: "\n\n".join(phrase(each, "page", name, **values) for name, values in paragraphs),
    )


def _title(verdict: Verdict, context: ReportContext, language: words.Language) -> str:
    # Green itself, but the check run is not: the title says for which others it waits.
    if verdict.conclusion.passes and context.waits_for:
        return phrase(language, "page", "title-waits", pulls=_pulls(context.waits_for, language))
    if verdict.conclusion.passes:
        return phrase(language, "page", f"title-{verdict.conclusion.value}")
    found = [said for check in verdict.checks if not check.conclusion.passes and (said := _found(check, language))]
    title = ("；" if language == "zh" else "; ").join(found) or phrase(language, "page", "title-action_required")
    return f"{title} (#{context.number})" if context.shares_with else title


def _found(check: Check, language: words.Language) -> str:
    """The people or commits that keep the check from passing, in a few words; "" for facts that GitHub may still give."""
    others = [item for item in check.problems if not _is_doubt(item)]
    if check.name == "CLA" and others:
        found = _people_found(others, language)
    elif check.name == "DCO" and others:
        found = _commits_found(check, others, language)
    else:
        told = others or [
            problem for problem in check.problems if "rulebook/" in problem.code or not is_asked_again(problem)
        ]
        found = in_short(told, language)
        return found[:1].upper() + found[1:]
    return phrase(language, "page", "title-check", check=check.name, found=found)


def _people_found(problems: Sequence[Problem], language: words.Language) -> str:
    # In public all ways of not being covered read the same.
    unsigned = [item for item in problems if item.code in verdict_codes.uncovered()]
    rest = in_short([item for item in problems if item.code not in verdict_codes.uncovered()], language)
    if not unsigned:
        return rest
    names = list(dict.fromkeys(words.person(item, language, _plain) for item in unsigned))
    values = {"first": names[0], "last": names[-1], "others": f"{len(names) - 1:,}"}
    size = ("one", "two", "many")[min(len(names), 3) - 1]
    people = phrase(language, "page", f"people-{size}", **values)
    # A person who chose another cover may have signed.
    chosen = any(item.code == "cla/chosen-uncovered" for item in unsigned)
    covered = chosen or needs_both(unsigned)
    name = "not-covered" if covered else "not-signed-one" if len(names) == 1 else "not-signed"
    return listed(filter(None, (phrase(language, "page", f"title-{name}", people=people), rest)), language)


def _commits_found(check: Check, problems: Sequence[Problem], language: words.Language) -> str:
    failing = sum(status.status == "fail" for status in check.commits or ())
    codes = {item.code for item in problems}
    if not failing:
        return in_short(problems, language)
    count = phrase(language, "page", "commits_one" if failing == 1 else "commits_many", count=f"{failing:,}")
    if len(codes) == 1 and codes != {"dco/missing"}:
        return phrase(language, "page", "title-commits", count=count, found=in_short(problems, language))
    return phrase(language, "page", "title-unsound" if len(codes) > 1 else "title-unsigned", count=count)


def in_short(problems: Sequence[Problem], language: words.Language) -> str:
    """The short form of each different problem, with the lines of a rulebook's errors."""
    shorts = dict.fromkeys(words.short(item, language) for item in problems)
    # Within a sentence a word begins small; one such as "AI" stays.
    found = listed((short if short[1:2].isupper() else short[:1].lower() + short[1:] for short in shorts), language)
    errors = [error for item in problems if isinstance(said := item.values.get("errors"), tuple) for error in said]
    lines = dict.fromkeys(line[1] for error in errors if (line := _ERROR_LINE.match(error)))
    at = listed((phrase(language, "page", "title-line", line=line) for line in [*lines][:_MAX_LINES]), language)
    return phrase(language, "page", "title-check", check=found, found=at) if at else found


def _plain(text: str) -> str:
    return masked_text(text)[:_MAX_NAME_CHARACTERS]


def _summary(verdict: Verdict, context: ReportContext, language: words.Language, limit: int) -> str:
    passing = [check for check in verdict.checks if check.conclusion.passes]
    lines = [f"- {headline(check, language)}" for check in passing]
    lines += [] if verdict.checks else [phrase(language, "page", "nothing")]
    if until := _grace(verdict):
        said = {"until": words.minute(until), "url": address(context.sign_url)}
        lines += ["", phrase(language, "page", "grace", **said)]
    if context.squash and context.signoffs and verdict.conclusion.passes:
        squash = f"squash-{context.squash.lower().replace('_', '-')}"
        lines += ["", phrase(language, "page", squash, count=f"{context.signoffs:,}")]
    if context.waits_for:
        lines += ["", phrase(language, "page", "waits", pulls=_pulls(context.waits_for, language))]
    if context.shares_with and not verdict.conclusion.passes:
        others = _pulls(context.shares_with, language)
        lines += ["", phrase(language, "page", "shares", number=str(context.number), pulls=others)]
    # With `either`, the check that was not needed is neutral although no person passed it.
    spared = any(check.conclusion is Conclusion.NEUTRAL for check in verdict.checks)
    if context.either and spared and verdict.conclusion is not Conclusion.NEUTRAL:
        lines += ["", phrase(language, "page", "either")]
    failing = [check for check in verdict.checks if not check.conclusion.passes]
    if context.either and {"CLA", "DCO"} <= {check.name for check in failing}:
        lines += ["", phrase(language, "page", "either_of")]
    for check in failing:
        lines += ["", f"### {mark(check)} {phrase(language, 'check', check.name)}", *fixes(check, context, language)]
    lines += _waiting(failing, context, language)
    if verdict.conclusion is Conclusion.FAILURE:
        lines += ["", phrase(language, "page", "again")]
    # The link to the whole explanation stays, however little room there is.
    tail = "\n\n" + phrase(language, "page", "explain", url=address(context.explain_url))
    return fit(lines[not lines[0] :], limit - len(tail), phrase(language, "page", "more", count="{count}")) + tail


def _grace(verdict: Verdict) -> datetime | None:
    """The first end of a version that someone here signed; it says neither who nor which."""
    notes = [note for check in verdict.checks for note in check.notes if note.code == "cla/grace"]
    own = [note.values.get("until") for note in notes if note.values.get("by") != "company"]
    return min((at for until in own if isinstance(until, str) and (at := moments.moment(until))), default=None)


def _waiting(failing: Sequence[Check], context: ReportContext, language: words.Language) -> list[str]:
    doubts = [item for check in failing for item in check.problems if _is_doubt(item)]
    if not doubts:
        return []
    # Else a person has to act.
    lines = ["", phrase(language, "page", "asked_again")] if any(map(is_asked_again, doubts)) else []
    if context.since is not None:
        lines += ["", phrase(language, "page", "waiting_since", since=words.minute(context.since))]
    return lines


def _is_doubt(item: Problem) -> bool:
    return item.code.startswith(("facts/", "rulebook/"))


def _pulls(pulls: Sequence[int], language: words.Language) -> str:
    return first_named([f"#{number}" for number in pulls], language)  # GitHub makes links of them.


def first_named(names: Sequence[str], language: words.Language) -> str:
    """The first of the names within a sentence, and how many others there are."""
    hidden = len(names) - MAX_NAMED
    shown = listed(names[:MAX_NAMED], language)
    return shown if hidden <= 0 else phrase(language, "page", "and_more", names=shown, count=f"{hidden:,}")


def fixes(check: Check, context: ReportContext, language: words.Language) -> list[str]:
    """Every different thing to do, once, as a block of its own."""
    # A count of commits tells nothing of these.
    whole = [item for item in check.problems if _is_doubt(item) or (check.name == "DCO" and item.sha is None)]
    said = (render(item, language, show=code, public=True) for item in whole)
    said_once = list(dict.fromkeys(f"{word.message}\n\n{word.fix}" for word in said))
    unsigned = [item for item in check.problems if must_sign(item)]
    others = [item for item in check.problems if item not in whole and not must_sign(item)]
    said_once += words.fixes(others, language, show=code, situation=context.situation)
    blocks = [f"\n{fix}" for fix in said_once[:_MAX_FIXES]]
    if len(said_once) > _MAX_FIXES:
        blocks.append("\n" + phrase(language, "page", "more", count=f"{len(said_once) - _MAX_FIXES:,}"))
    if unsigned:
        ways = "sign_both" if needs_both(unsigned) else "sign_either"
        blocks.insert(0, "\n" + phrase(language, "page", ways, **signing_links(context, language)))
    if check.name == "DCO" and (context.situation.verifiable or context.situation.portal):
        blocks.insert(0, "\n" + phrase(language, "page", "or_else"))
    if check.name == "DCO" and context.situation.verifiable:
        blocks.insert(0, "\n" + phrase(language, "page", "prove_signed", url=address(context.emails_url)))
    if check.name == "DCO" and context.situation.portal:
        url = address(f"{context.explain_url}/sign-off")
        blocks.insert(0, "\n**" + phrase(language, "page", "sign_off_here", url=url) + "**")
    if any(verdict_codes.is_provable(item.code, item.values) for item in check.problems):
        blocks.append("\n**" + phrase(language, "page", "prove_here", url=address(context.emails_url)) + "**")
    return blocks


def signing_links(context: ReportContext, language: words.Language) -> dict[str, str]:
    """The links to the pages where people sign: for themselves, and through their employer."""
    return {
        "sign": phrase(language, "page", "sign", url=address(context.sign_url)),
        "employer": phrase(language, "page", "employer", url=address(context.employer_url)),
    }


def must_sign(problem: Problem) -> bool:
    """Whether the person of the problem has to sign, or to be covered by a company."""
    # A person who chose another cover is told to choose again: they may have signed already.
    return problem.code in verdict_codes.uncovered() and (
        problem.code != "cla/chosen-uncovered" or bool(problem.values.get("needs"))
    )


def needs_both(problems: Sequence[Problem]) -> bool:
    """Whether a person of these needs their own signature and their company's cover."""
    # Which of the two is missing stays private.
    return any(item.values.get("needs") for item in problems)
