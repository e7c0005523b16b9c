"""The lists of words fit together."""

from audit.texts import vocabulary


def test_condition_words_include_ambiguous_names_and_no_plain_words():
    assert {word.lower() for word in vocabulary.NAMES} <= vocabulary.CONDITIONS
    assert vocabulary.PLAIN.isdisjoint(
        {"not", "no", "only", "except", "commercial", "must", "shall", "may not", "later", "without"}
    )
    assert vocabulary.VERBS <= vocabulary.PLAIN | {"provided", "follow", "follows"}
    assert vocabulary.JOINING.isdisjoint(vocabulary.CONDITIONS)
