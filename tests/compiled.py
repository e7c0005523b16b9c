"""What many tests ask alike is worked out once a process: routes, templates, SQL."""

from flask import Flask
from jinja2 import BytecodeCache
from sqlalchemy import Engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache
from werkzeug.routing.map import Map
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


Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": Kept()}


_COMPILED = {}
_compile = Rule.compile


def _compiled(rule):
    """Compile a rule, or take what an equal one became on another map: converters here look at no map."""
    around = rule.map
    if around.host_matching or around.converters != Map.default_converters:
        _compile(rule)
        return
    key = (rule.rule, rule.subdomain, rule.merge_slashes, repr(rule.defaults))
    if key not in _COMPILED:
        _compile(rule)
        _COMPILED[key] = (
            rule._parts, rule._trace, rule._converters, frozenset(rule.arguments),
            rule._build.__func__, rule._build_unknown.__func__,
        )  # fmt: skip
        return
    rule._parts, rule._trace, rule._converters, arguments, build, build_unknown = _COMPILED[key]
    rule.arguments |= arguments
    rule._build, rule._build_unknown = build.__get__(rule, None), build_unknown.__get__(rule, None)


Rule.compile = _compiled


_STATEMENTS = LRUCache(5_000)


def _same_kind(left, right):
    return type(left) is type(right)


# Each test has an engine of its own; what a statement becomes depends on the kind of its database alone.
Engine._compiled_cache = property(lambda _: _STATEMENTS, lambda *_: None)
for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):
    dialect.__eq__, dialect.__hash__ = _same_kind, lambda self: hash(type(self))
