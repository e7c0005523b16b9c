"""GraphQL's query language, the part that clients of a forge use: queries, variables, aliases, arguments, fragments."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

# In GraphQL a comma is white space, and a comment ends with its line.
_TOKEN = re.compile(
    r"""[\s,]+|\#[^\n]*|(?P<token>\.\.\.|[!$():@\[\]{}|]|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|[_A-Za-z]\w*)""", re.ASCII
)


class QueryInvalid(Exception):
    """The document cannot be understood, or asks for what is not known here."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A place for the value of the variable `name`."""

    name: str


@dataclass(frozen=True, slots=True)
class SelectedField:
    """A field `name` that is asked for as `key`, its alias or its name, with `arguments` and its own `selection`."""

    key: str
    name: str
    arguments: Mapping[str, Any]
    selection: tuple["Selected", ...]


@dataclass(frozen=True, slots=True)
class Fragment:
    """The `selection` of fields that is asked for `on` one type."""

    on: str
    selection: tuple["Selected", ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """The `name` of a fragment that is defined elsewhere in the document."""

    name: str


Selected = SelectedField | Fragment | Spread


@dataclass(slots=True)
class QueryDocument:
    """A query's `selection` with its `fragments`; `variables` says of each declared one whether it has to be given."""

    selection: tuple[Selected, ...] = ()
    variables: dict[str, bool] = field(default_factory=dict)
    fragments: dict[str, Fragment] = field(default_factory=dict)

    def fields(self) -> Iterator[SelectedField]:
        """Every field that is asked for, at any depth."""
        for selection in (self.selection, *(fragment.selection for fragment in self.fragments.values())):
            yield from _below(selection)


def _below(selection: Sequence[Selected]) -> Iterator[SelectedField]:
    for choice in selection:
        if isinstance(choice, SelectedField):
            yield choice
        if isinstance(choice, SelectedField | Fragment):
            yield from _below(choice.selection)


@lru_cache  # A client sends few documents, many times each
def parse(text: str) -> QueryDocument:
    """Read a document with exactly one query. Raises QueryInvalid."""
    return _QueryReader(_tokens(text)).document()


def _tokens(text: str) -> list[str]:
    tokens, place = [], 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise QueryInvalid(f"Parse error on {text[place]!r}")
        if found["token"]:
            tokens.append(found["token"])
        place = found.end()
    return tokens


class _QueryReader:
    # By recursive descent: GraphQL needs no look further than one token.

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def document(self) -> QueryDocument:
        document, queries = QueryDocument(), 0
        while self._peek():
            if self._take_if("fragment"):
                name = self._name()
                self._expect("on")
                document.fragments[name] = Fragment(self._name(), self._selection())
                continue
            queries += 1
            self._operation(document)
        if queries != 1:
            raise QueryInvalid(f"one query is expected, not {queries}")
        return document

    def _operation(self, document: QueryDocument) -> None:
        if self._peek() != "{":  # A selection alone is a query, too.
            self._expect("query")
            if self._peek() not in ("(", "{"):  # A query may have a name.
                self._name()
            if self._take_if("("):
                while not self._take_if(")"):
                    self._variable(document)
        document.selection = self._selection()

    def _variable(self, document: QueryDocument) -> None:
        self._expect("$")
        name = self._name()
        self._expect(":")
        kind = self._next()
        while self._peek() not in ("$", ")"):  # The last sign of `[ID!]!` says whether it has to be given.
            kind = self._next()
        document.variables[name] = kind == "!"

    def _selection(self) -> tuple[Selected, ...]:
        self._expect("{")
        chosen = []
        while not self._take_if("}"):
            chosen.append(self._fragment() if self._take_if("...") else self._field())
        return tuple(chosen)

    def _fragment(self) -> Selected:
        return Fragment(self._name(), self._selection()) if self._take_if("on") else Spread(self._name())

    def _field(self) -> SelectedField:
        key = name = self._name()
        if self._take_if(":"):
            name = self._name()
        arguments = {}
        if self._take_if("("):
            while not self._take_if(")"):
                argument = self._name()
                self._expect(":")
                arguments[argument] = self._value()
        return SelectedField(key, name, arguments, self._selection() if self._peek() == "{" else ())

    def _value(self) -> Any:
        word = self._next()
        if word == "$":
            return Variable(self._name())
        if word == "[":
            items = []
            while not self._take_if("]"):
                items.append(self._value())
            return items
        if word == "{":
            fields = {}
            while not self._take_if("}"):
                name = self._name()
                self._expect(":")
                fields[name] = self._value()
            return fields
        if word[0] == '"' or word[0] in "-0123456789" or word in ("true", "false", "null"):
            return json.loads(word)  # GraphQL writes these as JSON does.
        if not word.isidentifier():
            raise QueryInvalid(f"Parse error on {word!r}")
        return word  # The value of an enum.

    def _name(self) -> str:
        token = self._next()
        if not token.isidentifier():
            raise QueryInvalid(f"Parse error on {token!r}: a name is expected")
        return token

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise QueryInvalid("Parse error: the document ends too early")
        self._at += 1
        return token

    def _take_if(self, token: str) -> bool:
        if self._peek() != token:
            return False
        self._at += 1
        return True

    def _expect(self, token: str) -> None:
        found = self._next()
        if found != token:
            raise QueryInvalid(f"Parse error on {found!r}: {token!r} is expected")
