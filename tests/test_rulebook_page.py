"""docs/reference/rulebook-keys.csv names just the keys that a rulebook takes, with their true defaults, and the example of rulebook.md is right."""

import csv
import re
from pathlib import Path

import pytest
import yaml

from agreements.rulebook.rules_reader import RulesInvalid, parse
from bot.rulebook import effective

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/reference/rulebook.md").read_text(encoding="utf-8")
with (ROOT / "docs/reference/rulebook-keys.csv").open(encoding="utf-8", newline="") as table:
    ROWS = [(key.strip("`"), values, default) for key, values, default, _ in list(csv.reader(table))[1:]]
"""Key, values, default of each row."""
UNKNOWN = "zzzzzzzz"


def accepted(path=()):
    """The keys at this place (`[]` is any item of a list), told by the parser's own words about one that is unknown."""
    value = {UNKNOWN: 0}
    for step in reversed(path):
        value = [value] if step == "[]" else {step: value}
    at = tuple(0 if step == "[]" else step for step in path)
    if path == ("licenses", "repositories"):
        return ["NAME"]  # any
    for error in mistakes(value):
        if error.path == (*at, UNKNOWN):
            return error.hint.removeprefix("known here: ").split(", ")
    return []


def mistakes(value):
    """What the parsers of the rules and of the licences say against it."""
    _, found = effective.policy_of(value if isinstance(value, dict) else {})
    try:
        parse(value)
    except RulesInvalid as invalid:
        return (*invalid.errors, *found)
    return found


def leaves(path=()):
    """Every key below that holds no further keys, as the page writes it."""
    found = []
    for key in accepted(path):
        below = leaves((*path, key)) or leaves((*path, key, "[]"))
        found += below or [(*path, key)]
    return found


def written(path):
    """A path as the page writes it; the texts' names in `accept` are the reader's own."""
    shown = ".".join("NAME" if place == 2 and path[1] == "accept" else step for place, step in enumerate(path))
    return shown.replace(".[]", "[]")


def test_every_key_has_its_row():
    assert sorted({written(path) for path in leaves()}) == sorted(key for key, *_ in ROWS)


@pytest.mark.parametrize(("key", "default"), [(key, default) for key, _, default in ROWS if default])
def test_the_defaults_are_true(key, default):
    *way, last = key.replace("[]", ".[]").split(".")
    value, without = {last: yaml.safe_load(default.strip("`"))}, {}
    for step, above in zip(reversed(way), reversed(["", *way][: len(way)]), strict=True):
        least = {"match": ["*"]} if above == "repositories" else {"name": "x"}
        beside = {"headers": {"spdx": "MIT"}, "small": {"lines": 1, "paths": ["*"]}}
        both = [{**beside[step], **data} if step in beside else data for data in (value, without)]
        value, without = ([{**least, **data}] if step == "[]" else {step: data} for data in both)

    assert not mistakes(value)
    assert parse(value) == parse(without)
    assert effective.policy_of(value) == effective.policy_of(without)


def test_only_a_few_keys_must_be_there():
    needed = ["purl", "until", "reason", "by"]
    assert [key for key, values, _ in ROWS if values.endswith("; required")] == [
        "version", "repositories[].match", "repositories[].small.lines", "repositories[].small.paths", "licenses.exceptions[].reason", *(f"licenses.waivers[].{key}" for key in needed),
    ]  # fmt: skip


@pytest.mark.parametrize("key", ["people.override", "dco.override"])
def test_the_page_of_comment_commands_names_the_defaults(key):
    (default,) = [default for name, _, default in ROWS if name == key]
    page = (ROOT / "docs/reference/comment-commands.md").read_text(encoding="utf-8")

    assert re.search(rf"`{key}` names[^|]*by default {default}", page)
    assert "(rulebook.md)" in page


def test_the_example_is_right():
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)

    assert effective.parse_rulebook(example).rules.organization == "The Example Authors"
