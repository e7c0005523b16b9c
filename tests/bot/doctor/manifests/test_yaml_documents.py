"""Hostile YAML is one line, in no time; what is taken is read as Kubernetes reads it."""

import time

import pytest

from bot.doctor.manifests.yaml_documents import YAMLInvalid, documents

LAUGHS = "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{','.join([f'*a{n}'] * 9)}]\n" for n in range(9))
MERGES = "a0: &a0 {k: 1}\n" + "".join(f"a{n + 1}: &a{n + 1} {{<<: [{','.join([f'*a{n}'] * 9)}]}}\n" for n in range(9))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, "more than 500000 values with all aliases"),
        (MERGES, "more than 500000 values with all aliases"),
        ("- " * 200, "nested deeper than 100 levels"),
        ("&a [*a]", r"line 1: \*a stands inside what it means"),
        ("a: 1\nb: {c: 1, c: 2}", "line 2: the key 'c' stands twice"),
        ("? [1]\n: x", "line 1: a key that is no text"),
        ("a: [", "line 2: did not find expected node content"),
        ("a: !!python/object:os.system x", "line 1: could not determine a constructor"),
        ("a: 2026-99-99", "month must be in"),
        ("\x00", "control characters are not allowed"),
    ],
)
def test_what_is_refused(text, said):
    """Where, and why."""
    began = time.monotonic()
    with pytest.raises(YAMLInvalid, match=said) as caught:
        documents(text)

    assert time.monotonic() - began < 2
    assert "\n" not in str(caught.value)


def test_what_is_taken():
    """Anchors and merges in measure, several documents, the words of YAML 1.1, JSON."""
    assert documents("---\n---\na: &a {b: yes}\nc: {<<: *a, d: 2}\n") == [{"a": {"b": True}, "c": {"b": True, "d": 2}}]
    assert documents('{"a": [1, "x"]}') == [{"a": [1, "x"]}]
    assert documents("") == []
