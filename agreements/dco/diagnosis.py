"""Why a commit has no sign-off that counts: the one reason that helps its author most."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest

from agreements.dco.trailers import malformed
from agreements.domains.domains import masked, masked_text, visible
from agreements.facts import Commit, Identity, Problem
from agreements.identity.equivalence import REPLACEMENT, CommitPerson, Matcher, folded

_MAX_COMPARED_CHARACTERS = 1000  # characters of a name or an address in which a near miss is looked for


@lru_cache(maxsize=4096)
def label(name: str, email: str) -> str:
    """`Name <a…a@x.org>`: how a person of a commit is shown."""
    return f"{masked_text(name)} <{masked(email)}>" if name else f"<{masked(email)}>"


def expected(persons: Sequence[CommitPerson]) -> tuple[str, ...]:
    """Whose sign-off would do, each shown once."""
    return tuple(dict.fromkeys(label(person.identity.name, person.identity.email) for person in persons))


def labels(signed: Sequence[Identity]) -> tuple[str, ...]:
    """Who signed, each shown once."""
    return tuple(dict.fromkeys(label(one.name, one.email) for one in signed))


def problem(commit: Commit, code: str, **values: str | tuple[str, ...] | None) -> Problem:
    """A problem of this commit."""
    return Problem(code=code, sha=commit.sha, account=commit.author_account, role="author", values=values)


def without_signoff(commit: Commit, persons: Sequence[CommitPerson]) -> Problem:
    """Missing, or there but malformed."""
    line = malformed(commit.message)
    if line is None:
        return problem(commit, "dco/missing", expected=expected(persons))
    shown = masked_text(line.line.rstrip())[:200]
    return problem(commit, "dco/malformed", line=shown, expected=expected(persons), why=line.why)


def mismatch(commit: Commit, persons: Sequence[CommitPerson], signed: Sequence[Identity], matcher: Matcher) -> Problem:
    """Sign-offs are there, none is of author or committer: the nearest miss names the code."""
    codes = ("dco/invisible", "dco/name-differs", "dco/email-differs", "dco/mismatch")
    short = [Identity(one.name[:_MAX_COMPARED_CHARACTERS], one.email[:_MAX_COMPARED_CHARACTERS]) for one in signed]
    pairs = [(one, person) for one in short for person in persons]
    misses = [_miss(one, person, matcher) for one, person in pairs]
    code = min(misses, key=codes.index, default="dco/mismatch")
    people = [person.identity for person in persons]
    shown: dict[str, str | tuple[str, ...]] = {"expected": _apart(people, short), "found": _apart(short, people)}
    if misses:
        one, person = pairs[misses.index(code)]
        if code == "dco/invisible" and _is_unreadable(one, person):
            shown["why"] = "bytes"
        elif _is_mixed(code, one, persons, matcher):
            shown["why"] = "mixed"
    return problem(commit, code, **shown)


def _is_mixed(code: str, signed: Identity, persons: Sequence[CommitPerson], matcher: Matcher) -> bool:
    """Whether the half that differs from one person is another's."""
    differs = {"dco/name-differs": matcher.name, "dco/email-differs": matcher.email}.get(code)
    return differs is not None and any(differs(signed, person) is not None for person in persons)


def _apart(people: Sequence[Identity], others: Sequence[Identity]) -> tuple[str, ...]:
    """Their labels; where another has the same one only because both are masked, with the character that differs."""
    return tuple(dict.fromkeys(label(one.name, one.email) + _difference(one, others) for one in people))


def _difference(one: Identity, others: Sequence[Identity]) -> str:
    """` (…n…)`: the first character of this address that the other one has not in that place, never more."""
    mask = label(one.name, one.email)
    other = next((two for two in others if two.email != one.email and label(two.name, two.email) == mask), None)
    if other is None:
        return ""
    char = next(mine for mine, theirs in zip_longest(one.email, other.email, fillvalue="") if mine != theirs)
    return f" (…{visible(char)}…)" if char not in ("", "@") else ""


def _miss(signed: Identity, person: CommitPerson, matcher: Matcher) -> str:
    name, email = matcher.name(signed, person) is not None, matcher.email(signed, person) is not None
    seen_name, seen_email = (
        _shown(signed.name) == _shown(person.identity.name[:_MAX_COMPARED_CHARACTERS]),
        _shown(signed.email) == _shown(person.identity.email[:_MAX_COMPARED_CHARACTERS]),
    )
    if (name or seen_name) and (email or seen_email) and not (name and email):
        return "dco/invisible"
    if email:
        return "dco/name-differs"
    return "dco/email-differs" if name else "dco/mismatch"


def _is_unreadable(signed: Identity, person: CommitPerson) -> bool:
    """Whether a name or an address of the two holds bytes that are no text, as they are or as replaced by GitHub."""
    texts = (signed.name, signed.email, person.identity.name, person.identity.email)
    return any(
        char == REPLACEMENT or "\udc80" <= char <= "\udcff"
        for text in texts
        for char in text[:_MAX_COMPARED_CHARACTERS]
    )


def _shown(text: str) -> str:
    """What an eye sees of the text: odd spaces are spaces, what shows nothing is gone."""
    plain = "".join(" " if char.isspace() else char for char in text)
    return folded("".join(char for char in plain if visible(char) == char)).strip()
