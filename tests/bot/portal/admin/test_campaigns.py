"""An administrator starts, follows, reminds and ends a campaign for a new version, within the rulebook's dates."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from sqlmodel import select

from agreements.catalog import AgreementText
from agreements.facts import Account
from agreements.rulebook.rules import AcceptedVersions, AgreementRef
from agreements.store.people import person_rows, signatures, texts
from agreements.store.tables.ledger_records import LedgerEntry
from tests.bot.conftest import ADMINISTRATOR, AUDITOR
from tests.bot.portal.sentences import without_times
from tests.drafts import signature_draft
from tests.within import within

SOURCE = "# Our Agreement\n\nNew words.\n"


@pytest.fixture(name="admin")
def _admin(portal):
    """An administrator's browser, after ada signed 2.0 and 3.0 was released and put in force."""
    ada = portal.signed_in()
    assert ada.post("/sign/icla", data=portal.form(ada)).status_code == 302
    with portal.services.sessions() as session:
        released = AgreementText("icla", "3.0", "en", SOURCE, sha256(SOURCE.encode()).hexdigest())
        texts.release(session, [released], by=ADMINISTRATOR, at=portal.at)
    grace = (AcceptedVersions(">=3.0"), AcceptedVersions("<3.0", datetime(2027, 2, 19, tzinfo=UTC)))
    portal.rules = replace(portal.rules, individual=AgreementRef("icla", "3.0"), accept={"icla": grace})
    return portal.signed_in(id=ADMINISTRATOR, login="root")


def post(portal, browser, path, **values):
    """Send a form."""
    return browser.post(path, data={"csrf_token": portal.proof(browser), "confirmed": "yes", **values})


def kinds(portal):
    """What the log says of campaigns."""
    with portal.services.sessions() as session:
        entries = session.exec(select(LedgerEntry).order_by(LedgerEntry.number)).all()
        return [(entry.kind, entry.actor_id) for entry in entries if entry.kind.startswith("campaign.")]


@pytest.mark.slow
def test_the_email_and_its_number_of_readers_are_confirmed_before_it_is_sent(portal, admin):
    page = post(portal, admin, "/admin/campaigns", until="2027-02-19", confirmed="")
    assert page.status_code == 200
    assert "1 person gets this e-mail" in page.text
    assert "2027-02-19" in page.text
    assert '<input type="hidden" name="until" value="2027-02-19">' in page.text
    assert "http://localhost/sign/icla" in page.text
    assert kinds(portal) == []
    campaign = post(portal, admin, "/admin/campaigns", until="2027-02-19").headers["Location"]
    assert "1 person gets this e-mail" in post(portal, admin, campaign + "/remind", confirmed="").text
    assert [kind for kind, _ in kinds(portal)] == ["campaign.started"]
    assert post(portal, admin, "/admin/campaigns/gone/remind", confirmed="").status_code == 404


@pytest.mark.slow
def test_each_step_of_a_campaign_is_one_entry_and_reminders_wait_a_week(portal, admin):
    page = admin.get("/admin/campaigns").text
    assert "E-mail 1 person" in page
    assert "Older versions are accepted before" in page
    answer = post(portal, admin, "/admin/campaigns", until="2027-02-19")
    assert answer.status_code == 302
    campaign = answer.headers["Location"]
    page = without_times(admin.get(campaign).text)
    assert "Day given at the start</dt><dd>2027-02-19 00:00:00 UTC" in page
    assert "You can send reminders from 2026-11-28" in page
    assert "E-mail" not in admin.get("/admin/campaigns").text

    again = post(portal, admin, "/admin/campaigns", until="2027-02-19")
    assert (again.status_code, "running already" in again.text) == (409, True)
    early = post(portal, admin, campaign + "/remind")
    assert (early.status_code, "less than a week ago" in early.text) == (409, True)
    portal.later(days=8)
    admin = portal.signed_in(id=ADMINISTRATOR, login="root")
    assert "Send reminders" in admin.get(campaign).text
    assert post(portal, admin, campaign + "/remind").status_code == 302
    assert post(portal, admin, campaign + "/end").status_code == 302
    over = post(portal, admin, campaign + "/end")
    assert (over.status_code, "has ended" in over.text) == (409, True)
    assert kinds(portal) == [(f"campaign.{done}", ADMINISTRATOR) for done in ("started", "reminded", "ended")]


def test_a_campaign_that_would_ask_no_person_is_refused(portal, admin):
    portal.rules = replace(portal.rules, individual=AgreementRef("icla", "2.0"))
    assert "E-mail" not in admin.get("/admin/campaigns").text
    answer = post(portal, admin, "/admin/campaigns", until="2027-02-19")
    assert (answer.status_code, answer.text.count("Nobody needs to be asked.")) == (409, 2)
    assert kinds(portal) == []


@pytest.mark.parametrize(
    ("accept", "said", "lines"),
    [
        ((), "no longer accepted", True),
        ((AcceptedVersions(">=3.0"), AcceptedVersions("<3.0", datetime(2026, 1, 1, tzinfo=UTC))), "no longer", True),
        ((AcceptedVersions(">=1.0"),), "accepted without a time limit", True),
        (
            (AcceptedVersions(">=3.0"), AcceptedVersions("<3.0", datetime(2027, 3, 1, tzinfo=UTC))),
            "accepted until 2027-03-01 00:00:00 UTC",
            False,
        ),
    ],
)
def test_the_form_proposes_the_rulebooks_day_or_the_lines_to_write_into_it(portal, admin, accept, said, lines):
    portal.rules = replace(portal.rules, accept={"icla": accept} if accept else {})
    answer = post(portal, admin, "/admin/campaigns", until="2027-02-19", confirmed="")
    assert answer.status_code == (200 if said.startswith("no longer") else 409)
    assert ("is no longer accepted. Your open" in answer.text) is said.startswith("no longer")
    assert ("2.0 without a time limit. Give it" in answer.text) is said.endswith("limit")
    page = without_times(admin.get("/admin/campaigns").text)

    assert said in page
    ready = "icla: [{versions: &#34;&gt;=3.0&#34;}, {versions: &#34;&lt;3.0&#34;, until: 2027-02-19}]"
    template = 'icla: [{versions: ">=3.0"}, {versions: "<3.0", until: 2027-02-19}]'
    assert (ready in page or template in page) == lines
    assert ('value="2027-03-01"' in page) == (not lines)
    assert ("The rulebook accepts none of the older versions any more" in page) is said.startswith("no longer")
    assert ('type="date"' in page) is not said.startswith("no longer")


@pytest.mark.parametrize("until", ["", "soon", "2026-11-21", "2026-02-30", "19.02.2027"])
def test_a_campaign_needs_a_readable_day_in_the_future(portal, admin, until):
    answer = post(portal, admin, "/admin/campaigns", until=until)
    assert answer.status_code == 400
    assert 'href="#until"' in answer.text
    assert kinds(portal) == []


def test_an_auditor_reads_campaigns_and_unknown_campaigns_are_not_found(portal, admin):
    auditor = portal.signed_in(id=AUDITOR, login="kim")
    page = auditor.get("/admin/campaigns")
    assert page.status_code == 200
    assert "E-mail" not in page.text
    assert post(portal, auditor, "/admin/campaigns", until="2027-02-19").status_code == 404
    assert admin.get("/admin/campaigns/none").status_code == 404
    assert post(portal, admin, "/admin/campaigns/none/end").status_code == 404


def test_the_campaign_takes_only_the_day_that_the_rulebook_names(portal, admin):
    answer = post(portal, admin, "/admin/campaigns", until="2027-02-20")
    says = "Enter a day on which the rulebook stops accepting an older version: 2027-02-19 00:00 UTC."
    assert (answer.status_code, says in answer.text, kinds(portal)) == (409, True, [])

    grace = (AcceptedVersions(">=3.0"), AcceptedVersions("<3.0", datetime(2027, 2, 18, 16, tzinfo=UTC)))
    portal.rules = replace(portal.rules, accept={"icla": grace})
    campaign = post(portal, admin, "/admin/campaigns", until="2027-02-19")
    assert campaign.status_code == 302
    assert DIFFERS not in admin.get(campaign.headers["Location"]).text


def test_the_email_speaks_of_open_pull_requests_because_they_are_checked_again(portal, admin):
    page = post(portal, admin, "/admin/campaigns", until="2027-02-19", confirmed="").text
    assert "From then on, your open and new pull requests need version 3.0." in page


@pytest.fixture(name="eve")
def _eve(portal, admin):
    """A second person, who signed 1.5."""
    draft = signature_draft(version="1.5", name="U", email="u@example.org")
    with portal.services.sessions() as session:
        person = person_rows.ensure(
            within(session, portal.services.vault, portal.at, portal.services.new_id), Account(5, "eve")
        )
        signatures.add(within(session, portal.services.vault, portal.at, "s5"), person, draft, receipt="R-5")


def accept(portal, first, second):
    """Lets the rulebook accept 1.x and 2.x until these moments (None: for good; ...: no longer)."""
    older = [AcceptedVersions(*pair) for pair in (("1.x", first), ("2.x", second)) if pair[1] is not ...]
    portal.rules = replace(portal.rules, accept={"icla": (AcceptedVersions(">=3.0"), *older)})


DAY, EARLIER, LATER = (datetime(2027, month, 19, tzinfo=UTC) for month in (2, 1, 6))


@pytest.mark.usefixtures("eve")
@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        (DAY, DAY, 200),
        (EARLIER, DAY, 200),
        (DAY, LATER, 200),
        (..., DAY, 200),
        (EARLIER, LATER, 409),
        (..., LATER, 409),
        (None, DAY, 409),
        (DAY, None, 409),
    ],
)
def test_a_campaign_takes_the_day_on_which_an_older_version_ends_while_none_counts_for_good(
    portal, admin, first, second, status
):
    accept(portal, first, second)
    answer = post(portal, admin, "/admin/campaigns", until="2027-02-19", confirmed="")
    assert answer.status_code == status
    several = status == 200 and first != second
    assert ("Each e-mail names the end of the version that its reader signed" in answer.text) is several
    if (first, status) == (EARLIER, 409):
        assert "an older version: 2027-01-19 00:00 UTC, 2027-06-19 00:00 UTC." in answer.text


DIFFERS = "The rulebook handles older versions differently"


@pytest.mark.usefixtures("eve")
def test_the_page_of_a_campaign_says_when_the_rulebook_has_left_its_day(portal, admin):
    accept(portal, EARLIER, DAY)
    campaign = post(portal, admin, "/admin/campaigns", until="2027-02-19").headers["Location"]
    for first, second, differs in (
        (EARLIER, DAY, False),
        (DAY, ..., False),
        (EARLIER, LATER, True),
        (EARLIER, ..., True),
        (..., ..., True),
        (None, DAY, True),
    ):
        accept(portal, first, second)
        assert (DIFFERS in admin.get(campaign).text) is differs, (first, second)


def test_the_page_of_a_campaign_says_that_the_rulebook_asks_for_another_text(portal, admin):
    campaign = post(portal, admin, "/admin/campaigns", until="2027-02-19").headers["Location"]
    assert "asks for" not in admin.get(campaign).text
    for wanted in (AgreementRef("icla", "4.0"), AgreementRef("other", "3.0")):
        portal.rules = replace(portal.rules, individual=wanted)
        page = admin.get(campaign).text
        said = f"The rulebook asks for {wanted.text} {wanted.version} by now, so this campaign writes no more e-mails."
        assert (said in page, DIFFERS in page) == (True, False)
    assert post(portal, admin, campaign + "/end").status_code == 302
    assert "by now" not in admin.get(campaign).text


def test_a_reminder_is_refused_once_the_rulebook_accepts_the_older_version_for_good(portal, admin):
    campaign = post(portal, admin, "/admin/campaigns", until="2027-02-19").headers["Location"]
    portal.later(days=8)
    admin = portal.signed_in(id=ADMINISTRATOR, login="root")
    rules = portal.rules
    for changed, said in (
        ({"accept": {"icla": (AcceptedVersions(">=1.0"),)}}, "without a time limit"),
        ({"individual": AgreementRef("other", "1.0")}, "asks for other 1.0 by now"),
        ({"individual": AgreementRef("icla", "4.0")}, "asks for icla 4.0 by now"),
    ):
        portal.rules = replace(rules, **changed)
        answer = post(portal, admin, campaign + "/remind")
        assert (answer.status_code, said in answer.text) == (409, True)
