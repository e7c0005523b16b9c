"""The page that explains a pull request's verdict: the reasons in words, what to do, and earlier verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile

from flask import abort, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from markupsafe import Markup

from agreements.domains.masking import visible
from agreements.facts import Problem
from agreements.rulebook.rules import RepositoryRule, Rules, for_repository
from agreements.store.companies import managers
from bot import verdict_codes
from bot.portal import judged_facts
from bot.portal.employers import EmployerCover
from bot.portal.forms.form_action import change, done
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services, reading
from bot.portal.public import evidence, next_step, visitor_covers
from bot.portal.public.evidence import EvidenceView, Viewer
from bot.portal.public.next_step import NextStep, ViewerSituation
from bot.portal.public.visitor_covers import VisitorCover
from bot.portal.session.page_access import is_known_reader
from bot.portal.session.pull_access import readable_pull
from bot.portal.session.redirects import PullName
from bot.portal.session.visitor import visitor
from bot.portal.text import finding_text
from bot.portal.text.languages import Language, language
from bot.records import agreement_view
from bot.report import words
from bot.report.check_run import is_asked_again
from bot.report.markdown import code
from bot.report.words import CommandContext
from bot.rulebook.recorded_facts import RecordedFacts
from bot.store import inbox
from bot.store.pulls import cover_choices, named_pulls, red_pulls, review_mailbox, verdicts
from bot.store.pulls.named_pulls import FoundPull, Past

REFRESH_SECONDS = 3
_MAX_REFRESHES = 20  # A minute in all.
_PASSES = frozenset({"success", "neutral"})
_MAX_NOW, _MAX_EARLIER, _MAX_VERDICTS = 40, 6, 10
"""Limits of what is listed: findings of a check now and of an earlier one, and verdicts; there may be thousands of commits."""


@dataclass(frozen=True, slots=True)
class FindingLine:
    """One finding in `words`; `sha` is None when it is about the whole pull request."""

    sha: str | None
    words: Markup


@dataclass(frozen=True, slots=True)
class CheckSection:
    """One check (`check` in every language, `name` as shown), its findings (`lines`) and the ways to mend them (`fixes`)."""

    check: str
    name: str
    lines: tuple[FindingLine, ...]
    fixes: tuple[Markup, ...]


@dataclass(frozen=True, slots=True)
class VerdictView:
    """A verdict as the page tells it: `checks`, `conclusion`, `head_sha`, when (`at`); `left_out` findings are not listed.

    `fault` is what is wrong with the rulebook, in short; "" for nothing. By the newest verdict, the pull request passes,
    or does not, `since` then.
    """

    at: datetime
    since: datetime
    head_sha: str
    conclusion: str
    checks: tuple[CheckSection, ...]
    left_out: int
    fault: str


@dataclass(frozen=True, slots=True)
class Rule:
    """The `rules` and the `repository`'s own: of the newest verdict, or (`rested` False) as the organisation has them now."""

    rules: Rules
    repository: RepositoryRule
    rested: bool

    @property
    def is_signed_off_here(self) -> bool:
        """Whether people may sign off in the portal."""
        return self.repository.require in ("dco", "both", "either") and self.rules.dco.portal


def pull_page(owner: str, name: str, number: str) -> ResponseReturnValue:
    """The page of a pull request that the visitor may read; an unknown one and one that they may not do not exist."""
    pull = readable_pull(owner, name, number)
    assert pull.id is not None
    # Another transaction: none is open while GitHub is asked who may read.
    with reading() as (records, vault, _at):
        history = named_pulls.history(records, pull.id, most=_MAX_VERDICTS + 1)  # One more: there are older ones.
        follows = _is_refreshing(pull) and not named_pulls.is_settled(records, pull.id)
        kept = judged_facts.kept(records, vault, portal_services().server, pull, history[0]) if history else None
        logins = verdicts.logins(records, pull.id) | (kept.logins if kept else {})
    views = _views(history, kept, logins)
    unfinished = _unfinished(pull, is_judged=bool(views))
    insight = _insight(pull)
    rule = _rule(pull, kept) if history else None
    cover = visitor_covers.of(pull, history[0].codes) if history else None
    companies = _employers(cover, history[0]) if cover else ()
    page = render_template(
        "public/explain.html",
        pull=PullName(pull.owner, pull.name, pull.number),
        pull_title=_title(pull, kept),
        follows=follows,
        quiet=pull.quiet,
        unfinished=unfinished,
        next_look=_next_look(pull, history[0]) if history and not unfinished else None,
        now=views[0] if views else None,
        earlier=views[1:],
        is_cut=len(history) > len(views),
        step=_next_step(pull, history[0], views[0], insight, cover, rule) if views and not follows else None,
        enrol=_enrol(insight, companies),
        employers=companies,
        cover=cover,
        insight=insight,
        rule=rule,
        portal=pull.open and rule is not None and rule.is_signed_off_here,
        agreement_title=_agreement_title,
        agreement=portal_services().rules(pull.owner_id).individual.text,
    )
    again = f"{REFRESH_SECONDS}; url=/pr/{PullName(pull.owner, pull.name, pull.number)}?after={_after() + 1}"
    return page, {"Refresh": again} if follows else {}


def _title(pull: FoundPull, kept: RecordedFacts | None) -> str:
    # After the pull request was closed an edited title is not read again.
    return visible(kept.title) if kept and pull.open else ""


def choose_cover(owner: str, name: str, number: str) -> ResponseReturnValue:
    """Record for whom the visitor contributes in this pull request: one of the covers that the page offers."""
    pull = readable_pull(owner, name, number)
    assert pull.id is not None
    with reading() as (records, _vault, _at):
        newest = named_pulls.history(records, pull.id, most=1)
    cover, wanted = visitor_covers.of(pull, newest[0].codes) if newest else None, field("for")
    if cover is None or wanted not in cover.options:
        abort(404)
    with change() as context:
        row = cover_choices.add(context, pull.id, None if wanted == visitor_covers.SELF else wanted)
        review_mailbox.enqueue_review(context.session, portal_services().engine, pull.id, queue="now")
        context.log("cover.chosen", rows=[row] if row else [])
    return done(f"/pr/{PullName(pull.owner, pull.name, pull.number)}?after=1", _("Your choice has been recorded."))


def _agreement_title(name: str, version: str) -> str:
    return agreement_view.title(portal_services().catalog, name, version, language())


def _views(history: Sequence[Past], kept: RecordedFacts | None, logins: Mapping[int, str]) -> list[VerdictView]:
    """The newest verdict with the commands for its situation, as far as that is known, and those before it."""
    known = None
    if kept and history[0].conclusion not in _PASSES:  # What passes has no commands.
        known = evidence.situation(kept, history[0].head_sha, portal_services().settings.github_url)
    most = (_MAX_NOW, *[_MAX_EARLIER] * (_MAX_VERDICTS - 1))
    views = [
        _verdict_view(past, logins, lines, known if past is history[0] else None)
        for past, lines in zip(history, most, strict=False)
    ]
    if views:
        views[0] = replace(views[0], since=_since(history))
    return views


def _since(history: Sequence[Past]) -> datetime:
    """The moment since which the pull request passes, or does not pass, as its newest verdict says."""
    newest = history[0]
    alike = [*takewhile(lambda past: (past.conclusion in _PASSES) == (newest.conclusion in _PASSES), history)]
    if len(alike) <= _MAX_VERDICTS:
        return alike[-1].judged_at
    with reading() as (records, _vault, _at):  # It may have begun before the verdicts that are listed.
        return red_pulls.red_or_green_since(records, newest)


def _after() -> int:
    """The times that the page reloaded since the visitor did something for this pull request; 0 for other visits."""
    return request.args.get("after", 0, type=int)


def _is_refreshing(pull: FoundPull) -> bool:
    """Whether the page asks again by itself, for a minute, while nothing has failed. It needs no script for that."""
    return 1 <= _after() <= _MAX_REFRESHES and pull.open and not pull.attempts


def _unfinished(pull: FoundPull, *, is_judged: bool) -> tuple[Markup, ...]:
    """The sentences about a failed last try: why, since when, when it is tried again, and what that means."""
    if not pull.open or pull.id is None or pull.evaluated == pull.latest:
        return ()
    with reading() as (records, _vault, _at):
        why, since = inbox.last_error(records, pull.id), inbox.waiting_since(records, pull.id)
    # A try for which GitHub named a moment to wait until is not counted: its reason alone tells of it.
    if not pull.attempts and why is None:
        return ()
    said = [_phrase("unfinished", why=code(why)) if why else _phrase("unfinished_unsaid")]
    if since is not None:
        said.append(_phrase("unfinished_since", since=words.minute(since)))
    elif pull.evaluated_at is not None:
        said.append(_phrase("last_finished", since=words.minute(pull.evaluated_at)))
    said.append(_next("next_try", pull.due_at))
    return (*said, _phrase("out_of_date")) if is_judged else (_phrase("never_checked"), *said)


def _next_look(pull: FoundPull, newest: Past) -> Markup | None:
    """The sentence about the next look at a verdict in doubt; None where a person has to act."""
    if newest.conclusion in _PASSES or not pull.open or pull.attempts or pull.due_at is None:
        return None
    # A doubt that time may settle is looked at again without a person.
    if any(is_asked_again(Problem(code=entry["code"], values=entry.get("values", {}))) for entry in newest.codes):
        return _next("next_look", pull.due_at)
    is_invalid = any(entry["code"] == "rulebook/invalid" for entry in newest.codes)
    return _next("next_reading", pull.due_at) if is_invalid else None


def _next(name: str, at: datetime | None) -> Markup:
    """The sentence about what happens at that moment; without one, or once it has passed, it says "soon"."""
    soon = at is None or at <= portal_services().clock()
    return _phrase("next_soon") if soon or at is None else _phrase(name, at=words.minute(at))


def _phrase(name: str, **values: str) -> Markup:
    return finding_text.sentence(words.phrase(language(), "page", name, **values))


def _insight(pull: FoundPull) -> EvidenceView | None:
    who = visitor()
    if who is None:
        return None
    reads_all, services = is_known_reader(), portal_services()  # GitHub may not answer: the page is shown all the same.
    accepted = services.catalog.accepted()
    with reading() as context:
        companies = managers.companies_of(context.records, context.vault, who.account.id, at=context.at)
        viewer = Viewer(who.account.id, reads_all, companies)
        return evidence.of(context, services.server, pull, viewer, language(), accepted=accepted)


def _employers(cover: VisitorCover, newest: Past) -> tuple[EmployerCover, ...]:
    """The companies that would cover the visitor, where the pull request waits for the visitor's own cover."""
    who = visitor()
    uncovered = {entry.get("account") for entry in newest.codes if entry["code"] in verdict_codes.uncovered()}
    if who is None or who.account.id not in uncovered or newest.conclusion in _PASSES:
        return ()
    return tuple(employer for employer in cover.employers if employer.how != "covered")


def _enrol(insight: EvidenceView | None, companies: Sequence[EmployerCover]) -> tuple[str, ...]:
    """The domains at which the visitor may enrol; only their own part of the evidence names any."""
    linked = (domain for person in (insight.people if insight else ()) for domain in person.enrol)
    return tuple(dict.fromkeys((*(company.enrol for company in companies if company.enrol), *linked)))


def _next_step(
    pull: FoundPull,
    newest: Past,
    now: VerdictView,
    insight: EvidenceView | None,
    cover: VisitorCover | None,
    rule: Rule | None,
) -> NextStep | None:
    """The next step of this visitor; None while the pull request is green, or no person can do anything."""
    if newest.conclusion in _PASSES or not pull.open:
        return None
    who, rules = visitor(), portal_services().rules(pull.owner_id)
    companies = _employers(cover, newest) if cover else ()
    takes_part = cover is not None  # The check names the visitor.
    if not takes_part and who is not None:
        with reading() as (records, _vault, _at):
            takes_part = named_pulls.takes_part(records, pull, who.account.id)
    situation = ViewerSituation(
        account_id=who.account.id if who else None,
        takes_part=takes_part,
        enrol=_enrol(insight, companies),
        employer=bool(companies),
        corporate=rules.corporate.text,
        both=rules.employees == "sign-too",
    )
    sign_off = any(check.check == "DCO" and check.fixes for check in now.checks)
    either = rule is not None and rule.repository.require == "either"
    return next_step.find(newest.codes, situation, sign_off=sign_off, either=either)


def _rule(pull: FoundPull, kept: RecordedFacts | None) -> Rule | None:
    """The repository's rule; None where the organisation's rulebook has mistakes and the verdict's facts are gone."""
    rested = evidence.rested_on(kept) if kept else None
    if rested is None and portal_services().rules_state(pull.owner_id) != "valid":
        return None
    # Without kept facts the rules as they are now, which the page says.
    usual = portal_services().rules(pull.owner_id)
    rules, repository = rested or (usual, for_repository(usual, f"{pull.owner}/{pull.name}"))
    return Rule(rules, repository, rested=rested is not None)


def _verdict_view(verdict: Past, logins: Mapping[int, str], most: int, known: CommandContext | None) -> VerdictView:
    """The verdict in words, with the commands for the situation, as far as that is `known`."""
    chosen: Language = language()
    red = verdict.conclusion not in _PASSES
    sections, left_out = [], 0
    for name in dict.fromkeys(str(entry["check"]) for entry in verdict.codes):
        entries = [entry for entry in verdict.codes if entry["check"] == name]
        shown = entries[:most]
        left_out += len(entries) - len(shown)
        lines = tuple(FindingLine(entry.get("sha"), finding_text.public_text(entry, chosen, logins)) for entry in shown)
        # Of an earlier verdict the facts are gone: its situation is guessed from what was found.
        here = known or finding_text.guessed(entries, verdict.head_sha, chosen)
        fixes = finding_text.fixes(entries, chosen, here) if red else ()
        sections.append(CheckSection(name, words.phrase(chosen, "check", name), lines, tuple(fixes)))
    fault = finding_text.rulebook_fault(verdict.codes, chosen)
    at = verdict.judged_at
    return VerdictView(at, at, verdict.head_sha, verdict.conclusion, tuple(sections), left_out, fault)
