"""Lists and tables of texts in a program of Python, as far as it spells them out.

A name stands for everything that the program gives it anywhere, in any order: all alternatives count. A function stands for
what it returns. All else is computed, and said to be.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from audit.ecosystems.formats.python_program import LISTS, TABLES, Entries, PythonProgram, Value, constant

_MAX_STEPS: Final = (
    200_000  # Values and texts looked at, of one program: its lists may hold each other again and again.
)
_TEXT_STEPS: Final = 20  # Steps of one text, which becomes a dependency.
# The name of a package, in front of a version that the program puts in.
_NAMED: Final = re.compile(r"\s*([A-Za-z0-9][\w.-]*+)\s*(?:\[[^\]\n]*+\]\s*)?(?:[=<>!~]=|[<>])")
_PLACEHOLDER: Final = re.compile(r"[%{]")
_SAME: Final = frozenset({"copy", "strip", "splitlines"})  # Methods that leave the texts as they are.


@dataclass(frozen=True, slots=True)
class SpelledText:
    """A text of a program, or the beginning of one."""

    words: str
    """The text, or the package that it begins with; empty: only the program knows it."""
    line: int
    """The line on which it stands, from 1."""
    whole: bool = True
    """False where the program computes the rest."""


@dataclass
class PythonValues:
    """The texts and tables of a program's values."""

    program: PythonProgram
    """The names and keys of the program."""
    tables: dict[str, Entries] = field(default_factory=dict)
    """The tables that names stand for, found so far."""
    steps: int = 0
    """The number of values looked at."""

    def texts(self, values: Iterable[Value], line: int, without: frozenset[str] = frozenset()) -> Iterator[SpelledText]:
        """All texts in the values, an empty one for what is computed; the tables `without` add nothing as a whole."""
        waiting, seen = [*values][::-1], set[str]()
        while waiting:
            node = waiting.pop()
            line = getattr(node, "lineno", line)
            self.steps += 1
            spelled = _texts(node, line) if self.steps < _MAX_STEPS else None
            parts = self._parts(node, seen, without) if spelled is None and self.steps < _MAX_STEPS else None
            if spelled is not None:
                self.steps += _TEXT_STEPS * len(spelled)  # One value may hold many texts.
                yield from spelled
            elif parts is not None:
                waiting += reversed(parts)
            else:
                yield SpelledText("", line, whole=False)

    def _parts(self, node: Value, seen: set[str], without: frozenset[str]) -> Sequence[Value] | None:
        """The values of which a value is made; None if only the program knows them."""
        found: Sequence[Value] | None = None
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.BoolOp(values=parts):
                found = parts
            case ast.BinOp(op=ast.Add()):
                found = _operands(node)
            case ast.IfExp(body=body, orelse=other):
                found = [body, other]
            case ast.Starred(value=value):
                found = [value]
            case ast.Compare() | ast.UnaryOp():  # `condition and […] or […]`
                found = []
            case ast.Name(id=name):
                found = self._of_name(name, seen)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                found = _filtered(node.elt, node.generators)
            case ast.Subscript(value=ast.Name(id=name), slice=key):
                found = self._of_table(name, constant(key), seen, without)
            case ast.Call(func=func, args=args):
                found = self._of_call(func, args, seen, without)
        return found

    def _of_name(self, name: str, seen: set[str]) -> Sequence[Value]:
        if name in seen:
            return []
        seen.add(name)
        return [*self.program.bound.get(name, [None]), *(value for _, value in self.program.items.get(name, []))]

    def _of_table(self, name: str, asked: str, seen: set[str], without: frozenset[str]) -> Sequence[Value]:
        """The values below a key of a table; without a key all of them, and those of a list."""
        way = f"{name}[{asked}]"
        if way in seen or (not asked and name in without):
            return []
        seen.add(way)
        entries = self.named_table(name)
        self.steps += len(entries)
        if not asked and any(key is None for key, _ in entries):
            return self._of_name(name, seen)
        return [value for key, value in entries if not asked or key in {asked, "", None}] or [None]

    def _of_call(
        self, func: ast.expr, args: Sequence[Value], seen: set[str], without: frozenset[str]
    ) -> Sequence[Value] | None:
        match func:
            case ast.Name(id=name) if f"{name}()" in self.program.bound:
                return self._of_name(f"{name}()", seen)
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in LISTS:
                return args
            case ast.Attribute(value=ast.Name(id=name), attr="values" | "items"):
                return self._of_table(name, "", seen, without)
            case ast.Attribute(value=value, attr=name) if name in _SAME and not args:
                return [value]
        return None

    def table(self, node: Value) -> Entries:
        """The keys of a table, and their values."""
        found: Entries = [(None, None)]
        match node:
            case _ if self.steps > _MAX_STEPS:
                pass
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                # `**value` has no key.
                found = [
                    entry for key, value in pairs for entry in ([(constant(key), value)] if key else self.table(value))
                ]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=words) if name in TABLES:
                is_given = [value for value in args if not isinstance(value, ast.Name) or value.id != "list"]
                found = [entry for value in is_given for entry in self.table(value)]
                found += [
                    entry
                    for word in words
                    for entry in ([(word.arg, word.value)] if word.arg else self.table(word.value))
                ]
            case ast.Call(func=ast.Name(id=name)):
                found = self.named_table(f"{name}()")
            case ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[]):
                found = self.table(value)
            case ast.Name(id=name):
                found = self.named_table(name)
            case ast.IfExp(body=left, orelse=right) | ast.BinOp(op=ast.BitOr(), left=left, right=right):
                found = [*self.table(left), *self.table(right)]
            case ast.Constant(value=None):
                found = []
        self.steps += len(found)
        return found

    def named_table(self, name: str) -> Entries:
        """The keys that a name's table ever has."""
        if name not in self.tables:
            self.tables[name] = []  # It may hold itself.
            entries = [entry for value in self.program.bound.get(name, [None]) for entry in self.table(value)]
            self.tables[name] = entries + self.program.items.get(name, [])
        return self.tables[name]


def _texts(node: Value, line: int) -> list[SpelledText] | None:
    """The texts that a value is; None for a value that is something else."""
    found: list[SpelledText] | None = None
    match node:
        case ast.Constant(value=str(words)) | ast.JoinedStr(values=[ast.Constant(value=str(words))]):
            lines = ((at, words.partition(" #")[0].strip()) for at, words in enumerate(words.split("\n"), line))
            found = [SpelledText(words, at) for at, words in lines if words and not words.startswith("#")]
        case ast.Constant():
            found = []
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(words)), attr="split"), args=[]):
            found = [SpelledText(word, line) for word in words.split()]
        case (
            ast.JoinedStr(values=[first, *_])
            | ast.BinOp(op=ast.Mod(), left=first)
            | ast.Call(func=ast.Attribute(value=ast.Constant() as first, attr="format"))
        ):
            found = [_named(first, line)]
        case ast.BinOp(op=ast.Add()):
            first, *rest = _operands(node)
            is_text = any(isinstance(part, ast.JoinedStr) or constant(part) for part in (first, *rest))
            found = [_named(first, line)] if is_text else None
    return found


def _named(first: ast.expr, line: int) -> SpelledText:
    """The package that the beginning of a text names, where the program computes no more than its version."""
    named = _NAMED.match(_PLACEHOLDER.split(constant(first))[0])
    return SpelledText(named[1] if named else "", line, whole=False)


def _operands(node: ast.expr) -> list[ast.expr]:
    """All that a chain of `+` adds up."""
    found = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _filtered(element: ast.expr, loops: list[ast.comprehension]) -> list[ast.expr] | None:
    """The lists of a comprehension that leaves their elements as they are."""
    names = {loop.target.id for loop in loops if isinstance(loop.target, ast.Name)}
    if len(names) < len(loops) or not isinstance(element, ast.Name) or element.id not in names:
        return None
    return [loop.iter for loop in loops if not isinstance(loop.iter, ast.Name) or loop.iter.id not in names]
