"""CMake's language: variables, loops and routines are expanded into commands."""

import pytest

from audit import ecosystems
from audit.ecosystems.native import cmake_commands
from audit.ecosystems.native.cmake_commands import Definitions
from tests.audit.ecosystems.brief import together


def words(content, known=None):
    """The words of each call of `x`, with what is known of them."""
    commands = cmake_commands.parse(content)
    return [command.words for command in cmake_commands.run(commands, known or Definitions()) if command.name == "x"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("set(A b c)\nx(${A} d)", [("b", "c", "d")]),
        ('set(A "b;c" CACHE STRING "why" FORCE)\nx(${A})', [("b", "c")]),
        ("if(Y)\nset(A b)\nelse()\nset(A c)\nendif()\nx(${A})", [("b", "c")]),
        ('x(${A} "${A}/y")', [("${A}", "${A}/y")]),
        ("set(A 1 2)\nx(p${A}q)", [("p1q", "p2q")]),
        ("set(A b)\nset(b_C d)\nx(${${A}_C})", [("d",)]),
        ("string(TOLOWER ABC A)\nx(${A})", [("abc",)]),
        ("foreach(A b c)\nx(${A})\nendforeach()", [("b", "c")]),
        ("foreach(A IN ITEMS b LISTS NONE)\nx(${A})\nendforeach()", [("b", "${NONE}")]),
        ("set(A ${A} b)\nset(A ${A} c)\nx(${A})", [("b", "c")]),
        ("macro(m P)\nx(${P} ${ARGN} ${ARGV1})\nendmacro()\nm(a b c)", [("a", "b", "c", "b"), ("${P:}", "${ARGN:}", "${ARGV1}")]),
        ("function(f R)\nset(${R} in PARENT_SCOPE)\nendfunction()\nf(OUT)\nx(${OUT})", [("in",)]),
        ("function(f)\nset(LOCAL a)\nendfunction()\nf()\nx(${LOCAL})", [("${LOCAL}",)]),
        ("x([[raw ${A}]] a) # x(no)\n#[[ x(no) ]]", [("a",)]),
        ('x("a\\"b" c(d))', [('a\\"b', "c", "d")]),
        ("function(f)\nx(a)", [("a",)]),
    ],
)  # fmt: skip
def test_every_value_of_a_variable_and_each_argument_of_a_call_counts(content, expected):
    assert words(content) == expected


def test_definitions_of_the_own_file_come_before_those_of_others():
    known = Definitions()
    known.add(cmake_commands.parse("set(A far)\nset(B far)\nmacro(m P)\nx(${P})\nendmacro()"))
    assert words("set(B near)\nm(c)\nx(${A} ${B})", known)[:2] == [("c",), ("far", "near")]


def test_a_command_has_the_line_of_its_name_or_of_the_call():
    found = cmake_commands.parse("macro(m)\nx()\nendmacro()\n\nm()\nx(\n a)\nx(")
    assert [(command.name, command.line, command.is_uncalled) for command in cmake_commands.run(found, Definitions()) if command.name == "x"] == [
        ("x", 5, False), ("x", 6, False), ("x", 2, True),
    ]  # fmt: skip
    assert found.unfinished == 8
    assert cmake_commands.parse("see (this", is_text=True).unfinished == 1
    assert cmake_commands.parse("please see (this", is_text=True).unfinished is None


def test_circular_variables_and_recursive_calls_end_with_a_finding():
    circle = "set(A ${B} x)\nset(B ${A} y)\ntarget_link_libraries(app ${A})\nmacro(again)\nagain()\nfind_package(GSL)\nendmacro()\nagain()\n"
    assert [dependency.name for dependency in together({"CMakeLists.txt": circle})] == ["gsl", "x", "y"]
    many = "".join(f"set(V{at} ${{V{at + 1}}}a ${{V{at + 1}}}b ${{V{at + 1}}}c ${{V{at + 1}}}d)\n" for at in range(9))
    found = ecosystems.read("CMakeLists.txt", many + "target_link_libraries(a " + "${V0} ${V1} " * 40 + ")")
    assert [finding.code for finding in found.findings] == ["file/refused"]
