"""The mail server: it lets us in as the settings say, takes our sender, and sends one e-mail where that is asked for."""

from collections.abc import Iterator, Mapping
from typing import Final

from bot.clock import Clock, new_id
from bot.doctor.doctor_report import DoctorCheck, DoctorResult, sentence
from bot.mail.smtp import EmailInvalid, EmailRefused, MailServer, Step, message
from bot.settings import Settings
from bot.store.outbox import Email

LOGIN: Final = DoctorCheck("mail.login", "high")
SENT: Final = DoctorCheck("mail.sent", "high")
KIND: Final = "doctor-test"  # The template of the e-mail that is sent.
_PATIENCE_SECONDS: Final = 3.0  # To connect, and for each answer.
_REMEDIES: Final[Mapping[Step, str]] = {
    "connection": "Correct host and port in COUNTERSIGN_SMTP_URL, and let this machine through the firewall to them.",
    "certificate": "Name the mail server in COUNTERSIGN_SMTP_URL as its certificate does, and have a valid certificate installed there.",
    "encryption": "Use smtps:// for a port with TLS from the first byte (465), smtp:// for one with STARTTLS (587).",
    "login": "Correct user and password in COUNTERSIGN_SMTP_URL (percent-encoded), and allow SMTP for that account at the mail server.",
    "sender": "Allow COUNTERSIGN_MAIL_FROM as the sender for that account at the mail server, or set one that it allows.",
    "recipient": "Correct the address after --mail-to, or allow the mail server to send there.",
    "content": "See the mail server's log: it refuses what the e-mail says, not who sends it.",
    "server": "See the mail server's log: it may limit how much is sent, or from where.",
}
_UNSENT: Final = "Until then e-mails wait in the outbox and are tried again (`countersign mail list`; see 'Send mail' in the documentation)."


def judge(settings: Settings, recipient: str | None, clock: Clock) -> Iterator[DoctorResult]:
    """Check the mail server, and send one e-mail to `recipient` unless that is None."""
    if not settings.smtp_url:
        yield LOGIN.not_applicable("COUNTERSIGN_SMTP_URL is not set: there is no mail server to ask.")
        if recipient:
            yield SENT.failed(
                "No e-mail was sent: COUNTERSIGN_SMTP_URL is not set.", "Set it: see 'Send mail' in the documentation."
            )
        return
    try:
        server = MailServer.parse(settings.smtp_url.reveal())
    except ValueError as error:
        unusable = "Correct COUNTERSIGN_SMTP_URL (see 'Send mail' in the documentation)."
        yield LOGIN.failed(f"COUNTERSIGN_SMTP_URL {error}.", unusable)
        return
    login = _login(server, settings)
    yield login
    if recipient:
        yield (
            _sent(server, settings, recipient, clock)
            if login.is_met  # Else it would be refused for the same reason.
            else SENT.unknown("No e-mail was sent.", login.remedy)
        )


def _login(server: MailServer, settings: Settings) -> DoctorResult:
    try:
        server.check(settings.mail_from, patience=_PATIENCE_SECONDS)
    except EmailRefused as error:
        return LOGIN.failed(_said(server, error), f"{_REMEDIES[error.step]} {_UNSENT}")
    how = {"tls": "with TLS", "starttls": "with STARTTLS", "none": "without TLS, on this machine"}[server.security]
    who = "logs us in" if server.user else "takes our e-mails without a login"
    return LOGIN.passed(f"The mail server {server.host}:{server.port} {who}, {how}, and takes our sender.")


def _sent(server: MailServer, settings: Settings, recipient: str, clock: Clock) -> DoctorResult:
    email = Email(kind=KIND, to=recipient, language="en", values={"site": settings.url})
    try:
        made = message(email, sender=settings.mail_from, mail_id=new_id(), at=clock())
        server.send(made, patience=_PATIENCE_SECONDS)
    except EmailInvalid as error:
        return SENT.failed(sentence(str(error)), "Give --mail-to one e-mail address.")
    except EmailRefused as error:
        return SENT.failed(_said(server, error), _REMEDIES[error.step])
    return SENT.passed("The mail server took one e-mail. Look whether it arrives, and not among spam.")


def _said(server: MailServer, error: EmailRefused) -> str:
    return sentence(f"{error} ({server.host}:{server.port})")
