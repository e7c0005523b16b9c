"""Authors and accounts in the forms of each ecosystem; never the address of a person."""

import pytest

from audit.ecosystems import read
from audit.ecosystems.formats.manifest_suppliers import named, short


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
def test_a_supplier_is_a_name_and_never_an_address_alone(value, found):
    assert named(value) == found


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
        ("setup.cfg", "[metadata]\nname = a\nauthor = Ada Example\nauthor_email = ada@example.org\n"),
        ("setup.py", "setup(name='a', author='Ada Example', author_email='ada@example.org')\n"),
    ],
)  # fmt: skip
def test_each_manifest_names_its_authors_in_its_own_field(path, content):
    assert read(path, content).suppliers == ("Ada Example",)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("package.json", '{"name": "a", "repository": "ada/a"}'),
        ("package.json", '{"name": "a", "repository": {"type": "git", "url": "git+ssh://git@github.com/ada/a.git"}}'),
        ("Cargo.toml", '[package]\nname = "a"\nrepository = "https://github.com/ada/a"\n'),
        ("Cargo.toml", '[workspace.package]\nrepository = "https://github.com/ada/a"\n[package]\nname = "a"\n'),
        ("pyproject.toml", '[project]\nname = "a"\n[project.urls]\nHome = "https://a.example"\nSource = "https://GitHub.com/ada/a"\n'),
        ("composer.json", '{"name": "a/a", "support": {"source": "https://github.com/ada/a"}}'),
        ("pom.xml", "<project><artifactId>a</artifactId><scm><url>git@github.com:ada/a.git</url></scm></project>"),
        ("setup.cfg", "[metadata]\nname = a\nurl = https://github.com/ada/a\n"),
        ("setup.py", "setup(name='a', url='https://www.github.com/ada/a')\n"),
        ("go.mod", "module github.com/ada/a/v2\n\ngo 1.21\n"),
    ],
)  # fmt: skip
def test_each_manifest_without_authors_names_the_account_of_its_repository(path, content):
    assert read(path, content).suppliers == ("github.com/ada",)


@pytest.mark.parametrize(
    "address",
    ["https://github.com", "https://github.com/ada", "https://github.com.evil.example/ada/a", "https://a.example/github.com/ada/a",
     "https://user:secret@a.example/ada/a", 7, None, {"url": ["x"]}, "a" * 1_000_000, "//" * 100_000, "@" * 100_000],
)  # fmt: skip
def test_an_address_of_another_host_or_without_an_account_names_no_account(address):
    assert named("", address) == ()


def test_npm_s_short_form_of_a_repository_is_its_github_account():
    assert short("github:ada/a") == short("ada/a") == "github.com/ada/"
    assert short("https://gitlab.com/ada/a") == "https://gitlab.com/ada/a"
    assert short({"url": "x"}) == {"url": "x"}
