"""The process that makes one PDF: HTML in, PDF out, no network, limited memory and time.

Run by bot.pdf.typesetter as `python -m bot.pdf.typesetter_worker`: JSON on standard input, the PDF on standard output.
"""

import json
import logging
import sys
from typing import Any, NoReturn

from bot.pdf.worker_process import limit

# A receipt with its agreement in Chinese takes 140 MiB of memory; fonts are only mapped.
MAX_ADDRESS_SPACE_BYTES = 1024**3

MAX_CPU_SECONDS = 20  # Of processor time.

NO_FONT = 3  # The exit code when no font has a character: better no PDF than a box where a name should be.


def main() -> None:
    """Read the request, write the PDF. Any error ends the process with another exit code than 0."""
    limit(MAX_ADDRESS_SPACE_BYTES, MAX_CPU_SECONDS)  # Before the input is read: it holds text that people typed.
    request = json.load(sys.stdin.buffer)
    boxes = _MissingGlyphHandler()
    logging.getLogger("weasyprint").addHandler(boxes)
    made = render(request["html"], request["attachment"].encode(), request["name"])
    if boxes.drawn:
        sys.exit(NO_FONT)
    sys.stdout.buffer.write(made)


class _MissingGlyphHandler(logging.Handler):
    """Notes when WeasyPrint logs that it drew a box since no font has a character."""

    drawn = False

    def emit(self, record: logging.LogRecord) -> None:
        self.drawn = self.drawn or ".notdef" in str(record.msg)  # It is told in no other way.


def render(html: str, attachment: bytes, name: str) -> bytes:
    """A PDF/A-3a (archival, tagged, its text can be found) of that HTML with the attachment of that name in it."""
    # An optional extra; and the limits come first.
    from weasyprint import HTML, Attachment  # type: ignore[import-untyped]  # noqa: PLC0415 - it ships no types, see above
    from weasyprint.urls import URLFetcher  # type: ignore[import-untyped]  # noqa: PLC0415 - it ships no types, see above

    class BlockedFetcher(URLFetcher):  # type: ignore[misc]  # it ships no types
        """Fetches nothing that the HTML refers to."""

        def fetch(self, url: str, headers: Any = None) -> NoReturn:  # noqa: ARG002 - WeasyPrint's signature
            raise ValueError("nothing is fetched")

    evidence = Attachment(
        string=attachment,
        name=name,
        description="The same for machines",
        relationship="Data",
        url_fetcher=BlockedFetcher(),
    )
    made: bytes = HTML(string=html, url_fetcher=BlockedFetcher()).write_pdf(
        pdf_variant="pdf/a-3a", attachments=[evidence], pdf_identifier=name.encode(), custom_metadata=False
    )
    return made


if __name__ == "__main__":
    main()
