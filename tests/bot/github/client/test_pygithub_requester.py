"""PyGithub's connections have the environment's proxy and authorities, and none of its credentials."""

import ssl
from datetime import timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot import clock
from bot.github.client.requester_pool import RequesterPool
from bot.github.client.transport import Transport
from bot.github.ports import Unreachable


def test_the_environment_is_read_once_without_credentials(server, monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("default login ada password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    behind = RequesterPool("http://github.example/api/v3", patience=0, pause=0)
    direct = RequesterPool(f"http://127.0.0.1:{server.server_port}", patience=0, pause=0)
    Transport(behind).read("/x")
    Transport(direct).read("/x")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY")
    Transport(behind).read("/y")
    Transport(direct).read("/y")
    behind.close()
    direct.close()

    away = "http://github.example:80/api/v3"
    assert [path for path, _, _ in server.asked] == [f"{away}/x", "/x", f"{away}/y", "/y"]
    assert not any({"Authorization", "Cookie"} & headers.keys() for _, headers, _ in server.asked)


def test_a_certificate_authority_of_the_environment_is_trusted(server, monkeypatch, tmp_path):
    bundle, own = tmp_path / "bundle.pem", tmp_path / "own.pem"
    certificate(bundle, own)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    address = f"https://127.0.0.1:{server.server_port}"
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    stranger = RequesterPool(address, patience=0, pause=0)
    with pytest.raises(Unreachable, match="SSLError"):
        Transport(stranger).read("/x")
    stranger.close()

    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    pool = RequesterPool(address, patience=0, pause=0)
    assert Transport(pool).read("/x") == {"ok": 1}
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    assert Transport(pool).read("/x") == {"ok": 1}
    pool.close()


def certificate(bundle, own):
    """One for loopback that vouches for itself: alone in the bundle, with its key in the server's own file."""
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(clock.now() - timedelta(days=1))
        .not_valid_after(clock.now() + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, SHA256()).public_bytes(Encoding.PEM)
    )  # fmt: skip
    bundle.write_bytes(made)
    own.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + made)
