"""The invitation and its reminders: to the address, in its language, to the company's own page, each once."""

import pytest

from agreements.github_server import GITHUB_COM
from agreements.store.companies import employee_invitations
from agreements.store.record_context import RecordContext
from bot.mail import employee_emails, smtp
from tests.bot.mail.test_renewal_emails import rounds
from tests.bot.portal.company import office


def invite(portal, language="en"):
    """Ada, invited with her mail; the invitation."""
    services = portal.services
    with services.sessions() as session:
        context = RecordContext(session, services.vault, 12, portal.at, services.new_id)
        [invitation] = employee_invitations.invite(context, "c1", ["ada@huawei.com"], language, server=GITHUB_COM)
        for _ in range(2):
            employee_emails.write(context, "http://localhost", "Huawei", invitation)
    return invitation


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_occasions_email_is_written_with_the_way_to_the_company(portal, language):
    office.company(portal)
    invite(portal, language)
    assert [kind for kind, _ in rounds(portal, 1, 7, 7.1, 14, 30)] == [
        "employee-invitation", "employee-reminder", "employee-reminder",
    ]  # fmt: skip
    found = office.outbox_emails(portal)
    assert [(email.to, email.language, email.values["left"]) for email in found] == [
        ("ada@huawei.com", language, left) for left in ("2", "1", "0")
    ]
    for email in found:
        page = smtp.read(email)
        assert "http://localhost/company/c1/enrol" in page.body
        assert "Huawei" in page.subject
