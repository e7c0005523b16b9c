"""The rules in force for a repository as `rulebook show` prints them: a rulebook with the origin of each value, or JSON."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from agreements.identity import certifiers
from agreements.identity.certifiers import KnownAgent
from bot.rulebook.rule_origins import EffectiveRules

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_NO_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""What YAML, or a reader of its older version, takes for something else than text."""


def as_json(found: EffectiveRules) -> str:
    """Each rule by its key, with its value and who says it, and the agents that are known."""
    rules: dict[str, Any] = {}
    for path, origin in found.origins.items():
        value: Any = found.data
        for key in path:
            value = value[key]
        name = ".".join(str(key) for key in path if key != 0)  # 0: the one entry of `repositories`.
        lines = {"line": origin.line, "own_line": origin.own_line}
        said = {key: line for key, line in lines.items() if line is not None}
        rules[name] = {"value": value, "from": origin.said_by, **said}
    whole = {
        "repository": found.full_name,
        "require": found.rule.require,
        "mode": found.rule.mode,
        "matched": list(found.matched),
        "sources": list(found.sources),
        "rules": rules,
        "known_agents": [_plain(agent) for agent in _known(found)],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False)


def as_yaml(found: EffectiveRules) -> Iterator[str]:
    """A rulebook for this repository alone, with the origin of each value behind it; the known agents as comments."""
    matched = ", ".join(map(repr, found.matched))
    yield f"# The rules in force for {found.full_name}: require {found.rule.require}, mode {found.rule.mode}"
    yield f"# {f'matched by {matched}' if matched else 'no rule matches it'}; from {', '.join(found.sources) or 'no file'}"
    yield from _entries(found, found.data, ())
    if known := _known(found):
        yield "# Known coding agents (people.agents.known): each id or address, and where it can be read"
        for agent in known:
            what = agent.email if agent.id is None else f"id {agent.id} ({agent.login})"
            yield f"#   {agent.name}: {what}, {agent.source}, read {agent.read_on}"


def _known(found: EffectiveRules) -> tuple[KnownAgent, ...]:
    return certifiers.shipped_agents() if found.data["people"]["agents"]["known"] else ()


def _plain(agent: KnownAgent) -> dict[str, Any]:
    who = {"email": agent.email} if agent.id is None else {"id": agent.id, "login": agent.login}
    return {"agent": agent.name, **who, "source": agent.source, "read_on": agent.read_on.isoformat()}


def _entries(found: EffectiveRules, data: Mapping[str, Any], at: tuple[Any, ...]) -> Iterator[str]:
    indent = "  " * len(at)
    for key, value in data.items():
        path = (*at, key)
        if isinstance(value, Mapping):
            yield f"{indent}{_flow(key)}:"
            yield from _entries(found, value, path)
        elif path == ("repositories",):
            yield f"{key}:"
            first, *rest = _entries(found, value[0], (*path, 0))
            yield from (f"  - {first.lstrip()}", *rest)
        else:
            origin = found.origins.get(path)
            yield f"{indent}{_flow(key)}: {_flow(value)}{f'  # {origin.words}' if origin else ''}"


def _flow(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_flow(part)}' for key, part in value.items())}}}"
    if isinstance(value, str) and _WORD.fullmatch(value) and value.lower() not in _NO_WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)  # A string of JSON is one of YAML, too.
