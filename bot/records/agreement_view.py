"""An agreement as it is shown: the right version, the organisation's name filled in, safe HTML, and the hash of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from markupsafe import Markup

from agreements.catalog import AgreementText, Catalog
from agreements.cla.party import account_of, party_of
from agreements.rulebook.rules import Rules
from agreements.store.people.signatures import SignatureDraft
from agreements.store.people.withdrawals import SignatureDetails
from bot.records.owner_rules import OwnerAccount

STATEMENT_ID = "agree-1"
"""Names the wording of STATEMENTS; a new wording gets a new id, so that old evidence keeps its meaning."""

STATEMENTS = {
    "en": "I have read the {title}, version {version}. I agree to it, and I sign it in electronic form.",
    "zh": "我已阅读《{title}》（版本 {version}）。我同意该协议，并以电子形式签署。",
}

# No `h1`: the page has its own.
_TAGS = {"h2", "h3", "h4", "p", "ul", "ol", "li", "strong", "em", "code", "blockquote", "br", "hr"}
_HEADING = re.compile(r"<h[23]>(.*?)</h[23]>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NamedParty:
    """The other party of an agreement: `id` as records keep it (`agreements.cla.party`), `name` as the page shows it."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class AgreementView:
    """One agreement in one language, ready to be read: the `title` and safe `html` of `text`.

    `shown_sha256` is the hash of `html` as UTF-8. With `party` None it can only be read, not signed.
    """

    text: AgreementText
    title: str
    html: Markup
    shown_sha256: str
    party: NamedParty | None = None

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
        """One hash of all that was shown: if any of it changes before the button is pressed, this does too."""
        parts = (
            self.text.name,
            self.text.version,
            self.text.language,
            self.text.sha256,
            self.shown_sha256,
            self.statement,
            self.party.id if self.party else "",
            *(repr(field) for field in self.text.fields),
        )
        # Joined by a separator, so that no two lists of parts give the same text.
        return sha256("\0".join(parts).encode()).hexdigest()


def party(rules: Rules, owner: OwnerAccount | None) -> NamedParty | None:
    """The party of agreements under these rules of that owner; None when they name none and the owner is not known."""
    found = party_of(rules, owner.id if owner else None)
    if found is None:
        return None
    return NamedParty(found, owner.login if owner and account_of(found) is not None else rules.organization)


def show(
    catalog: Catalog, rules: Rules, owner: OwnerAccount | None, agreement: str, language: str
) -> AgreementView | None:
    """The version that the rules ask for, in that language, else English, else any, with its party; or None."""
    wanted = {rules.corporate.text: rules.corporate.version, rules.individual.text: rules.individual.version}
    version = wanted.get(agreement)
    if version is None:
        return None
    released = catalog.languages(agreement, version)
    for spoken in (language, "en", *released):
        text = catalog.get(agreement, version, spoken)
        if text is not None and text.signable:
            with_whom = party(rules, owner)
            return replace(of(text, with_whom.name if with_whom else ""), party=with_whom)
    return None


def of(text: AgreementText, organization: str) -> AgreementView:
    """The text as people sign it with that party, without our banner; without a party it speaks of the project."""
    return _view(text, organization, text.terms)


def as_signed(text: AgreementText, names: Sequence[str], shown_sha256: str) -> AgreementView:
    """The page with that hash, with one of these names or none, with or without banner; else with the first name."""
    for name in (*names, ""):  # Earlier releases showed pages without a name, too.
        for view in variants(text, name):
            if view.shown_sha256 == shown_sha256:
                return view
    return of(text, names[0] if names else "")


def variants(text: AgreementText, organization: str) -> tuple[AgreementView, AgreementView]:
    """The pages on which people may have signed: as shown now, and with the banner, as in earlier releases."""
    return of(text, organization), _view(text, organization, text.source)


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
    import nh3  # noqa: PLC0415 - only pages show a text
    from markdown_it import MarkdownIt  # noqa: PLC0415 - as above

    markdown = MarkdownIt("commonmark", {"html": False})  # Raw HTML stays text; nh3 cleans the rest.
    tokens = markdown.parse(source)
    for token in tokens:
        # One level down: the page has its own title.
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 4)}"
        for part in token.children or ():
            if part.type == "softbreak" and language == "zh":
                part.type = "text"  # With nothing in it: Chinese puts no space between sentences.
    return nh3.clean(markdown.renderer.render(tokens, markdown.options, {}), tags=_TAGS, attributes={})


AUTHORITY_ID = "authority-1"
"""Names the wording of AUTHORITY, which a company's representative declares."""
AUTHORITY: Mapping[str, str] = {
    "en": "I have read the {title}, version {version}. I am authorised to act for the company named above. I agree to it"
    " on behalf of that company, and I sign it in electronic form.",
    "zh": "我已阅读《{title}》（版本 {version}）。我有权代表上述公司行事。我代表该公司同意该协议，并以电子形式签署。",
}
RECORDED_ID = "recorded-1"
"""Names the wording of RECORDED, which an administrator declares of an agreement on paper."""
RECORDED: Mapping[str, str] = {
    "en": "I have seen the signed agreement. It was signed by, or for, whom I name here, and the file is a true copy of it.",
    "zh": "我已亲自查看这份已签署的协议。它由我在此填写的个人或公司签署，所附文件与原件一致。",
}
WORDINGS: Mapping[str, Mapping[str, str]] = {
    STATEMENT_ID: STATEMENTS,
    AUTHORITY_ID: AUTHORITY,
    RECORDED_ID: RECORDED,
}
"""The wordings by id and language; a wording that is no longer shown stays here, for old evidence."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration: its `words`, their `language`, and `by_administrator` if an administrator declared it for the signer."""

    words: str
    language: str
    by_administrator: bool


def declared(catalog: Catalog, signature: SignatureDraft | SignatureDetails) -> Declaration | None:
    """The declaration that came with a signature: the words whose hash it holds; None for an unknown hash."""
    signed = signature.row if isinstance(signature, SignatureDetails) else signature
    # The statement has the title in the language of the text that was signed.
    shown = title(catalog, signed.agreement, signed.version, signed.language)
    for language, wording in WORDINGS.get(signed.statement_id, {}).items():
        words = wording.format(title=shown, version=signed.version)
        if sha256(words.encode()).hexdigest() == signed.statement_sha256:
            return Declaration(words, language, by_administrator=signed.statement_id == RECORDED_ID)
    return None
