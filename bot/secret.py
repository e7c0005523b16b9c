"""A text that is shown nowhere by chance: keys, passwords and tokens."""

from dataclasses import dataclass, field
from typing import Final

MIN_TOKEN_CHARACTERS: Final = 16  # So many make a bearer token hard to guess.


@dataclass(frozen=True, slots=True)
class Secret:
    """Text, `_text`, that must not appear in logs, errors or representations."""

    _text: str = field(repr=False)

    @classmethod
    def bearer_token(cls, text: str) -> "Secret":
        """A token, which goes into a header as it is or is compared with one. Raises ValueError with one clause."""
        # A space or a line end would end the header's value.
        is_long = len(text) >= MIN_TOKEN_CHARACTERS
        if text and not (is_long and text.isascii() and text.isprintable() and " " not in text):
            raise ValueError(f"must be at least {MIN_TOKEN_CHARACTERS} letters and digits without a space")
        return cls(text)

    def reveal(self) -> str:
        """The secret itself."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)


NO_SECRET = Secret("")
