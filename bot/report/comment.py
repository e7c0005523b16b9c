"""A verdict as the one comment on a pull request: what is missing and what to do, in one language or both; pure."""

from collections.abc import Sequence
from html import escape

from agreements.facts import Check, Conclusion, Problem, Verdict
from bot import verdict_codes
from bot.report import words
from bot.report.check_run import (
    FRAME_CHARACTERS,
    MAX_NAMED,
    ReportContext,
    first_named,
    fixes,
    folded,
    languages_of,
    must_sign,
    needs_both,
    signing_links,
)
from bot.report.markdown import address, code, fit
from bot.report.verdict_tables import tables
from bot.report.words import phrase, render

COMMENT_LIMIT = 65_536  # Characters that GitHub takes.


def comment(verdict: Verdict, context: ReportContext, *, why: bool = False) -> str | None:
    """The body of the one comment: what is missing and the one thing to do, or that all is good now.

    `why` adds the check's tables, folded away, for the person who asked. None when there is nothing worth saying to the
    author: no check was asked for at all.
    """
    if not verdict.checks and verdict.conclusion is not Conclusion.NEUTRAL:
        return None
    head = f"<!-- {context.marker} -->"
    limit = (COMMENT_LIMIT - len(head)) // len(languages_of(context.language)) - FRAME_CHARACTERS
    parts = folded(context.language, lambda language: _part(verdict, context, language, limit, why=why))
    return f"{head}\n{parts}\n"


def _part(verdict: Verdict, context: ReportContext, language: words.Language, limit: int, *, why: bool) -> str:
    if not why or not verdict.checks:
        return _speech(verdict, context, language, limit)
    # What there is to do goes first when the room is short.
    speech = _speech(verdict, context, language, limit // 2)
    title = phrase(language, "page", "evidence", head=escape(context.head_sha[:7]))  # GitHub reads it as HTML.
    frame = "\n\n<details><summary>{}</summary>\n\n{}\n\n</details>"
    room = limit - len(speech) - len(frame) - len(title)
    return speech + frame.format(title, tables(verdict, context.subjects, language, room))


def _speech(verdict: Verdict, context: ReportContext, language: words.Language, limit: int) -> str:
    if verdict.conclusion is not Conclusion.FAILURE:
        name = {Conclusion.SUCCESS: "thanks", Conclusion.NEUTRAL: "thanks_neutral"}.get(verdict.conclusion, "waiting")
        return phrase(language, "page", name, thank=_thank("thank_after", context, language))
    hello, needs = _asked(verdict, context, language)
    tail = "\n\n" + phrase(language, "page", "again")
    tail += "\n\n" + phrase(language, "page", "details", url=address(context.explain_url))
    tail += _linked(language, "questions", context.faq_url)
    lines = [
        phrase(language, "page", hello, thank=_thank("thank", context, language)),
        *(f"\n{need}" for need in needs),
    ]
    return fit(lines, limit - len(tail), "\n" + phrase(language, "page", "more", count="{count}")) + tail


def _asked(verdict: Verdict, context: ReportContext, language: words.Language) -> tuple[str, list[str]]:
    """The name of the sentence that opens the comment, and all that is needed, in order."""
    failing = [check for check in verdict.checks if not check.conclusion.passes]
    needs = {check.name: _needs(check, context, language) for check in failing}
    every = [need for some in needs.values() for need in some]
    if not (context.either and {"CLA", "DCO"} <= needs.keys()):
        several = len(every) > 1 or any(needs_both(check.problems) for check in failing)
        return "hello_many" if several else "hello", every
    if needs.keys() == {"CLA", "DCO"} and len(every) == len(needs):
        return "hello_either", every
    # Sign-offs are enough instead of all that the agreements need, but instead of nothing else.
    rest = [need for name, some in needs.items() if name not in ("CLA", "DCO") for need in some]
    always = [phrase(language, "page", "in_any_case")] if rest else []
    return "hello_many", [*needs["CLA"], phrase(language, "page", "or_instead"), *needs["DCO"], *always, *rest]


def _thank(name: str, context: ReportContext, language: words.Language) -> str:
    # A bot reads no thanks.
    return "" if context.by_bot else phrase(language, "page", name)


def _needs(check: Check, context: ReportContext, language: words.Language) -> list[str]:
    if check.name == "DCO" and check.conclusion is Conclusion.FAILURE:
        failing = sum(status.status == "fail" for status in check.commits or ())
        todo = "\n\n".join(fix.strip() for fix in fixes(check, context, language))
        if not failing:  # As where an agent takes part that the rulebook blocks.
            return [phrase(language, "page", "need_other_dco", found=todo)]
        counted = phrase(language, "page", "commits_one" if failing == 1 else "commits_many", count=f"{failing:,}")
        said = phrase(language, "page", "need_dco", count=counted) + _linked(language, "certifies", context.dco_url)
        return [f"{said}\n\n{todo}"]
    if check.name == "CLA" and check.conclusion is Conclusion.FAILURE:
        return _needs_cover(check.problems, context, language)
    name = "need_changelog" if check.name == "Changelog" else "need_plain"
    said_of = [render(item, language, show=code, public=True) for item in check.problems]
    return [phrase(language, "page", name, message=word.message, fix=word.fix) for word in said_of]


def _linked(language: words.Language, name: str, url: str) -> str:
    return (" " if language == "en" else "") + phrase(language, "page", name, url=address(url)) if url else ""


def _needs_cover(problems: Sequence[Problem], context: ReportContext, language: words.Language) -> list[str]:
    unsigned = [item for item in problems if must_sign(item)]
    unlinked = [item for item in problems if verdict_codes.is_provable(item.code, item.values)]
    others = [item for item in problems if item not in unsigned and item not in unlinked]
    needs = []
    if unsigned:
        people = _people(unsigned, language)
        name = "need_cla_both" if needs_both(unsigned) else "need_cla"
        needs.append(phrase(language, "page", name, people=people, **signing_links(context, language)))
    if unlinked:
        prove = phrase(language, "page", "prove", url=address(context.emails_url))
        need = phrase(language, "page", "need_unlinked", people=_people(unlinked, language), prove=prove)
        named = any(item.values.get("why") == "trailer" for item in unlinked)
        needs.append(need + ("\n\n" + phrase(language, "page", "trailer") if named else ""))
    for item in others[:MAX_NAMED]:
        said = render(item, language, show=code, public=True)
        needs.append(phrase(language, "page", "need_other_cla", message=said.message, fix=said.fix))
    if len(others) > MAX_NAMED:
        needs.append(phrase(language, "page", "more", count=f"{len(others) - MAX_NAMED:,}"))
    return needs


def _people(problems: Sequence[Problem], language: words.Language) -> str:
    return first_named(list(dict.fromkeys(words.person(item, language, code) for item in problems)), language)
