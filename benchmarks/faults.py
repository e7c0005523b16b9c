"""Small faults that can be planted in the functions of a module, each found again by its statement."""

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

TURNED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """One small change of one statement of a function."""

    module: str
    function: str
    statement: str
    """Its source; of a compound statement the first line."""
    kind: str
    place: int
    """The number of this change among those of its kind in the statement."""

    @property
    def name(self) -> str:
        """The name by which it can be asked for."""
        said = f"{self.module}:{self.function}:{self.statement}:{self.kind}:{self.place}"
        return hashlib.sha256(said.encode()).hexdigest()[:8]

    def __str__(self) -> str:
        return f"{self.name} {self.module} {self.function}: {self.kind} #{self.place + 1} of `{self.statement}`"


def changes(tree: ast.Module, module: str) -> Iterator[tuple[Fault, Callable[[], object]]]:
    """Every fault that can be planted in the functions of a module, and what plants it in this tree."""
    seen = Counter[tuple[str, str, str]]()
    for function, statement in _statements(tree, ()):
        source = ast.unparse(statement).splitlines()[0]
        for kind, change in _of_statement(statement):
            yield Fault(module, function, source, kind, seen[function, source, kind]), change
            seen[function, source, kind] += 1


def _statements(node: ast.AST, names: tuple[str, ...]) -> Iterator[tuple[str, ast.stmt]]:
    """The statements of all functions in order, with the qualified name of the function; no docstrings."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _statements(child, (*names, child.name))
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.stmt) and names and not is_docstring and not isinstance(node, ast.ClassDef):
                yield ".".join(names), child
            yield from _statements(child, names)


def _of_statement(statement: ast.stmt) -> Iterator[tuple[str, Callable[[], object]]]:
    """The changes of a statement itself, not of those inside it, nor of what it assigns to."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        put = partial(setattr, node)
        match node:
            case ast.Expr(value=ast.Call()):
                yield "call left out", partial(put, "value", ast.Constant(None))
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield "return value replaced", partial(put, "value", ast.Constant(None))
            case ast.comprehension(ifs=[test]):
                yield "condition negated", partial(put, "ifs", [ast.UnaryOp(ast.Not(), test)])
            case ast.If() | ast.While() | ast.IfExp():
                yield "condition negated", partial(put, "test", ast.UnaryOp(ast.Not(), node.test))
            case _:
                yield from _of_expression(node, put)
        fields = [part for field, part in ast.iter_fields(node) if field not in ("annotation", "targets", "target")]
        parts = [it for part in fields for it in (part if isinstance(part, list) else [part])]
        todo += [it for it in parts if isinstance(it, ast.expr | ast.comprehension | ast.keyword | ast.withitem)]


def _of_expression(node: ast.AST, put: Callable[[str, object], None]) -> Iterator[tuple[str, Callable[[], object]]]:
    match node:
        case ast.Compare(ops=[op]):
            yield "comparison turned", partial(put, "ops", [TURNED[type(op)]()])
        case ast.BoolOp(op=op):
            yield "and, or swapped", partial(put, "op", TURNED[type(op)]())
        case ast.Tuple(elts=[_, _, *_]):
            yield "element left out", node.elts.pop
        case ast.Constant(value=bool() as value):
            yield "constant changed", partial(put, "value", not value)
        case ast.Constant(value=int() as value):
            yield "constant changed", partial(put, "value", value + 1)
        case ast.Constant(value=str() as value) if re.fullmatch(r"[\w./:-]+", value):
            yield "constant changed", partial(put, "value", f"{value}x")
