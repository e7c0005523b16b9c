"""The walk over plain data: each mistake is noted with its path, and the default is used."""

from agreements.rulebook.grammar import Node, kind


def test_the_path_of_a_mistake_holds_keys_and_list_places():
    root = Node({"a": [{"b": 1}]})
    for item in root.section("a").items("a"):
        item.section("b").text("b", "")
    assert root.mistakes == [(("a", 0, "b"), "must be a text, not a number", "write it in quotes")]


def test_an_unknown_key_is_answered_with_a_near_key_or_all_known_ones():
    root = Node({"colour": 1, "zzz": 2})
    root.section("color")
    assert [hint for _, _, hint in root.mistakes] == ["did you mean color?", "known here: color"]


def test_a_value_of_the_wrong_kind_is_described_in_words():
    assert [kind(value) for value in (None, True, 1.5, "a", {}, [], b"")] == [
        "empty", "true or false", "a number", "a text", "a mapping", "a list", "a list",
    ]  # fmt: skip


def test_any_key_stays_one_line_and_long_digits_are_not_repeated():
    root = Node({"a\nb": 1, "\ud800": 2, "n": 10**5000})
    root.section("n").text("n", "")
    assert [(path, hint) for path, _, hint in root.mistakes] == [
        (("a?b",), "known here: n"),
        (("?",), "known here: n"),
        (("n",), "write it in quotes"),
    ]


def test_a_million_mistakes_are_told_as_a_few():
    """Telling all would cost minutes and help no one."""
    root = Node({**{f"k{number}": 1 for number in range(3000)}, "items": [5] * 3000})
    for item in root.section("items").items("items"):
        item.text()
    assert len(root.mistakes) == 1000
    other = Node({"items": [5] * 3000})
    for item in other.section("items").items("items"):
        item.text()
    assert len(other.mistakes) == 1000
