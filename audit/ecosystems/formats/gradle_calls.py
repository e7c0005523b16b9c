"""Statements and calls of Gradle's build scripts, alike in Groovy and Kotlin: taken apart, never run."""

from collections.abc import Iterator
from typing import Final

from audit.ecosystems.formats.tokenizer import END, Token, TokenKind, closing, closings

_CONDITIONS: Final = frozenset({"if", "for", "while", "when", "switch"})
_GOES_ON: Final = frozenset({",", ".", "=", "+", "&", "|", "?", ":"})  # At a line's end: the statement has another.
_MAX_PARAMETER_TOKENS: Final = 8  # Of a block, before its arrow.


def statements(pieces: list[Token]) -> Iterator[tuple[list[Token], str]]:
    """Each statement with the brace that ends it; `(` where a bracket stays open, nothing for any other end."""
    statement: list[Token] = []
    depth = 0
    for piece, after in zip(pieces, [*pieces[1:], END], strict=False):
        is_mark = piece.kind is TokenKind.MARK
        if depth or (piece.is_opening and piece.text != "{"):
            # Blocks within brackets are parts of the statement.
            depth += piece.is_opening - piece.is_closing
            statement += [piece] if piece.kind is not TokenKind.LINE else []
        elif piece.kind is TokenKind.LINE:
            goes_on = bool(statement) and statement[-1].kind is TokenKind.MARK and statement[-1].text in _GOES_ON
            if not goes_on and not (after.kind is TokenKind.MARK and after.text in {".", ","}):
                yield statement, ""
                statement = []
        elif (is_mark and piece.text in {"{", "}", ";"}) or (piece.kind is TokenKind.WORD and piece.text == "else"):
            yield statement, piece.text if piece.text in {"{", "}"} else ""
            statement = []
        else:
            statement.append(piece)
    yield statement, "(" if depth else ""


def without_condition(statement: list[Token]) -> list[Token]:
    """The statement behind `if (…)`, `for (…)` or `name ->`, which may stand in one line with it."""
    at = 0
    while at + 1 < len(statement) and statement[at].text in _CONDITIONS and statement[at + 1].text == "(":
        at = closing(statement, at + 1) + 1
    beginning = [token.text for token in statement[at : at + _MAX_PARAMETER_TOKENS]]
    arrow = next((here for here in range(len(beginning) - 1) if beginning[here : here + 2] == ["-", ">"]), -2)
    return statement[at + arrow + 2 :]


def call(statement: list[Token]) -> tuple[str, list[Token]]:
    """The name that is called and its arguments, as in `name("a")`, `"name"("a")`, `dependencies.add("name", "a")`.

    A call of an object's has that object's name before its own, as in `tasks.named("a")`.
    """
    at = 0
    while at + 2 < len(statement) and statement[at + 1].text == "." and statement[at + 2].kind is TokenKind.WORD:
        at += 2
    called, words = statement[at], statement[at + 1 :]
    if called.kind is TokenKind.STRING and not (words and words[0].text == "("):
        return "", []
    if at and statement[at - 2].text != "dependencies":
        return "".join(token.text for token in statement[: at + 1]), words
    if called.text == "add" and len(words) > 3 and words[1].kind is TokenKind.STRING and words[2].text == ",":
        called, words = words[1], [words[0], *words[3:]]
    is_call = bool(words) and (words[0].kind is not TokenKind.MARK or words[0].text in {"(", "["})
    return (called.text, words) if is_call else ("", [])


def arguments(words: list[Token]) -> Iterator[list[Token]]:
    """The arguments of a call, those in a list each for itself."""
    ends = closings(words)
    waiting = [(0, len(words))] if words else []
    while waiting:
        start, end = waiting.pop()
        is_enclosed = words[start].is_opening and words[start].text != "{" and ends[start] == end - 1
        start, end = (start + 1, end - 1) if is_enclosed else (start, end)
        parts, at, begun = list[tuple[int, int]](), start, start
        while at < end:
            if words[at].kind is TokenKind.MARK and words[at].text == ",":
                parts.append((begun, at))
                begun = at + 1
            at = ends[at] + 1 if words[at].is_opening else at + 1
        parts = [part for part in (*parts, (begun, end)) if part[0] < part[1]]
        if is_enclosed or len(parts) > 1:
            waiting += reversed(parts)
        elif parts:
            yield words[parts[0][0] : parts[0][1]]
