"""Strings, symbols, labels and marks of Ruby, Elixir, Swift and Gradle sources, with their lines: read in one pass, never run."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

_TOKEN: Final = re.compile(
    r"(?P<comment>#[^\n]*+|//[^\n]*+)"
    r"|(?P<block>\"\"\"|'''|(?<![^\n])=begin\b|/\*)"
    r"|\"(?P<double>[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)(?P<closed>\"?)(?P<key>:(?!:))?"
    r"|'(?P<single>[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)(?P<ended>'?)"
    r"|%q<(?P<angle>[^<>\n]{1,200}+)>"
    r"|:(?P<symbol>[A-Za-z_][A-Za-z0-9_]*+[?!]?)|:\"(?P<quoted>[^\"\\\n]*+)\""
    r"|(?P<label>[A-Za-z_][A-Za-z0-9_]*+):(?!:)|(?P<word>[A-Za-z_][A-Za-z0-9_]*+[?!]?)"
    r"|(?P<line>\n)|(?P<mark>\S)"
)
# Texts of several lines; Ruby's and C's comments.
_ENDS: Final = {'"""': '"""', "'''": "'''", "=begin": "\n=end", "/*": "*/"}
OPENING: Final = frozenset("([{")
MAX_VALUE_TOKENS: Final = 200  # Looked at for one value: values within values can't cost more and more.
CLOSING: Final = frozenset(")]}")


class TokenKind(Enum):
    """The kinds of tokens."""

    STRING = "string"
    SYMBOL = "symbol"
    LABEL = "label"
    WORD = "word"
    LINE = "line"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a source: its `kind`, its `text` without quotes and colons, and its `line` from 1."""

    kind: TokenKind
    text: str
    line: int

    @property
    def is_opening(self) -> bool:
        return self.kind is TokenKind.MARK and self.text in OPENING

    @property
    def is_closing(self) -> bool:
        return self.kind is TokenKind.MARK and self.text in CLOSING


END: Final = Token(TokenKind.LINE, "", 0)  # Stands behind the last token.


def tokens(content: str) -> list[Token]:
    """All tokens, in linear time; comments and texts of several lines are left out, ends of lines are tokens."""
    found: list[Token] = []
    line, at = 1, 0
    while piece := _TOKEN.search(content, at):
        at = piece.end()
        kind = piece.lastgroup
        if kind == "block":
            end = content.find(_ENDS[piece[0]], at)
            # Not closed: the rest of the file is a part of it.
            end = len(content) if end < 0 else end + len(_ENDS[piece[0]])
            # `""""a""""` is a text with a quote at each end.
            while piece[0][0] in "\"'" and content[end : end + 1] == piece[0][0]:
                end += 1
            line, at = line + content.count("\n", at, end), end
        elif kind == "line":
            found.append(Token(TokenKind.LINE, "", line))
            line += 1
        elif kind != "comment":
            found.append(_token(piece, line))
    return found


def _token(piece: re.Match[str], line: int) -> Token:
    for name in ("double", "single", "angle"):
        if piece[name] is not None:
            return Token(TokenKind.LABEL if piece["key"] else TokenKind.STRING, piece[name], line)
    if piece["symbol"] is not None or piece["quoted"] is not None:
        return Token(TokenKind.SYMBOL, piece["symbol"] or piece["quoted"] or "", line)
    if piece["label"] is not None:
        return Token(TokenKind.LABEL, piece["label"], line)
    if piece["word"] is not None:
        return Token(TokenKind.WORD, piece["word"], line)
    return Token(TokenKind.MARK, piece["mark"], line)


def closing(read: list[Token], start: int, most: int | None = None) -> int:
    """The place of the bracket that closes the one at `start`, else the end of the `most` tokens read (None: all)."""
    end = len(read) if most is None else min(len(read), start + most)
    depth = 0
    for at in range(start, end):
        depth += read[at].is_opening - read[at].is_closing
        if depth <= 0:  # Also a bracket that closes nothing.
            return at
    return end


def closings(read: list[Token]) -> list[int]:
    """The answer of `closing` for each place, in one pass: nested calls each ask for theirs."""
    found = [len(read) if token.is_opening else at for at, token in enumerate(read)]
    opened: list[int] = []
    for at, token in enumerate(read):
        if token.is_opening:
            opened.append(at)  # Not closed, it ends with the file, as above.
        elif token.is_closing and opened:
            found[opened.pop()] = at
    return found


def value(read: list[Token], at: int) -> tuple[list[Token], int]:
    """The strings and symbols of the value at `at` (a lone one, or those in brackets), and where it ends."""
    if at >= len(read):
        return [], at
    # Ruby's lists of symbols and words: `%i[a b]`.
    if read[at].text == "%" and at + 2 < len(read) and read[at + 1].text in {"i", "w"} and read[at + 2].is_opening:
        end = closing(read, at + 2, MAX_VALUE_TOKENS)
        words = [token for token in read[at + 3 : end] if token.kind is TokenKind.WORD]
        return [Token(TokenKind.SYMBOL, word.text, word.line) for word in words], end
    end = closing(read, at, MAX_VALUE_TOKENS) if read[at].is_opening else at + 1
    # The caller goes on at the end: looking for values within values takes time in the square of their depth.
    return [token for token in read[at:end] if token.kind in {TokenKind.STRING, TokenKind.SYMBOL}], end
