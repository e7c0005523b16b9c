"""PDFs and certificates for tests: small files with attachments, and signers of every kind."""

import io
from datetime import UTC, datetime, timedelta
from functools import cache

import pypdf
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.pdf import pdf_signature
from bot.secret import Secret

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = rsa.generate_private_key(65537, 2048)


def key_pem(key=KEY):
    """The key as an operator has it."""
    return Secret(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode())


def certificate_pem(key=KEY, begin=AT - timedelta(days=300), end=AT + timedelta(days=3000), usage=None):
    """A certificate for that key that signs itself; `usage` is the one key usage that it names."""
    return _certificate_pem(key, begin, end, usage)


@cache  # Its signature is another each time.
def _certificate_pem(key, begin, end, usage):
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "The CANN Authors")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), begin, end)
    if usage is not None:
        names = "digital_signature content_commitment key_encipherment data_encipherment key_agreement key_cert_sign crl_sign"
        use = {part: part == usage for part in names.split()}
        builder = builder.add_extension(x509.KeyUsage(**use, encipher_only=False, decipher_only=False), critical=True)
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM).decode()


def signer(key=KEY):
    """A signer with a certificate of its own."""
    return pdf_signature.read_signer(certificate_pem(key), key_pem(key), at=AT)


def pdf(*attached, password=None):
    """A page with these files attached, each as its name and bytes."""
    writer, made = pypdf.PdfWriter(), io.BytesIO()
    writer.add_blank_page(100, 100)
    for name, data in attached:
        writer.add_attachment(name, data)
    if password is not None:
        writer.encrypt(password)
    writer.write(made)
    return made.getvalue()
