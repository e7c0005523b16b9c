"""Campaigns in the portal: whom a new version waits for, asking them, reminding them, and what to write in the rulebook."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from flask import abort, redirect, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import ngettext

from agreements.cla.coverage import validity
from agreements.cla.party import Parties
from agreements.rulebook.rules import AgreementRef
from agreements.store.people import campaigns
from agreements.store.people.campaigns import Addressee, CampaignProgress
from bot.mail import campaign_emails, smtp
from bot.mail.campaign_emails import CampaignRound
from bot.portal.admin.page_context import is_confirmed, render
from bot.portal.forms.form_action import FormRefused, change, form_action
from bot.portal.forms.typed_values import day_start, field
from bot.portal.portal_services import portal_services, reading
from bot.portal.text.languages import language
from bot.store import campaign_rounds

DEFAULT_GRACE = timedelta(days=90)
"""The time for which older versions still count unless the rulebook or the administrator says otherwise."""

Validities = dict[str, tuple[bool, datetime | None]]
"""By version: whether the rulebook accepts it, and until when (None: for good)."""


def overview() -> str:
    """All campaigns, and what one for the version in force would be about."""
    rules = portal_services().rules(None)  # Of the first account that is served.
    wanted = rules.individual
    with reading() as (records, _vault, at):
        found = campaigns.listed(records)
        progress = campaigns.progress(records, wanted.text, wanted.version, parties=_parties())
    validities = _validities(progress, at)
    ends = [until for _counts, until in validities.values() if until]
    return render(
        "admin/campaigns.html",
        campaigns=found,
        running=any(row.agreement == wanted.text and row.ended_at is None for row in found),
        wanted=wanted,
        progress=progress,
        validities=validities,
        # The rulebook's own day where it names one: the e-mails have to name the same.
        until=request.form.get("until") or f"{max(ends, default=at + DEFAULT_GRACE):%Y-%m-%d}",
        unclear=len(ends) < len(validities),
        accepted=any(counts for counts, _until in validities.values()),
    )


def campaign_page(campaign_id: str) -> str:
    """The page of one campaign and its progress."""
    with reading() as (records, _vault, at):
        row = campaigns.find(records, campaign_id) or abort(404)
        progress = campaigns.progress(records, row.agreement, row.version, parties=_parties())
        occasion = campaign_rounds.occasion(row.agreement, row.version)
        written = len(campaign_rounds.written(records, occasion))
    left = _left(AgreementRef(row.agreement, row.version))
    validities = {} if left else _validities(progress, at)
    return render(
        "admin/campaigns_one.html",
        campaign=row,
        progress=progress,
        written=written,
        validities=validities,
        left=left,
        differs=row.until > at and bool(validities) and not _agrees(validities, row.until),
        accepted=any(counts for counts, _until in validities.values()),
        next_reminder=(row.reminded_at or row.started_at) + campaigns.MIN_REMINDER_INTERVAL,
        now=at,
        each_minute=campaign_emails.BATCH_EMAILS,
    )


@form_action(overview)
def start() -> ResponseReturnValue:
    """Begin to ask for the version that the rulebook asks for."""
    wanted, until = portal_services().rules(None).individual, day_start(field("until"))
    if until is None or until <= portal_services().clock():
        raise FormRefused({"until": _("Enter a future date as year-month-day, such as 2027-01-31.")})
    with reading() as (records, _vault, _at):
        progress = campaigns.progress(records, wanted.text, wanted.version, parties=_parties())
    if not progress.waiting:
        raise FormRefused({"campaign": _("Nobody needs to be asked.")}, 409)
    if differs := _endless(progress) or _differs(progress, until):
        raise FormRefused({"until": differs}, 409)
    if not is_confirmed():  # E-mails cannot be taken back, so the page shows them first.
        campaign_round = CampaignRound("campaign", wanted.text, wanted.version)
        return _ask(campaign_round, progress, kept={"until": field("until")}, back="/admin/campaigns")
    with change("campaign") as context:
        row = campaigns.start(context, agreement=wanted.text, version=wanted.version, until=until)
        details = {"agreement": row.agreement, "version": row.version, "until": until.isoformat()}
        context.log("campaign.started", rows=(row,), details=details)
    return redirect(f"/admin/campaigns/{row.id}")


@form_action(campaign_page)
def remind(campaign_id: str) -> ResponseReturnValue:
    """Write to those who wait once more."""
    with reading() as (records, _vault, _at):
        row = campaigns.find(records, campaign_id) or abort(404)
        campaign_round = CampaignRound("campaign-reminder", row.agreement, row.version)
        progress = campaigns.progress(records, row.agreement, row.version, parties=_parties())
    if reason := _left(AgreementRef(row.agreement, row.version)) or _endless(progress):
        raise FormRefused({"campaign": reason}, 409)
    if is_confirmed():
        return _change(campaign_id, "campaign.reminded", campaigns.remind)
    return _ask(campaign_round, progress, kept={}, back=f"/admin/campaigns/{campaign_id}")


@form_action(campaign_page)
def end(campaign_id: str) -> ResponseReturnValue:
    """End the campaign: it asks no more people."""
    return _change(campaign_id, "campaign.ended", campaigns.end)


def _change(campaign_id: str, kind: str, do: Callable[..., None]) -> ResponseReturnValue:
    with change("campaign") as context:
        row = campaigns.locked(context.session, campaign_id) or abort(404)
        do(row, at=context.at)
        context.log(kind, rows=(row,), details={"agreement": row.agreement, "version": row.version})
    return redirect(f"/admin/campaigns/{campaign_id}")


def _parties() -> frozenset[str]:
    # A campaign is the first served account's, and so are the parties that count.
    services = portal_services()
    return Parties(services.rules(None), services.owner_id(None)).counting


def _differs(progress: CampaignProgress, until: datetime) -> str:
    """The reason why no older version ends on the day that was entered, with the days of the rulebook; else empty."""
    validities = _validities(progress, portal_services().clock())
    ends = sorted({end for _counts, end in validities.values() if end})
    if not ends or _agrees(validities, until):
        return ""
    days = ", ".join(f"{end.astimezone(UTC):%Y-%m-%d %H:%M} UTC" for end in ends)
    return str(_("Enter a day on which the rulebook stops accepting an older version: %(days)s.", days=days))


def _agrees(validities: Validities, until: datetime) -> bool:
    """Whether the rulebook accepts an older version until that day, and none for good."""
    if (True, None) in validities.values():
        return False
    # A moment within a day is that day: the rulebook may have it in another zone.
    return any(end and abs(end - until) < timedelta(days=1) for _counts, end in validities.values())


def _left(asked: AgreementRef) -> str:
    """The reason why a campaign for that text writes no more: the rulebook asks for another by now; else empty."""
    wanted = portal_services().rules(None).individual
    if wanted == asked:
        return ""
    return str(_("The rulebook asks for %(agreement)s %(version)s by now, so this campaign writes no more e-mails. End it to start another.", agreement=wanted.text, version=wanted.version))  # fmt: skip


def _endless(progress: CampaignProgress) -> str:
    """The reason why signers of older versions need not be asked, by the rulebook of today; else empty."""
    for version, found in _validities(progress, portal_services().clock()).items():
        if found == (True, None):
            return str(_("The rulebook accepts version %(version)s without a time limit. Give it a last day there first.", version=version))  # fmt: skip
    return ""


def _validities(progress: CampaignProgress, at: datetime) -> Validities:
    """Whether the rulebook accepts each older version, and until when."""
    rules = portal_services().rules(None)
    return {version: validity(version, rules.individual, rules, at) for version in progress.older}


def _ask(campaign_round: CampaignRound, progress: CampaignProgress, *, kept: dict[str, str], back: str) -> str:
    services = portal_services()
    # The e-mail as this reader would get it: of the newest version that still counts, else of the newest.
    said = _validities(progress, services.clock())
    version = next((key for key in reversed(said) if said[key][0]), next(reversed(said), ""))
    reader = Addressee(0, "", language(), version)
    with_whom = services.party(None)
    name = with_whom.name if with_whom else ""
    until = said[version][1] if version else None
    email = campaign_round.email(reader, until, url=services.url, catalog=services.catalog, organization=name)
    return render(
        "admin/confirm.html",
        heading=_("Send this e-mail?"),
        also=_(
            "Each e-mail names the end of the version that its reader signed, or says that it is no longer accepted."
        )
        if len(set(said.values())) > 1
        else "",
        people=progress.waiting,
        email=smtp.read(email),
        kept=kept,
        back=back,
        button=ngettext("E-mail %(num)s person", "E-mail %(num)s people", progress.waiting),
    )
