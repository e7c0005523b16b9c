"""One stored finding in words: the public ones, without a gap where a value was left out because it names a person."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext
from markupsafe import Markup

from agreements.facts import Account, Problem
from bot.portal.text.languages import Language
from bot.report import words
from bot.report.markdown import code
from bot.report.words import CommandContext

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

WHOLE = {
    "cla/unlinked-email": lazy_gettext(
        "An address (%(role)s) is not linked to a GitHub account, so we cannot tell who contributed this."
    ),
    "cla/agent-alone": lazy_gettext(
        "An AI agent takes part. No person who is covered by a contributor agreement answers for its work yet."
    ),
    "cla/agent-blocked": lazy_gettext(
        "An AI agent takes part. The rulebook does not accept contributions by AI agents."
    ),
    "cla/agent-ignored": lazy_gettext("An AI agent takes part. Only the people who contributed are checked."),
    "cla/cannot-sign": lazy_gettext("The account (%(role)s) cannot sign a contributor agreement."),
    "cla/vouched": lazy_gettext("A person who is covered answers for the work of an AI agent."),
    "cla/overridden": lazy_gettext("%(who)s was exempted for the current commit of this pull request."),
    "dco/invalid-email": lazy_gettext("The author or committer has an invalid e-mail address."),
    "dco/agent-alone": lazy_gettext(
        "An AI agent acts alone: no person opened this pull request or pushed to it. An AI agent cannot certify a contribution."
    ),
    "dco/agent-blocked": lazy_gettext(
        "An AI agent takes part. The rulebook does not accept contributions by AI agents."
    ),
    "dco/agent-signoff": lazy_gettext("It is signed off by an AI agent. An AI agent's sign-off certifies nothing."),
    "dco/signed": lazy_gettext("Signed off."),
    "dco/remediated": lazy_gettext("Signed off later, in another commit."),
    "dco/overridden": lazy_gettext("The sign-off was waived for the current commit of this pull request."),
    "dco/equivalent": lazy_gettext("The sign-off is written differently but names the same person."),
    "facts/incomplete": lazy_gettext("We could not read all the commits."),
    "rulebook/invalid": lazy_gettext("The rulebook has errors."),
    "rulebook/unreachable": lazy_gettext("We could not read the organisation's rulebook."),
    "rules/before-since": lazy_gettext("Opened before these rules took effect, so it is not checked."),
    "changelog/missing": lazy_gettext("This pull request does not change the changelog."),
}
"""What is said where no sentence of a code is whole without the values that are not kept, or were not kept formerly."""

_GAP = "\ue000"
_VALUES = (
    "agreement", "by", "by_sha", "current", "errors", "expected", "found", "have", "kinds", "line", "path", "reported",
    "since", "until", "version", "where", "why",
)  # fmt: skip
_LABELS = {
    "cla/unlinked-email": ("email", "name"),
    "cla/agent-alone": ("agent",),
    "cla/agent-blocked": ("agent",),
    "cla/agent-ignored": ("agent",),
    "cla/cannot-sign": ("email",),
    "cla/vouched": ("agent",),
    "dco/agent-alone": ("agent",),
    "dco/agent-blocked": ("agent",),
    "dco/agent-signoff": ("agent",),
    "dco/invalid-email": ("email",),
    "dco/missing:agent": ("agent",),
}
_SENTENCES = re.compile(r"(?<=\.)\s+|(?<=。)")
_TAGS = {"p", "code", "pre", "strong", "em", "ul", "li"}

Entry = Mapping[str, Any]


def public_text(entry: Entry, language: Language, logins: Mapping[int, str]) -> Markup:
    """What the public may read of one stored code, as HTML. Never the code: it tells a withdrawn signature from none."""
    finding = _finding(entry, logins)
    message = words.render(finding, language, show=shown, public=True).message
    if _GAP in message:
        whole = [sentence for sentence in _SENTENCES.split(message) if sentence and _GAP not in sentence]
        role = words.phrase(language, "role", (finding.role or "none").removesuffix("s"))
        who = words.person(finding, language, shown)
        message = ("" if language == "zh" else " ").join(whole) or str(WHOLE[finding.code]) % {"who": who, "role": role}
    return sentence(message)


def fixes(entries: Iterable[Entry], language: Language, situation: CommandContext) -> list[Markup]:
    """Every different thing to do about them, once, as HTML; commands as the check run shows them."""
    findings = [_finding(entry, {}) for entry in entries]
    found = words.fixes(findings, language, show=shown, situation=situation)
    return [block(fix) for fix in found if fix and _GAP not in fix]


def guessed(entries: Iterable[Entry], head_sha: str, language: Language) -> CommandContext:
    """The situation as far as what was found tells it: the branch that it goes into is not among that."""
    findings = [_finding(entry, {}) for entry in entries]
    dco = [one for one in findings if one.code.startswith("dco/")]
    # A reason to pass has nothing to do about it.
    failing = {one.sha for one in dco if words.render(one, language, show=shown, public=True).fix}
    return CommandContext(amend=True if failing == {head_sha} else None)


def _finding(entry: Entry, logins: Mapping[int, str]) -> Problem:
    """The finding as it was, with a mark for each value that was not kept."""
    number, name = entry.get("account"), str(entry["code"])
    account = Account(number, logins.get(number) or _("account %(id)s", id=number)) if number else None
    kept = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.get("values", {}).items()}
    gaps = dict.fromkeys((*_VALUES, *_LABELS.get(name, ()), *_LABELS.get(f"{name}:{kept.get('why')}", ())), _GAP)
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

    return MarkdownIt("commonmark", {"html": False})


def _html(rendered: str) -> Markup:
    import nh3  # noqa: PLC0415 - as above

    # A long command is scrolled, also by keyboard: then it has to be a stop of its own.
    clean = nh3.clean(rendered, tags=_TAGS, attributes={}).replace("<pre>", '<pre tabindex="0">')
    return Markup(clean)  # noqa: S704 - nh3 has cleaned it
