"""Annotations of one file: the last that fits counts, for files below its folder."""

import pytest

from audit.facts import Place
from audit.licenses.expression import read
from audit.scan.reuse import reuse_toml
from audit.scan.reuse.annotations import Annotation, AnnotationFile, LicenseStatement, Precedence
from audit.scan.reuse.path_patterns import of_reuse_toml


def annotation(pattern, expression):
    """One with a licence."""
    said = LicenseStatement(read(expression), Place("REUSE.toml", 1))
    return Annotation((of_reuse_toml(pattern),), Precedence.CLOSEST, (said,))


def test_the_last_that_fits():
    """Patterns are below the folder."""
    one = AnnotationFile("a/REUSE.toml", "a", (annotation("**", "MIT"), annotation("b/*", "ISC")))
    said = {path: one.of(path).licenses[0].expression.license for path in ("a/x", "a/b/x", "a/b/c/x")}
    assert said == {"a/x": "MIT", "a/b/x": "ISC", "a/b/c/x": "MIT"}


def test_none_fits():
    """Nothing is said of the file."""
    assert AnnotationFile("REUSE.toml", "", (annotation("b/*", "ISC"),)).of("x") is None


@pytest.mark.parametrize(
    ("pattern", "path", "work"),
    [
        ("src/a.c", "src/a.c", 1),
        ("**", "src/a.c", 1),
        ("src/*.c", "src/abc.c", 1 + 4 * 5),
        ("src/*.c", "doc/abc.c", 1),
        ("src/*.c", "src", 1),
        ("*" + "a" * 512, "abc", 1 + 8 * 3),
    ],
)
def test_what_comparing_takes(pattern, path, work):
    """A look at the beginning, and each character by which a pattern is followed behind it; a long one costs more."""
    table = f'version = 1\n[[annotations]]\npath = "{pattern}"\n'
    assert reuse_toml.read("REUSE.toml", table).work(path) == work
    assert reuse_toml.read("sub/REUSE.toml", table).work(f"sub/{path}") == work
