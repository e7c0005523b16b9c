"""Turns a code and its values into sentences, by the templates of en.toml and zh.toml."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from agreements import moments
from agreements.cla.coverage import COVERS, MISSES
from agreements.completeness import CHANGED, MOVED, NO_HEAD, OF_PEOPLE, REPEATED, TOO_MANY
from agreements.domains.domains import masked_text
from agreements.facts import Note, Problem, Value
from bot.report.words import templates
from bot.report.words.git_commands import CommandContext, commands
from bot.report.words.templates import entries, fill

Language = templates.Language
Show = Callable[[str], str]

_NO_CODES = frozenset({"commands", "role", "kind", "why", "aside", "check", "page"})
_ANYBODYS: Final = frozenset({"dco/agent-signoff", "dco/bot-unproven"})
"""No author could be asked to sign these off: whoever may certify them does."""
_MOMENTS: Final = frozenset({"since", "until"})


@dataclass(frozen=True, slots=True)
class Explanation:
    """What happened, and what to do about it (Markdown for command blocks; empty for notes)."""

    message: str
    fix: str = ""


def _codes() -> frozenset[str]:
    keys = {key.partition(":")[0] for key in entries("en")} - _NO_CODES
    return frozenset(key for key in keys if not key.startswith(("public/", "command/")))


CODES: Final = _codes()
"""Every code that has words; tests keep it equal to the codes that verdicts may hold and to docs/reference/codes.md."""


def text(item: Problem | Note, language: Language, *, situation: CommandContext | None = None) -> Explanation:
    """The full words of a problem or note as plain text, every address masked, everything invisible escaped.

    For the person themselves and for programs; what the public may read comes from `render(…, public=True)`.
    """
    return render(item, language, show=masked_text, situation=situation)


def render(
    item: Problem | Note,
    language: Language,
    *,
    show: Show,
    public: bool = False,
    situation: CommandContext | None = None,
) -> Explanation:
    """The words with each value written by `show`; `public` hides how somebody is covered and why no longer."""
    key = _public_key(item) if public else _key(item)
    entry = entries(language).get(key, {})
    values = _values(item, language, show)
    fix = entry.get("fix", "")
    if "{commands}" in fix:
        here = _about(item, situation or CommandContext())
        values["commands"] = commands(here, language)
        fix = fix if here.own else "{commands}"
    return Explanation(fill(entry.get("message", item.code), values), fill(fix, values))


def phrase(language: Language, section: str, name: str, **values: str) -> str:
    """A word or sentence that belongs to no code: from `role`, `kind`, `check` or `page`."""
    return fill(entries(language)[section][name], values)


def cause(item: Problem, language: Language) -> str:
    """What is wrong with `{count}` commits, in one short sentence, and what to look at first; "" for what is no commit's."""
    return entries(language).get(_key(item), {}).get("cause", "")


def set_aside(codes: Iterable[str], by: str, language: Language) -> str:
    """What was wrong with a commit, and who set it aside, as one sentence; `by` is ready to be shown."""
    clauses = entries(language)["aside"]
    reasons = ("；" if language == "zh" else "; ").join(
        clauses[code] for code in codes if "/" in code and code in clauses
    )
    return fill(clauses["by"], {"reasons": reasons[:1].upper() + reasons[1:], "by": by}) if reasons else ""


def _about(item: Problem | Note, situation: CommandContext) -> CommandContext:
    """The situation of this problem: who can mend it, and whether its author must be written anew."""
    if item.code in _ANYBODYS or item.values.get("agent") or item.values.get("why") == "machine":
        return replace(situation, own=True, bots=situation.bots or item.code == "dco/bot-unproven")
    author = item.values.get("whose") == "author"
    return replace(situation, own=situation.own or not situation.others, reset=situation.reset or author)


def person(item: Problem | Note, language: Language, show: Show) -> str:
    """How a person is named in public: by login, else by the masked address of the commit; never with an @ before it."""
    if item.account is not None:
        return show(item.account.login or phrase(language, "page", "account", id=str(item.account.id)))
    if item.code in COVERS:  # the address by which somebody is covered may be one from the records
        return phrase(language, "page", "somebody")
    label = item.values.get("email") or item.values.get("agent") or item.values.get("name")
    return show(label) if isinstance(label, str) else phrase(language, "page", "somebody")


def minute(moment: datetime) -> str:
    """A moment as people read it, the same in both languages."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _key(item: Problem | Note) -> str:
    """The entry for this code in this special case."""
    find = _CASES.get(item.code)
    case = None if find is None else find(item.values)
    return f"{item.code}:{case}" if case else item.code


def _incomplete(values: Mapping[str, Value]) -> str | None:
    if values.get("of") == "accounts":
        return "-".join(["accounts", *(name for name in ("listed", "others") if values.get(name))])
    if values.get("of") == "pushes":
        return "pushes" if values.get("override") in (None, "nobody") else "pushes-override"
    if values.get("of") in ("files", *OF_PEOPLE.values()):
        return str(values["of"])
    if values.get("why") in _MOVING:
        return "moving"
    if values.get("why") == TOO_MANY:
        return "too-many"
    return _numbers(values)


def _numbers(values: Mapping[str, Value]) -> str | None:
    """Which words fit how many commits were read, and how many there are."""
    have, reported = values.get("have"), values.get("reported")
    if isinstance(have, int) and isinstance(reported, int) and have > reported:
        return "more"
    return "unknown" if reported is None else None


_MOVING: Final = frozenset({MOVED, CHANGED, REPEATED, NO_HEAD})
"""Doubts in which the numbers say nothing: all that GitHub counts may be here, and still it is not one state."""


def _unsigned(values: Mapping[str, Value]) -> str | None:
    needs = _tuple(values.get("needs"))
    if needs:
        return "needs-both" if len(needs) > 1 else f"needs-{needs[0]}"
    return "company" if "company" in _tuple(values.get("also")) else None


def _outdated(values: Mapping[str, Value]) -> str | None:
    if values.get("version") == values.get("current"):
        return "current"
    if values.get("by") != "company":
        return None
    return "company-needed" if values.get("needs") else "company"


def _other_party(values: Mapping[str, Value]) -> str | None:
    needed = _needed(values)
    if values.get("by") != "company":
        return needed
    return f"company-{needed}" if needed else "company"


def _needed(values: Mapping[str, Value]) -> str | None:
    """Whether this is one of two things that are needed, so that the other is no way around it."""
    return "needed" if values.get("needs") else None


def _agent_alone(values: Mapping[str, Value]) -> str | None:
    """Whether a person vouched who is not covered, and whether the agent has an account that can be exempted."""
    if values.get("voucher"):
        return "voucher"
    return None if values.get("id") else "address"


def _missing(values: Mapping[str, Value]) -> str | None:
    return "agent" if values.get("agent") else _nobody_able(values)


def _nobody_able(values: Mapping[str, Value]) -> str | None:
    """Whether the commit names only software, or nobody at all; then its author must be written first."""
    if values.get("why") == "machine":
        return "machine"
    return "nobody" if values.get("whose") == "author" else None


def _mismatch(values: Mapping[str, Value]) -> str | None:
    return "private" if values.get("why") == "private" else _nobody_able(values)


def _one_of(name: str, *known: str) -> Callable[[Mapping[str, Value]], Value]:
    """The value of that name, where it is one of those that have words of their own."""
    return lambda values: values.get(name) if values.get(name) in known else None


_CASES: Final[Mapping[str, Callable[[Mapping[str, Value]], Value]]] = {
    "cla/unsigned": _unsigned,
    "cla/outdated": _outdated,
    "cla/not-in-log": _needed,
    "cla/withdrawn": _needed,
    "cla/company-ended": _needed,
    "cla/excluded": _needed,
    "cla/other-party": _other_party,
    "cla/unlinked-email": _one_of("why", "ghost", "no-address", "trailer"),
    "cla/cannot-sign": _one_of("why", "organization", "mannequin", "gone"),
    "cla/agent-alone": _agent_alone,
    "cla/grace": _one_of("by", "company"),
    "cla/overridden": _one_of("of", "pushes"),
    "dco/missing": _missing,
    "dco/name-differs": _one_of("why", "mixed"),
    "dco/email-differs": _one_of("why", "mixed", "private"),
    "dco/mismatch": _mismatch,
    "dco/malformed": _one_of(
        "why", "no-space", "after-address", "spelling", "no-colon", "prefix", "wrapped", "address"
    ),
    "dco/invisible": _one_of("why", "bytes"),
    "dco/invalid-email": lambda values: "committer" if values.get("whose") == "committer" else "author",
    "dco/remediated": lambda values: "third-party" if values.get("kind") == "third-party" else "individual",
    "facts/incomplete": _incomplete,
    "facts/empty": lambda values: "range" if "range" in values else None,
    "rulebook/unreachable": _one_of("why", "not-covered", "listed", "refused", "no-answer"),
}


def _public_key(item: Problem | Note) -> str:
    if item.code in MISSES:
        return "public/uncovered:both" if item.values.get("needs") else "public/uncovered"
    return "public/covered" if item.code in COVERS else _key(item)


def _values(item: Problem | Note, language: Language, show: Show) -> dict[str, str]:
    kinds = entries(language)["kind"]
    between = "; " if item.code == "rulebook/invalid" else "、" if language == "zh" else ", "
    values: dict[str, str] = {}
    for name, value in item.values.items():
        if name == "kinds":
            values[name] = between.join(kinds.get(kind) or show(kind) for kind in _tuple(value))
        elif name in _MOMENTS and isinstance(value, str) and (at := moments.moment(value)) is not None:
            values[name] = show(value if at.second or at.microsecond else minute(at))  # never an earlier moment
        elif name == "why" and value in (known := entries(language)["why"]):
            values[name] = known[str(value)]
        elif isinstance(value, tuple):
            values[name] = between.join(show(part) for part in value)
        else:
            values[name] = str(value) if isinstance(value, int) else show(value or "")
    if item.code == "dco/invalid-email" and "@" not in (email := values.get("email", "?")):
        values["email"] = phrase(language, "why", "no at" if email else "no address", email=email)
    if item.code == "cla/unlinked-email" and not values.get("name", "?").strip():
        values["name"] = phrase(language, "page", "somebody")
    if item.code in _EXEMPTING:
        is_allowed = item.values.get("override") not in (None, "nobody")
        values["exempting"] = phrase(language, "page", _EXEMPTING[item.code]) if is_allowed else ""
    role = (item.role or "").removesuffix("s")
    roles = entries(language)["role"]
    return values | {
        "who": person(item, language, show),
        "role": roles.get(role, roles["none"]),
        "sha": show((item.sha or "")[:7]),
        "id": show(str(item.account.id)) if item.account else "?",
    }


_EXEMPTING: Final = {
    "cla/cannot-sign": "exempt_address",
    "cla/unlinked-email": "exempt_address",
    "dco/agent-alone": "waive",
}
"""The sentence of a code about an override, which is said where the rulebook lets a person grant one."""


def _tuple(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
