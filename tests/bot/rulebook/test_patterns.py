"""Claims about shell patterns hold for every name."""

import time
from fnmatch import fnmatchcase
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rulebook.patterns import covered, is_plain

NAMES = ["".join(letters) for size in (1, 2, 3) for letters in product("ab-", repeat=size)]
WORDS = [f"{owner}/{name}" for owner in ("a", "b", "ab", "c") for name in [*NAMES, "c", "ca", "ac"]]
PIECES = st.lists(st.sampled_from(["a", "b", "*", "?", "[ab]", "[!a]", "-", "A", "[", "c"]), min_size=1, max_size=3)
PATTERNS = st.builds(
    lambda pieces, owner: f"{owner}{''.join(pieces)}", PIECES, st.sampled_from(["", "", "", "a/", "*/", "?/", "b*/"])
)


def takes(pattern, word):
    """Whether the rulebook's pattern takes this owner/name."""
    return fnmatchcase(word if "/" in pattern else word.rpartition("/")[2], pattern.casefold())


@pytest.mark.slow
@given(PATTERNS, st.lists(PATTERNS, max_size=3))
def test_every_name_that_a_covered_pattern_takes_is_taken_by_another(pattern, others):
    if covered(pattern, others):
        assert all(any(takes(other, word) for other in others) for word in WORDS if takes(pattern, word))


@given(PATTERNS, st.lists(PATTERNS, max_size=2), st.lists(PATTERNS, max_size=2))
def test_more_patterns_take_more_names(pattern, some, more):
    assert not covered(pattern, some) or covered(pattern, some + more)
    assert covered(pattern, [*some, pattern])


@pytest.mark.parametrize(
    ("pattern", "others", "expected"),
    [
        ("*", ["?*"], True),
        ("*", ["*/*"], True),
        ("*/*", ["*"], True),
        ("*", ["??*"], False),
        ("[ab]x", ["a*", "b*"], True),
        ("a*", ["a", "a?*"], True),
        ("cann/ge", ["ge"], True),
        ("ge", ["cann/ge"], False),
        ("[]a]b", ["ab"], True),
        ("a b", [], True),
        ("*", [], False),
        ("[b-a]", [], True),
    ],
)
def test_several_patterns_together_may_cover_one(pattern, others, expected):
    assert covered(pattern, others) is expected


def test_a_cover_that_takes_too_long_to_prove_is_not_claimed():
    dear = ["*a" + "?" * size for size in range(12)]
    assert covered("*" + "[ab]" * 2, [*dear, "*a*", "*b*"]) is False
    assert covered("*" + "[ab]" * 2, [*dear, "*"]) is True


def test_many_patterns_take_little_time():
    many = [f"*-{number}-*" for number in range(60)]
    start = time.process_time()
    assert not any(covered(pattern, many[:place]) for place, pattern in enumerate(many))
    assert time.process_time() - start < 5


@pytest.mark.parametrize(("pattern", "plain"), [("ge", True), ("cann/ge", True), ("g?", False), ("[g]e", False)])
def test_a_pattern_without_wildcards_is_plain(pattern, plain):
    assert is_plain(pattern) is plain
