"""Names of authors in the forms of npm, Python, Cargo, Composer and Maven; never an address."""

import pytest

from audit.ecosystems import read
from audit.ecosystems.formats.author_names import names


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("Ada Example <ada@example.org> (https://example.org)", ("Ada Example",)),
        ("Ada Example (https://example.org)", ("Ada Example",)),
        ({"name": "Ada Example", "email": "ada@example.org"}, ("Ada Example",)),
        ([{"name": "Ada"}, "Bo <bo@example.org>", {"name": "Ada"}], ("Ada", "Bo")),
        (["ada@example.org", "<bo@example.org>", {"email": "c@example.org"}, "https://example.org"], ()),
        ({"workspace": True}, ()),
        ("Ada\n\x1b[31m  Example", ("Ada [31m Example",)),
        (7, ()),
        (None, ()),
        ([["Ada"]], ()),
        (["x"] * 1_000_000 + ["late"], ("x",)),
        ("中文作者", ("中文作者",)),
    ],
)
def test_names(value, found):
    """An address alone names nobody."""
    assert names(value) == found


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("package.json", '{"name": "a", "author": "Ada Example <ada@example.org>"}'),
        ("composer.json", '{"name": "a/a", "authors": [{"name": "Ada Example", "email": "ada@example.org"}]}'),
        ("Cargo.toml", '[package]\nname = "a"\nauthors = ["Ada Example <ada@example.org>"]\n'),
        ("Cargo.toml", '[workspace.package]\nauthors = ["Ada Example"]\n[package]\nname = "a"\nauthors.workspace = true\n'),
        ("pyproject.toml", '[project]\nname = "a"\nauthors = [{name = "Ada Example", email = "ada@example.org"}]\n'),
        ("pyproject.toml", '[tool.poetry]\nname = "a"\nauthors = ["Ada Example <ada@example.org>"]\n'),
        ("pom.xml", "<project><groupId>g</groupId><artifactId>a</artifactId><organization><name>Ada Example</name></organization></project>"),
    ],
)  # fmt: skip
def test_each_manifest(path, content):
    """Each in the field that its ecosystem has for it."""
    assert read(path, content).authors == ("Ada Example",)
