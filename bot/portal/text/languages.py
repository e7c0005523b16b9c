"""The language of a page: the explicit choice, then the cookie, then what the browser asks for."""

import re
from typing import Final, Literal
from urllib.parse import urlencode

from flask import Response, request
from flask_babel import get_locale
from jinja2.ext import Extension

from bot.portal.portal_services import portal_services
from bot.portal.session.redirects import PullName

Language = Literal["en", "zh"]

LOCALES: dict[Language, str] = {"en": "en", "zh": "zh_Hans_CN"}
TAGS: dict[Language, str] = {"en": "en", "zh": "zh-CN"}
NAMES: dict[Language, str] = {"en": "English", "zh": "简体中文"}

_COOKIE_LIFETIME_SECONDS = 365 * 24 * 3600

# The space after a sentence in a template: after `{{ _("One.") }}`, whose text ends with a mark (`_("One.", name=value)`
# too), and after block tags that follow it, as in `{{ _("One.") }}{% if more %} {{ _("Two.") }}{% endif %}`.
_SENTENCE_END: Final = re.compile(r"""([.?!:]["'](?:, [^{}]*)?\) \}\}(?:\s*\{%[^{}]*%\})*) (?=\S)""")


class SentenceGaps(Extension):
    """Templates with `sentence_gap()` in place of each space after a sentence, so that they are written as in English."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002 - Jinja's
        """The source of a template as Jinja is to read it: called once, before the template is compiled."""
        return _SENTENCE_END.sub(r"\1{{ sentence_gap() }}", source)


def sentence_gap() -> str:
    """The space between two sentences in the language of the page: Chinese marks bring their own."""
    return "" if str(get_locale()).startswith("zh") else " "


def language(*, secure: bool | None = None) -> Language:
    """The language of the present page; `secure`: it came by https, None: as the portal's pages do."""
    if secure is None:
        secure = portal_services().url.startswith("https:")
    asked = [request.args.get("lang"), request.cookies.get(_cookie(secure=secure))]
    # By the first part of each tag, in the browser's order: `en-GB,zh` asks for English first.
    asked += [tag.lower().partition("-")[0] for tag, quality in request.accept_languages if quality > 0]
    return "zh" if next((tag for tag in asked if tag in LOCALES), "en") == "zh" else "en"


def locale(*, secure: bool | None = None) -> str:
    """The language of the present page as Babel names it."""
    return LOCALES[language(secure=secure)]


def switch_path(to: Language) -> str:
    """This page in the other language: its own path, and the pull request if one was named."""
    pull = PullName.parse(request.args.get("pr"))
    kept = {"pr": str(pull)} if pull else {}  # Nothing else of the address is repeated.
    return request.path + "?" + urlencode({**kept, "lang": to}, safe="/")


def remember(response: Response, *, secure: bool) -> None:
    """Keep an explicit choice in a cookie for a year."""
    if request.args.get("lang") in LOCALES:
        name = _cookie(secure=secure)
        response.set_cookie(
            name,
            language(secure=secure),
            max_age=_COOKIE_LIFETIME_SECONDS,
            secure=secure,
            httponly=True,
            samesite="Lax",
        )


def _cookie(*, secure: bool) -> str:
    return "__Host-language" if secure else "language"  # `__Host-`: browsers take it from this host alone.
