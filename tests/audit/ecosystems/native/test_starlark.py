"""Calls of Bazel's files."""

from audit.ecosystems.native.starlark import calls

CONTENT = """load("@x//:y.bzl", "z")
cc_library(
    name = "a",
    deps = ["//b", "@c//:d"] + select({
        "//conditions:default": ["@e//:f"],
    }),
    testonly = True,  # deps = ["no"]
    outer = inner(key = "v"),
)
maybe(http_archive, name = "g")
"""


def test_calls_have_their_strings_by_argument_with_lines():
    found = {call.name: call for call in calls(CONTENT)}
    assert list(found) == ["load", "inner", "cc_library", "maybe"]
    library = found["cc_library"]
    assert library.line == 2
    assert library.texts("deps") == [("//b", 4), ("@c//:d", 4), ("//conditions:default", 5), ("@e//:f", 5)]
    assert (library.text("name"), library.text("testonly"), library.text("outer"), library.text("no", "name")) == (
        "a",
        "True",
        "",
        "a",
    )
    assert found["maybe"].names == ["http_archive"]
    assert found["load"].texts("") == [("@x//:y.bzl", 1), ("z", 1)]


def test_an_unclosed_call_is_read_as_far_as_it_goes():
    assert [(call.name, call.text("name")) for call in calls('if (x):\n  y(name = "a", z(')] == [("z", ""), ("y", "a")]
    assert len(list(calls("(" * 5_000))) == 0
