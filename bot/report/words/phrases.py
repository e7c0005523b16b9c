"""Turns a code and its values into sentences, by the templates of its declaration, and problems into what there is to do."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from agreements import moments
from agreements.completeness import CHANGED, MOVED, NO_HEAD, OF_PEOPLE, REPEATED, TOO_MANY
from agreements.domains.masking import masked_text
from agreements.facts import Note, Problem, Value
from bot import verdict_codes
from bot.report.words import templates
from bot.report.words.git_commands import CommandContext, commands
from bot.report.words.templates import entries, fill

Language = templates.Language
Show = Callable[[str], str]

_MOMENTS: Final = frozenset({"since", "until"})


@dataclass(frozen=True, slots=True)
class Explanation:
    """The `message` of what happened, and the `fix`: what to do about it (Markdown for command blocks; empty for notes)."""

    message: str
    fix: str = ""


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
    """The words with each value written by `show`; `public` hides how a person is covered and why no longer."""
    entry = _said_publicly(item, language) if public else _said(item, language)
    values = _values(item, language, show)
    fix = entry.get("fix", "")
    if "{commands}" in fix:
        here = _about(item, situation or CommandContext())
        values["commands"] = commands(here, language)
        fix = fix if here.own else "{commands}"  # The rest speaks to the author.
    return Explanation(fill(entry.get("message", item.code), values), fill(fix, values))


def phrase(language: Language, section: str, name: str, **values: str) -> str:
    """A word or sentence that belongs to no code: from `role`, `kind`, `check` or `page`."""
    return fill(entries(language)[section][name], values)


def cause(item: Problem, language: Language) -> str:
    """The fault of `{count}` commits in one short sentence, and what to look at first; "" for no commit's fault."""
    return _said(item, language).get("cause", "")


def short(item: Problem, language: Language) -> str:
    """The fault in a few words; the code itself where there are none."""
    return _said(item, language).get("short", item.code)


def fixes(problems: Sequence[Problem], language: Language, *, show: Show, situation: CommandContext) -> list[str]:
    """Every different thing to do, as Markdown in the words of the public.

    Problems that the same commands mend share them: above stands what is wrong, a line for each cause.
    """
    groups: dict[str, dict[str, list[Problem]]] = {}
    for item in problems:
        said = render(item, language, show=show, public=True, situation=situation).fix
        # The first line says what is wrong; the rest is commands, which several problems may share.
        first, _, commands = said.partition("\n")
        groups.setdefault(commands or said, {}).setdefault(first if commands else "", []).append(item)
    return [_block(shared, firsts, language) for shared, firsts in groups.items()]


def _block(shared: str, firsts: dict[str, list[Problem]], language: Language) -> str:
    items = [item for some in firsts.values() for item in some]
    commits: dict[str, set[str | None]] = {}
    for item in items:
        commits.setdefault(cause(item, language), set()).add(item.sha)
    if len(commits) == 1:  # One cause alone needs no list.
        return "\n".join([*filter(None, firsts), shared])
    counts = {
        said: phrase(language, "page", "commits_one" if len(shas) == 1 else "commits_many", count=f"{len(shas):,}")
        for said, shas in commits.items()
        if said
    }
    lines = [f"- {fill(said, {'count': count})}" for said, count in counts.items()]
    return "\n".join([*lines, "", phrase(language, "page", "cure"), shared])


def set_aside(found: Iterable[str], by: str, language: Language) -> str:
    """The sentence on what was wrong with a commit, and who set it aside; `by` is ready to be shown."""
    clauses = verdict_codes.each("aside", language)
    reasons = ("；" if language == "zh" else "; ").join(clauses[code] for code in found if code in clauses)
    return phrase(language, "page", "set_aside", reasons=reasons[:1].upper() + reasons[1:], by=by) if reasons else ""


def _about(item: Problem | Note, situation: CommandContext) -> CommandContext:
    # A commit that names only a machine can be signed off by any person.
    if verdict_codes.of(item.code).by_anyone or item.values.get("agent") or item.values.get("why") == "machine":
        return replace(situation, own=True, bots=situation.bots or item.code == "dco/bot-unproven")
    author = item.values.get("whose") == "author"
    return replace(situation, own=situation.own or not situation.others, reset=situation.reset or author)


def person(item: Problem | Note, language: Language, show: Show) -> str:
    """The name of a person in public: by login, else by the masked address of the commit."""
    # Never with an @ before it, by which GitHub would notify the person.
    if item.account is not None:
        return show(item.account.login or phrase(language, "page", "account", id=str(item.account.id)))
    if verdict_codes.of(item.code).role == "covered":
        # The address by which a person is covered may be one from the records.
        return phrase(language, "page", "somebody")
    label = item.values.get("email") or item.values.get("agent") or item.values.get("name")
    return show(label) if isinstance(label, str) else phrase(language, "page", "somebody")


def minute(moment: datetime) -> str:
    """A moment as people read it, the same in both languages."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _said(item: Problem | Note, language: Language) -> Mapping[str, str]:
    suggest = _CASES.get(item.code, _usual_cases)
    # Of the cases that the values suggest the first that has words.
    keys = (f"{item.code}:{case}" for case in suggest(item.values))
    known = verdict_codes.words(language)
    return known.get(next((key for key in keys if key in known), item.code), {})


def _usual_cases(values: Mapping[str, Value]) -> Iterator[Value]:
    # Whose agreement it is, whether it is one of two that are needed, and what the code's own values say.
    by, needed = "company" if values.get("by") == "company" else "", "needed" if values.get("needs") else ""
    yield from (f"{by}-{needed}", needed, by, *(values.get(name) for name in ("why", "of", "whose", "kind")))


def _incomplete(values: Mapping[str, Value]) -> Iterator[Value]:
    if values.get("of") == "accounts":
        yield "-".join(["accounts", *(name for name in ("listed", "others") if values.get(name))])
    if values.get("of") == "pushes":
        yield "pushes" if values.get("override") in (None, "nobody") else "pushes-override"
    if values.get("of") in ("files", *OF_PEOPLE.values()):
        yield values["of"]
    if values.get("why") in _MOVING:
        yield "moving"
    if values.get("why") == TOO_MANY:
        yield "too-many"
    have, reported = values.get("have"), values.get("reported")
    if isinstance(have, int) and isinstance(reported, int) and have > reported:
        yield "more"
    if reported is None:
        yield "unknown"


_MOVING: Final = frozenset({MOVED, CHANGED, REPEATED, NO_HEAD})
"""Doubts in which the numbers say nothing: all that GitHub counts may be here, and still it is not one state."""


def _unsigned(values: Mapping[str, Value]) -> Iterator[Value]:
    if needs := _tuple(values.get("needs")):
        yield "needs-both" if len(needs) > 1 else f"needs-{needs[0]}"
    elif "company" in _tuple(values.get("also")):
        yield "company"


def _agent_alone(values: Mapping[str, Value]) -> Iterator[Value]:
    # A person vouched who is not covered; or the agent has no account that could be exempted.
    if values.get("voucher"):
        yield "voucher"
    elif not values.get("id"):
        yield "address"


def _unable(values: Mapping[str, Value]) -> Iterator[Value]:
    # A commit that names only software, or no author at all: its author must be written first.
    yield "agent" if values.get("agent") else None
    yield values.get("why")
    yield "nobody" if values.get("whose") == "author" else None


_CASES: Final[Mapping[str, Callable[[Mapping[str, Value]], Iterable[Value]]]] = {
    "cla/unsigned": _unsigned,
    "cla/outdated": lambda values: (
        ["current"] if values.get("version") == values.get("current") else _usual_cases(values)
    ),
    "cla/agent-alone": _agent_alone,
    "cla/small-change": lambda values: [values.get("why"), "one" if values.get("lines") == 1 else None],
    "dco/missing": _unable,
    "dco/mismatch": _unable,
    "facts/incomplete": _incomplete,
    "facts/empty": lambda values: ["range"] if "range" in values else [],
}
"""The functions that find the case where the usual way does not tell it."""


def _said_publicly(item: Problem | Note, language: Language) -> Mapping[str, str]:
    role = verdict_codes.of(item.code).role
    case = ":chosen" if item.code == "cla/chosen-uncovered" else ""
    if role == "uncovered" and item.values.get("needs"):
        case = ":both"
    # In public all ways of being covered read the same, and all of not being covered.
    return entries(language)[f"public/{role}{case}"] if role else _said(item, language)


def _values(item: Problem | Note, language: Language, show: Show) -> dict[str, str]:
    kinds = entries(language)["kind"]
    between = "; " if item.code == "rulebook/invalid" else "、" if language == "zh" else ", "
    values: dict[str, str] = {}
    for name, value in item.values.items():
        if name == "kinds":
            values[name] = between.join(kinds.get(kind) or show(kind) for kind in _tuple(value))
        elif name in _MOMENTS and isinstance(value, str) and (at := moments.moment(value)) is not None:
            values[name] = show(
                value if at.second or at.microsecond else minute(at)
            )  # Cut to the minute it would be earlier.
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
    if sentence := verdict_codes.of(item.code).override:
        values["exempting"] = _exempting(item, sentence, language)
    if item.code == "cla/agent-alone":
        people = values.get("able")
        values["able"] = phrase(language, "page", "able", people=people) if people else ""
        values["button"] = phrase(language, "page", "answer")
    role = (item.role or "").removesuffix("s")
    roles = entries(language)["role"]
    return values | {
        "who": person(item, language, show),
        "role": roles.get(role, roles["none"]),
        "sha": show((item.sha or "")[:7]),
        "id": show(str(item.account.id)) if item.account else "?",
    }


def _exempting(item: Problem | Note, sentence: str, language: Language) -> str:
    if item.values.get("override") in (None, "nobody"):
        return ""
    # An address that GitHub links to an account is exempted with that account.
    linked = item.code == "cla/cannot-sign" and str(item.values.get("why")).startswith(("organization", "website"))
    return phrase(language, "page", "exempt_account" if linked else sentence)


def _tuple(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
