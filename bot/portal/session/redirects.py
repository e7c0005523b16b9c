"""Where a visitor may be sent: pages of ours and stored pull requests, recognised whole and built anew."""

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from bot.settings import Settings

_OWNER = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})"
_NAME = r"(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._-]{1,100}"
_PULL = re.compile(rf"({_OWNER})/({_NAME})/([1-9][0-9]{{0,8}})", re.ASCII)
_SIGN = re.compile(r"/sign/([a-z][a-z0-9-]{0,30})(?:\?pr=(.+))?", re.ASCII)
_ENROL = re.compile(r"(/enrol(?:/[0-9a-zA-Z-]{1,64})?)\?pr=(.+)", re.ASCII)
_EMPLOYER = re.compile(r"/employer\?pr=(.+)", re.ASCII)
_OF = re.compile(rf"\?organization=({_OWNER})", re.ASCII)
_PART = r"(?:/[A-Za-z0-9][A-Za-z0-9.-]{0,63})"
_PAGE = re.compile(
    rf"/|/faq|/guide|/dco|/employer|/receipts/[0-9A-Z]{{4}}(?:-[0-9A-Z]{{4}}){{4}}|/me{_PART}?|/enrol{_PART}?|/company{_PART}{{0,3}}|/admin{_PART}{{0,4}}",
    re.ASCII,
)
_RULES = frozenset({"/", "/faq", "/guide", "/employer"})
"""Pages that show rules; with several organizations they may name one."""
_AT_GITHUB = re.compile(rf"/({_OWNER})/({_NAME})/pull/([1-9][0-9]{{0,8}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PullName:
    """How a pull request was named in an address; nothing is known of it until it is looked up."""

    owner: str
    name: str
    number: int

    @classmethod
    def parse(cls, text: str | None) -> Self | None:
        """Read `owner/name/number`; anything else is None."""
        found = _PULL.fullmatch(text or "")
        return cls(found[1], found[2], int(found[3])) if found else None

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}/{self.number}"


def is_login(text: str) -> bool:
    """Whether a person or an organization may have that name at GitHub."""
    return re.fullmatch(_OWNER, text, re.ASCII) is not None


def ours(path: str | None) -> str | None:
    """The path if it is a page of ours that somebody may be sent to, built from what was recognised; else None."""
    text = path or ""
    if _PAGE.fullmatch(text):
        return text
    page, mark, query = text.partition("?")
    if mark and _OF.fullmatch(f"?{query}") and (page in _RULES or _SIGN.fullmatch(page)):
        return text
    sign = _SIGN.fullmatch(text)
    if sign:
        pull = PullName.parse(sign[2])
        return None if sign[2] and not pull else sign_path(sign[1], pull)
    employer = _EMPLOYER.fullmatch(text)
    if employer:
        asked = PullName.parse(employer[1])
        return employer_path(asked) if asked else None
    enrol = _ENROL.fullmatch(text)
    if enrol:
        asked = PullName.parse(enrol[2])
        return enrol_path(asked, enrol[1]) if asked else None
    pull = PullName.parse(text.removeprefix("/pr/")) if text.startswith("/pr/") else None
    return f"/pr/{pull}" if pull else None


def named_pull(arguments: dict[str, str], settings: Settings) -> PullName | None:
    """The pull request named by `?pr=owner/name/number`, or by `?next=` with its page at GitHub or here."""
    pull = PullName.parse(arguments.get("pr"))
    if pull:
        return pull
    target = arguments.get("next", "")
    found = (
        _AT_GITHUB.fullmatch(target.removeprefix(settings.github_url))
        if target.startswith(settings.github_url + "/")
        else None
    )
    if found:
        return PullName(found[1], found[2], int(found[3]))
    return PullName.parse(target.removeprefix("/pr/")) if target.startswith("/pr/") else None


def sign_path(agreement: str, pull: PullName | None, organization: str = "") -> str:
    """The page that shows an agreement, remembering for which pull request, else by whose rules."""
    of = f"?organization={organization}" if organization else ""
    return f"/sign/{agreement}" + (f"?pr={pull}" if pull else of)


def employer_path(pull: PullName | None, organization: str = "") -> str:
    """The page for who contributes for an employer, remembering for which pull request, else by whose rules."""
    of = f"?organization={organization}" if organization else ""
    return "/employer" + (f"?pr={pull}" if pull else of)


def enrol_path(pull: PullName | None, page: str = "/enrol") -> str:
    """A page of the way to an enrolment, remembering for which pull request."""
    return page + (f"?pr={pull}" if pull else "")


def login_path(target: str) -> str:
    """The page that starts signing in and comes back to `target`, a path of ours."""
    return "/login?" + urlencode({"next": target})
