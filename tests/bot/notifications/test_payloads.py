"""Each body is what the published schema says, and names no person and no address."""

import csv
import json
from pathlib import Path

import jsonschema_rs
import pytest

from agreements.facts import Account, Check, Conclusion, Problem, Verdict
from audit.facts import ChangeCause, LicenseVerdict
from audit.output.nightly_changes import CellSnapshot, RepositoryChange
from bot.notifications import payloads
from bot.notifications.payloads import ATTENTION, COMPANY, MAX_VIOLATIONS, SIGNED, WITHDRAWN, Notification
from bot.store.outgoing_webhooks import RecordChange
from tests.bot.notifications.conftest import AT

ROOT = Path(__file__).parents[3]
SCHEMA = jsonschema_rs.validator_for(
    json.loads((ROOT / "docs/reference/outgoing-webhooks.schema.json").read_text("utf-8"))
)
PROBLEM = Problem(code="cla/withdrawn", account=Account(11, "ada"), values={"agreement": "icla"})
CHECK = Check(name="CLA", conclusion=Conclusion.FAILURE, problems=(PROBLEM,))
RED = Verdict(conclusion=Conclusion.FAILURE, checks=(CHECK,))
SEEN = CellSnapshot(
    name="readline", version="8.2.0", purl="pkg:x", usage="link", license="GPL-3.0-only", component="c",
    verdict=LicenseVerdict.INCOMPATIBLE, rule="r1", reason="why", data_version="1", waived=False, fails=True, own="MIT", delivery="d",
)  # fmt: skip
HEAD = "a" * 40


def body(notification: Notification):
    """What is sent, which the schema knows."""
    found = json.loads(notification.body)
    SCHEMA.validate(found)
    return found


def of_verdict(before):
    """A verdict after another one."""
    return payloads.of_verdict(RED, repository={"id": 5, "name": "cann/ops"}, number=7, head=HEAD, before=before, at=AT)


@pytest.mark.parametrize("before", [None, "success", "neutral"])
def test_a_changed_verdict_has_only_public_reasons(before):
    assert body(of_verdict(before)) == {
        "schema": 1,
        "event": "verdict-changed",
        "occurred_at": "2026-01-01T00:00:00Z",
        "repository": {"id": 5, "name": "cann/ops"},
        "number": 7,
        "head": HEAD,
        "conclusion": "failure",
        "previous": before,
        "reasons": ["cla/not-covered"],
    }


def test_an_unchanged_verdict_is_not_told():
    assert of_verdict("failure") is None


def test_only_new_violations_are_told_by_repository():
    new = RepositoryChange("cann/ops", None, SEEN, ChangeCause.DEPENDENCY)
    mended = RepositoryChange("cann/ops", SEEN, None, ChangeCause.DEPENDENCY)
    still = RepositoryChange("cann/docs", SEEN, SEEN, ChangeCause.RULE)
    [notification] = payloads.of_night(3, [new] * (MAX_VIOLATIONS + 1) + [mended, still], at=AT)
    found = body(notification)
    assert (found["owner"], found["repository"], found["count"]) == ({"id": 3}, {"name": "cann/ops"}, 101)
    assert (
        found["violations"]
        == [{"dependency": "readline", "version": "8.2.0", "license": "GPL-3.0-only", "rule": "r1"}] * MAX_VIOLATIONS
    )


def test_records_name_persons_by_login_and_companies_by_name_alone(told):
    told.sign()
    told.change_company("Huawei <legal@huawei.example>")
    told.receiver.start()
    told.round()
    signed, company = (post["body"] for post in told.receiver.received)
    for payload in (signed, company):
        SCHEMA.validate(payload)
    assert signed["agreement"] == {"name": "icla", "version": "2.0"}
    assert company["company"]["name"].startswith("Huawei <")
    for secret in ("Lovelace", "@example.org", "legal@huawei.example"):
        assert secret not in str((signed, company))


@pytest.mark.parametrize(("kind", "page"), ATTENTION.items())
def test_a_request_for_administrators_names_no_person_and_no_company(kind, page):
    [notification] = [
        record for record in payloads.of_records(RecordChange(kind=kind, at=AT)) if record.event == "attention-needed"
    ]
    found = body(notification)
    assert {name: found[name] for name in ("event", "change", "page")} == {
        "event": "attention-needed", "change": kind, "page": page,
    }  # fmt: skip
    assert len(found) == 5
    assert notification.account_id is None


def test_an_undeliverable_email_is_told_without_its_contents():
    assert body(payloads.of_mail(AT))["change"] == "mail.failed"


def test_an_erased_person_is_not_named():
    change = RecordChange(kind="signature.added", at=AT, signatures=(), logins={})
    assert list(payloads.of_records(change)) == []


def test_event_kinds_are_those_of_the_documented_log():
    with (ROOT / "docs/reference/ledger-kinds.csv").open(encoding="utf-8", newline="") as lines:
        documented = {row["kind"] for row in csv.DictReader(lines)}
    assert {*SIGNED, *WITHDRAWN, *COMPANY, *ATTENTION} <= documented
