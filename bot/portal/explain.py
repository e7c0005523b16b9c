"""The page on which a pull request explains itself: the last verdict in words, and those before it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import Blueprint, abort, render_template
from flask.typing import ResponseReturnValue

from agreements.facts import Account, Problem
from bot import words
from bot.portal.languages import Language, language
from bot.portal.parts import parts
from bot.portal.ways import PullName
from bot.store import named
from bot.store.named import Past

UNCOVERED = frozenset({"cla/unsigned", "cla/outdated", "cla/withdrawn", "cla/company-ended", "cla/excluded"})
"""What signing would mend; the page does not say which of them it is."""

_SENTENCES = re.compile(r"(?<=\.)\s+|(?<=。)")


@dataclass(frozen=True, slots=True)
class Line:
    """One finding in words; `sha` is None when it is about the whole pull request."""

    sha: str | None
    words: str


@dataclass(frozen=True, slots=True)
class Section:
    """One check and what it found."""

    name: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """One verdict as the page tells it."""

    at: datetime
    head_sha: str
    conclusion: str
    unsigned: bool
    checks: tuple[Section, ...]


def make_explain() -> Blueprint:
    """The blueprint with `/pr/<owner>/<repo>/<number>`."""
    explain = Blueprint("explain", __name__)
    explain.add_url_rule("/pr/<owner>/<name>/<number>", "pull", pull_page)
    return explain


def pull_page(owner: str, name: str, number: str) -> ResponseReturnValue:
    """The page of a public repository's pull request; an unknown and a private one both do not exist."""
    asked = PullName.parse(f"{owner}/{name}/{number}")
    with parts().sessions() as records:
        pull = named.find(records, asked.owner, asked.name, asked.number) if asked else None
        if pull is None or pull.private or pull.id is None:
            abort(404)
        history = named.history(records, pull.id)
    found = PullName(pull.owner, pull.name, pull.number)
    url = f"{parts().settings.github_url}/{found.owner}/{found.name}/pull/{found.number}"
    return render_template(
        "pull.html",
        pull=found,
        url=url,
        history=[_told(one, language()) for one in history],
        agreement=parts().rules(pull.owner_id).individual.text,
    )


def _told(verdict: Past, tongue: Language) -> Told:
    unsigned = any(entry["code"] in UNCOVERED for entry in verdict.codes)
    names = dict.fromkeys(str(entry["check"]) for entry in verdict.codes)
    checks = tuple(
        Section(
            words.phrase(tongue, "check", name), tuple(_line(e, tongue) for e in verdict.codes if e["check"] == name)
        )
        for name in names
    )
    return Told(verdict.at, verdict.head_sha, verdict.conclusion, unsigned, checks)


def _line(entry: Mapping[str, Any], tongue: Language) -> Line:
    """The public words of one stored code, never the code: it would tell a withdrawn signature from a missing one.

    Values are not stored: sentences that would need one are left out.
    """
    account = Account(entry["account"]) if entry.get("account") else None
    finding = Problem(code=str(entry["code"]), sha=entry.get("sha"), account=account)
    message = words.render(finding, tongue, show=str, public=True).message
    whole = [sentence for sentence in _SENTENCES.split(message) if sentence and "?" not in sentence]
    told = ("" if tongue == "zh" else " ").join(whole)
    return Line(finding.sha, told or message.replace("?", "…").replace("….", "…"))
