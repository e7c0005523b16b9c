"""Facts as JSON in, the verdict out; what is wrong with the JSON is said in one line."""

import json
from codecs import BOM_UTF8
from collections import Counter
from functools import lru_cache

from agreements.domains.masking import masked_text
from agreements.facts import Facts, Verdict
from agreements.json.facts_reader import FactsInvalid, read
from agreements.judge import judge
from agreements.rulebook.grammar import Node
from agreements.rulebook.rules import Rules
from agreements.rulebook.rules_reader import RuleError, RulesInvalid, parse

_CACHED_RULEBOOKS = 64  # Rulebooks remembered; the lines of one file mostly share theirs


def verdict(data: bytes) -> tuple[Facts, Verdict]:
    """The facts in these bytes and their verdict; raises FactsInvalid in one line."""
    try:
        facts = read(_load(data), lambda rulebook: _rules(json.dumps(rulebook)))  # As text: a cache takes no dict.
        return facts, judge(facts)
    except RecursionError:
        raise FactsInvalid("", "the JSON is nested too deeply") from None


@lru_cache(_CACHED_RULEBOOKS)
def _rules(rulebook: str) -> Rules:
    # The same grammar as that of a file, so that a rulebook is right or wrong in both.
    data = json.loads(rulebook)
    rules = parse(data)
    # No verdict here needs the licence rules, and a mistake in them is a mistake all the same.
    if isinstance(data, dict) and data.get("licenses") is not None:
        from audit.verdict import policy

        node = Node(data["licenses"], ("licenses",))
        policy.read(node)
        if errors := tuple(RuleError(*mistake) for mistake in node.mistakes):
            raise RulesInvalid(errors)
    return rules


def _load(data: bytes) -> object:
    # Python's reader takes NaN and Infinity, which JSON does not have (RFC 8259, section 6), and a key twice.
    try:
        return json.loads(data.decode(), parse_constant=_no_number, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        said = f"{error.msg} (line {error.lineno}, column {error.colno})" if data.strip() else "empty"
        if data.startswith(BOM_UTF8):
            said = "it begins with a byte order mark: save it without one"
        raise FactsInvalid("", f"not JSON: {said}") from None
    except UnicodeDecodeError as error:
        raise FactsInvalid("", f"not UTF-8 text (byte {error.start})") from None
    except FactsInvalid:
        raise
    except ValueError:  # Python refuses more than 4,300 digits.
        raise FactsInvalid("", "not JSON: a number is too long") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # Of two values under one key none can be trusted (RFC 8259, section 4).
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise FactsInvalid("", f"the key {masked_text(twice)[:60]} appears twice")
    return found


def _no_number(name: str) -> object:
    raise FactsInvalid("", f"not JSON: {name} is not a number")
