"""Routes and templates are put together once a process: tests make hundreds of applications with the same ones."""

from flask import Flask
from jinja2 import BytecodeCache
from werkzeug.routing.rules import Rule


class Kept(BytecodeCache):
    """The code of each template, by its file and a checksum of its source."""

    def __init__(self):
        self._kept = {}

    def load_bytecode(self, bucket):
        """What was kept; nothing otherwise."""
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket):
        """Keep it."""
        self._kept[bucket.key] = bucket.bytecode_to_string()


_ROUTES = {}
_compile = Rule._compile_builder


def _compiled(rule, append_unknown):
    """What builds the URL of a rule: it depends on its parts alone, and is told whose rule it is when it is called."""
    key = (tuple(rule._trace), repr(rule.defaults), append_unknown)
    if key not in _ROUTES:
        _ROUTES[key] = _compile(rule, append_unknown)
    return _ROUTES[key]


Rule._compile_builder = _compiled
Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": Kept()}
