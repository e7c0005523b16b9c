"""The reason why a commit has no sign-off that counts: the one that helps its author most."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest

from agreements.dco.near_miss import malformed, meant_address
from agreements.dco.near_remediation import NearRemedy
from agreements.domains.canonical_form import domain_of
from agreements.domains.masking import masked, masked_text, visible
from agreements.facts import Commit, Identity, Problem
from agreements.identity.matching import (
    CommitPerson,
    EquivalenceEvidence,
    Matcher,
    folded,
    has_unreadable,
    noreply_owner,
)

_MAX_COMPARED_CHARACTERS = 1000  # Characters of a name or an address in which a near miss is looked for.

_OTHER_ADDRESS = ("dco/email-differs", "dco/mismatch")


@lru_cache(maxsize=4096)  # The same few people sign most commits of a pull request.
def label(name: str, email: str) -> str:
    """A person of a commit as shown: `Name <a…a@x.org>`."""
    return f"{masked_text(name)} <{masked(email)}>" if name else f"<{masked(email)}>"


def expected(persons: Sequence[CommitPerson]) -> tuple[str, ...]:
    """The labels of people whose sign-off would do, each shown once."""
    return tuple(dict.fromkeys(label(person.identity.name, person.identity.email) for person in persons))


def labels(signed: Sequence[Identity]) -> tuple[str, ...]:
    """The labels of people who signed, each shown once."""
    return tuple(dict.fromkeys(label(identity.name, identity.email) for identity in signed))


def problem(commit: Commit, code: str, **values: str | tuple[str, ...] | None) -> Problem:
    """A problem of this commit."""
    return Problem(code=code, sha=commit.sha, account=commit.author_account, role="author", values=values)


def without_signoff(commit: Commit, persons: Sequence[CommitPerson], near: NearRemedy | None = None) -> Problem:
    """The problem of a commit whose sign-off is missing, or malformed; `near` is a line that was to add it later."""
    line = malformed(commit.message)
    if line is not None:
        return problem(commit, "dco/malformed", line=_cut(line.line), expected=_right(persons), why=line.why)
    if near is None or near.by_sha == commit.sha:
        return problem(commit, "dco/missing", expected=expected(persons))
    shown, by = _cut(near.line), masked_text(near.by_sha[:7])
    return problem(commit, "dco/missing", expected=expected(persons), line=shown, by_sha=by, why=near.why)


def _cut(line: str) -> str:
    return _shown_line(line.strip())[:200]  # A line has no limit in git; a check run's text has one.


def _right(persons: Sequence[CommitPerson]) -> tuple[str, ...]:
    return tuple(f"Signed-off-by: {text}" for text in expected(persons))


def _other_spelling(pairs: Sequence[tuple[Identity, CommitPerson]]) -> Identity | None:
    """The sign-off whose address is a person's own, written in another way than git does."""
    for identity, person in pairs:
        meant = meant_address(identity.email)
        if meant != identity.email and meant.casefold() == person.identity.email.casefold():
            return identity
    return None


def _shown_line(line: str) -> str:
    before, bracket, rest = line.partition("<")
    if "@" in line or not bracket:
        return masked_text(line)
    inside, end, after = rest.partition(">")  # Without an @ it may still be an address, so it is masked.
    return f"{masked_text(before)}<{masked(inside)}{end}{masked_text(after)}"


def mismatch(commit: Commit, persons: Sequence[CommitPerson], signed: Sequence[Identity], matcher: Matcher) -> Problem:
    """The problem of a commit with sign-offs, none of author or committer: the nearest miss names the code."""
    codes = ("dco/invisible", "dco/name-differs", "dco/email-differs", "dco/mismatch")
    # Comparing takes time by the length, and the message is an outsider's.
    short = [
        Identity(identity.name[:_MAX_COMPARED_CHARACTERS], identity.email[:_MAX_COMPARED_CHARACTERS])
        for identity in signed
    ]
    pairs = [(identity, person) for identity in short for person in persons]
    misses = [_miss(identity, person, matcher) for identity, person in pairs]
    code = min(misses, key=codes.index, default="dco/mismatch")
    people = [person.identity for person in persons]
    shown: dict[str, str | tuple[str, ...]] = {"expected": _apart(people, short), "found": _apart(short, people)}
    if misses:
        identity, person = pairs[misses.index(code)]
        by_evidence = isinstance(matcher, EquivalenceEvidence)  # dco2 has no such reason, and `exact` follows it.
        if by_evidence and code in _OTHER_ADDRESS and (other := _other_spelling(pairs)) is not None:
            line = f"Signed-off-by: {masked_text(other.name)} <{masked(other.email)}>"
            return problem(commit, "dco/malformed", line=line, expected=_right(persons), why="address")
        if code == "dco/invisible" and _is_unreadable(identity, person):
            shown["why"] = "bytes"
        elif _is_mixed(code, identity, persons, matcher):
            shown["why"] = "mixed"
        elif code in _OTHER_ADDRESS and _is_private(identity, person, matcher):
            shown["why"] = "private"
    return problem(commit, code, **shown)


def _is_private(signed: Identity, person: CommitPerson, matcher: Matcher) -> bool:
    """Whether just one of the two addresses is a no-reply address of GitHub's."""
    if not isinstance(matcher, EquivalenceEvidence):
        return False
    owner = noreply_owner(signed.email, matcher.server)
    # The number in the address names another account: it is that account's.
    if owner is not None and person.account is not None and owner.id != person.account.id:
        return False
    places = (domain_of(identity.email) for identity in (signed, person.identity))
    private = [place is not None and matcher.server.is_noreply(place) for place in places]
    # A no-reply address says nothing of the other one: nothing could tell that they are one person's.
    return private[0] is not private[1]


def _is_mixed(code: str, signed: Identity, persons: Sequence[CommitPerson], matcher: Matcher) -> bool:
    differs = {"dco/name-differs": matcher.name, "dco/email-differs": matcher.email}.get(code)
    return differs is not None and any(differs(signed, person) is not None for person in persons)


def _apart(people: Sequence[Identity], others: Sequence[Identity]) -> tuple[str, ...]:
    """The people's labels; where two are the same only because they are masked, with the character that differs."""
    return tuple(dict.fromkeys(label(person.name, person.email) + _difference(person, others) for person in people))


def _difference(identity: Identity, others: Sequence[Identity]) -> str:
    """` (…n…)`: the first character of this address that the other one has not in that place."""
    mask = label(identity.name, identity.email)
    other = next(
        (
            candidate
            for candidate in others
            if candidate.email != identity.email and label(candidate.name, candidate.email) == mask
        ),
        None,
    )
    if other is None:
        return ""
    char = next(mine for mine, theirs in zip_longest(identity.email, other.email, fillvalue="") if mine != theirs)
    return f" (…{visible(char)}…)" if char not in ("", "@") else ""  # Never more: the mask must go on hiding the rest.


def _miss(signed: Identity, person: CommitPerson, matcher: Matcher) -> str:
    name, email = matcher.name(signed, person) is not None, matcher.email(signed, person) is not None
    seen_name, seen_email = (
        _shown(signed.name) == _shown(person.identity.name[:_MAX_COMPARED_CHARACTERS]),
        _shown(signed.email) == _shown(person.identity.email[:_MAX_COMPARED_CHARACTERS]),
    )
    if (name or seen_name) and (email or seen_email) and not (name and email) and _is_odd(signed, person):
        return "dco/invisible"
    if email:
        return "dco/name-differs"
    return "dco/email-differs" if name else "dco/mismatch"


def _is_odd(signed: Identity, person: CommitPerson) -> bool:
    """Whether a name or an address of the two holds what does not show: bytes that are no text, all but plain spaces."""
    return _is_unreadable(signed, person) or any(visible(text) != text for text in _compared(signed, person))


def _is_unreadable(signed: Identity, person: CommitPerson) -> bool:
    """Whether a name or an address of the two holds bytes that are no text."""
    return any(map(has_unreadable, _compared(signed, person)))


def _compared(signed: Identity, person: CommitPerson) -> tuple[str, ...]:
    texts = (signed.name, signed.email, person.identity.name, person.identity.email)
    return tuple(text[:_MAX_COMPARED_CHARACTERS] for text in texts)


def _shown(text: str) -> str:
    # As it looks: odd spaces are spaces, invisible characters are gone.
    plain = "".join(" " if char.isspace() else char for char in text)
    return folded("".join(char for char in plain if visible(char) == char)).strip()
