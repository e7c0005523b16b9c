"""The receipt of a PDF is read, and every other file is refused for one reason, in bounded memory and time."""

import resource
import time
import zlib

import pytest

from agreements.signed_receipt import ReceiptForged
from bot.pdf import pdf_signature, receipt_reader, receipt_worker
from bot.pdf.receipt_reader import MAX_PDF_BYTES, PROBLEMS, Pages, PdfReceipt, PdfUnreadable
from tests.bot.pdf.pdf_files import pdf

RECEIPT = ("receipt.json", b'{"format": "x"}')


def made(*objects, root=b"1 0 R"):
    """A PDF of these objects, numbered from 1."""
    out, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    tail = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root %s >>\nstartxref\n%d\n%%%%EOF\n"
    return out + tail % (size, table, size, root, len(out))


def attaching(stream, filters=b"/FlateDecode"):
    """A PDF whose attachment is that stream."""
    return made(
        b"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(receipt.json) 3 0 R] >> >> >>",
        b"<< /Type /Pages /Kids [] /Count 0 >>",
        b"<< /Type /Filespec /F (receipt.json) /EF << /F 4 0 R >> >>",
        b"<< /Type /EmbeddedFile /Filter %s /Length %d >>\nstream\n%s\nendstream" % (filters, len(stream), stream),
    )


def packed(data, times):
    """The data compressed so many times."""
    for _ in range(times):
        data = zlib.compress(data, 9)
    return data


BOMB = packed(bytes(400 * 1024**2), 1)


@pytest.mark.slow
def test_the_attachment_of_a_pdf_is_its_receipt():
    assert receipt_reader.read(pdf(RECEIPT)) == PdfReceipt(RECEIPT[1], None)
    assert receipt_reader.read(attaching(packed(b"{}", 1))).receipt == b"{}"
    assert receipt_reader.is_pdf(pdf())
    assert not receipt_reader.is_pdf(b" %PDF-")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (pdf(), "none"),
        (pdf(RECEIPT, RECEIPT), "several"),
        (pdf(RECEIPT, ("receipt.txt", b"other")), "several"),
        (pdf(RECEIPT, password="x"), "encrypted"),
        (pdf(RECEIPT, password=""), "encrypted"),
        (b"%PDF-1.7", "unreadable"),
        (b"%PDF-1.7\n" + b"<" * 100_000, "unreadable"),
        (b"%PDF-1.7\nstartxref\n9\n%%EOF", "unreadable"),
        (pdf(RECEIPT)[:-200], "unreadable"),
        (pdf(("receipt.json", b"\xff")), "unreadable"),
        (pdf(("receipt.json", bytes(600_000))), "large"),
        (b"%PDF-" + bytes(MAX_PDF_BYTES), "large"),
        (attaching(packed(BOMB, 2), b"[/FlateDecode /FlateDecode /FlateDecode]"), "unreadable"),
        (attaching(BOMB), "unreadable"),
        (made(b"<< /Type /Catalog /Names 1 0 R /EmbeddedFiles 1 0 R /Kids [1 0 R 1 0 R] >>"), "unreadable"),
        (made(b"<< /Names << /EmbeddedFiles << /Names " + b"[" * 50_000 + b" >> >> >>"), "unreadable"),
    ],
    ids=range(16),
)  # fmt: skip
def test_what_has_no_receipt_is_refused_for_one_reason_in_bounded_memory_and_time(data, problem):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, time.monotonic()
    with pytest.raises(PdfUnreadable) as refused:
        receipt_reader.read(data)

    assert refused.value.problem == problem
    assert str(refused.value) == PROBLEMS[problem]
    assert time.monotonic() - began < receipt_reader.TIMEOUT_SECONDS + 5
    # The most that any child ever took, also one of another test; a child begins with the memory of this process.
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(before, ours, 600 * 1024)


def test_a_machine_that_is_too_busy_is_not_blamed_on_the_file():
    assert receipt_worker.MAX_CPU_SECONDS < receipt_reader.TIMEOUT_SECONDS
    with pytest.raises(PdfUnreadable, match="too busy"):
        receipt_reader.read(pdf(RECEIPT), patience=0.01)
    with receipt_reader._TURNS, pytest.raises(PdfUnreadable, match="try again"):
        receipt_reader.read(pdf(RECEIPT), patience=0.01)


def test_pages_are_proven_only_by_the_certificate_that_the_verified_receipt_names(monkeypatch):
    named, unnamed = {pdf_signature.CERTIFICATE_KEY: "aa"}, {}
    found = [PdfReceipt(b"", fingerprint) for fingerprint in ("aa", "bb", None)]
    monkeypatch.setattr(pdf_signature, "possible", lambda: True)
    assert found[0].pages(named) is Pages.SIGNED
    for other in found[1:]:
        with pytest.raises(ReceiptForged, match="not as the server signed it"):
            other.pages(named)
    # Anyone can sign a PDF around a receipt of another.
    assert [receipt.pages(unnamed) for receipt in found] == [Pages.NOT_SIGNED] * 3

    monkeypatch.setattr(pdf_signature, "possible", lambda: False)
    assert found[2].pages(named) is Pages.NOT_CHECKED
    assert found[2].pages(unnamed) is Pages.NOT_SIGNED
