"""The words of the check of licences; in English the audit gives its own reasons, in Chinese every rule and every finding has a sentence."""

import re
from functools import cache, partial
from typing import Final, Protocol

from audit.facts import Judgement, LicenseVerdict
from audit.verdict.advice import what_to_do
from bot import verdict_codes
from bot.report.words.templates import Language, entries
from bot.report.words.translation import Translation

book = partial(entries, part="licenses.")
_OTHER: Final = re.compile(r"(?:release the whole work|take this copy) under ([\w.+-]+(?: WITH [\w.+-]+)?)")
"""The words with which a reason names the licence to which a work, or what it uses, may be taken."""


def phrase(language: Language, name: str, /, **values: str) -> str:
    """A sentence of the page; the values are Markdown already."""
    return book(language)["page"][name].format_map(values)


def word(language: Language, section: str, name: str) -> str:
    """A verdict or a usage as people call it."""
    return book(language)[section][name]


class RuleReason(Protocol):
    """The `rule` that hit, and the audit's own `reason` in one sentence."""

    @property
    def rule(self) -> str: ...
    @property
    def reason(self) -> str: ...


def night(language: Language, name: str, /, **values: str) -> str:
    """A part of a line on what changed from one night to the next; the values are Markdown already."""
    return book(language)["night"][name].format_map(values)


def failure(language: Language, why: str) -> str | None:
    """The stored reason why an audit brought nothing, in that language; None where only its English words are known."""
    return why if language == "en" else _failures().of(why)


@cache
def _failures() -> Translation:
    # A rulebook that cannot be read is stored with the words that the check of a pull request has for it.
    english, chinese = (verdict_codes.words(language) for language in ("en", "zh"))
    unread = [code for code in english if code.startswith("rulebook/unreachable")]
    messages = {english[code]["message"]: chinese[code]["message"] for code in unread}
    return Translation({**messages, **book("zh")["failure"]})


def reason(language: Language, judged: RuleReason, inbound: str, outbound: str, *, own: str) -> str:
    """The reason in a clause. `own` is the audit's, safe to show; `inbound` and `outbound` are Markdown already."""
    said, other = book(language)["reason"].get(judged.rule), _OTHER.search(judged.reason)
    values = {"inbound": inbound, "outbound": outbound, "own": own, "other": f"`{other[1]}`" if other else own}
    return own if said is None else said.format_map(values)  # A rule without a sentence has the audit's.


def sentence(language: Language, clause: str, *more: str) -> str:
    """The clause as a sentence, with what follows it."""
    stop, space = ("。", "") if language == "zh" else (".", " ")
    return space.join([f"{clause}{stop}", *more])


def finding(language: Language, code: str) -> str:
    """The meaning of a finding of that code; empty in English, where the finding says it itself."""
    return book(language).get("finding", {}).get(code, "")


def advice(language: Language, judged: Judgement) -> str:
    """The advice on what to do; empty where nothing is to be done."""
    said = what_to_do(judged.rule, judged.verdict)
    if not said or judged.verdict is LicenseVerdict.NOT_APPLICABLE:
        return ""
    return book(language)["advice"].get(judged.rule, said)
