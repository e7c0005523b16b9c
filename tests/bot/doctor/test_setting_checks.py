"""Checks of the settings alone."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot import clock
from bot.doctor import setting_checks
from bot.doctor.setting_checks import RENEWAL_PERIOD
from bot.secret import NO_SECRET
from bot.settings import Settings
from tests.bot.pdf.pdf_files import certificate_pem, key_pem


def test_all_missing_or_wrong_settings_are_named_at_once(deployed):
    status, message = deployed.item("settings.valid", CLIENT_SECRET="", DATABASE_URL="mysql://x")
    assert status == "fail"
    assert "COUNTERSIGN_CLIENT_SECRET is not set" in message
    assert "COUNTERSIGN_DATABASE_URL: must be sqlite:///FILE, or postgresql://" in message
    assert ".." not in message
    assert ".;" not in message


def test_a_misspelt_setting_is_told_with_the_right_name_and_without_its_value(deployed):
    assert deployed.item("settings.known")[0] == "pass"
    status, message = deployed.item("settings.known", ERASURE_KEY_FILE="/secret", XYZ="1")
    near = "did you mean COUNTERSIGN_ERASURE_KEYS_FILE?"
    assert status == "fail"
    assert message == f"COUNTERSIGN_ERASURE_KEY_FILE is not a setting; {near} COUNTERSIGN_XYZ is not a setting."


def test_an_unreadable_rulebook_fails_with_the_words_of_serve(deployed):
    status, message = deployed.item("settings.valid", RULEBOOK="/nowhere/at/all.yml")
    assert (status, "cannot read /nowhere/at/all.yml" in message) == ("fail", True)


@pytest.mark.slow
def test_an_address_without_tls_fails(deployed):
    assert deployed.item("settings.address")[0] == "pass"
    assert deployed.item("settings.address", URL="http://cla.example.org")[0] == "fail"
    assert deployed.item("settings.address", URL="http://127.0.0.1:8080")[0] == "not-applicable"
    assert deployed.item("settings.address", URL="")[0] == "unknown"


@pytest.mark.slow
def test_an_address_on_this_machine_fails_for_github_com(deployed):
    at = {"GITHUB_URL": "https://github.com", "URL": "https://cla.corp.internal"}
    assert deployed.item("settings.address", **at) == (
        "fail",
        "GitHub cannot reach cla.corp.internal from the internet.",
    )
    assert deployed.item("settings.address", **{**at, "URL": "http://127.0.0.1:8080"})[0] == "fail"
    assert deployed.item("settings.address", **{**at, "GITHUB_URL": "https://ghe.corp.internal"})[0] == "pass"


@pytest.mark.slow
def test_missing_mail_and_administrators_fail(deployed):
    assert deployed.item("settings.mail", SMTP_URL="")[0] == "fail"
    assert deployed.item("settings.administrators", ADMIN_TEAM="") == (
        "fail",
        "There are no administrators: COUNTERSIGN_ADMIN_TEAM is not set.",
    )
    assert deployed.item("settings.administrators") == ("pass", "1 account administers.")


@pytest.mark.usefixtures("pades")
def test_a_certificate_for_pdfs_that_ends_soon_or_cannot_sign_fails():
    now = clock.now()

    def item(certificate, key):
        settings = replace(Settings(), pdf_certificate=certificate, pdf_key=key)
        ids = [check.id for check in setting_checks.checks(settings)]
        found = {
            doctor_result.id: (doctor_result.status, doctor_result.message)
            for doctor_result in setting_checks.judge(settings, ())
        }
        assert sorted(ids) == sorted(found)
        return found.get("settings.pdf-certificate")

    end = now + RENEWAL_PERIOD + timedelta(days=1)
    assert item(certificate_pem(end=end), key_pem()) == (
        "pass",
        f"The certificate that signs PDFs expires on {end:%Y-%m-%d}.",
    )
    assert item(certificate_pem(end=now + timedelta(days=29)), key_pem())[0] == "fail"
    assert item(certificate_pem(end=now - timedelta(days=1)), key_pem())[1].startswith(
        "COUNTERSIGN_PDF_CERTIFICATE: the"
    )
    assert item(certificate_pem(), NO_SECRET)[0] == "fail"
    assert item("", NO_SECRET) is None
