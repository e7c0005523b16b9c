"""Settings: complete and valid, a public address with TLS, administrators, a mail server, a certificate that lasts."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from bot import clock, plugins
from bot.access.roles import NO_MEMBERS
from bot.doctor.doctor_report import DoctorCheck, DoctorResult, sentence
from bot.network.addresses import address_parts, is_loopback, is_public
from bot.pdf import pdf_signature
from bot.pdf.pdf_signature import SignerInvalid
from bot.settings import Settings

_VALID: Final = DoctorCheck("settings.valid", "critical")
_KNOWN: Final = DoctorCheck("settings.known", "medium")
_ADDRESS: Final = DoctorCheck("settings.address", "high")
_MAIL: Final = DoctorCheck("settings.mail", "low")
_PLUGINS: Final = DoctorCheck("settings.plugins", "high")
_PDF_CERTIFICATE: Final = DoctorCheck("settings.pdf-certificate", "medium")
ADMINISTRATORS: Final = DoctorCheck("settings.administrators", "medium")

RENEWAL_PERIOD = timedelta(days=30)
"""The time before a certificate's end in which a new one is asked for: an authority takes some days."""


def checks(settings: Settings) -> tuple[DoctorCheck, ...]:
    """The checks that `judge` has a result for."""
    chosen = [*([_PLUGINS] if settings.plugins else []), *([_PDF_CERTIFICATE] if settings.pdf_certificate else [])]
    more = (*chosen, *([] if settings.administrators.team else [ADMINISTRATORS]))
    return (_VALID, _KNOWN, _ADDRESS, _MAIL, *more)


def judge(settings: Settings, problems: Sequence[str]) -> list[DoctorResult]:
    """The results that the settings alone give; `problems` are those of reading them, a clause each."""
    more = (*_plugins(settings), *_pdf_certificate(settings), *_administrators(settings))
    return [_valid(problems), _known(settings), _address(settings), _mail(settings), *more]


def _valid(problems: Sequence[str]) -> DoctorResult:
    if problems:
        return _VALID.failed(
            " ".join(map(sentence, problems)), "Correct these settings. `countersign serve --help` explains each."
        )
    return _VALID.passed("All required settings are there and valid.")


def _known(settings: Settings) -> DoctorResult:
    if settings.unknown:
        return _KNOWN.failed(
            " ".join(map(sentence, settings.unknown)),
            "Correct the name, or remove the variable: it has no effect. `countersign serve --help` lists all settings.",
        )
    return _KNOWN.passed("Every variable that begins with COUNTERSIGN_ is a setting.")


def _address(settings: Settings) -> DoctorResult:
    parts = address_parts(settings.url)
    host = parts.hostname or ""
    if not settings.url:
        return _ADDRESS.unknown("COUNTERSIGN_URL is not set.", "Set it to the public address of this server.")
    if not settings.github_server.is_enterprise_server and not is_public(host):  # An Enterprise Server may reach it.
        return _ADDRESS.failed(
            f"GitHub cannot reach {host} from the internet.",
            "Set COUNTERSIGN_URL and the App's webhook to a public address with TLS (see 'Put a reverse proxy in front' in the documentation).",
        )
    if parts.scheme == "https":
        return _ADDRESS.passed(f"{settings.url} uses TLS.")
    if is_loopback(host):
        return _ADDRESS.not_applicable(f"{settings.url} is on this machine only.")
    return _ADDRESS.failed(
        f"{settings.url} does not use TLS.", "Put a reverse proxy with TLS in front (see 'Put a reverse proxy in front' in the documentation), and start COUNTERSIGN_URL with https://."
    )  # fmt: skip


def _mail(settings: Settings) -> DoctorResult:
    if settings.smtp_url:
        return _MAIL.passed("A mail server is set.")
    return _MAIL.failed(
        "COUNTERSIGN_SMTP_URL is not set: receipts and codes are stored, but not sent.",
        "Set COUNTERSIGN_SMTP_URL and COUNTERSIGN_MAIL_FROM (see 'Send mail' in the documentation).",
    )


def _plugins(settings: Settings) -> list[DoctorResult]:
    try:
        found = ", ".join(map(str, plugins.load(settings.plugins)))
    except plugins.PluginInvalid as error:
        return [_PLUGINS.failed(sentence(str(error)), "See 'Write a plugin' in the documentation.")]
    return [_PLUGINS.passed(f"Loaded: {found}.")] if found else []


def _pdf_certificate(settings: Settings) -> list[DoctorResult]:
    if not settings.pdf_certificate:
        return []
    now, remedy = clock.now(), "Set a new one (see 'Sign receipts as PDF' in the documentation)."
    try:
        end = pdf_signature.read_signer(
            settings.pdf_certificate, settings.pdf_key, at=now
        ).certificate.not_valid_after_utc
    except SignerInvalid as error:
        return [_PDF_CERTIFICATE.failed(sentence(f"COUNTERSIGN_PDF_CERTIFICATE: {error}"), remedy)]
    said = f"The certificate that signs PDFs expires on {end:%Y-%m-%d}."
    return [_PDF_CERTIFICATE.failed(said, remedy) if end - now < RENEWAL_PERIOD else _PDF_CERTIFICATE.passed(said)]


def _administrators(settings: Settings) -> list[DoctorResult]:
    chosen = settings.administrators
    if chosen == NO_MEMBERS:
        remedy = "Set COUNTERSIGN_ADMIN_TEAM to a team, as organisation/team, or to account ids."
        return [ADMINISTRATORS.failed("There are no administrators: COUNTERSIGN_ADMIN_TEAM is not set.", remedy)]
    if chosen.team is None:
        count = len(chosen.ids)
        return [ADMINISTRATORS.passed(f"{count:,} account{'s administer' if count > 1 else ' administers'}.")]
    return []  # Of a team GitHub says whether there is one (`bot.doctor.account_checks`).
