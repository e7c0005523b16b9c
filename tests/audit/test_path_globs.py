"""Globs name files as people who know `.gitignore` expect."""

import pytest

from audit.path_globs import fits


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("src/**", "src/a.c", True), ("src/**", "src/b/c/a.c", True), ("src/**", "src", False), ("src/**", "lib/src/a.c", False),
        ("src", "src/a.c", True), ("src", "lib/src/a.c", True), ("/src", "lib/src/a.c", False), ("/src", "src/a.c", True), ("src/", "lib/src/a.c", True),
        ("**/vendor/**", "vendor/a.c", True), ("**/vendor/**", "x/y/vendor/z/a.c", True), ("**/vendor/**", "vendor", False),
        ("*.py", "a.py", True), ("*.py", "x/y/a.py", True), ("*.py", "x/a.pyc", False), ("src/*.py", "src/a.py", True), ("src/*.py", "src/x/a.py", False),
        ("src/**/*.py", "src/a.py", True), ("src/**/*.py", "src/x/y/a.py", True), ("src/**/test_*", "src/x/test_a/b.py", True),
        ("./src/a.c", "src/a.c", True), ("a?c.[ch]", "abc.h", True), ("A.c", "a.c", False), ("**", "a", True), ("*", "x/y", True), ("/", "a", True),
        ("**/**/a", "a", True), ("a/**/**", "a/b", True), ("a/**/**", "a", False),
    ],
)  # fmt: skip
def test_what_a_glob_names(glob, path, expected):
    """Alone, and beside one that fits nothing."""
    assert fits([glob], path) is expected
    assert fits(["no/such/thing", glob], path) is expected
    assert not fits([], path)


def test_a_glob_that_could_take_long():
    """It doesn't: all ways through it are gone at once."""
    assert not fits(["**/a/" * 200 + "b"], "/".join(["a"] * 2_000))
    assert not fits(["*a" * 100 + "b"], "a" * 250)
