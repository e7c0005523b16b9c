"""What `matching: exact` must answer, written a second time from its description alone: an oracle for tests, slow and plain.

Nothing of `agreements` is used here. Every rule stands in the order in which it is described, one line of message at a time.
"""

import re
import unicodedata
from typing import NamedTuple

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
OTHER_CASES = {
    "s": "sS\u017f",
    "k": "kK\u212a",
}  # the long s and the Kelvin sign are cases of s and k; İ and ı are letters of their own
ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
LOCAL = re.compile(rf"{ATOM}(\.{ATOM})*|\"([\t !#-\[\]-~]|\\[!-~])+\"")
DOMAIN = re.compile(rf"{ATOM}(\.{ATOM})*|\[[!-Z^-~]*\]")
LABEL = re.compile(r"[A-Za-z0-9]([^.]*[A-Za-z0-9])?")


class Answer(NamedTuple):
    """Whether all pass, and for each commit its SHA, its status and the reasons: one for a pass, all of them for a failure."""

    passes: bool
    commits: list


def any_case(words):
    """A pattern for these fixed words, each letter in any case."""
    return "".join(
        f"[{OTHER_CASES.get(c.lower(), c.lower() + c.upper())}]" if c.isalpha() else re.escape(c) for c in words
    )


ADD = any_case(", hereby add my Signed-off-by to this commit: ")
SIGN_OFF = re.compile(any_case("Signed-off-by: ") + "(.*) <(.*)>")
OWN = re.compile(any_case("I, ") + "(.*) <(.*)>" + ADD + "(.*)")
BEHALF = re.compile(any_case("On behalf of ") + "(.*) <(.*)>" + any_case(", I, ") + "(.*) <(.*)>" + ADD + "(.*)")


def valid(email):
    """The addresses that a commit may have; the cases hold none with vowel signs or circled letters."""
    if email.endswith("[bot]@users.noreply.github.com"):
        return True
    if " <" in email:
        email = email[email.rindex(" <") + 2 :].strip(WHITE_SPACE)
        if email[-1:] != ">":
            return False
        email = email[:-1]
    if "@" not in email:
        return False
    local, domain = email.rsplit("@", 1)
    quoted, literal = local[:1] == '"', domain[:1] == "["
    return bool(
        len(local.encode()) <= 64
        and LOCAL.fullmatch(local if quoted else in_latin(local))
        and len(domain.encode()) <= 254
        and DOMAIN.fullmatch(domain if literal else in_latin(domain))
        and (literal or all(LABEL.fullmatch(in_latin(part)) and len(part.encode()) <= 63 for part in domain.split(".")))
    )


def in_latin(text):
    """The same with an `x` for every letter or digit of another script."""
    return "".join("x" if ord(c) > 127 and unicodedata.category(c)[0] in "LN" else c for c in text)


def people(commit):
    """Author and committer; null and {} are no person."""
    return [who for who in (commit.get("author"), commit.get("committer")) if who]


def is_one_of(name, email, persons):
    """Name and e-mail both of one person, in lower case."""
    return any(name.lower() == who["name"].lower() and email.lower() == who["email"].lower() for who in persons)


def sign_offs(message):
    """The name and e-mail of every sign-off line."""
    lines = [line.rstrip(WHITE_SPACE) for line in message.split("\n")]
    return [found.groups() for line in lines if (found := SIGN_OFF.fullmatch(line))]


def remediations(commits, allowed):
    """The declarations that count: name, e-mail and SHA, each made in a commit of the one who says `I`."""
    found = []
    for commit in commits if allowed["individual"] else []:
        for line in commit["message"].split("\n"):
            own, behalf = OWN.fullmatch(line), BEHALF.fullmatch(line) if allowed["third_party"] else None
            if own and is_one_of(own[1], own[2], people(commit)):
                found.append(own.groups())
            if behalf and is_one_of(behalf[3], behalf[4], people(commit)):
                found.append((behalf[1], behalf[2], behalf[5]))
    return found


def is_member(commit, members):
    """The exempt member is the author's account, never the committer's."""
    return (commit.get("author_account") or {}).get("id") in members


def skipped(commit, members):
    """Why a commit needs no sign-off, or None."""
    if len(commit["parents"]) >= 2:
        return "merge"
    if (commit.get("author_account") or {}).get("type") == "Bot":
        return "bot"
    if is_member(commit, members) and commit.get("verified") is True:
        return "member"
    return None


def judged(commit, members, declared):
    """The status of one commit and its reasons."""
    skip = skipped(commit, members)
    if skip:
        return "pass", {skip}
    invalid = not all(valid(who["email"]) for who in people(commit))
    lines = sign_offs(commit["message"])
    signed = any(is_one_of(name, email, people(commit)) for name, email in lines)
    if signed and not invalid:
        return "pass", {"signed"}
    if any(sha == commit["sha"] and is_one_of(name, email, people(commit)) for name, email, sha in declared):
        return "pass", {"remediated"}
    reasons = {"invalid-email"} if invalid else set()
    if not lines:
        reasons.add("member-unverified" if is_member(commit, members) else "missing")
    elif not invalid:  # with an invalid address nothing is compared
        reasons.add("mismatch")
    return "fail", reasons


def answer(facts):
    """The whole answer; incomplete and empty facts never pass."""
    dco, commits = facts["rulebook"]["dco"], facts["commits"]
    members = facts.get("members") or [] if dco["members"] == "exempt" else []
    declared = remediations(commits, dco["remediation"])
    each = [(commit["sha"], *judged(commit, members, declared)) for commit in commits]
    shas = {commit["sha"] for commit in commits}
    complete = bool(shas) and len(shas) == facts.get("commit_count") and facts["pull_request"]["head_sha"] in shas
    return Answer(complete and all(status == "pass" for _, status, _ in each), each)
