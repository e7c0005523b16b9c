"""A company in the records, in one line."""

from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from tests.within import within


def add_company(session, vault, at, company_id="c1", *covers, excludes=(), **changes):
    """Called like its id, signed and countersigned at that moment unless told otherwise; its entries are `c1-1`, `c1-2` and so on."""
    fields = {"party": "The CANN Authors", "name": company_id, "agreement": "ccla", "version": "2.0"}
    draft = CompanyDraft(**(fields | {"signed_at": at, "countersigned_at": at} | changes))
    row = companies.add(within(session, vault, at, company_id), draft)
    for number, entry in enumerate((*covers, *excludes), start=1):
        context = within(session, vault, at, f"{company_id}-{number}")
        companies.add_entry(context, row, entry, excluded=number > len(covers))
    return row
