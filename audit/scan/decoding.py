"""Bytes of a stranger's file become text: byte order marks, UTF-8, UTF-16, else Latin-1, and never an error."""

import codecs
from typing import Final

# UTF-32 before UTF-16: its little-endian mark begins with the other's.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes) -> tuple[str, str]:
    """The text, and what is amiss with its encoding (empty: nothing). Each line ends in a line feed."""
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    text, called = data[len(mark) :], encoding.upper()
    amiss = "" if encoding == "utf-8" else f"written in {called}, read as such"
    try:
        words = text.decode(encoding)
    except UnicodeDecodeError as error:
        # Any byte is a letter in Latin-1.
        words = text.decode(encoding, "replace") if mark else text.decode("latin-1")
        read_as = f"{called} with signs for what is not" if mark else "Latin-1"
        amiss = f"not {called} (byte {len(mark) + error.start + 1}), read as {read_as}"
    if "\0" in words:
        amiss = "holds NUL characters, so it may be no text"
    return words.replace("\r\n", "\n").replace("\r", "\n"), amiss


def shown(path: str) -> str:
    """A path as it can be written: names that are no UTF-8 have their odd bytes replaced."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
