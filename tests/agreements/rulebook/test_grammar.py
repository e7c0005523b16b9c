"""Walking plain data: the wrong thing is noted with its path, and the default goes on."""

from agreements.rulebook.grammar import Node, kind


def test_the_path_leads_to_the_mistake():
    """Keys and list places make the path."""
    root = Node({"a": [{"b": 1}]})
    for item in root.section("a").items("a"):
        item.section("b").text("b", "")
    assert root.mistakes == [(("a", 0, "b"), "must be a text, not a number", "write it in quotes")]


def test_unknown_keys_have_a_suggestion():
    """A near key is suggested, else the known ones are listed."""
    root = Node({"colour": 1, "zzz": 2})
    root.section("color")
    assert [hint for _, _, hint in root.mistakes] == ["did you mean color?", "known here: color"]


def test_a_documented_key_that_does_nothing_yet():
    """It is refused under its own name, and not suggested to anybody."""
    root = Node({"soon": 1, "son": 2, "color": 3})
    assert root.section("color", unavailable=("soon",)).values == {"color": 3}
    assert root.mistakes == [
        (("soon",), "is not available in this version", "remove it"),
        (("son",), "unknown key", "known here: color"),
    ]


def test_kinds_in_words():
    """People are told what they wrote."""
    assert [kind(value) for value in (None, True, 1.5, "a", {}, [], b"")] == [
        "empty", "true or false", "a number", "a text", "a mapping", "a list", "a list",
    ]  # fmt: skip


def test_no_key_breaks_the_line():
    """A key may hold anything, a mistake stays one line; a page of digits is not repeated."""
    root = Node({"a\nb": 1, "\ud800": 2, "n": 10**5000})
    root.section("n").text("n", "")
    assert [(path, hint) for path, _, hint in root.mistakes] == [
        (("a?b",), "known here: n"),
        (("?",), "known here: n"),
        (("n",), "write it in quotes"),
    ]


def test_mistakes_without_end():
    """A million unknown keys and wrong items are told as some; the rest would cost minutes and help nobody."""
    root = Node({**{f"k{number}": 1 for number in range(3000)}, "items": [5] * 3000})
    for item in root.section("items").items("items"):
        item.text()
    assert len(root.mistakes) == 1000
    other = Node({"items": [5] * 3000})
    for item in other.section("items").items("items"):
        item.text()
    assert len(other.mistakes) == 1000
