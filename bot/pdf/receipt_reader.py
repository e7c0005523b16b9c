"""The receipt inside a PDF, read by a process of its own, and the proof of the pages around it."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agreements.signed_receipt import MAX_RECEIPT_BYTES, ReceiptForged
from bot.pdf import pdf_signature, receipt_worker, worker_process
from bot.pdf.worker_process import WorkerFailed

MAX_PDF_BYTES = 4 * 1024**2
"""Bytes of a PDF that is read: a receipt with its agreement in Chinese has a tenth of it."""

TIMEOUT_SECONDS = 10
"""Seconds that reading one PDF may take."""

_TURNS = threading.BoundedSemaphore(1)  # Strangers may send files: they never wait in the line of those who sign.

PROBLEMS: Mapping[str, str] = {
    "encrypted": "it is an encrypted PDF: save it without a password, or give its attachment receipt.json",
    "none": "it is a PDF without an attachment: a receipt has one, receipt.json",
    "several": "it is a PDF with more than one attachment: a receipt has one, receipt.json",
    "unreadable": "it is no PDF that can be read",
    "large": f"it is a PDF larger than any receipt ({MAX_PDF_BYTES // 1024**2} MiB, its attachment {MAX_RECEIPT_BYTES // 1024} KiB)",
    "costly": "it is a PDF that takes more memory or time than any receipt",
    "busy": "this machine is too busy to read a PDF now: try again in a minute",
}
"""A clause for each reason why no receipt was found in a file."""


class PdfUnreadable(Exception):
    """No receipt was found in the PDF, for that `problem`; the message is one line and quotes nothing of it."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(PROBLEMS[problem])


class Pages(StrEnum):
    """Proof of a PDF's pages, once the receipt inside it was verified."""

    SIGNED = "signed"
    NOT_SIGNED = "not signed"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class PdfReceipt:
    """The attached `receipt`, not verified, and the fingerprint of the `certificate` that signed the whole file, if one did."""

    receipt: bytes
    certificate: str | None

    def pages(self, verified: Mapping[str, Any]) -> Pages:
        """The proof of the pages; `verified` is this very receipt, which the log's key signed. Raises ReceiptForged."""
        named = verified.get(pdf_signature.CERTIFICATE_KEY)
        if named is None:
            return Pages.NOT_SIGNED
        if not pdf_signature.possible():
            return Pages.NOT_CHECKED
        # A signature that was taken away is as bad as a wrong one.
        if self.certificate != named:
            raise ReceiptForged("the PDF is not as the server signed it; only its attachment is")
        return Pages.SIGNED


def is_pdf(data: bytes) -> bool:
    """True if that is meant to be a PDF."""
    return data.startswith(b"%PDF-")


def read(data: bytes, *, patience: float = TIMEOUT_SECONDS) -> PdfReceipt:
    """The receipt inside this PDF. Raises PdfUnreadable."""
    if len(data) > MAX_PDF_BYTES:
        raise PdfUnreadable("large")
    try:
        done = worker_process.run(receipt_worker.__name__, data, _TURNS, patience=patience)
    except WorkerFailed:
        raise PdfUnreadable("busy") from None
    if done.returncode:  # Its limits ended it.
        raise PdfUnreadable("costly")
    found = json.loads(done.stdout)
    if "problem" in found:
        raise PdfUnreadable(found["problem"])
    return PdfReceipt(found["receipt"].encode(), found["certificate"])
