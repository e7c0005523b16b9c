"""Renders e-mails and hands them to a mail server; error messages name no person."""

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Self
from urllib.parse import unquote, urlsplit

from bot.network.addresses import is_loopback
from bot.report.words import value_spacing
from bot.store.outbox import Email

if TYPE_CHECKING:
    import smtplib

TIMEOUT_SECONDS = 20
"""Seconds that the mail server may take to connect, and for each of its answers."""

_TEMPLATES = Path(__file__).parent / "templates"
_KIND = re.compile(r"[a-z][a-z-]{0,40}")
_BLANK: Final = r"\{(?P<name>\w+)\}"
_BLANKS: Final = value_spacing.blanks(_BLANK)
_MAX_SUBJECT_CHARACTERS = 1000
_DONE_CODE = 250  # RFC 5321: what was asked is done.
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_ENHANCED = re.compile(rb"[245]\.\d{1,3}\.\d{1,3}\b")  # RFC 3463.
_POLICY = SMTP.clone(cte_type="7bit")  # Not every server takes eight bits.


class EmailInvalid(Exception):
    """The e-mail cannot be written: no such template, a value that is missing, no address. The message names no value."""


Step = Literal["connection", "certificate", "encryption", "login", "sender", "recipient", "content", "server"]
"""The step that failed: reaching the mail server, its certificate, TLS itself, user and password, …, else the server."""


class EmailRefused(Exception):
    """The mail server did not take the e-mail, at that `step`; `for_good` says that it never will. The message holds nothing personal."""

    def __init__(self, why: str, *, step: Step = "server", for_good: bool = False) -> None:
        self.step = step
        self.for_good = for_good
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class RenderedEmail:
    """An e-mail as its recipient reads it: `subject` and plain-text `body`."""

    subject: str
    body: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """A mail server at `host` and `port`, with the login `user` and `password`.

    `security`: with TLS from the first byte, with STARTTLS or not at all, or (on loopback) without.
    """

    host: str
    port: int
    security: Literal["tls", "starttls", "none"]
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def parse(cls, url: str) -> Self:
        """Read `smtp://user:password@host:587`, `smtps://…:465`; user, password percent-encoded. Raises ValueError."""
        parts = urlsplit(url)
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
            raise ValueError("must begin with smtp:// or smtps:// and name a host")
        try:
            port = parts.port
        except ValueError:
            raise ValueError("must have a port from 1 to 65535, or none") from None
        if parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError("must end after the host and port; write / ? # in a password as %2F %3F %23")
        return cls(
            host=parts.hostname,
            # The ports of RFC 8314 and RFC 6409.
            port=port or (465 if parts.scheme == "smtps" else 587),
            security="tls" if parts.scheme == "smtps" else "none" if is_loopback(parts.hostname) else "starttls",
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
        )

    def send(
        self, message: EmailMessage, *, trust: ssl.SSLContext | None = None, patience: float = TIMEOUT_SECONDS
    ) -> None:
        """Hand the mail over to the server, who then answers for it. Raises EmailRefused.

        `trust` replaces the machine's own certificates. 5xx for the recipient or the content is for good; all else
        (the server, its certificate, our sender's name and password) an operator may put right.
        """
        import smtplib  # noqa: PLC0415 - only where there is mail to send

        with _refusals(), self._session(trust, patience) as server:
            server.send_message(message)
            # The server has taken the e-mail: an error of QUIT must not make it go out twice.
            with suppress(OSError, smtplib.SMTPException):
                server.quit()

    def check(self, sender: str, *, trust: ssl.SSLContext | None = None, patience: float = TIMEOUT_SECONDS) -> None:
        """Log in as for an e-mail from that address, and take it back: nothing is sent. Raises EmailRefused."""
        import smtplib  # noqa: PLC0415 - as above

        with _refusals(), self._session(trust, patience) as server:
            server.ehlo_or_helo_if_needed()  # `send_message` would do it by itself.
            code, said = server.mail(parseaddr(sender)[1])
            if code != _DONE_CODE:
                raise smtplib.SMTPSenderRefused(code, said, "")
            server.rset()
            with suppress(OSError, smtplib.SMTPException):
                server.quit()

    @contextmanager
    def _session(self, trust: ssl.SSLContext | None, patience: float) -> Iterator["smtplib.SMTP"]:
        """Connected, encrypted and logged in as the settings say. Raises smtplib's errors, OSError and ValueError."""
        import smtplib  # noqa: PLC0415 - as above

        context = trust or ssl.create_default_context()
        if self.security == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=patience, context=context)
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=patience)
        try:
            if self.security == "starttls":
                server.starttls(context=context)
            if self.user:
                server.login(self.user, self.password)
            yield server
        finally:
            server.close()  # No QUIT: after an error there may be no connection.


@contextmanager
def _refusals() -> Iterator[None]:
    import smtplib  # noqa: PLC0415 - as above

    try:
        yield
    except smtplib.SMTPRecipientsRefused as error:
        # Each e-mail has one recipient.
        raise _refused("the recipient", "recipient", *next(iter(error.recipients.values()))) from None
    except smtplib.SMTPSenderRefused as error:
        raise EmailRefused(_said("the sender", error.smtp_code, error.smtp_error), step="sender") from None
    except smtplib.SMTPDataError as error:
        raise _refused("the content", "content", error.smtp_code, error.smtp_error) from None
    except smtplib.SMTPAuthenticationError as error:
        raise EmailRefused(_said("user and password", error.smtp_code, error.smtp_error), step="login") from None
    except smtplib.SMTPResponseException as error:
        raise EmailRefused(_said("us", error.smtp_code, error.smtp_error)) from None
    except smtplib.SMTPNotSupportedError as error:
        if "STARTTLS" in str(error):
            raise EmailRefused("the mail server does not offer STARTTLS", step="encryption") from None
        missing = "what is needed (AUTH, or SMTPUTF8 for this address)"
        raise EmailRefused(f"the mail server does not offer {missing}", step="login") from None
    except (OSError, smtplib.SMTPException, ValueError) as error:
        # Of a connection that ended, smtplib hides why.
        cause = error.__context__ if isinstance(error, smtplib.SMTPServerDisconnected) else None
        raise EmailRefused(
            f"the mail server cannot be used: {type(cause or error).__name__}", step=_step(cause or error)
        ) from None


def _step(error: BaseException) -> Step:
    if isinstance(error, ssl.SSLCertVerificationError):
        return "certificate"
    return "encryption" if isinstance(error, ssl.SSLError) else "connection"


def read(email: Email) -> RenderedEmail:
    """The e-mail's template in its language, filled in. Raises EmailInvalid."""
    # The first line is the subject; a value is put in as one line, so none begins a line of its own or a header.
    subject, _, body = _template(email.kind, email.language).partition("\n")
    return RenderedEmail(_filled(subject, email)[:_MAX_SUBJECT_CHARACTERS], _filled(body.strip("\n"), email) + "\n")


def message(email: Email, *, sender: str, mail_id: str, at: datetime) -> EmailMessage:
    """The e-mail as a MIME message; sent again, it has the same Message-ID. Raises EmailInvalid."""
    page = read(email)
    name, own = parseaddr(sender)
    made = EmailMessage(policy=_POLICY)
    try:
        made["From"] = Address(name, addr_spec=own)
        made["To"] = Address(addr_spec=email.to)
    except (ValueError, IndexError, HeaderParseError):  # By Python's version.
        raise EmailInvalid("the address of the recipient cannot be used in an e-mail") from None
    made["Subject"] = page.subject
    made["Date"] = format_datetime(at)
    # The same at each try, so that a mailbox can tell a second copy.
    made["Message-ID"] = f"<{mail_id}@{own.rpartition('@')[2]}>"
    made["Auto-Submitted"] = "auto-generated"  # RFC 3834: no answers by machines.
    made.set_content(page.body)
    return made


_SINCE_THIS_RELEASE = ("party", "commits")
"""Values that unsent e-mails lack which the release before wrote: the lines with them are left out."""


@lru_cache(maxsize=128)
def _template(kind: str, language: str) -> str:
    # The kind names a file, so it must be no path.
    if not _KIND.fullmatch(kind) or language not in ("en", "zh"):
        raise EmailInvalid(f"there is no template {kind!r}")
    try:
        return (_TEMPLATES / language / f"{kind}.txt").read_text(encoding="utf-8")
    except OSError:
        raise EmailInvalid(f"there is no template {language}/{kind}.txt") from None


def _filled(text: str, email: Email) -> str:
    # Without line ends of any kind, other control characters and turns of the writing direction.
    values = {name: " ".join(_BREAKS.sub(" ", value).split()) for name, value in email.values.items()}

    def value(blank: re.Match[str]) -> str:
        name = blank["name"]
        if name not in values:
            raise EmailInvalid(f"the template {email.kind} needs the value {name!r}")
        return values[name]

    lacking = [f"{{{name}}}" for name in _SINCE_THIS_RELEASE if name not in values]
    lines = (line for line in text.splitlines(keepends=True) if not any(gap in line for gap in lacking))
    return re.sub(_BLANK, value, value_spacing.fit("".join(lines), _BLANKS, values))


def _refused(what: str, step: Step, code: int, text: bytes | str) -> EmailRefused:
    return EmailRefused(_said(what, code, text), step=step, for_good=500 <= code < 600)


def _said(what: str, code: int, text: bytes | str) -> str:
    # The numbers of an answer alone: its words may hold an address.
    found = _ENHANCED.match(text.encode() if isinstance(text, str) else text)
    return f"the mail server refused {what}: {code}{' ' + found[0].decode() if found else ''}"
