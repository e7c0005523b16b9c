"""Hubs of Bazel: their lists are read or said to be unread, and nothing vanishes together with its label."""

import pytest

from audit.facts import Repository
from audit.scan.assembly import assemble
from audit.scan.walk import Limits, walk
from tests.audit.ecosystems.brief import dependency_lines, merged
from tests.audit.scan.test_walk import Memory


def audited(files: dict[str, str]) -> Repository:
    """The repository of these files."""
    tree = {path: content.encode() for path, content in files.items()}
    return assemble(walk(Memory({"LICENSE": b"MIT", **tree}), Limits()), "n", lambda text, _path: text)


def said(files: dict[str, str]) -> list[str]:
    """The dependencies by name, and the findings of files with their places."""
    found = audited(files)
    findings = [f"! {each.code} {each.place.path}" for each in found.findings if each.code.startswith("file/")]
    return [*(dependency.purl or dependency.name for dependency in found.dependencies), *findings]


@pytest.mark.parametrize(
    ("call", "lines"),
    [
        ('http_file(name = "gplf", urls = ["https://x.example/gpl.a"])', ["pkg:generic/gplf static-link direct :1"]),
        ('new_git_repository(name = "g", remote = "https://github.com/o/g", tag = "v1")', ["pkg:github/o/g@v1 static-link direct :1"]),
        ('crate.spec(package = "ring", version = "0.17")', ["pkg:cargo/ring@0.17 static-link direct :1"]),
        ('go_deps.module(path = "github.com/o/g", version = "v1.2.0")', ["pkg:golang/github.com/o/g@v1.2.0 static-link direct :1"]),
        ('npm.npm_import(name = "x", package = "@o/x", version = "1.0.0")', ["pkg:npm/%40o/x@1.0.0 runtime-import direct :1"]),
        ('oci.pull(name = "base", image = "gcr.io/o/base", tag = "1")', ["pkg:docker/o/base@1?repository_url=gcr.io aggregate direct :1"]),
        ('container_pull(name = "base", registry = "index.docker.io", repository = "library/debian")', ["pkg:docker/library/debian?repository_url=index.docker.io aggregate direct :1"]),
        ("oci.pull(name = IMAGE)", ["! file/unsupported :1"]), ('pip.parse(hub_name = "pip", requirements_lock = LOCK)', ["! file/unsupported :1"]),
        ('pip.parse(hub_name = "pip", requirements_lock = "@other//:r.txt")', ["! file/unsupported :1"]),
        ('crates_repository(name = "crates", packages = {"x": crate.spec(version = "1")})', ["! file/unsupported :1"]),
        ('local_repository(name = "x", path = "/opt/x")', ["! file/outside :1"]), ('new_local_repository(name = "x", path = "../x")', ["! file/outside :1"]),
        # Nothing is unread here.
        ('local_repository(name = "x", path = "third_party/x")', []), ('python.toolchain(python_version = "3.12")', []), ('semver.parse("1.2", "x")', []),
        ('maven.install(artifacts = ["a.b:c:1.0"])', ["pkg:maven/a.b/c@1.0 dynamic-link direct :1"]), ("def pip_parse(name, requirements_lock = None):", []),
    ],
)  # fmt: skip
def test_each_call_of_a_hub_names_what_it_brings_or_is_not_read(call, lines):
    assert dependency_lines("MODULE.bazel", call + "\n") == lines


def test_labels_of_a_folder_outside_of_the_tree_are_uses():
    build = 'cc_binary(name = "x", deps = ["@gpl//:gpl"])\n'
    outside = 'new_local_repository(name = "gpl", path = "/opt/gpl", build_file = "//:g.BUILD")\n'
    assert merged({"WORKSPACE": outside, "BUILD": build}) == ["pkg:generic/gpl static-link direct :1"]
    assert merged({"WORKSPACE": outside.replace("/opt/gpl", "gpl"), "BUILD": build}) == []


@pytest.mark.parametrize(
    ("module", "others", "lines"),
    [
        ('pip.parse(hub_name = "pip", requirements_lock = "//:locked.txt")', {"locked.txt": "pyqt5==5\n"}, ["pkg:pypi/pyqt5@5"]),
        ('pip_parse(name = "pip", requirements_linux = "//py:locked.txt")', {"py/locked.txt": "pyqt5==5\n"}, ["pkg:pypi/pyqt5@5"]),
        ('pip.parse(hub_name = "p", requirements_by_platform = {":locked.txt": "linux_x86_64"})', {"locked.txt": "a==1\n"}, ["pkg:pypi/a@1"]),
        ('pip.parse(hub_name = "pip", requirements_lock = "//:gone.txt")', {}, ["! file/missing MODULE.bazel"]),
        ('crate.from_cargo(name = "crates", cargo_lockfile = "//:Cargo.Bazel.lock", lockfile = "//:cargo-bazel-lock.json")', {"Cargo.Bazel.lock": "", "cargo-bazel-lock.json": "{}"},
         ["! file/unsupported Cargo.Bazel.lock"]),
        ('maven.install(lock_file = "//:maven_install.json")', {"maven_install.json": "{}"}, ["! file/unsupported maven_install.json"]),
        ('go_deps.from_file(go_mod = "//:go.mod")', {"go.mod": "module m\n"}, []),
        ('npm.npm_translate_lock(name = "npm", pnpm_lock = "//:pnpm-lock.yaml")', {"pnpm-lock.yaml": "lockfileVersion: '9.0'\nimporters:\n  .: {}\n"}, []),
    ],
)  # fmt: skip
def test_the_lists_of_a_hub_are_read_or_said_to_be_unread(module, others, lines):
    assert said({"MODULE.bazel": f"{module}\n", **others}) == lines


def test_a_workspace_below_the_root_has_its_own_labels():
    files = {"e/WORKSPACE": 'pip_parse(name = "pip", requirements_lock = "//:locked.txt")\n', "e/locked.txt": "a==1\n"}
    assert said(files) == ["pkg:pypi/a@1"]
