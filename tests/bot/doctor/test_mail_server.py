"""The mail server is asked as for an e-mail, and gets none; refusals are in tests/stories/test_broken_deployments.py."""

from bot import clock
from bot.doctor import mail_server
from bot.secret import Secret
from bot.settings import Settings


def judged(url, to=None, sender="Countersign <cla@example.org>"):
    """Status by item."""
    settings = Settings(smtp_url=Secret(url), mail_from=sender, url="https://cla.example.org")
    return {doctor_result.id: doctor_result for doctor_result in mail_server.judge(settings, to, clock.now)}


def test_the_login_is_tried_without_sending(smtp):
    found = judged(smtp.url)
    assert found["mail.login"].status == "pass"
    assert found.keys() == {"mail.login"}
    assert smtp.got == []


def test_without_a_mail_server_the_login_does_not_apply_and_no_mail_is_sent():
    assert judged("")["mail.login"].status == "not-applicable"
    assert judged("", "a@example.org")["mail.sent"].status == "fail"
    assert judged("smtp://host/path")["mail.login"].status == "fail"


def test_a_refused_recipient_is_told_by_number_without_the_address(smtp):
    smtp.answers["rcpt"] = "550 5.1.1 no such user ada@example.org"
    found = judged(smtp.url, "ada@example.org")
    assert (found["mail.login"].status, found["mail.sent"].status) == ("pass", "fail")
    assert "550 5.1.1" in found["mail.sent"].message
    assert "ada@" not in found["mail.sent"].message + found["mail.sent"].remedy


def test_a_refused_sender_sends_nothing(smtp):
    smtp.answers["sender"] = "550 no"
    found = judged(smtp.url, "a@example.org")
    assert (found["mail.login"].status, found["mail.sent"].status) == ("fail", "unknown")


def test_each_failure_of_encryption_has_its_remedy_without_the_password(smtp_starttls, smtp_with_password, free):
    user = smtp_with_password.url.replace("://", "://us%3Aer:pass%20word@")
    certificate = judged(user)["mail.login"]
    assert "certificate" in certificate.remedy
    assert "pass" not in certificate.message
    refused = judged(smtp_starttls.url)["mail.login"]  # on this machine no TLS is begun, which this server insists on
    assert refused.status == "fail"
    assert "host and port" in judged(f"smtp://127.0.0.1:{free}")["mail.login"].remedy
