"""The process that reads the receipt out of one PDF that a stranger sent: limited memory and time, no network.

Run by bot.pdf.receipt_reader as `python -m bot.pdf.receipt_worker`: the PDF on standard input, JSON on standard output.
"""

import json
import sys
from io import BytesIO
from itertools import islice

from agreements.signed_receipt import MAX_RECEIPT_BYTES
from bot.pdf import signature
from bot.pdf.worker_process import limit

# A receipt of ours takes 150 MiB with both libraries loaded; streams that unpack to more end the process.
MAX_ADDRESS_SPACE_BYTES = 512 * 1024**2

MAX_CPU_SECONDS = 5  # Of processor time.


def main() -> None:
    """Read the PDF, write what was found. A file that is too much ends the process with another exit code than 0."""
    limit(MAX_ADDRESS_SPACE_BYTES, MAX_CPU_SECONDS)
    json.dump(read(sys.stdin.buffer.read()), sys.stdout)


def read(pdf: bytes) -> dict[str, str | None]:
    """The attached `receipt` and the fingerprint of the `certificate` that signed the whole file, or the `problem`."""
    # In this process alone: nothing of a stranger's file is parsed elsewhere.
    from pypdf import PdfReader  # noqa: PLC0415 - see above

    try:
        reader = PdfReader(BytesIO(pdf), strict=True)
        if reader.is_encrypted:
            return {"problem": "encrypted"}
        # A second one could say something else than the first: programs differ in which they show.
        attached = list(islice(reader.attachment_list, 2))
        if len(attached) != 1:
            return {"problem": "several" if attached else "none"}
        receipt = attached[0].content
        if len(receipt) > MAX_RECEIPT_BYTES:
            return {"problem": "large"}
        found: dict[str, str | None] = {"receipt": receipt.decode()}
    except Exception:  # noqa: BLE001 - a stranger wrote it, and a parser raises anything
        return {"problem": "unreadable"}
    return {**found, "certificate": signature.certificate_of(pdf) if signature.possible() else None}


if __name__ == "__main__":
    main()
