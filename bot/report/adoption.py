"""The texts by which a project tells its contributors what is required: a badge, a paragraph, and a line for pull requests."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from bot.report.words import Language, phrase

Require = Literal["cla", "dco", "both", "either", "none"]

LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptionTexts:
    """Texts to copy: the `badge` as Markdown, of its `image` and `link`; by language the CONTRIBUTING paragraphs and template lines.

    `contributing` and `template` are empty where nothing is required.
    """

    image: str
    link: str
    badge: str
    contributing: Mapping[Language, str]
    template: Mapping[Language, str]


def texts(
    require: Require, *, url: str, repository: str, agreement: str, signs_off_here: bool = False
) -> AdoptionTexts:
    """The texts for `owner/name`, served at `url`, where people sign that individual agreement if they have to sign one.

    `signs_off_here`: they may sign their commits off in the portal.
    """
    owner = repository.partition("/")[0]
    # The organisation is named also where only one is served: a second one must not change where a link leads.
    query = f"?organization={owner}"
    links = {
        "sign": f"{url}/sign/{agreement}{query}",
        "employer": f"{url}/employer{query}",
        "guide": f"{url}/guide{query}",
        "dco": f"{url}/dco",
    }
    image = f"{url}/badge/{repository}.svg"
    link = links[{"dco": "dco", "none": "guide"}.get(require, "sign")]
    wanted = () if require == "none" else LANGUAGES
    return AdoptionTexts(
        image=image,
        link=link,
        badge=f"[![{phrase('en', 'adoption', 'badge')}]({image})]({link})",
        contributing={
            language: _paragraphs(require, language, links, signs_off_here=signs_off_here) for language in wanted
        },
        template={language: phrase(language, "adoption", f"line-{require}", **links) for language in wanted},
    )


def _paragraphs(require: Require, language: Language, links: Mapping[str, str], *, signs_off_here: bool) -> str:
    parts = ["cla", "dco"] if require == "both" else [require]
    parts += ["portal"] if signs_off_here and require != "cla" else []
    return "\n\n".join(phrase(language, "adoption", part, **links) for part in (*parts, "end"))
