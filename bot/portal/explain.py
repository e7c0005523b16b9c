"""The page on which a pull request explains itself: the verdict in words, what to do, and when it was another."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint, abort, render_template
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter
from markupsafe import Markup

from bot import words
from bot.portal import telling
from bot.portal.access import Route, Who, open_routes
from bot.portal.languages import Language, language
from bot.portal.parts import parts
from bot.portal.ways import PullName
from bot.store import named, verdicts
from bot.store.named import Past

UNCOVERED = frozenset({"cla/unsigned", "cla/outdated", "cla/withdrawn", "cla/company-ended", "cla/excluded"})
"""What signing would mend; the page does not say which of them it is."""

_PASSES = frozenset({"success", "neutral"})


@dataclass(frozen=True, slots=True)
class Line:
    """One finding in words; `sha` is None when it is about the whole pull request."""

    sha: str | None
    words: Markup


@dataclass(frozen=True, slots=True)
class Section:
    """One check, what it found and what there is to do about it."""

    name: str
    lines: tuple[Line, ...]
    fixes: tuple[Markup, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """The verdict in force as the page tells it; `at` is when it came to be so."""

    at: datetime
    head_sha: str
    conclusion: str
    unsigned: bool
    checks: tuple[Section, ...]


def make_explain(limiter: Limiter) -> Blueprint:
    """The blueprint with `/pr/<owner>/<repo>/<number>`."""
    explain = Blueprint("explain", __name__)
    open_routes(explain, limiter, [Route("/pr/<owner>/<name>/<number>", pull_page, Who.EVERYBODY)])
    return explain


def pull_page(owner: str, name: str, number: str) -> ResponseReturnValue:
    """The page of a public repository's pull request; an unknown and a private one both do not exist."""
    asked = PullName.parse(f"{owner}/{name}/{number}")
    with parts().sessions() as records:
        pull = named.find(records, asked.owner, asked.name, asked.number) if asked else None
        if pull is None or pull.private or pull.id is None:
            abort(404)
        history = named.history(records, pull.id)
        logins = verdicts.logins(records, pull.id)
    found = PullName(pull.owner, pull.name, pull.number)
    url = f"{parts().settings.github_url}/{found.owner}/{found.name}/pull/{found.number}"
    return render_template(
        "pull.html",
        pull=found,
        url=url,
        quiet=pull.quiet,
        now=_told(history[0], language(), logins) if history else None,
        earlier=history[1:],
        agreement=parts().rules(pull.owner_id).individual.text,
    )


def _told(verdict: Past, tongue: Language, logins: Mapping[int, str]) -> Told:
    red = verdict.conclusion not in _PASSES
    sections = []
    for name in dict.fromkeys(str(entry["check"]) for entry in verdict.codes):
        entries = [entry for entry in verdict.codes if entry["check"] == name]
        lines = tuple(Line(entry.get("sha"), telling.told(entry, tongue, logins)) for entry in entries)
        fixes = telling.fixes(entries, verdict.head_sha, tongue) if red else ()
        sections.append(Section(words.phrase(tongue, "check", name), lines, tuple(fixes)))
    unsigned = red and any(entry["code"] in UNCOVERED for entry in verdict.codes)
    return Told(verdict.at, verdict.head_sha, verdict.conclusion, unsigned, tuple(sections))
