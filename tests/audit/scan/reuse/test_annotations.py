"""Annotations of one file: the last that fits counts, for files below its folder."""

from audit.facts import Place
from audit.licenses.expression import read
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
