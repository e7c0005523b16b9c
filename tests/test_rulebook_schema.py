"""docs/reference/rulebook.schema.json says of every rulebook what the parser says, but for the few things that no schema can say."""

import copy
import json
import re
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreements.rulebook.rules_reader import RuleError
from bot import shipped_files
from bot.rulebook.yaml_document import read
from docs.generate import keys
from tests import test_rulebook_page
from tests.agreements.rulebook import test_rules_reader
from tests.audit.verdict import test_policy
from tests.test_rulebook_page import PAGE, UNKNOWN, accepted

FILE = Path(__file__).parent.parent / "docs/reference/rulebook.schema.json"
SCHEMA = json.loads(FILE.read_text(encoding="utf-8"))
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)
BOOK = {**test_rules_reader.EVERYTHING, "licenses": test_policy.EVERYTHING}
"""A right rulebook with every key."""

UNSAYABLE = {
    "no two values are compared": {"version": 1, "labels": {"signed": "x", "required": "X"}},
    "nor a value and a default": {"version": 1, "labels": {"signed": "cla-required"}},
    "nor a key and a value": {"version": 1, "agreements": {"accept": {"other": []}}},
    "a pattern knows no calendar": {"version": 1, "since": "2025-02-30"},
    "nor hours": {"version": 1, "since": "2025-02-20T24:30:00Z"},
    "5.0 is a whole number to JSON": {"version": 1, "people": {"exempt": [{"id": 5.0}]}},
    "a pattern knows no licences": {"version": 1, "licenses": {"repositories": {"x": "MIT AND"}}},
    "a pattern knows no other key": {"version": 1, "licenses": {"headers": {"text": "{holder}"}}},
    "nor whether they are one": {"version": 1, "licenses": {"allow": ["MIT OR Apache-2.0"]}},
}
"""What the schema takes and the parser does not, by the reason. Which texts were released is the catalog's to say, too."""
UNSUGGESTED = {
    "a week's day": {"version": 1, "since": "2025-W01-1T00:00:00Z"},
    "without dashes": {"version": 1, "since": "20250101T000000Z"},
}
"""What the parser takes and the schema does not: it suggests one spelling of a moment."""


def mistakes(data):
    """What the parser says against it, as against a file."""
    if not isinstance(data, dict):
        return [RuleError((), "must be a mapping")]
    found = [] if "version" in data else [RuleError(("version",), "is missing")]
    return [*found, *test_rulebook_page.mistakes(data)]


def node(path):
    """The schema at a key path, `[]` for any item, and what stands there beside a reference."""
    found = SCHEMA
    for step in path:
        found = (
            found["items"] if step == "[]" else found.get("properties", {}).get(step) or found["additionalProperties"]
        )
    return found


LEAVES = dict(keys(SCHEMA))
"""Every key that holds no further keys."""


def test_the_schema_is_valid_and_every_section_has_a_title():
    jsonschema_rs.meta.validate(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert all("title" in found for found in sections(SCHEMA))


def sections(found):
    """Every object with keys, and all below."""
    if isinstance(found, dict):
        if found.get("type") == "object":
            yield found
        for below in found.values():
            yield from sections(below)


def test_every_key_is_explained():
    assert [key for key, found in LEAVES.items() if not (found.get("description") and found.get("x-repository"))] == []


def test_each_section_has_the_parsers_keys():
    for path in [(), ("agreements",), ("agreements", "corporate"), ("repositories", "[]"), ("repositories", "[]", "small"), ("people",), ("people", "agents"),
                 ("people", "exempt", "[]"), ("dco",), ("dco", "exempt", "[]"), ("dco", "remediation"), ("labels",), ("comment",), ("changelog",), ("licenses",), ("licenses", "dependencies", "[]"),
                 ("licenses", "waivers", "[]"), ("licenses", "allow", "[]"), ("licenses", "deny", "[]"), ("licenses", "exceptions", "[]"), ("licenses", "headers")]:  # fmt: skip
        assert sorted(node(path)["properties"]) == accepted(path)
        assert node(path)["additionalProperties"] is False


def test_each_choice_has_the_parsers_words():
    for key, found in LEAVES.items():
        if "enum" in found:
            path = key.replace("[]", ".0").split(".")
            value = copy.deepcopy(BOOK)
            put(value, path, UNKNOWN)
            (error,) = mistakes(value)
            assert sorted(error.message.removeprefix("must be one of ").split(", ")) == sorted(found["enum"])


def put(data, path, value):
    """Set the value at a path; `...` takes it away."""
    *way, last = [int(step) if str(step).isdecimal() else step for step in path]
    for step in way:
        data = data[step]
    if value is ...:
        del data[last]
    else:
        data[last] = value


def paths(data, at=()):
    """Every path in the data."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from paths(value, (*at, key))


JUNK = [
    ..., None, True, False, 0, 1, -1, 2, 2.0, 1.5, 2**63 - 1, 2**63, 10**30, "", " ", "x", " x ", "2.0", "1.x", ">=2.0", ">= 2.0, <3", "2.",
    "1.*.x", ">=1.x", ",", "1.0,", "1.0 1.0", "1234567890", "a\nb", "a\tb", "a\u200bb", "a\u00a0b", "a\u3000b\n", "\t\u2028", "\U0001f600", "林晓", "x" * 1000, "x" * 1001,
    "2025-01-01", "2025-01-01T00:00:00", "2025-01-01T00:00:00Z", "2025-01-01 00:00+08:00", "2025-1-1", "a@b", "*@b", "@", "yes",
    "dco", "CLA", "required", "maintainers", [], [None], ["x"], ["x", 1], [[]], [{}], ["opener", "opener"], {}, {"x": 1}, {"id": None},
    [{"match": ["*"]}], [{"match": []}], [{"id": 1, "login": ""}], [{"versions": "1.x"}], {"icla": []}, {"icla": [{}]}, {"icla": None},
]  # fmt: skip


def agree(data):
    """Schema and parser say the same, unless the parser found what no schema can say."""
    errors = mistakes(data)
    if not any(is_unsayable(error, data) for error in errors):
        assert VALIDATOR.is_valid(data) is (not errors), (data, [error.line for error in errors])


def is_unsayable(error, data):
    """One of the reasons above."""
    if error.message == "must differ from the other label":
        return True
    if error.path[:2] == ("agreements", "accept") and error.message == "unknown key":
        return len(error.path) == 3
    found = at(data, error.path)
    if error.message.startswith("names {holder}"):
        return True
    if error.message in ("is no licence expression", "is not one licence"):
        return isinstance(found, str)
    if error.message.startswith("must be a date"):
        return isinstance(found, str) and re.search(SCHEMA["$defs"]["moment"]["pattern"], found) is not None
    return error.message.startswith("must be a whole number") and isinstance(found, float) and found.is_integer()


def at(data, path):
    """The value there, None where there is none."""
    try:
        for step in path:
            data = data[step]
    except (KeyError, IndexError, TypeError):
        return None
    return data


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.nightly)])
def test_the_schema_and_the_parser_agree_on_every_change_to_a_rulebook(every):
    assert VALIDATOR.is_valid(BOOK)
    assert not mistakes(BOOK)
    for turn, path in enumerate(paths(BOOK)):
        for junk in [*JUNK, {UNKNOWN: 1}][turn % every :: every]:
            data = copy.deepcopy(BOOK)
            put(data, path, junk)
            agree(data)


def test_the_schema_and_the_parser_agree_on_every_case_of_its_tests():
    (mark,) = [mark for mark in test_rules_reader.test_mistakes_are_named.pytestmark if mark.name == "parametrize"]
    cases = [
        data for data, _ in mark.args[1] if not isinstance(data, dict) or all(isinstance(key, str) for key in data)
    ]
    assert len(cases) > 40
    for data in [*cases, {}, test_rules_reader.EVERYTHING]:
        for version in ({}, {"version": 1}):
            agree({**version, **data} if isinstance(data, dict) else data)


def test_the_shipped_examples_are_valid():
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    for text in (example, (shipped_files.path("cann") / "countersign.yml").read_text("utf-8")):
        data = read(text).data
        assert not mistakes(data)
        assert VALIDATOR.is_valid(data)


def values(found):
    """What the schema takes at this place, and now and then something else."""
    found = found | (SCHEMA["$defs"][found["$ref"].rpartition("/")[2]] if "$ref" in found else {})
    if "properties" in found:
        right = st.fixed_dictionaries({}, optional={key: values(below) for key, below in found["properties"].items()})
    elif isinstance(found.get("additionalProperties"), dict):
        right = st.dictionaries(st.sampled_from(["icla", "ccla"]), values(found["additionalProperties"]))
    elif "items" in found:
        right = st.lists(values(found["items"]), max_size=3)
    elif "pattern" in found:
        right = st.from_regex(found["pattern"].replace(r"\p{C}\p{Z}", r"\W"), fullmatch=True) | TEXTS
    else:
        right = st.sampled_from([*found.get("enum", ()), found.get("const", True), 1, 5, None])
    return st.integers(0, 30).flatmap(lambda dice: right if dice else st.sampled_from(JUNK[1:]))


TEXTS = st.sampled_from([value for value in JUNK if isinstance(value, str)])


@settings(max_examples=100)
@given(values(SCHEMA), st.booleans())
def test_the_schema_and_the_parser_agree_on_random_rulebooks(data, version):
    agree({**data, "version": 1} if version and isinstance(data, dict) else data)


@pytest.mark.parametrize("data", UNSAYABLE.values(), ids=UNSAYABLE)
def test_a_mistake_beyond_the_schema_is_the_parsers_to_find(data):
    assert VALIDATOR.is_valid(data)
    assert mistakes(data)


@pytest.mark.parametrize("data", UNSUGGESTED.values(), ids=UNSUGGESTED)
def test_a_value_that_the_schema_does_not_suggest_is_still_taken(data):
    assert not VALIDATOR.is_valid(data)
    assert not mistakes(data)
