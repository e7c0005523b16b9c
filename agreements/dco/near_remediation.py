"""Lines that mean to sign off an earlier commit and do not: the ways in which people mistype them, and the mistake in each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from agreements.dco.trailers import remediations
from agreements.facts import Commit, Identity
from agreements.identity.certifiers import people
from agreements.rulebook.rules import DcoRules

_MIN_SHA_CHARACTERS: Final = 7  # As git shortens a SHA by default.
_MAX_SHA_CHARACTERS: Final = 64  # A SHA-256.
_HEX: Final = frozenset("0123456789abcdef")
_MARKS: Final = ".,;:`'\"()[]<>*"

Why = Literal[
    "remedy-off", "remedy-wrapped", "remedy-words", "remedy-sha", "remedy-behalf", "remedy-person", "remedy-people", "remedy-gone",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class NearRemedy:
    """A `line` of the commit `by_sha` that means to sign off another commit, and `why` it does not."""

    line: str
    by_sha: str
    why: Why


def near_remedies(commits: Sequence[Commit], rules: DcoRules) -> Mapping[Commit, NearRemedy]:
    """For each commit that a line of another one means, the first such line; what counts has been found before."""
    by_start: dict[str, list[Commit]] = {}
    for commit in commits:
        by_start.setdefault(commit.sha[:_MIN_SHA_CHARACTERS].lower(), []).append(commit)
    found: dict[Commit, NearRemedy] = {}
    gone: dict[Identity, NearRemedy] = {}
    for commit in commits:
        for line, following in _meaning(commit.message):
            targets = [
                (target, word)
                for word in _shas(f"{line} {following}")
                for target in by_start.get(word[:_MIN_SHA_CHARACTERS], ())
                if target.sha.lower().startswith(word)
            ]
            for target, word in targets:
                is_wrapped = word not in line.lower()
                found.setdefault(target, NearRemedy(line, commit.sha, _why(line, target, rules, is_wrapped=is_wrapped)))
            if not targets and rules.individual_remediation:
                for remediation in remediations(line):
                    near = NearRemedy(line, commit.sha, "remedy-gone")
                    gone.setdefault(remediation.behalf or remediation.by, near)
    # A rebase gave the commit another SHA than the line has.
    for commit in commits if gone else ():
        for person in people(commit):
            if commit not in found and person.identity in gone:
                found[commit] = gone[person.identity]
    return found


def _meaning(message: str) -> Iterator[tuple[str, str]]:
    """Each line that means to sign off another commit, with the line below it."""
    lower = message.lower()
    if "hereby" not in lower and "add my" not in lower:  # Most messages cost no more than this.
        return
    lines = message.split("\n")
    for place, line in enumerate(lines):
        letters = "".join(char for char in line.lower() if char.isalpha())
        if ("hereby" in letters or "addmy" in letters) and ("signedoff" in letters or "signoff" in letters):
            yield line, lines[place + 1] if place + 1 < len(lines) else ""


def _shas(text: str) -> Iterator[str]:
    for word in text.lower().split():
        plain = word.strip(_MARKS)
        if _MIN_SHA_CHARACTERS <= len(plain) <= _MAX_SHA_CHARACTERS and _HEX.issuperset(plain):
            yield plain


def _why(line: str, target: Commit, rules: DcoRules, *, is_wrapped: bool) -> Why:
    if not rules.individual_remediation:
        return "remedy-off"
    if is_wrapped:  # An editor broke the line, which is longer than most editors like.
        return "remedy-wrapped"
    read = remediations(line)
    if not read:
        return "remedy-words"
    sha = read[0].sha if rules.matching == "exact" else read[0].sha.strip()
    if sha != target.sha:
        return "remedy-sha"
    if read[0].behalf is None:
        return "remedy-person"
    return "remedy-people" if rules.third_party_remediation else "remedy-behalf"
