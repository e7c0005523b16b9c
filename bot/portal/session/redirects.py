"""The addresses to which a visitor may be sent: pages of ours and stored pull requests, recognised whole and built anew."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from agreements.github_server import LOGIN
from bot.settings import Settings

_NAME = r"(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._-]{1,100}"  # Never `.` or `..`, which browsers resolve.
_PULL = re.compile(rf"({LOGIN})/({_NAME})/([1-9][0-9]{{0,8}})", re.ASCII)
_SIGN = re.compile(r"/sign/[a-z][a-z0-9-]{0,30}", re.ASCII)
_ENROL = re.compile(r"/enrol(?:/[0-9a-zA-Z-]{1,64})?|/company/[0-9a-zA-Z-]{1,64}/enrol", re.ASCII)
_OF = re.compile(rf"organization={LOGIN}", re.ASCII)
_PART = r"(?:/[A-Za-z0-9][A-Za-z0-9.-]{0,63})"
_PAGE = re.compile(
    rf"/|/faq|/guide|/dco|/signers|/employer|/receipts/(?:verify|[0-9A-Z]{{4}}(?:-[0-9A-Z]{{4}}){{4}})|/me{_PART}?|/enrol{_PART}?|/company{_PART}{{0,3}}|/admin{_PART}{{0,4}}",
    re.ASCII,
)
_RULES = frozenset({"/", "/faq", "/guide", "/employer"})
"""Pages that show rules; with several organizations they may name one."""
_SIGN_OFF = "/sign-off"
_AT_GITHUB = re.compile(rf"/({LOGIN})/({_NAME})/pull/([1-9][0-9]{{0,8}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PullName:
    """A pull request as an address names it: `owner`, `name` and `number`; whether it exists is not known until it is looked up."""

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


def ours(path: str | None) -> str | None:
    """The path if it is a page of ours that a person may be sent to, built from what was recognised; else None."""
    text = path or ""
    page, _, query = text.partition("?")
    if _PAGE.fullmatch(text) or _SIGN.fullmatch(text):
        return text
    if _OF.fullmatch(query) and (page in _RULES or _SIGN.fullmatch(page)):
        return text
    if query.startswith("pr=") and (page == "/employer" or _SIGN.fullmatch(page) or _ENROL.fullmatch(page)):
        pull = PullName.parse(query.removeprefix("pr="))
        return f"{page}?pr={pull}" if pull else None
    # Built anew from its parts: nothing else of the given text may reach a redirect.
    page = text.removesuffix(_SIGN_OFF)
    pull = _here(page)
    return f"/pr/{pull}{text[len(page) :]}" if pull else None


def _here(path: str) -> PullName | None:
    return PullName.parse(path.removeprefix("/pr/")) if path.startswith("/pr/") else None


def without_other_arguments(path: str, arguments: Mapping[str, str]) -> str | None:
    """The page of ours at `path`, with the pull request or the organization of its address and no other argument."""
    kept = ((name, arguments[name]) for name in ("pr", "organization") if arguments.get(name))
    return next((found for name, value in kept if (found := ours(f"{path}?{name}={value}"))), None) or ours(path)


def named_pull(arguments: Mapping[str, str], settings: Settings) -> PullName | None:
    """The pull request named by `?pr=owner/name/number`, or by `?next=` with its page at GitHub or here."""
    pull = PullName.parse(arguments.get("pr"))
    if pull:
        return pull
    target, home = arguments.get("next", ""), settings.github_url
    # With the slash: `https://github.com.example` begins like GitHub, too.
    found = _AT_GITHUB.fullmatch(target.removeprefix(home)) if target.startswith(f"{home}/") else None
    if found:
        return PullName(found[1], found[2], int(found[3]))
    return _here(target)


def login_path(target: str) -> str:
    """The page that starts signing in and comes back to `target`, a path of ours."""
    return "/login?" + urlencode({"next": target})
