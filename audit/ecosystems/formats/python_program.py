"""The values that a program of Python gives to its names and keys, from its syntax: the program is never run."""

import ast
import builtins
import warnings
from dataclasses import dataclass, field
from typing import Final

Value = ast.expr | None
"""None: only the program knows it."""
Entries = list[tuple[str | None, Value]]
"""The keys of a table with their values; "": a key that is computed, None: any more keys."""

MAX_CHARACTERS: Final = 200_000  # A syntax tree takes some hundred times the memory of its text.
TABLES: Final = frozenset({"dict", "OrderedDict", "defaultdict"})
LISTS: Final = frozenset({"list", "tuple", "set", "frozenset", "sorted", "reversed", "sum", "chain", "from_iterable"})
_GROWS: Final = frozenset({"append", "extend", "insert", "add", "update", "setdefault"})
# Other functions may change a list that they are given.
_HARMLESS: Final = frozenset(dir(builtins)) | TABLES | LISTS | {"setup", "copy", "deepcopy"}


@dataclass
class PythonProgram:
    """All that a program gives to its names, and to those keys that the reader looks for."""

    keys: frozenset[str]
    """Keys that the reader looks for."""
    bound: dict[str, list[Value]] = field(default_factory=dict)
    """The values of each name anywhere; those of `f()` are what the function f returns."""
    items: dict[str, Entries] = field(default_factory=dict)
    """The keys that are set of a name, with their values."""
    stated: dict[str, list[ast.expr]] = field(default_factory=dict)
    """The values of the `keys`, in any call or table."""
    open_calls: list[ast.Call] = field(default_factory=list)
    """Calls with `**`."""

    def give(self, target: ast.expr, value: Value) -> None:
        """Note a value of a name, of a key of a table, or of both names of a pair."""
        match target:
            case ast.Name(id=name):
                self.bound.setdefault(name, []).append(value)
            case ast.Subscript(value=holder, slice=slice_):
                key = constant(slice_)
                if isinstance(holder, ast.Name):
                    self.items.setdefault(holder.id, []).append((key, value))
                elif isinstance(holder, ast.Subscript):  # A table in a table.
                    self.state(constant(holder.slice), target)
                self.state(key, value or target)
            case ast.Attribute(attr=key):
                self.state(key, value or target)
            case ast.Call(func=ast.Attribute(value=holder, attr="setdefault"), args=[key, *_]):
                self.give(ast.copy_location(ast.Subscript(holder, key), target), value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                # Of `for key, value in table.items()` the second is known.
                is_item = isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "items" and len(parts) == 2
                for at, part in enumerate(parts):
                    self.give(part, value if is_item and at else None)

    def state(self, key: str, value: ast.expr) -> None:
        """Note a value of a key, if the reader looks for it."""
        if key in self.keys:
            self.stated.setdefault(key, []).append(value)

    def called(self, call: ast.Call) -> None:
        """Note the arguments of a call, and the names that it changes."""
        for word in call.keywords:
            self.state(word.arg or "", word.value)
        if any(word.arg is None for word in call.keywords):
            self.open_calls.append(call)
        match call.func:
            case ast.Attribute(value=holder, attr="setdefault") if call.args:
                self.give(ast.copy_location(ast.Subscript(holder, call.args[0]), call), call.args[-1])
            case ast.Attribute(value=holder, attr=attr) if attr in _GROWS:
                for value in call.args:
                    self.give(holder, value)
                for word in call.keywords:
                    key = ast.copy_location(ast.Subscript(holder, ast.Constant(word.arg)), call)
                    self.give(key if word.arg else holder, word.value)
            case ast.Name(id=name) if name not in _HARMLESS:
                given = [*call.args, *(word.value for word in call.keywords if word.arg not in self.keys)]
                for value in given:
                    if isinstance(value, ast.Name):
                        self.give(value, None)

    def assigned(self, node: ast.AST) -> None:
        """Note the values that a statement gives to its targets."""
        match node:
            case ast.Assign(targets=[target, *others], value=value):
                self.give(target, value)
                # In `a = b = []` both are the same list.
                for name, same in [pair for other in others for pair in ((other, target), (target, other))]:
                    self.give(name, same)
            case ast.AugAssign(target=target, value=value):
                self.give(target, value if isinstance(node.op, ast.Add | ast.BitOr) else None)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                self.give(target, value)
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                self.give(target, value)

    def note(self, node: ast.AST) -> None:
        """Note the values that one part of the program gives to names and keys."""
        match node:
            case ast.Call():
                self.called(node)
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    self.state(constant(key), value)
            case ast.arg(arg=name) | ast.alias(asname=str(name)) | ast.alias(name=name):
                self.give(ast.Name(name), None)
            case ast.FunctionDef(name=name):
                for part in ast.walk(node):
                    if isinstance(part, ast.Return):
                        self.give(ast.Name(f"{name}()"), part.value)
            case _:
                self.assigned(node)


def constant(node: ast.expr | None) -> str:
    """The text that a constant is; else an empty one."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def parse(content: str, keys: frozenset[str]) -> PythonProgram | None:
    """The names and keys of a program; None for a text that is not in the syntax of Python 3, or too long."""
    if len(content) > MAX_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # A stranger's program is not ours to warn of.
            tree = ast.parse(content.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # The last two: nested too deeply.
        return None
    program = PythonProgram(keys)
    for node in ast.walk(tree):
        program.note(node)
    return program
