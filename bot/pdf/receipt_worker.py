"""The process that reads the receipt out of one PDF that a stranger sent: limited memory and time, no network.

Run by bot.pdf.receipt_reader as `python -m bot.pdf.receipt_worker`: the PDF on standard input, JSON on standard output.
"""

import json
import sys
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING

from agreements.signed_receipt import MAX_RECEIPT_BYTES
from bot.pdf import pdf_signature
from bot.pdf.worker_process import limit

if TYPE_CHECKING:
    from pypdf import PdfReader

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
        attached = list(islice(reader.attachment_list, 2))
        # A second one could say something else than the first: programs differ in which they show.
        if len(attached) > 1 or len(_embedded(reader)) > 1:
            return {"problem": "several"}
        if not attached:
            return {"problem": "none"}
        receipt = attached[0].content
        if len(receipt) > MAX_RECEIPT_BYTES:
            return {"problem": "large"}
        found: dict[str, str | None] = {"receipt": receipt.decode()}
    except Exception:  # noqa: BLE001 - a stranger wrote it, and a parser raises anything
        return {"problem": "unreadable"}
    return {**found, "certificate": pdf_signature.certificate_of(pdf) if pdf_signature.possible() else None}


def _embedded(reader: "PdfReader") -> set[tuple[int, int]]:
    """The numbers of the files that anything in the PDF embeds: also a mark on a page may, which no list names."""
    from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject  # noqa: PLC0415 - see above

    found, seen = set[tuple[int, int]](), set[tuple[int, int]]()
    waiting: list[object] = [reader.trailer]
    while waiting:
        node = waiting.pop()
        if isinstance(node, IndirectObject):
            place = (node.idnum, node.generation)
            if place in seen:
                continue
            seen.add(place)
            node = node.get_object()
        if isinstance(node, DictionaryObject):
            # One name may have a file for each system: only a stream of its own may stand there, so each has a number.
            found |= {
                (file.idnum, file.generation) for file in node.get("/EF", DictionaryObject()).get_object().values()
            }
            waiting += node.values()
        elif isinstance(node, ArrayObject):
            waiting += node
    return found


if __name__ == "__main__":
    main()
