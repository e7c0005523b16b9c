"""What one file says of packages for all manifests of a workspace; of Go, go.work."""

from tests.audit.ecosystems.brief import merged

MODULE = (
    "module e.com/x\ngo 1.22\nrequire (\n\te.com/a v1.0.0\n\te.com/b v1.0.0\n\te.com/c v1.0.0\n\te.com/d v1.0.0\n)\n"
)
WORK = """go 1.22
use (
\t./x
)
replace e.com/a => e.com/fork v1.5.0
replace (
\te.com/b v1.0.0 => e.com/other v2.0.0
\te.com/c v1.1.0 => e.com/never v1.0.0
\te.com/d => ./d
)
"""


def test_go_work():
    """Its `replace` counts for all modules: of one version where it names one; what is replaced by a folder is the repository's own."""
    assert merged({"x/go.mod": MODULE, "go.work": WORK}) == [
        "pkg:golang/e.com/c@v1.0.0 static-link direct :6",
        "pkg:golang/e.com/fork@v1.5.0 static-link direct :4",
        "pkg:golang/e.com/other@v2.0.0 static-link direct :5",
    ]


def test_replace_of_one_version():
    """In go.mod, too."""
    lines = "replace e.com/b v1.0.0 => e.com/other v2.0.0\nreplace e.com/c v1.1.0 => e.com/never v1.0.0\nreplace e.com/d v1.0.0 => ./d\n"
    assert [one.split()[0] for one in merged({"go.mod": MODULE + lines})] == [
        "pkg:golang/e.com/a@v1.0.0", "pkg:golang/e.com/c@v1.0.0", "pkg:golang/e.com/other@v2.0.0",
    ]  # fmt: skip
