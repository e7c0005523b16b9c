"""The lists of words fit together."""

from audit.texts import vocabulary


def test_lists():
    """A name that is a condition's word, too, is one; no sentence that only names licences can forbid."""
    assert {word.lower() for word in vocabulary.NAMES} <= vocabulary.CONDITIONS
    assert vocabulary.PLAIN.isdisjoint(
        {"not", "no", "only", "except", "commercial", "must", "shall", "may not", "later", "without"}
    )
    assert vocabulary.VERBS <= vocabulary.PLAIN | {"provided", "follow", "follows"}
    assert vocabulary.JOINING.isdisjoint(vocabulary.CONDITIONS)
