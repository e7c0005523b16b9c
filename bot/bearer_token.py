"""The form of a token that an operator or a person gives us: it goes into a header as it is, or is compared with one."""

from typing import Final

MIN_TOKEN_CHARACTERS: Final = 16  # So many make a bearer token hard to guess.


def parse(text: str) -> str:
    """The token; "" for none. Raises ValueError with one clause."""
    # A space or a line end would end the header's value.
    if text and not (len(text) >= MIN_TOKEN_CHARACTERS and text.isascii() and text.isprintable() and " " not in text):
        raise ValueError(f"must be at least {MIN_TOKEN_CHARACTERS} letters and digits without a space")
    return text
