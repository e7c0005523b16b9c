"""The licence part is refused where nothing would act on it, never silently ignored."""

import pytest

from audit import policy


@pytest.mark.parametrize("part", [None, {}])
def test_nothing_is_right(part):
    """No licence part, or an empty one, is right."""
    assert policy.mistakes(part) == ()


@pytest.mark.parametrize("key", policy.KEYS)
def test_documented_keys_are_refused(key):
    """A documented key says that it is not available yet."""
    assert [(found.path, found.message) for found in policy.mistakes({key: {}})] == [
        ((key,), "not available in this version")
    ]


def test_unknown_keys():
    """No other key is named instead: it would be refused, too."""
    said = "unknown key; whatever stands under licenses is not available in this version"
    assert [found.message for found in policy.mistakes({"dependancies": [], "x": 1})] == [said, said]


@pytest.mark.parametrize("part", [[], "x", 7, False])
def test_not_a_mapping(part):
    """Anything else is no licence part."""
    assert [found.path for found in policy.mistakes(part)] == [()]
