"""A company takes away all that is its own: what it named, who enrolled, who looked after it; nothing of others."""

from datetime import timedelta

import pytest

from agreements.facts import Account, Entry
from agreements.github_server import GITHUB_COM
from agreements.store.companies import companies, company_export, enrolments
from agreements.store.companies.companies import CompanyDraft
from agreements.store.people import people
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyManager

HOME = ("Huawei", "huawei.com"), ("Red Hat", "redhat.com")


def test_every_row_of_one_company(session, vault, at, fresh):
    """With its dates, also what is over."""
    for key, (name, domain) in zip(("c1", "c2"), HOME, strict=True):
        draft = CompanyDraft(
            party="The CANN Authors", name=name, agreement="ccla", version="2.0", signed_at=at, countersigned_at=at
        )
        row = companies.add(session, vault, draft, new_id=key)
        entries = [Entry(domain=domain, subdomains=False), Entry(email=f"x@{domain}"), Entry(account_id=99)]
        for entry in entries:
            companies.add_entry(session, vault, row, entry, at=at, new_id=fresh())
        out = Entry(account_id=13, since=at + timedelta(days=1))
        companies.add_entry(session, vault, row, out, at=at, new_id=fresh(), excluded=True)
        person = people.ensure(session, vault, account=Account(len(name), f"u-{key}"), at=at, new_id=f"p-{key}")
        employer = enrolments.employers(
            session, vault, len(name), f"me@{domain}", server=GITHUB_COM, at=at, accepted=()
        )[0]
        made = enrolments.add(RecordContext(session, vault, len(name), at, fresh), person, employer, f"me@{domain}")
        enrolments.end(session, made.enrolment.id, at=at + timedelta(days=2))
        session.add(
            CompanyManager(id=f"m-{key}", company_id=key, account_id=12, login="bob", since=at, until=at, added_by=1)
        )
    day = "2026-01-0{}T00:00:00+00:00".format

    assert company_export.rows(session, vault, "c1") == (
        ("entry", "huawei.com", "no", "", "", "", "", "", "", day(1)),
        ("entry", "", "", "x@huawei.com", "", "", "", "", "", day(1)),
        ("entry", "", "", "", "", "99", "", "", "", day(1)),
        ("exclusion", "", "", "", "", "13", day(2), "", "", day(1)),
        (
            "enrolment",
            "huawei.com",
            "",
            "me@huawei.com",
            "u-c1",
            "6",
            day(1),
            "2027-01-01T00:00:00+00:00",
            day(3),
            day(1),
        ),
        ("manager", "", "", "", "bob", "12", day(1), day(1), "", day(1)),
    )
    with pytest.raises(LookupError):
        company_export.rows(session, vault, "c3")
