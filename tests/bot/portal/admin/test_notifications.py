"""An administrator chooses how often to get e-mails, and sees the address they go to."""

from agreements.facts import Account
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import ProvenAddress
from bot.store import notifications


def test_a_choice_of_how_often_is_kept_for_the_reader_alone(office):
    page = office.root.get("/admin/notifications").text
    assert 'value="at-once" required checked' in page
    assert "You do not receive e-mails" in page

    assert office.post("/admin/notifications", often="daily").status_code == 302
    assert 'value="daily" required checked' in office.root.get("/admin/notifications").text
    answer = office.post("/admin/notifications", often="hourly")
    assert answer.status_code == 400
    assert "Choose how often." in answer.text
    with office.portal.services.sessions() as session:
        assert [notifications.often(session, account_id) for account_id in (90, 91)] == ["daily", "at-once"]


def test_the_page_shows_the_readers_masked_address_and_whether_mail_is_set_up(office):
    services = office.portal.services
    with services.change(90) as context:
        root = person_rows.ensure(context, Account(90, "root"))
        proven = ProvenAddress(address="root@example.com", how="mailed-code", at=context.at)
        emails.prove(context, root, proven)
    page = office.root.get("/admin/notifications").text

    assert "E-mails go to " in page
    assert "@example.com" in page
    assert "root@example.com" not in page
    assert "No mail server is set up." in page


def test_an_auditor_has_no_page_of_notifications(office):
    assert office.eye.get("/admin/notifications").status_code == 404
    assert "/admin/notifications" not in office.eye.get("/admin").text
