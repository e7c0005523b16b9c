"""The supplier of each package: stated, by address, by registry or by tree, and never invented."""

import pytest

from audit.facts import Dependency, Place, Repository, Usage
from audit.output.suppliers import owner, supplier


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"purl": "pkg:npm/a@1"}, "npmjs.com"),
        ({"purl": "pkg:npm/a@1", "supplier": "Example  Ltd\n"}, "Example Ltd"),
        ({"purl": "pkg:npm/a@1", "download": "https://registry.yarnpkg.com/a.tgz"}, "npmjs.com"),
        ({"purl": "pkg:npm/a@1", "download": "https://npm.example.com:81/a.tgz"}, "npm.example.com"),
        ({"purl": "pkg:npm/a@1?repository_url=npm.example.com"}, "npm.example.com"),
        ({"purl": "pkg:npm/a@1?repository_url=no-registry"}, "org"),
        ({"purl": "pkg:npm/a@1?repository_url=https%3A%2F%2Fnpm.example.com%2Fx"}, "npm.example.com"),
        ({"purl": "pkg:npm/a@1", "download": "git+ssh://github.com/o/a.git@00ff"}, "github.com/o"),
        ({"purl": "pkg:npm/a@1", "download": "https://codeload.github.com/o/a/tar.gz/1"}, "github.com/o"),
        ({"purl": "pkg:composer/o/a@1", "download": "https://api.github.com/repos/O/a/zipball/00ff"}, "github.com/O"),
        ({"purl": "pkg:composer/o/a@1", "download": "https://api.github.com/repos"}, "github.com"),
        ({"purl": "pkg:pypi/a@1"}, "pypi.org"),
        ({"purl": "pkg:github/O/a@1"}, "github.com/O"),
        ({"purl": "pkg:gitlab/o/p/a@1"}, "gitlab.com/o/p"),
        ({"purl": "pkg:golang/github.com/o/a/v2@1"}, "github.com/o"),
        ({"purl": "pkg:golang/golang.org/x/sys@1"}, "golang.org"),
        ({"purl": "pkg:golang/go.opencensus.io@1"}, "go.opencensus.io"),
        ({"purl": "pkg:deb/debian/gcc"}, "debian"),
        ({"purl": "pkg:docker/library/debian@12"}, "docker.io"),
        ({"purl": "pkg:generic/openssl"}, None),
        ({"purl": "pkg:generic/z", "download": "https://zlib.net/z.tar.gz"}, "zlib.net"),
        ({"purl": "pkg:deb/gcc"}, None),
        ({}, None),
        ({"purl": "pkg:generic/z", "usage": Usage.VENDORED}, "org"),
        ({"purl": "pkg:generic/m", "usage": Usage.MODEL_WEIGHTS, "places": (Place("models/m"),)}, "org"),
        ({"purl": "pkg:generic/x", "usage": Usage.DYNAMIC_LINK, "places": (Place("lib/libx.so"),)}, "org"),
        ({"purl": "pkg:generic/x", "usage": Usage.DYNAMIC_LINK, "places": (Place("CMakeLists.txt", 3),)}, None),
        (
            {"purl": "pkg:huggingface/o/m", "usage": Usage.MODEL_WEIGHTS, "places": (Place("m/README.md", 2),)},
            "huggingface.co",
        ),
        ({"purl": "pkg:pypi/z", "usage": Usage.SOURCE_MERGED}, "org"),
        ({"usage": Usage.VENDORED, "download": "git+https://github.com/o/z"}, "github.com/o"),  # a submodule
    ],
)
def test_the_supplier_is_stated_or_the_registry_or_the_owner_of_the_tree(facts, name):
    assert supplier(Dependency(name="a", **facts), "org") == name


def test_a_vendored_package_without_an_owner_is_its_registry_s():
    assert supplier(Dependency(name="a", purl="pkg:npm/a", usage=Usage.VENDORED), None) == "npmjs.com"
    assert supplier(Dependency(name="a", usage=Usage.VENDORED), None) is None


@pytest.mark.parametrize(
    ("name", "named", "found"),
    [("org/work", None, "org"), ("a/b/work", None, "a/b"), ("work", None, None), ("work", "Example Ltd", "Example Ltd"),
     ("org/work", "Example Ltd", "Example Ltd"), ("org/work", " ", "org"), ("/work", None, None)],
)  # fmt: skip
def test_the_owner_is_the_named_one_or_else_the_account(name, named, found):
    assert owner(Repository(name=name), named) == found


@pytest.mark.parametrize(
    ("name", "named", "authors", "found"),
    [("work", None, ("Ada",), "Ada"), ("work", None, ("Ada", "Bo"), "Ada, Bo"), ("work", "Example Ltd", ("Ada",), "Example Ltd"),
     ("org/work", None, ("Ada",), "org"), ("work", None, tuple("abcdefg"), "a, b, c, d, e and others")],
)  # fmt: skip
def test_the_owner_is_named_by_manifests_if_there_is_no_account(name, named, authors, found):
    assert owner(Repository(name=name, suppliers=authors), named) == found
