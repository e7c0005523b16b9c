"""A receipt as PDF is signed whole by a fitting certificate, and no file that differs from it by a byte passes."""

import io
import re
import ssl
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

from bot.pdf import pdf_signature
from bot.pdf.pdf_signature import SignerInvalid, certificate_of
from bot.secret import Secret
from tests.bot.pdf.pdf_files import AT, KEY, certificate_pem, key_pem, pdf, signer

OTHER = ec.generate_private_key(ec.SECP256R1())
DAY = timedelta(days=1)
pytestmark = pytest.mark.usefixtures("pades")


@pytest.fixture(scope="module", name="signed")
def _signed(pades):
    return pdf_signature.sign(pdf(("receipt.json", b"{}")), signer())


@pytest.mark.slow
def test_other_software_finds_a_pades_signature_over_the_whole_file_that_permits_no_change(signed):
    from asn1crypto import pem, x509
    from pyhanko.pdf_utils.reader import PdfFileReader
    from pyhanko.sign.fields import MDPPerm
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko_certvalidator import ValidationContext

    [found] = PdfFileReader(io.BytesIO(signed)).embedded_signatures
    root = x509.Certificate.load(pem.unarmor(certificate_pem().encode())[2])
    with ThreadPoolExecutor(1) as thread:  # It runs an event loop; the browser of other tests runs one in this thread.
        said = thread.submit(validate_pdf_signature, found, ValidationContext(trust_roots=[root], moment=AT)).result()

    assert (said.intact, said.valid, found.docmdp_level) == (True, True, MDPPerm.NO_CHANGES)
    assert (said.coverage.name, found.sig_object["/SubFilter"]) == ("ENTIRE_FILE", "/ETSI.CAdES.detached")


def test_the_certificate_of_a_file_that_is_as_it_was_signed_is_found(signed):
    assert certificate_of(signed) == signer().sha256
    assert certificate_of(pdf()) is None


def ranges(data):
    """Where the signature of that file begins, and where it has ended."""
    return [int(group) for group in re.search(rb"/ByteRange \[0 (\d+) (\d+) \d+\s*\]", data).groups()]


def appended(data):
    """The file with one more revision."""
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter

    writer = IncrementalPdfFileWriter(io.BytesIO(data))
    writer.root["/Lang"] = writer.root["/Pages"]
    writer.update_root()
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def longer(data):
    """The file with a longer signature, so that the lengths of its parts still add up to its own."""
    _begin, end = ranges(data)
    return data[: end - 1] + b"00" + data[end - 1 :]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data + b"\n",
        lambda data: data[:-1],
        lambda data: data.replace(b"100", b"101", 1),
        lambda data: data.replace(b"/Kids", b"/kids", 1),
        appended,
        longer,
        lambda data: data + b"% /ByteRange [0 1 2 3]",
        lambda data: re.sub(rb"/ByteRange \[[^\]]*\]", b"/ByteRange [0 0 0 0]", data),
        lambda data: data[: ranges(data)[0] + 1] + b"zz" + data[ranges(data)[0] + 3 :],
        lambda data: data[: ranges(data)[0] + 1] + b"00" * 40 + data[ranges(data)[0] + 81 :],
        lambda data: b"%PDF-1.7 /ByteRange [0 9999999999 9999999999 9999999999]",
        lambda data: b"/ByteRange [0 30 32 0]        <>",
    ],
    ids=range(12),
)  # fmt: skip
def test_a_file_that_was_changed_in_any_way_has_no_certificate(signed, change):
    assert change(signed) != signed
    assert certificate_of(change(signed)) is None


def test_a_signature_of_one_file_does_not_count_in_another_and_anothers_is_told_apart(signed):
    begin, end = ranges(signed)
    other = pdf_signature.sign(pdf(("receipt.json", b"[]")), signer())
    start, stop = ranges(other)
    assert stop - start == end - begin
    assert certificate_of(other[:start] + signed[begin:end] + other[stop:]) is None

    foreign = certificate_of(pdf_signature.sign(pdf(), signer(OTHER)))
    assert foreign == signer(OTHER).sha256 != signer().sha256


@pytest.mark.parametrize(
    ("certificate", "key", "said"),
    [
        ("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----", key_pem(), "not a PEM certificate"),
        ("", key_pem(), "belong together"),
        (certificate_pem(), Secret(""), "belong together"),
        (certificate_pem(), key_pem(OTHER), "is not the key of this certificate"),
        (certificate_pem(), Secret("-----BEGIN PRIVATE KEY-----\nx"), "is no PEM private key"),
        (certificate_pem(end=AT - DAY), key_pem(), "is valid from 2026-01-25 to 2026-11-20 only"),
        (certificate_pem(begin=AT + DAY), key_pem(), "is valid from 2026-11-22 to"),
        (certificate_pem(usage="key_encipherment"), key_pem(), "not for signatures"),
    ],
    ids=range(8),
)
def test_a_certificate_that_cannot_sign_is_refused_in_one_line(certificate, key, said):
    with pytest.raises(SignerInvalid, match=said) as refused:
        pdf_signature.read_signer(certificate, key, at=AT)
    assert "\n" not in str(refused.value)


def test_keys_that_readers_of_pdf_do_not_know_are_refused():
    locked = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"Kanarienvogel"))
    for key, said in (
        (key_pem(rsa.generate_private_key(65537, 1024)), "2,048 bits"),
        (key_pem(dsa.generate_private_key(1024)), "RSA or elliptic curve"),
        (key_pem(ed25519.Ed25519PrivateKey.generate()), "RSA or elliptic curve"),
        (Secret(locked.decode()), "without a password"),
    ):
        with pytest.raises(SignerInvalid, match=said):
            pdf_signature.read_signer(certificate_pem(), key, at=AT)


@pytest.mark.parametrize("usage", [None, "digital_signature", "content_commitment"])
def test_a_fitting_certificate_with_its_chain_signs(usage):
    chosen = pdf_signature.read_signer(certificate_pem(OTHER, usage=usage) + certificate_pem(), key_pem(OTHER), at=AT)

    assert certificate_of(pdf_signature.sign(pdf(), chosen)) == chosen.sha256
    assert len(chosen.chain) == 1
    assert "PRIVATE" not in repr(chosen)


def test_a_file_that_cannot_be_signed_whole_is_not_handed_out():
    for broken, said in ((b"%PDF-1.7", "signing failed: [A-Z]"), (pdf(("a", b"/ByteRange [0 1 2 3]")), "whole file")):
        with pytest.raises(SignerInvalid, match=said) as refused:
            pdf_signature.sign(broken, signer())
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("extension", [b"\x00", b"\x30\x80", b"\x03\x02\x07", None])
def test_a_certificate_with_parts_that_cannot_be_read_is_refused_in_one_clause(extension):
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "N")])
    built = x509.CertificateBuilder(name, name, OTHER.public_key(), 7, AT - DAY, AT + DAY)
    if extension is not None:
        built = built.add_extension(x509.UnrecognizedExtension(x509.ExtensionOID.KEY_USAGE, extension), critical=True)
    data = built.sign(OTHER, hashes.SHA256()).public_bytes(Encoding.DER)
    if extension is None:  # A curve that the library does not know: prime192v2 in place of prime256v1.
        data = data.replace(bytes.fromhex("06082a8648ce3d030107"), bytes.fromhex("06082a8648ce3d030102"))
    with pytest.raises(SignerInvalid, match="cannot be read: have it issued again"):
        pdf_signature.read_signer(ssl.DER_cert_to_PEM_cert(data), key_pem(OTHER), at=AT)


def test_without_the_extra_no_certificate_is_taken(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyhanko", None)
    with pytest.raises(SignerInvalid, match="needs the extra `pades`"):
        signer()
