"""The role of a file by its path, and the files that are read."""

import pytest

from audit.scan import gathering, installed_packages
from audit.scan.gathering import ScanResult, is_read
from audit.scan.package_folders import PackageFolders
from audit.work_budget import WorkBudget

ROLES = {
    "Makefile": "manifest", "src/configure.ac": "manifest", "x.pc.in": "manifest",
    "package.json": "manifest", "a/b/Cargo.lock": "manifest", "src/a.c": "source", "LICENSE": "license", "sub/LICENSE": "license", "a/b/c/d/LICENSE": "license", "tests/data/LICENSE": "license", "sub/NOTICE": "notice",
    "LICENSES/MIT.txt": "license", "NOTICE": "notice", "README": "readme", "sub/README": "text", "logo.png": "", "REUSE.toml": "statement", "a/REUSE.toml": "statement", ".reuse/dep5": "statement", "src/a.py": "code", "tests/a.py": "",
    "libs/x.jar": "library", "node_modules/a/x.so": "",
    "node_modules/a/package.json": "metadata", "node_modules/a/LICENSE": "license", "node_modules/a/lib/LICENSE": "",
    "node_modules/a/node_modules/@s/b/package.json": "metadata", "node_modules/a/src/a.c": "",
    "lib/site-packages/a.dist-info/METADATA": "metadata", "lib/site-packages/a.dist-info/licenses/x/LICENSE": "license",
    "lib/site-packages/pip/_vendor/x/LICENSE": "",
    "third_party/CMakeLists.txt": "manifest", "third_party/zlib/CMakeLists.txt": "", "third_party/zlib/COPYING": "license",
    "vendor/github.com/o/n/LICENSE": "license", "vendor/github.com/o/n/sub/LICENSE": "", "vendor/modules.txt": "manifest",
    "vendor/golang.org/x/LICENSE": "license", "libs/dep/LICENSE": "license", "libs/dep/package.json": "metadata",
}  # fmt: skip


DEEPER = ("third_party/zlib/CMakeLists.txt", "vendor/github.com/o/n/sub/LICENSE")
"""Read where what else is in their folders asks for it."""


@pytest.mark.parametrize(("path", "role"), ROLES.items())
def test_a_file_s_role_is_told_by_its_path(path, role):
    found = ScanResult(packages=PackageFolders(frozenset({"libs/dep"})))
    assert found.role(path, installed_packages.legal(path.rpartition("/")[2])) == role


@pytest.mark.parametrize(
    ("path", "read"),
    [
        *(
            (path, bool(role))
            for path, role in ROLES.items()
            if not path.startswith(("node_modules", "libs")) and path not in DEEPER
        ),
        *((path, True) for path in DEEPER),
        ("third_party/new/src/deep/a.cc", True),
        ("third_party/new/README.md", False),
        ("docs/third_party/a.go", True),
        ("deps/x/a.go", True),
        ("deps/x/configure.ac", True),
        ("VERSION", True),
        ("logo.png", False),
        ("x/go.work", True),
        ("src/a.go", True),
        ("src/a.py", True),
        ("tests/a.py", False),
        ("src/a.R", True),
        ("tests/a.R", False),
        ("app/Gemfile.lock", True),
        ("app/composer.lock", True),
        ("src/App.csproj", True),
        ("Package.resolved", True),
        ("environment.yml", True),
        ("node_modules/a/package.json", True),
        ("a/x.wasm", True),
        ("x.exe", True),
        ("libs/x.tgz", True),
        ("src/x.tgz", False),
        ("A.framework/A", True),
    ],
)
def test_files_with_a_role_and_the_first_code_of_a_vendored_folder_are_read(path, read):
    assert is_read(path) is read


def test_a_file_that_names_too_much_is_a_finding_and_charged(monkeypatch):
    monkeypatch.setattr(gathering, "MAX_NAMED", 2)
    budget = WorkBudget(100_000)
    found = ScanResult(budget=budget)
    found.take("go.mod", "module c\n\nrequire (\n\ta.b/c v1.0.0\n\ta.b/d v1.0.0\n)\n", "")
    found.take("x/Makefile", "LDLIBS = -lx -ly -lz\nx:\n\tcc $(LDLIBS)\n", "")
    found.include("libs", "make", "LDLIBS = -lx -ly -lz -lq\nx:\n\tcc $(LDLIBS)\n", "")

    assert [len(value.read.dependencies) for value in found.reads.values()] == [2, 0, 0]
    assert [finding.message for each in found.reads.values() for finding in each.read.findings] == [
        f"{count} dependencies: a file that names more than 2 is not read" for count in (3, 4)
    ]
    assert budget.left == 100_000 - 9 * 2_000
