"""A file belongs to the outermost package folder in its path, and what lies below is that package's."""

import pytest

from audit.scan import package_folders
from audit.scan.package_folders import PackageFolders, submodule_folders

SUBMODULE = frozenset({"libs/dep"})


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("src/a.c", ""),
        ("libs/dep/src/a.c", "libs/dep"),
        ("libs/dep/node_modules/x/a.js", "libs/dep"),
        ("node_modules/a/node_modules/@s/b/c.js", "node_modules/a/node_modules/@s/b"),
        ("lib/site-packages/pip/_vendor/x/LICENSE", "lib/site-packages/pip"),
        ("vendor/github.com/o/n/sub/a.go", "vendor/github.com/o/n"),
        ("vendor/golang.org/x/a.go", "vendor/golang.org/x"),
        ("vendor/modules.txt", ""),
        ("third_party/zlib/a.c", "third_party/zlib"),
    ],
)
def test_a_file_s_package_is_told_by_its_path(path, folder):
    assert PackageFolders(SUBMODULE).of(path) == folder


def test_vendored_packages_and_submodules_are_kept_with_the_tree_they_lie_in():
    folders = PackageFolders(SUBMODULE)
    for path in ("a/vendor/github.com/o/n/a.go", "libs/dep/a.c", "node_modules/a/b.js"):
        folders.of(path)

    assert folders.shelves == {"a/vendor/github.com/o/n": "a/vendor", "libs/dep": ""}


def test_metadata_make_the_package_known_until_there_are_too_many(monkeypatch):
    monkeypatch.setattr(package_folders, "MAX_PACKAGES", 1)
    folders = PackageFolders()
    for name in "ab":
        folders.metadata(f"node_modules/{name}/package.json", f'{{"name": "{name}", "version": "1.0"}}')

    assert [(value.name, value.version) for value in folders.found.values()] == [("a", "1.0")]


def test_submodule_folders_are_those_of_gitmodules_without_the_root():
    assert submodule_folders('[submodule "x"]\n\tpath = libs/dep/\n path=.\n') == {"libs/dep"}
