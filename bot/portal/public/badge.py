"""The badge for a repository's README: an SVG with what the organisation's rulebook requires of its contributors."""

import re
from dataclasses import dataclass
from typing import Final

from flask import render_template
from flask.typing import ResponseReturnValue

from agreements.rulebook.rules import for_repository
from bot.portal.portal_services import portal_services
from bot.portal.public.pages import published_file
from bot.portal.public.public_lists import PUBLISHED

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
BADGE_TEXTS: Final = {
    "cla": BadgeText("CLA", 36, "#17614f", "Contributors sign an agreement (CLA)."),
    "dco": BadgeText("DCO", 38, "#17614f", "Contributors sign off each commit (DCO)."),
    "both": BadgeText("CLA and DCO", 84, "#17614f", "Contributors sign an agreement (CLA) and sign off each commit (DCO)."),
    "either": BadgeText("CLA or DCO", 78, "#17614f", "Contributors sign an agreement (CLA) or sign off each commit (DCO)."),
    "none": BadgeText("nothing required", 106, "#55605b", "No agreement (CLA) or sign-off (DCO) is required."),
    "unknown": BadgeText("unknown", 60, "#6b5a1e", "What is required of contributors is not known."),
}  # fmt: skip
"""The text for each `require` of a rulebook, and for a repository whose rules are not known."""


def badge(owner: str, name: str) -> ResponseReturnValue:
    """The badge of that repository; every name under one organisation gets its answer from the rulebook alone."""
    # No name stands in the image: it is always one of six.
    image = render_template("public/badge.svg", text=BADGE_TEXTS[_required(owner, name)])
    return published_file(image.encode(), "image/svg+xml", _HEADERS)


def _required(owner: str, name: str) -> str:
    services = portal_services()
    settings = services.settings
    if not (_OWNER.fullmatch(owner) and _NAME.fullmatch(name)):
        return "unknown"
    owner_id = services.known_owners().find(owner, settings.accounts)
    # A file on the server is the rulebook of every account, also of one whose id GitHub has not told yet.
    by_file = settings.rulebook_path is not None and owner.lower() in map(str.lower, settings.accounts)
    # With mistakes no rulebook is in force: until they are corrected, no check passes by the last one.
    if (owner_id is None and not by_file) or services.rules_state(owner_id) != "valid":
        return "unknown"
    # Neither GitHub nor our own records are asked about the repository, so no answer tells whether it exists.
    return for_repository(services.rules(owner_id), f"{owner}/{name}").enforced
