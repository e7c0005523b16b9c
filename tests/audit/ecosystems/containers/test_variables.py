"""Variables of container files: what stands for their value, and when nothing does."""

import pytest

from audit.ecosystems.containers import variables


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("$A ${A} ${A:-z} ${A-z}", "1 1 1 1"),
        ("$AB ${B} ${C:+z} ${C#z} $(C) $$", "$AB ${B} ${C:+z} ${C#z} $(C) $$"),
        ("${B:-z} ${B-z} ${B:-}", "z z "),
        ("$E|${E:-z}", "|z"),
    ],
)
def test_a_variable_without_a_value_stays(words, expected):
    assert variables.Expansion().expand(words, {"A": "1", "E": ""}) == expected


@pytest.mark.parametrize(
    ("verb", "rest", "expected"),
    [
        ("ENV", "A 1 2", {"A": "1 2"}),
        ("ENV", "A=1 B='2 3' C=\"4\"", {"A": "1", "B": "2 3", "C": "4"}),
        ("ENV", "A=$G$O", {"A": "$Go"}),
        ("ARG", "A", {}),
        ("ARG", "G O=", {"G": "g", "O": ""}),
        ("ARG", "O", {"O": "o"}),
        ("ARG", f"A={'x' * 3_000}", {}),
    ],
)
def test_arguments_and_environment_have_literal_values(verb, rest, expected):
    values = {"O": "o"}
    variables.Expansion().define(verb, rest, values, {"G": "g"})
    assert values == {"O": "o"} | expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("A=1; B='2 3' C=\"4\" x", {"A": "1", "B": "2 3", "C": "4"}),
        ("A=1; if x; then A=2; fi", {"A": "1 2"}),
        ('A=1; A+=" $B"', {}),
        ("A=$(x)", {}),
        ("apt install --a=1 b==2 c/A=3", {}),
        ("", {"A": "0"}),
        ("A=", {"A": ""}),
    ],
)
def test_a_command_assigns_literal_values(command, expected):
    assert variables.assigned(command, {"A": "0"}).items() >= expected.items()
    assert ("A" in variables.assigned(command, {"A": "0"})) == (
        "A" in expected or "A" not in command or "apt" in command
    )


def test_the_growth_of_one_file_has_an_end():
    expansion, values = variables.Expansion(), {"A": "x" * 1_000}
    assert len(expansion.expand("$A" * 10_000, values)) < 200_000
    assert expansion.expand("$A", values) == "$A"
