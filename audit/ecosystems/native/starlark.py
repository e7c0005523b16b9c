"""Calls in Bazel's files, as they are spelled: which rule, on which line, with which texts for each argument. Nothing is run."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from audit.ecosystems.formats import python_literals
from audit.ecosystems.parsed_file import ParseError

_CLOSES: Final = frozenset(")]}")
_OPENS: Final = frozenset("([{")
# Words before a bracket that call nothing.
_NO_CALLS: Final = frozenset({"in", "if", "and", "or", "not", "else", "return", "for", "lambda"})
_MAX_NAMES: Final = 10
_MAX_TEXTS: Final = 5_000  # Of one call.
_MAX_DEPTH: Final = 100  # Deeper brackets are passed over.


@dataclass(slots=True)
class StarlarkCall:
    """A call: `name`, `line`, `arguments` (texts by argument, "" by position), bare `names`, `size` in texts."""

    name: str
    line: int
    arguments: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    size: int = 0

    def text(self, *keys: str) -> str:
        """The first text of the first of these arguments that has one; empty if none has."""
        return next((found[0][0] for key in keys if (found := self.arguments.get(key))), "")

    def texts(self, *keys: str) -> list[tuple[str, int]]:
        """All texts of these arguments, with their lines."""
        return [pair for key in keys for pair in self.arguments.get(key, ())]

    def add(self, key: str, text: str, line: int) -> None:
        """Add a text. Raises ParseError beyond the bound."""
        self.size += 1
        if self.size > _MAX_TEXTS:
            raise ParseError(
                f"a call with more than {_MAX_TEXTS:,} texts in line {line}: not read", code="file/refused"
            )
        self.arguments.setdefault(key, []).append((text, line))


@dataclass(slots=True)
class _Frame:
    """An open bracket: its `call`, `is_call` if it is the call's own, and the argument to which it belongs, `key`."""

    call: StarlarkCall | None
    is_call: bool
    key: str = ""


def calls(content: str) -> Iterator[StarlarkCall]:
    """Every call, also within others; what `select` chooses from belongs to the argument in which it stands."""
    stack = [_Frame(None, is_call=False)]
    words = python_literals.tokens(content)
    for at, (word, text, line) in enumerate(words):
        top = stack[-1]
        if text is not None:
            if top.call:  # Any other text stands outside of calls.
                top.call.add(top.key, text, line)
        elif word in _OPENS:
            if len(stack) < _MAX_DEPTH:
                stack.append(_opened(words, at, top))
        elif word in _CLOSES:
            closed = stack.pop() if len(stack) > 1 else top
            if closed.is_call and closed.call:
                yield closed.call
        else:
            _argument(words, at, top)
    for frame in reversed(stack):  # A bracket that is never closed.
        if frame.is_call and frame.call:
            yield frame.call


def _opened(words: python_literals.Tokens, at: int, top: _Frame) -> _Frame:
    """The bracket at that place: a call's own, behind its name, or one within `top`."""
    before, said, line = words[at - 1] if at else ("", None, 0)
    is_call = words[at][0] == "(" and said is None and before[:1].isidentifier() and before not in _NO_CALLS
    if is_call and before.rpartition(".")[2] != "select":  # `select` only chooses a value.
        return _Frame(StarlarkCall(before, line), is_call=True)
    return _Frame(top.call, is_call=False, key=top.key)


def _argument(words: python_literals.Tokens, at: int, top: _Frame) -> None:
    """A word that may begin an argument of a call, or is one."""
    word, _, line = words[at]
    if word == ",":
        top.key = "" if top.is_call else top.key
    elif top.call and word[:1].isidentifier():
        behind, text, _ = words[at + 1] if at + 1 < len(words) else ("", None, 0)
        if top.is_call and behind == "=" and text is None:
            top.key = word
        elif word in {"True", "False"}:
            top.call.add(top.key, word, line)
        elif top.is_call and not top.key and len(top.call.names) < _MAX_NAMES:
            top.call.names.append(word)
