"""One stored finding in words: the public ones, without a gap where a value was left out because it names a person."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from flask_babel import gettext as _
from markupsafe import Markup

from agreements.facts import Account, Problem
from bot import verdict_codes
from bot.portal.text import times
from bot.portal.text.languages import Language
from bot.report import check_run, words
from bot.report.markdown import code
from bot.report.words import CommandContext
from bot.report.words.templates import fill

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_GAP = "\ue000"  # For private use (Unicode): no text of ours has it.
_SENTENCES = re.compile(r"(?<=\.)\s+|(?<=。)")
_TAGS = {"p", "code", "pre", "strong", "em", "ul", "li", "details", "summary"}

Entry = Mapping[str, Any]


def public_text(entry: Entry, language: Language, logins: Mapping[int, str]) -> Markup:
    """The part of a finding that the public may read, as HTML. Never the code, which tells withdrawn from none."""
    finding = _finding(entry, logins)
    message = words.render(finding, language, show=shown, public=True).message
    if _GAP in message:
        # A sentence with a gap is left out; where none is left, words without blanks stand for all.
        whole = [sentence for sentence in _SENTENCES.split(message) if sentence and _GAP not in sentence]
        role = words.phrase(language, "role", (finding.role or "none").removesuffix("s"))
        who = words.person(finding, language, shown)
        message = ("" if language == "zh" else " ").join(whole) or fill(
            verdict_codes.words(language)[finding.code]["whole"], {"who": who, "role": role}
        )
    return sentence(message)


def fixes(entries: Iterable[Entry], language: Language, situation: CommandContext) -> list[Markup]:
    """Every different thing to do about them, once, as HTML; commands as the check run shows them."""
    findings = [_finding(entry, {}) for entry in entries]
    found = words.fixes(findings, language, show=shown, situation=situation)
    return [block(fix) for fix in found if fix and _GAP not in fix]


def rulebook_fault(entries: Iterable[Entry], language: Language) -> str:
    """The fault that keeps a pull request from being judged, with its lines, as the title of the check has it; "" for none."""
    found = check_run.in_short(
        [_finding(entry, {}) for entry in entries if entry["code"].startswith("rulebook/")], language
    )
    return found[:1].upper() + found[1:]


def guessed(entries: Iterable[Entry], head_sha: str, language: Language) -> CommandContext:
    """The situation as far as what was found tells it: the branch that it goes into is not among that."""
    findings = [_finding(entry, {}) for entry in entries]
    dco = [finding for finding in findings if finding.code.startswith("dco/")]
    # A reason to pass has nothing to do about it.
    failing = {problem.sha for problem in dco if words.render(problem, language, show=shown, public=True).fix}
    return CommandContext(amend=True if failing == {head_sha} else None)


def _finding(entry: Entry, logins: Mapping[int, str]) -> Problem:
    """The finding as it was, with a mark for each value that was not kept."""
    number, name = entry.get("account"), str(entry["code"])
    account = Account(number, logins.get(number) or _("account %(id)s", id=number)) if number else None
    kept = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.get("values", {}).items()}
    gaps = dict.fromkeys(verdict_codes.blanks(name) | verdict_codes.blanks(f"{name}:{kept.get('why')}"), _GAP)
    return Problem(code=name, sha=entry.get("sha"), account=account, role=entry.get("role"), values=gaps | kept)


def shown(text: str) -> str:
    """A value as code, as the check run shows it."""
    return text if text == _GAP else code(text)


def sentence(markdown: str) -> Markup:
    """One line of Markdown of ours as HTML."""
    return _html(_markdown().renderInline(markdown))


def block(markdown: str) -> Markup:
    """Paragraphs and commands in Markdown of ours as HTML."""
    return _html(_markdown().render(markdown))


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - few pages show findings

    # Longer commands are folded in `<details>`, which is a block; tags within a sentence are shown as they are written.
    return MarkdownIt("commonmark", {"html": True}).disable("html_inline")


def _html(rendered: str) -> Markup:
    import nh3  # noqa: PLC0415 - as above

    # A long command is scrolled, also by keyboard: then it has to be a stop of its own.
    clean = nh3.clean(rendered, tags=_TAGS, attributes={}).replace("<pre>", '<pre tabindex="0">')
    return Markup(times.within(clean))  # noqa: S704 - nh3 has cleaned it
