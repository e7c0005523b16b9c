"""The badge for a repository's README: an SVG with what the organisation's rulebook requires of its contributors."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flask import render_template, request
from flask.typing import ResponseReturnValue

from agreements.rulebook.rules import for_repository
from bot.portal.portal_services import portal_services
from bot.portal.public.pages import published_file
from bot.portal.public.public_lists import PUBLISHED
from bot.portal.text.languages import Language

RATE_LIMIT: Final = "300 per minute"
"""Badges for one address. GitHub fetches those of every README through its own proxies, which keep them."""
# See docs.github.com, "About anonymized URLs"; https://github.com/atmos/camo is the proxy.

_HEADERS: Final = {**PUBLISHED, "Cache-Control": "public, max-age=300"}
# What GitHub takes as names; nothing else is compared with the patterns of a rulebook.
_OWNER, _NAME = re.compile(r"[A-Za-z0-9_-]{1,39}"), re.compile(r"[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True, slots=True)
class BadgeText:
    """The text that a badge shows (`label`), its `width` in pixels and `color`, and the sentence that is read out (`title`)."""

    label: str
    width: int
    color: str
    title: str


# White on each of these colours has a contrast of at least 5 to 1.
_GREEN, _GREY, _BROWN = "#17614f", "#55605b", "#6b5a1e"
BADGE_TEXTS: Final[Mapping[Language, Mapping[str, BadgeText]]] = {
    "en": {
        "cla": BadgeText("CLA", 36, _GREEN, "Contributors sign an agreement (CLA)."),
        "dco": BadgeText("DCO", 38, _GREEN, "Contributors sign off each commit (DCO)."),
        "both": BadgeText("CLA and DCO", 84, _GREEN, "Contributors sign an agreement (CLA) and sign off each commit (DCO)."),
        "either": BadgeText("CLA or DCO", 78, _GREEN, "Contributors sign an agreement (CLA) or sign off each commit (DCO)."),
        "none": BadgeText("nothing required", 106, _GREY, "No agreement (CLA) or sign-off (DCO) is required."),
        "unknown": BadgeText("unknown", 60, _BROWN, "What is required of contributors is not known."),
    },
    "zh": {
        "cla": BadgeText("CLA", 36, _GREEN, "贡献者需签署协议（CLA）。"),
        "dco": BadgeText("DCO", 38, _GREEN, "贡献者需为每个提交签名（DCO）。"),
        "both": BadgeText("CLA 和 DCO", 78, _GREEN, "贡献者需签署协议（CLA），并为每个提交签名（DCO）。"),
        "either": BadgeText("CLA 或 DCO", 78, _GREEN, "贡献者需签署协议（CLA），或为每个提交签名（DCO）。"),
        "none": BadgeText("无要求", 47, _GREY, "无需签署协议（CLA），也无需为提交签名（DCO）。"),
        "unknown": BadgeText("未知", 36, _BROWN, "对贡献者的要求未知。"),
    },
}  # fmt: skip
"""The text for each `require` of a rulebook, and for a repository whose rules are not known, by language."""

_HEADINGS: Final[Mapping[Language, BadgeText]] = {
    "en": BadgeText("contributing", 82, "#3a403d", ""),
    "zh": BadgeText("贡献要求", 60, "#3a403d", ""),
}


def badge(owner: str, name: str) -> ResponseReturnValue:
    """The badge of that repository, by the rulebook alone, in the language of `?lang=`, else of the rulebook's comments."""
    # No name stands in the image: it is always one of six for each language.
    required, spoken = _required(owner, name)
    asked = request.args.get("lang")
    language: Language = "zh" if (asked or spoken) == "zh" else "en"
    image = render_template("public/badge.svg", heading=_HEADINGS[language], text=BADGE_TEXTS[language][required])
    return published_file(image.encode(), "image/svg+xml", _HEADERS)


def _required(owner: str, name: str) -> tuple[str, str]:
    """The requirement, "unknown" unless a rulebook says it, and the language of that rulebook's comments."""
    services = portal_services()
    settings = services.settings
    if not (_OWNER.fullmatch(owner) and _NAME.fullmatch(name)):
        return "unknown", ""
    owner_id = services.known_owners().find(owner, settings.accounts)
    # A file on the server is the rulebook of every account, also of one whose id GitHub has not told yet.
    by_file = settings.rulebook_path is not None and owner.lower() in map(str.lower, settings.accounts)
    # With mistakes no rulebook is in force: until they are corrected, no check passes by the last one.
    if (owner_id is None and not by_file) or services.rules_state(owner_id) != "valid":
        return "unknown", ""
    # Neither GitHub nor our own records are asked about the repository, so no answer tells whether it exists.
    rules = services.rules(owner_id)
    return for_repository(rules, f"{owner}/{name}").enforced, rules.comment_language
