"""A code and its values become sentences; the sentences stand in en.toml and zh.toml, this only fills them in."""

import shlex
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, Literal

from agreements.domains import masked_text, visible
from agreements.facts import Note, Problem, Value
from bot.markdown import code

Language = Literal["en", "zh"]
Show = Callable[[str], str]
_Entries = Mapping[str, Mapping[str, str]]

_NO_CODES = frozenset({"role", "kind", "why", "aside", "check", "page"})
_UNCOVERED = frozenset({"cla/unsigned", "cla/outdated", "cla/withdrawn", "cla/company-ended", "cla/excluded"})
_COVERED = frozenset({"cla/individual", "cla/grace", "cla/company-account", "cla/company-email", "cla/company-domain"})
_ANYBODYS: Final = frozenset({"dco/agent-signoff", "dco/bot-unproven"})
"""No author could be asked to sign these off: whoever may certify them does."""
_UNREAD: Final = frozenset({"not-covered", "listed", "refused", "no-answer"})
"""Why it is not known whether the organisation has a rulebook, where there is more to say than that."""
_BASE: Final = "BASE"
_HEXADECIMAL: Final = 40
"""Digits of a whole object name, at least: a base that is a commit can't be brought up to date."""


@dataclass(frozen=True, slots=True)
class Words:
    """What happened, and what to do about it (Markdown for command blocks; empty for notes)."""

    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Situation:
    """What the exact commands depend on: is only the last commit meant, and are other people's commits in between.

    `amend` None means that it is not known: then both ways are shown. An unknown base is written as BASE.
    `own`: one of the commits that fail is by who reads this, as far as is known; `committed`: it was committed by them.
    `reset`: an author must be written anew. `merges`: a rebase would leave merges out. `push`: the command that
    sends what was rewritten; "" where nothing was sent yet.
    """

    base: str = ""
    amend: bool | None = None
    others: bool = False
    own: bool = True
    committed: bool = False
    reset: bool = False
    merges: bool = False
    push: str = "git push --force-with-lease"


@cache
def _entries(language: Language) -> _Entries:
    return tomllib.loads((Path(__file__).parent / f"{language}.toml").read_text(encoding="utf-8"))


def _codes() -> frozenset[str]:
    keys = {key.partition(":")[0] for key in _entries("en")} - _NO_CODES
    return frozenset(key for key in keys if not key.startswith(("public/", "command/")))


CODES: Final = _codes()
"""Every code that has words; tests keep it equal to the codes that verdicts may hold and to docs/codes.md."""


def text(item: Problem | Note, language: Language, *, situation: Situation | None = None) -> Words:
    """The full words of a problem or note as plain text, every address masked, everything invisible escaped.

    For the person themselves and for programs; what the public may read comes from `render(…, public=True)`.
    """
    return render(item, language, show=masked_text, situation=situation)


def render(
    item: Problem | Note, language: Language, *, show: Show, public: bool = False, situation: Situation | None = None
) -> Words:
    """The words with each value written by `show`; `public` hides how somebody is covered and why no longer."""
    key = _public_key(item) if public else _key(item)
    entry = _entries(language).get(key, {})
    values = _values(item, language, show)
    fix = entry.get("fix", "")
    if "{commands}" in fix:
        here = _about(item, situation or Situation())
        values["commands"] = commands(here, language)
        fix = fix if here.own else "{commands}"
    return Words(_fill(entry.get("message", item.code), values), _fill(fix, values))


def phrase(language: Language, section: str, name: str, **values: str) -> str:
    """A word or sentence that belongs to no code: from `role`, `kind`, `check` or `page`."""
    return _fill(_entries(language)[section][name], values)


def set_aside(codes: Iterable[str], by: str, language: Language) -> str:
    """What was wrong with a commit, and who set it aside, as one sentence; `by` is ready to be shown."""
    entries = _entries(language)["aside"]
    reasons = ("；" if language == "zh" else "; ").join(
        entries[code] for code in codes if "/" in code and code in entries
    )
    return _fill(entries["by"], {"reasons": reasons[:1].upper() + reasons[1:], "by": by}) if reasons else ""


def _about(item: Problem | Note, situation: Situation) -> Situation:
    """The situation of this problem: who can mend it, and whether its author must be written anew."""
    if item.code in _ANYBODYS:
        return replace(situation, own=True, reset=False)
    author = item.code == "dco/invalid-email" and item.values.get("whose") == "author"
    return replace(situation, own=situation.own or not situation.others, reset=situation.reset or author)


def commands(situation: Situation, language: Language) -> str:
    """The commands that sign off, each on a line of its own in a code block.

    Never by counting back from HEAD: with a merge in between that would sign other people's work. With commits of other
    people in between, one's own are signed alone; where only theirs fail, they are asked.
    """
    base = visible(situation.base) or _BASE
    push = visible(situation.push)
    values = {"base": shlex.quote(base), "branch": code(base), "push": push and f"\n{push}"}

    def block(name: str) -> str:
        return _fill(_entries(language)[f"command/{name}"]["message"], values)

    one = block("reset-one" if situation.reset else "amend")
    if not situation.own:
        passed = (block("passed-one"), one) if situation.amend else (block("passed"), block("rebase"))
        return "\n".join([block("ask"), *(passed if situation.committed and not situation.reset else ())])
    if situation.amend:
        return one + "\n" + block("last") if situation.others else one
    many = "\n".join(block(name) for name in _many(situation))
    if situation.amend is False:
        return many
    return _fill(_entries(language)["command/either"]["message"], {**values, "one": one, "many": many})


def _many(situation: Situation) -> tuple[str, ...]:
    """The command for several commits, and the warnings that go with it: whose work it signs, and what it leaves out."""
    merges = ("merges",) if situation.merges else ()
    if situation.others:
        return ("reset-own", "reset-others", *merges) if situation.reset else ("own", "others", *merges)
    is_commit = len(situation.base) >= _HEXADECIMAL and not set(situation.base) - set("0123456789abcdef")
    return "reset-many" if situation.reset else "rebase", "since" if is_commit else "yours", *merges


def person(item: Problem | Note, language: Language, show: Show) -> str:
    """How a person is named in public: by login, else by the masked address of the commit; never with an @ before it."""
    if item.account is not None:
        return show(item.account.login or f"account {item.account.id}")
    if item.code in _COVERED:  # the address by which somebody is covered may be one from the records
        return phrase(language, "page", "somebody")
    label = item.values.get("email") or item.values.get("agent") or item.values.get("name")
    return show(label) if isinstance(label, str) else phrase(language, "page", "somebody")


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
    if values.get("of") in ("files", "coauthors", "accounts-of-coauthors"):
        return str(values["of"])
    return "unknown" if values.get("reported") is None else None


def _why_malformed(values: Mapping[str, Value]) -> Value:
    return values.get("why") if values.get("why") in ("no-space", "after-address") else None


_CASES: Final[Mapping[str, Callable[[Mapping[str, Value]], Value]]] = {
    "cla/unsigned": lambda values: "company" if "company" in _tuple(values.get("also")) else None,
    "cla/unlinked-email": lambda values: "ghost" if values.get("why") == "ghost" else None,
    "dco/malformed": _why_malformed,
    "dco/invisible": lambda values: "bytes" if values.get("why") == "bytes" else None,
    "dco/invalid-email": lambda values: "committer" if values.get("whose") == "committer" else "author",
    "dco/remediated": lambda values: "third-party" if values.get("kind") == "third-party" else "individual",
    "facts/incomplete": _incomplete,
    "facts/empty": lambda values: "range" if "range" in values else None,
    "rulebook/unreachable": lambda values: values.get("why") if values.get("why") in _UNREAD else None,
}


def _public_key(item: Problem | Note) -> str:
    if item.code in _UNCOVERED:
        return "public/uncovered"
    return "public/covered" if item.code in _COVERED else _key(item)


def _values(item: Problem | Note, language: Language, show: Show) -> dict[str, str]:
    kinds = _entries(language)["kind"]
    between = "; " if item.code == "rulebook/invalid" else "、" if language == "zh" else ", "
    values: dict[str, str] = {}
    for name, value in item.values.items():
        if name == "kinds":
            values[name] = between.join(kinds.get(kind) or show(kind) for kind in _tuple(value))
        elif name == "why" and value in (known := _entries(language)["why"]):
            values[name] = known[str(value)]
        elif isinstance(value, tuple):
            values[name] = between.join(show(part) for part in value)
        else:
            values[name] = str(value) if isinstance(value, int) else show(value or "")
    if item.code == "dco/invalid-email" and "@" not in (email := values.get("email", "?")):
        values["email"] = phrase(language, "why", "no at" if email else "no address", email=email)
    role = (item.role or "").removesuffix("s")
    roles = _entries(language)["role"]
    return values | {
        "who": person(item, language, show),
        "role": roles.get(role, roles["none"]),
        "sha": show((item.sha or "")[:7]),
    }


def _tuple(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


class _Known(dict[str, str]):
    """Values by name; one that is not there shows as a question mark instead of failing a verdict."""

    def __missing__(self, key: str) -> str:
        return "?"


def _fill(template: str, values: Mapping[str, str]) -> str:
    return template.format_map(_Known(values)) if "{" in template else template
