"""Mail servers on loopback for tests: one that does as it is told, with or without TLS, and one that says fixed lines."""

import socket
import ssl
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from types import SimpleNamespace

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.conftest import free_port


@dataclass
class Desk:
    """What the server got, and what it is to answer at `sender`, `rcpt` and `data` instead of taking the mail."""

    port: int = 0
    url: str = ""
    trust: ssl.SSLContext | None = None
    got: list = field(default_factory=list)
    answers: dict = field(default_factory=dict)

    async def handle_MAIL(self, server, session, envelope, address, options):  # noqa: N802 - aiosmtpd's name
        envelope.mail_from = address
        return self.answers.get("sender", "250 OK")

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802 - aiosmtpd's name
        if "rcpt" not in self.answers:
            envelope.rcpt_tos.append(address)
        return self.answers.get("rcpt", "250 OK")

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - aiosmtpd's name
        if "data" not in self.answers:
            self.got.append(
                SimpleNamespace(
                    to=envelope.rcpt_tos, content=envelope.content, encrypted=session.ssl is not None
                )
            )  # fmt: skip
        return self.answers.get("data", "250 OK")


@dataclass
class RawDesk:
    """Says one of `lines` for every message, then no more; an empty one drops the connection."""

    port: int = 0
    lines: list = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def serve(self, listener: socket.socket) -> None:
        """Talk to the clients, one after the other."""
        while not self.ended.is_set():
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            with connection:
                connection.settimeout(2)
                self._talk(connection)

    def _talk(self, connection: socket.socket) -> None:
        in_data = False
        for line in self.lines:
            if not line:
                return
            try:
                connection.sendall(line)
                heard = connection.recv(65536)
                in_data = line.startswith(b"354")
                while in_data and heard and not heard.endswith(b"\r\n.\r\n"):
                    heard += connection.recv(65536)
            except OSError:
                return
        self.ended.wait(1)


@pytest.fixture(name="smtp")
def _smtp():
    """A mail server without TLS."""
    yield from running(Desk(), "smtp")


@pytest.fixture(name="smtp_with_password")
def _smtp_with_password():
    """A mail server with TLS from the first byte that knows one user."""
    desk = Desk()
    asked = {"auth_require_tls": False, "authenticator": _let_in}
    yield from running(desk, "smtps", ssl_context=_certificate(desk), **asked)


@pytest.fixture(name="smtp_starttls")
def _smtp_starttls():
    """A mail server that insists on STARTTLS."""
    desk = Desk()
    yield from running(desk, "smtp", tls_context=_certificate(desk), require_starttls=True)


@pytest.fixture(name="raw_smtp")
def _raw_smtp():
    """A server that says what a test lays down."""
    desk = RawDesk()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        desk.port = listener.getsockname()[1]
        thread = threading.Thread(target=desk.serve, args=(listener,))
        thread.start()
        yield desk
        desk.ended.set()
        thread.join()


@pytest.fixture(name="free")
def _free():
    """A port where no server listens."""
    return free_port()


def running(desk, scheme, *, port=0, **options):
    """Give the desk once, while its server runs."""
    controller = Controller(desk, hostname="127.0.0.1", port=port or free_port(), ready_timeout=10, **options)
    controller.start()
    desk.port, desk.url = controller.port, f"{scheme}://127.0.0.1:{controller.port}"
    yield desk
    controller.stop()


def _let_in(_server, _session, _envelope, _mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"us:er", b"pass word"), handled=False)


def _certificate(desk):
    """A certificate for 127.0.0.1 for the server; `desk.trust` vouches for it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)  # noqa: TID251 - certificates are judged by the machine's own clock
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    desk.trust = ssl.create_default_context(cadata=pem.decode())
    return _serving(pem + private)


def _serving(pem):
    import tempfile

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile() as file:
        file.write(pem)
        file.flush()
        context.load_cert_chain(file.name)
    return context
