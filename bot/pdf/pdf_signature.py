"""The certificate that signs receipts as PDF (PAdES baseline B-B), and the check that a file is still as it was signed.

The level is ETSI EN 319 142-1's: the signature covers the whole file and names its certificate; no authority vouches for
the time. pyHanko is the optional extra `pades`; without it nothing is signed, and no signature is called right.
"""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key

from bot.secret import Secret

CERTIFICATE_KEY = "pdf_certificate_sha256"
"""The key of a receipt that names the certificate of the PDF around it: so the log's key vouches for that certificate."""

_FIELD = "Countersign"
_MIN_RSA_BITS = 2048
_UNREADABLE = "the certificate has a key or a key usage that cannot be read: have it issued again"
_BYTE_RANGE = re.compile(rb"/ByteRange\s*\[\s*0\s+(\d{1,10})\s+(\d{1,10})\s+(\d{1,10})\s*\]")


class SignerInvalid(ValueError):
    """The certificate or its key cannot sign; the message is one clause and quotes nothing of them."""


@dataclass(frozen=True, slots=True)
class PdfSigner:
    """The signing `certificate`, the `chain` that stands behind it, and its private `key` as PEM."""

    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...]
    key: Secret

    @property
    def sha256(self) -> str:
        """The certificate's fingerprint, hexadecimal."""
        return sha256(self.certificate.public_bytes(Encoding.DER)).hexdigest()


def possible() -> bool:
    """True if the optional extra `pades` is installed."""
    return find_spec("pyhanko") is not None


def read_signer(certificates: str, key: Secret, *, at: datetime) -> PdfSigner:
    """The signer of these PEM texts, the certificate first. Raises SignerInvalid: it does not fit, or not at this moment."""
    if not possible():
        raise SignerInvalid("signing needs the extra `pades`: see 'Make receipts as PDF' in the documentation")
    if not certificates or not key:
        raise SignerInvalid(
            "a certificate and its key belong together: set COUNTERSIGN_PDF_CERTIFICATE and COUNTERSIGN_PDF_KEY"
        )
    try:
        certificate, *chain = x509.load_pem_x509_certificates(certificates.encode())
    except ValueError:
        raise SignerInvalid("not a PEM certificate (it begins with -----BEGIN CERTIFICATE)") from None
    try:
        private = load_pem_private_key(key.reveal().encode(), password=None)
    except (TypeError, ValueError, UnsupportedAlgorithm):  # TypeError: it is encrypted.
        raise SignerInvalid("COUNTERSIGN_PDF_KEY is no PEM private key without a password") from None
    # Readers of PDF know no other keys (ISO 32000-2, table 260).
    if not isinstance(private, RSAPrivateKey | EllipticCurvePrivateKey):
        raise SignerInvalid("the key must be RSA or elliptic curve")
    if isinstance(private, RSAPrivateKey) and private.key_size < _MIN_RSA_BITS:
        raise SignerInvalid(f"the RSA key must have at least {_MIN_RSA_BITS:,} bits")
    if private.public_key() != _key_of(certificate):
        raise SignerInvalid(
            "COUNTERSIGN_PDF_KEY is not the key of this certificate; the certificate comes first, then its chain"
        )
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if not begin <= at <= end:
        raise SignerInvalid(f"the certificate is valid from {begin:%Y-%m-%d} to {end:%Y-%m-%d} only: set a valid one")
    if not _may_sign(certificate):
        raise SignerInvalid("the certificate is not for signatures (key usage)")
    return PdfSigner(certificate, tuple(chain), key)


def sign(pdf: bytes, signer: PdfSigner) -> bytes:
    """The PDF with a signature over the whole file that permits no change. Raises SignerInvalid: it could not be signed."""
    try:
        signed = _signed(pdf, signer)
    except Exception as error:  # noqa: BLE001 - pyHanko has no common error; its text may quote the PDF
        raise SignerInvalid(f"signing failed: {type(error).__name__}") from None
    # A file that verifies otherwise would be called changed by those who have it.
    if certificate_of(signed) != signer.sha256:
        raise SignerInvalid("signing failed: the signature does not cover the whole file")
    return signed


def _signed(pdf: bytes, signer: PdfSigner) -> bytes:
    # An optional extra, and half a second to load.
    from pyhanko.keys import load_certs_from_pemder_data, load_private_key_from_pemder_data  # noqa: PLC0415 - see above
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter  # noqa: PLC0415 - see above
    from pyhanko.sign import fields, signers  # noqa: PLC0415 - see above
    from pyhanko_certvalidator.registry import SimpleCertificateStore  # noqa: PLC0415 - see above

    pem = b"".join(certificate.public_bytes(Encoding.PEM) for certificate in (signer.certificate, *signer.chain))
    certificate, *chain = load_certs_from_pemder_data(pem)
    known = SimpleCertificateStore()  # type: ignore[no-untyped-call]  # it has no types
    known.register_multiple(chain)
    hand = signers.SimpleSigner(
        signing_cert=certificate,
        signing_key=load_private_key_from_pemder_data(signer.key.reveal().encode(), passphrase=None),
        cert_registry=known,
    )
    wanted = signers.PdfSignatureMetadata(
        field_name=_FIELD,
        md_algorithm="sha256",
        subfilter=fields.SigSeedSubFilter.PADES,
        certify=True,
        docmdp_permissions=fields.MDPPerm.NO_CHANGES,
    )
    # pyHanko runs an event loop of its own, which a thread that runs one already refuses.
    with ThreadPoolExecutor(1) as thread:
        made = thread.submit(signers.sign_pdf, IncrementalPdfFileWriter(BytesIO(pdf)), wanted, signer=hand)
        signed: BytesIO = made.result()
    return signed.getvalue()


def certificate_of(pdf: bytes) -> str | None:
    """The fingerprint of the certificate that signed this whole file as it is; None when none did. Needs the extra.

    Whose certificate it is, and whether it was revoked, is not asked here: the receipt in the file says whose it must be.
    """
    from asn1crypto import cms  # type: ignore[import-untyped]  # noqa: PLC0415 - it ships no types; the extra's own
    from pyhanko.sign.general import extract_certificate_info, extract_signer_info  # noqa: PLC0415 - see above
    from pyhanko.sign.validation import generic_cms  # noqa: PLC0415 - see above

    # Not by the file's tables: an update that is appended may say anything, but a range that ends with the file has no place for one.
    found = [tuple(map(int, match.groups())) for match in _BYTE_RANGE.finditer(pdf)]
    if len(found) != 1:
        return None
    begin, after, length = found[0]
    gap = pdf[begin:after]
    if after + length != len(pdf) or not re.fullmatch(rb"<[0-9A-Fa-f]+>", gap):
        return None
    try:
        data = cms.ContentInfo.load(bytes.fromhex(gap[1:-1].decode()))["content"]
        info, certificate = extract_signer_info(data), extract_certificate_info(data).signer_cert
        if info["digest_algorithm"]["algorithm"].native != "sha256":  # As we sign.
            return None
        digest = sha256(pdf[:begin] + pdf[after:]).digest()
        is_right = generic_cms.validate_sig_integrity(info, certificate, "data", digest)
    except Exception:  # noqa: BLE001 - a stranger wrote it, and its parsers raise anything
        return None
    return sha256(certificate.dump()).hexdigest() if is_right == (True, True) else None


def _key_of(certificate: x509.Certificate) -> object:
    try:
        return certificate.public_key()
    except (ValueError, UnsupportedAlgorithm):
        raise SignerInvalid(_UNREADABLE) from None


def _may_sign(certificate: x509.Certificate) -> bool:
    try:
        usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    except x509.ExtensionNotFound:  # It is for everything.
        return True
    except (ValueError, x509.DuplicateExtension):
        raise SignerInvalid(_UNREADABLE) from None
    return usage.digital_signature or usage.content_commitment
