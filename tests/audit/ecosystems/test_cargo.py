"""Rust: Cargo.toml and Cargo.lock, alone and together."""

import pytest

from audit import ecosystems
from audit.ecosystems.cargo import BUILD_SCRIPT_CRATES
from tests.audit.ecosystems.brief import dependency_lines, merged, origins, together

TOML = """[package]
name = "shop"
license = "MIT/Apache-2.0"

[dependencies]
a = "1"
b = { version = "=2.0.0", optional = true }
renamed = { package = "real", version = "1" }
here = { path = "here" }
g = { git = "https://github.com/O/g", rev = "00ff" }
shared.workspace = true

[dev-dependencies]
d = "1"

[build-dependencies]
cc = "1"

[target.'cfg(unix)'.dependencies]
libc = "0.2"
"""
LOCK = """version = 3

[[package]]
name = "a"
version = "1.0.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
dependencies = [
 "x 1.0.0",
]

[[package]]
name = "cc"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
dependencies = ["x 2.0.0 (registry+https://github.com/rust-lang/crates.io-index)"]

[[package]]
name = "d"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
dependencies = ["a"]

[[package]]
name = "g"
version = "0.1.0"
source = "git+https://github.com/O/g?rev=00ff#00ff"

[[package]]
name = "shop"
version = "0.1.0"
dependencies = ["a", "cc", "d", "g"]

[[package]]
name = "x"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "x"
version = "2.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
"""


def test_every_table_of_a_manifest_gives_its_dependencies():
    assert dependency_lines("Cargo.toml", TOML) == [
        "pkg:cargo/a static-link direct :6",
        "pkg:cargo/b@2.0.0 static-link direct optional :7",
        "pkg:cargo/real static-link direct :8",
        "pkg:github/o/g@00ff static-link direct :10",
        "pkg:cargo/shared static-link direct :11",
        "pkg:cargo/d test-only direct :14",
        "pkg:cargo/cc build-tool direct :17",
        "pkg:cargo/libc static-link direct :20",
    ]
    assert ecosystems.read("Cargo.toml", TOML).license.expression == "MIT OR Apache-2.0"


def test_the_lock_file_gives_versions_and_the_manifest_the_usage():
    said = merged({"Cargo.toml": TOML, "Cargo.lock": LOCK})

    assert [line for line in said if "@" in line and "b@2" not in line] == [
        "pkg:cargo/a@1.0.1 static-link direct :6",
        "pkg:cargo/cc@1.0.0 build-tool direct :17",
        "pkg:cargo/d@1.0.0 test-only direct :14",
        "pkg:github/o/g@00ff static-link direct :10",
        "pkg:cargo/x@1.0.0 static-link indirect :33",
        "pkg:cargo/x@2.0.0 build-tool indirect :38",
    ]


def test_needs_of_own_packages_in_a_lone_lock_are_direct_and_linked():
    assert merged({"Cargo.lock": LOCK})[0] == "pkg:cargo/a@1.0.1 static-link direct :3"


def locked(**needs):
    """A Cargo.lock in which each crate needs others; `shop` is the repository's own."""
    return "".join(
        f'[[package]]\nname = "{name}"\nversion = "1.0.0"\n'
        + ("" if name == "shop" else 'source = "registry+https://github.com/rust-lang/crates.io-index"\n')
        + f"dependencies = {list(others)}\n"
        for name, others in needs.items()
    )


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ("", {"cc": "build-tool", "shlex": "build-tool", "zlib": "static-link", "libc": "static-link"}),
        ('zlib = "1"', {"cc": "build-tool", "shlex": "build-tool", "zlib": "static-link", "libc": "static-link"}),
        ('zlib = "1"\ncc = "1"', {"cc": "static-link", "shlex": "static-link", "zlib": "static-link", "libc": "static-link"}),
        ('[dev-dependencies]\nzlib = "1"', {"cc": "build-tool", "shlex": "build-tool", "zlib": "test-only", "libc": "build-tool"}),
        ('zlib = "1"\nshlex = "1"', {"cc": "build-tool", "shlex": "static-link", "zlib": "static-link", "libc": "static-link"}),
    ],
)  # fmt: skip
def test_crates_that_only_build_scripts_call_are_build_tools(manifest, expected):
    lock = locked(shop=["zlib"], zlib=["cc", "libc"], cc=["shlex", "libc"], shlex=[], libc=[])
    files = {"Cargo.lock": lock} | ({"Cargo.toml": f"[dependencies]\n{manifest}\n"} if manifest else {})
    assert {dependency.name: dependency.usage.value for dependency in together(files) if dependency.version} == expected


def test_the_reason_of_a_build_script_s_crate_names_it():
    lock = locked(shop=["zlib"], zlib=["cc"], cc=["shlex"], shlex=[])
    said = {dependency.name: dependency.why for dependency in together({"Cargo.lock": lock})}
    assert (said["cc"], said["shlex"]) == ("Cargo.lock, needed by build scripts (cc)",) * 2


def test_a_member_of_a_workspace_uses_the_lock_file_above_it():
    said = merged({"Cargo.lock": LOCK, "crates/shop/Cargo.toml": '[package]\nname="shop"\n[dev-dependencies]\na="1"\n'})

    assert "pkg:cargo/a@1.0.1 test-only direct :4" in said
    assert "pkg:cargo/x@1.0.0 test-only indirect :33" in said


def test_registry_archives_have_checksums_and_repositories_commits():
    crates = "registry+https://github.com/rust-lang/crates.io-index"
    lock = f"""[[package]]
name = "a"
version = "1.0.0"
source = "{crates}"
checksum = "{"2c" * 32}"
dependencies = ["b 1.0.0", "g"]

[[package]]
name = "b"
version = "1.0.0"
source = "{crates}"

[[package]]
name = "b"
version = "2.0.0"
source = "{crates}"

[[package]]
name = "g"
version = "3.0.0"
source = "git+https://ada:word@github.com/o/g?rev=00ff#00ff11"

[metadata]
checksum = "{"3d" * 32}"
"""
    assert origins({"Cargo.lock": lock}) == [
        "pkg:cargo/a@1.0.0 SHA256:2c2c2c2c brings pkg:cargo/b@1.0.0 pkg:github/o/g@00ff11",
        "pkg:cargo/b@1.0.0",
        "pkg:cargo/b@2.0.0",
        "pkg:github/o/g@00ff11 from git+https://github.com/o/g@00ff11",
    ]


def test_a_crate_of_a_private_registry_has_its_address():
    content = """[dependencies]
a = { version = "1", registry = "corp" }
b = { version = "1", registry-index = "sparse+https://crates.corp.example/index/" }
c = { version = "1", registry = "crates-io" }
"""
    found = ecosystems.read("Cargo.toml", content).dependencies

    assert [(dependency.purl, dependency.version_range) for dependency in found] == [
        ("pkg:cargo/a?repository_url=corp", "1"),
        ("pkg:cargo/b?repository_url=crates.corp.example", "1"),
        ("pkg:cargo/c", "1"),
    ]


@pytest.mark.parametrize(
    ("table", "usage"),
    [
        ("dev-dependencies", "test-only"),
        ("dev_dependencies", "test-only"),
        ("build_dependencies", "build-tool"),
        ("dependencies", "static-link"),
    ],
)
def test_both_spellings_of_a_table_are_read(table, usage):
    assert merged({"Cargo.toml": f'[package]\nname = "x"\n[{table}]\na = "1"\n'}) == [f"pkg:cargo/a {usage} direct :4"]


WORKSPACE = """[workspace]
members = ["a"]
[workspace.dependencies]
serde = "=1.0.0"
alias = { package = "real", git = "https://github.com/o/real", rev = "00ff" }
[patch.crates-io]
deep = { git = "https://github.com/o/deep", branch = "x" }
near = { path = "near" }
"""
MEMBER = """[dependencies]
serde = { workspace = true, optional = true }
alias.workspace = true
deep = "1"
lost.workspace = true
[dev-dependencies]
serde.workspace = true
"""


def test_members_take_versions_and_patches_from_their_workspace():
    assert merged({"Cargo.toml": WORKSPACE, "a/Cargo.toml": MEMBER, "other/Cargo.toml": MEMBER.replace("lost", "near")}) == [
        "pkg:github/o/deep static-link direct :4",
        "pkg:cargo/lost static-link direct :5",
        "pkg:cargo/near static-link direct :5",
        "pkg:github/o/real@00ff static-link direct :3",
        "pkg:cargo/serde@1.0.0 static-link direct optional :2",
        "pkg:cargo/serde@1.0.0 test-only direct :7",
    ]  # fmt: skip
    assert merged({"b/Cargo.toml": WORKSPACE, "a/Cargo.toml": '[dependencies]\ndeep = "1"'}) == [
        "pkg:cargo/deep static-link direct :2",
        "pkg:github/o/deep unknown indirect :7",  # In the place of what other crates may need.
    ]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('[patch.crates-io]\ndeep = { git = "https://github.com/o/deep" }', "pkg:github/o/deep static-link direct :2"),
        ('[patch.crates-io]\ndeep = { path = "deep" }', "pkg:cargo/deep static-link direct :2"),
        ('[replace]\n"deep:1.0.0" = { git = "https://github.com/o/deep" }', "pkg:github/o/deep static-link direct :2"),
        ('[patch.crates-io]\nother = { git = "https://github.com/o/other" }', "pkg:github/o/other unknown indirect :2"),
        ('paths = ["/opt/deep"]', "file/outside"),
        ('paths = ["../deep"]', "file/outside"),
        ('paths = ["deep"]', "pkg:cargo/deep static-link direct :2"),
        ('[target.x]\nrustflags = ["-lreadline"]', "pkg:generic/readline dynamic-link direct :2"),
    ],
)
def test_the_settings_of_cargo_replace_crates_of_the_folder_above(config, expected):
    for path in (".cargo/config.toml", ".cargo/config"):
        files = {"Cargo.toml": '[dependencies]\ndeep = "1"', path: config}
        found = [finding.code for finding in ecosystems.read(path, config).findings]
        assert expected in [*(line.partition(" GPL")[0] for line in merged(files)), *found]


def test_a_patched_crate_has_the_commit_of_the_lock_file():
    lock = (
        f'[[package]]\nname = "deep"\nversion = "1.0.0"\nsource = "git+https://github.com/o/deep?branch=x#{"0" * 40}"\n'
    )
    found = merged({"Cargo.toml": WORKSPACE, "a/Cargo.toml": '[dependencies]\ndeep = "1"', "Cargo.lock": lock})
    assert found == [f"pkg:github/o/deep@{'0' * 40} static-link direct :2"]


def test_crates_that_bring_code_are_no_build_script_crates():
    assert not BUILD_SCRIPT_CRATES.keys() & {
        "openssl-src",
        "prost-build",
        "cxx-build",
        "syn",
        "quote",
        "serde_derive",
        "libc",
    }
