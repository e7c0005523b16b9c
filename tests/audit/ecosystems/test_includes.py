"""Files that name others: outside, missing, in a circle."""

from audit import ecosystems
from audit.ecosystems.includes import findings


def test_findings():
    """Each with the place that names the file; a circle once."""
    files = {"a.txt": "-r b.txt\n-r ../x.txt\n-r no.txt", "b.txt": "\n-r c.txt", "c.txt": "-r b.txt\n-r a.txt"}
    at = ecosystems.row("requirements.txt")
    reads = {path: ecosystems.read(path, content, at) for path, content in files.items()}

    assert [(one.code, str(one.place)) for one in findings(reads, frozenset(files))] == [
        ("file/outside", "a.txt:2 (-r ../x.txt)"),
        ("file/missing", "a.txt:3 (-r no.txt)"),
        ("file/cycle", "c.txt:1 (-r b.txt)"),
        ("file/cycle", "c.txt:2 (-r a.txt)"),
    ]
