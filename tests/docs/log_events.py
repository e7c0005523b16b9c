"""Every line that the product may log, read from its code: event, levels and fields."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LEVELS = {"debug", "info", "warning", "error", "critical"}
_JOURNEYS = ("review", "licenses", "merge-group")
_SAID_BY = {"self._say": "warning"}
"""A function that is given the name of the event, and how grave what it writes is."""


@cache
def found():
    """Event → its levels and its fields, in the order of the code."""
    events = {}
    for path in sorted((ROOT / "bot").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                for name, level, fields in _of_call(call):
                    levels, known = events.setdefault(name, ([], []))
                    levels += [level] if level not in levels else []
                    known += [field for field in fields if field not in known]
            elif isinstance(call, ast.Dict) and path.name == "outages.py":
                keys = [key.value for key in call.keys if isinstance(key, ast.Constant)]
                if keys[:1] == ["event"]:
                    name = call.values[0].value
                    events[name] = (["warning" if name.endswith("away") else "info"], keys[1:])
    return {name: (tuple(levels), tuple(fields)) for name, (levels, fields) in events.items()}


def _of_call(call):
    where = ast.unparse(call.func)
    if where in _SAID_BY:
        for name in _names(call.args[0]):
            yield name, _SAID_BY[where], ("why",)
        return
    target, _, level = where.rpartition(".")
    if where == "log_line" and call.args:  # one of the two, as the line before it chooses
        level = "debug or info"
    elif level not in _LEVELS or not target.startswith(("log", "structlog.get_logger")) or not call.args:
        return
    fields = tuple(keyword.arg for keyword in call.keywords if keyword.arg not in (None, "exc_info"))
    for name in _names(call.args[0]):
        yield name, level, fields


def _names(node):
    """What the name of an event may be: a constant, one of two, or that of a journey."""
    if isinstance(node, ast.Constant):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [*_names(node.body), *_names(node.orelse)]
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "self._event":
        return [f"{journey}.{node.args[0].value}" for journey in _JOURNEYS]
    return []
