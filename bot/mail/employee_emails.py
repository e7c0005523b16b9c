"""Mail to employees whom their company asks to enrol: the invitation and its reminders."""

from agreements.store.companies.employee_invitations import MAX_REMINDERS, Invitation
from agreements.store.record_context import RecordContext
from bot.store import outbox
from bot.store.outbox import Email


def write(context: RecordContext, url: str, company: str, invitation: Invitation, *, reminder: int = 0) -> None:
    """Store the invitation's mail, or its reminder of that number. It leads to the page that knows this company."""
    email = Email(
        kind="employee-reminder" if reminder else "employee-invitation",
        to=invitation.address,
        language=invitation.language,
        values={
            "company": company,
            "url": f"{url}/company/{invitation.company_id}/enrol",
            "site": url,
            "left": str(MAX_REMINDERS - reminder),
        },
        # One that is invited anew is reminded anew.
        once=f"employee:{invitation.id}:{invitation.invited_at.isoformat()}:{reminder}",
    )
    outbox.add(context, email)
