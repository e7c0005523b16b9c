"""The mail server is asked as for an e-mail, and gets none; refusals are in tests/stories/test_broken_deployments.py."""

from bot import clock
from bot.doctor import mail_server
from bot.settings import Secret, Settings


def judged(url, to=None, sender="Countersign <cla@example.org>"):
    """Status by item."""
    settings = Settings(smtp_url=Secret(url), mail_from=sender, url="https://cla.example.org")
    return {one.id: one for one in mail_server.judge(settings, to, clock.now)}


def test_login_alone(smtp):
    """Nothing is sent."""
    found = judged(smtp.url)
    assert found["mail.login"].status == "pass"
    assert found.keys() == {"mail.login"}
    assert smtp.got == []


def test_without_a_mail_server():
    """settings.mail says that there is none; who asks for an e-mail is told that none was sent."""
    assert judged("")["mail.login"].status == "not-applicable"
    assert judged("", "a@example.org")["mail.sent"].status == "fail"
    assert judged("smtp://host/path")["mail.login"].status == "fail"


def test_a_recipient_that_is_refused(smtp):
    """By the server, in numbers, and without the address."""
    smtp.answers["rcpt"] = "550 5.1.1 no such user ada@example.org"
    found = judged(smtp.url, "ada@example.org")
    assert (found["mail.login"].status, found["mail.sent"].status) == ("pass", "fail")
    assert "550 5.1.1" in found["mail.sent"].message
    assert "ada@" not in found["mail.sent"].message + found["mail.sent"].remedy


def test_what_is_not_tried(smtp):
    """A sender that is refused sends nothing."""
    smtp.answers["sender"] = "550 no"
    found = judged(smtp.url, "a@example.org")
    assert (found["mail.login"].status, found["mail.sent"].status) == ("fail", "unknown")


def test_encryption(smtp_starttls, smtp_with_password, free):
    """Each step has its own remedy; our own words never hold the password."""
    user = smtp_with_password.url.replace("://", "://us%3Aer:pass%20word@")
    certificate = judged(user)["mail.login"]
    assert "certificate" in certificate.remedy
    assert "pass" not in certificate.message
    refused = judged(smtp_starttls.url)["mail.login"]  # on this machine no TLS is begun, which this server insists on
    assert refused.status == "fail"
    assert "host and port" in judged(f"smtp://127.0.0.1:{free}")["mail.login"].remedy
