"""An agreement as it is shown: the right version, the organisation's name filled in, safe HTML, and the hash of it."""

import re
from dataclasses import dataclass, replace
from hashlib import sha256

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from agreements.catalog import AgreementText, Catalog
from agreements.rulebook.rules import Rules

STATEMENT_ID = "agree-1"
"""Names the wording of STATEMENTS; a new wording gets a new id, so that old evidence keeps its meaning."""

STATEMENTS = {
    "en": "I have read the {title}, version {version}. I agree to it, and I sign it in electronic form.",
    "zh": "我已阅读《{title}》（版本 {version}）。我同意该协议，并以电子形式签署。",
}

_TAGS = {"h2", "h3", "h4", "p", "ul", "ol", "li", "strong", "em", "code", "blockquote", "br", "hr"}
_HEADING = re.compile(r"<h[23]>(.*?)</h[23]>", re.DOTALL)
_MARKDOWN = MarkdownIt("commonmark", {"html": False})


@dataclass(frozen=True, slots=True)
class AgreementView:
    """One agreement in one language, ready to be read; `shown_sha256` is the hash of `html` as UTF-8."""

    text: AgreementText
    title: str
    html: Markup
    shown_sha256: str

    @property
    def headings(self) -> tuple[Markup, ...]:
        """The headings of the parts, as the text has them: what it is about, in its own words."""
        found = (Markup(part).striptags() for part in _HEADING.findall(self.html))  # noqa: S704 - nh3 cleaned it
        return tuple(Markup.escape(part) for part in found if part != self.title)

    @property
    def statement(self) -> str:
        """The sentence beside the tick."""
        return STATEMENTS[self.text.language].format(title=self.title, version=self.text.version)

    @property
    def seen(self) -> str:
        """One word for all that was shown: if any of it changes before the button is pressed, this does too."""
        parts = (
            self.text.name,
            self.text.version,
            self.text.language,
            self.text.sha256,
            self.shown_sha256,
            self.statement,
            *(repr(one) for one in self.text.fields),
        )
        return sha256("\0".join(parts).encode()).hexdigest()


def show(catalog: Catalog, rules: Rules, agreement: str, language: str) -> AgreementView | None:
    """The version that the rules ask for, in that language, else in English, else in any; None when they ask for none."""
    wanted = {rules.corporate.text: rules.corporate.version, rules.individual.text: rules.individual.version}
    version = wanted.get(agreement)
    if version is None:
        return None
    released = catalog.languages(agreement, version)
    for spoken in (language, "en", *released):
        text = catalog.get(agreement, version, spoken)
        if text is not None and text.signable:
            return of(text, rules.organization)
    return None


def of(text: AgreementText, organization: str) -> AgreementView:
    """The text as people sign it for an organisation, without our banner; without a name it speaks of the project."""
    return _view(text, organization, text.terms)


def as_signed(text: AgreementText, organization: str, shown_sha256: str) -> AgreementView:
    """The same, or with the banner where that is what the hash of an earlier signature is of."""
    with_banner = _view(text, organization, text.source)
    return with_banner if with_banner.shown_sha256 == shown_sha256 else of(text, organization)


def _view(text: AgreementText, organization: str, source: str) -> AgreementView:
    whose = organization or {"zh": "本项目社区"}.get(text.language, "the project")
    source = replace(text, source=source).for_organization(whose)
    html = _render(source, text.language)
    title = next((line[2:].strip() for line in source.splitlines() if line.startswith("# ")), text.name.upper())
    return AgreementView(text, title, Markup(html), sha256(html.encode()).hexdigest())  # noqa: S704 - nh3 cleaned it


def title(catalog: Catalog, agreement: str, version: str, *languages: str) -> str:
    """The title of a released text in the first of these languages that it has; its short name when it has none."""
    found = next((text for language in languages if (text := catalog.get(agreement, version, language))), None)
    return of(found, "").title if found else agreement.upper()


def _render(source: str, language: str) -> str:
    """Safe HTML whose headings begin one level down: the page has its own title."""
    tokens = _MARKDOWN.parse(source)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 4)}"
        for part in token.children or ():
            if part.type == "softbreak" and language == "zh":
                part.type = "text"  # with nothing in it: Chinese puts no space between sentences
    return nh3.clean(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}), tags=_TAGS, attributes={})
