"""poetry.lock, uv.lock, pdm.lock, pylock.toml: versions, and scopes by groups, markers or needs."""

from pathlib import Path

import pytest

from audit import ecosystems
from audit.ecosystems.python.locks import chosen_archive
from tests.audit.ecosystems.brief import dependency_lines, merged, origins

CASES = Path("tests/cases/ecosystems/uv")
POETRY = """[[package]]
name = "a"
version = "1.0"
optional = false
files = [
    {file = "a.whl", hash = "sha256:00"},
]

[package.dependencies]
B_ = ">=1"

[[package]]
name = "b-"
version = "2.0"
"""


def test_groups_or_the_older_category_of_poetry_give_the_usage():
    content = '[[package]]\nname="a"\nversion="1"\ngroups=["main","dev"]\n[[package]]\nname="b"\nversion="1"\ncategory="dev"\n'
    assert dependency_lines("poetry.lock", content) == ["pkg:pypi/a@1 runtime-import :1", "pkg:pypi/b@1 dev-tool :5"]


def test_the_default_group_of_pdm_is_runtime():
    content = (
        '[[package]]\nname="a"\nversion="1"\ngroups=["default"]\n[[package]]\nname="b"\nversion="1"\ngroups=["test"]\n'
    )
    assert dependency_lines("pdm.lock", content) == ["pkg:pypi/a@1 runtime-import :1", "pkg:pypi/b@1 test-only :5"]


def test_poetry_s_manifest_says_which_packages_are_tools():
    manifest = '[tool.poetry.group.dev.dependencies]\na = "^1"\n'
    assert merged({"pyproject.toml": manifest, "poetry.lock": POETRY}) == [
        "pkg:pypi/a@1.0 dev-tool direct :2",
        "pkg:pypi/b-@2.0 dev-tool indirect :12",
    ]


def test_poetry_packages_without_a_manifest_are_runtime():
    assert merged({"poetry.lock": POETRY}) == ["pkg:pypi/a@1.0 runtime-import :1", "pkg:pypi/b-@2.0 runtime-import :12"]


def test_the_files_that_uv_wrote_for_one_project_agree():
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted(CASES.iterdir())}
    said = [line.partition(" :")[0] for line in merged(files)]

    assert said == [
        "pkg:pypi/certifi@2026.10.18 runtime-import indirect",
        "pkg:pypi/charset-normalizer@3.5.2 runtime-import indirect",
        "pkg:pypi/idna@3.20 runtime-import indirect",
        "pkg:pypi/iniconfig@2.3.1 test-only direct optional",
        "pkg:pypi/markdown-it-py@4.3.0 runtime-import direct optional",
        "pkg:pypi/mdurl@0.1.2 runtime-import indirect optional",
        "pkg:pypi/pluggy@1.7.0 dev-tool direct",
        "pkg:pypi/pygments@2.21.0 runtime-import indirect optional",
        "pkg:pypi/requests@2.34.2 runtime-import direct",
        "pkg:pypi/rich@15.0.0 runtime-import direct optional",
        "pkg:pypi/urllib3@2.8.0 runtime-import indirect",
    ]


def test_markers_of_pylock_name_groups_and_extras():
    content = (
        '[[packages]]\nname="a"\nversion="1"\n[[packages]]\nname="b"\nversion="1"\nmarker="\'dev\' in dependency_groups"\n'
        '[[packages]]\nname="c"\nmarker="\'speed\' in extras"\n[[packages]]\nname="own"\n[packages.directory]\npath="."\n'
    )
    assert dependency_lines("pylock.toml", content) == [
        "pkg:pypi/a@1 runtime-import :1",
        "pkg:pypi/b@1 dev-tool :4",
        "pkg:pypi/c runtime-import :8",
    ]


def test_a_package_from_a_repository_is_named_by_the_repository():
    poetry = '[[package]]\nname="a"\nversion="1"\n[package.source]\ntype="git"\nurl="https://github.com/O/a.git"\nreference="x"\n'
    uv = '[[package]]\nname="a"\nversion="1"\nsource = { git = "https://github.com/O/a?rev=x#00" }\n'
    assert dependency_lines("poetry.lock", poetry) == ["pkg:github/o/a@1 unknown :1"]
    assert dependency_lines("uv.lock", uv) == ["pkg:github/o/a@1 unknown :1"]


def test_strange_shapes_are_read_without_failing():
    content = 'package = [1, {}, {name = 3}, {name = "a", dependencies = [1, {}, "((", {name = 2}], groups = {}, source = []}]'
    assert dependency_lines("uv.lock", content) == ["pkg:pypi/a unknown", "! file/broken :1"]
    assert dependency_lines("poetry.lock", "package = [3, {name = 3}]") == ["! file/broken :1"]


def test_uv_locks_name_the_universal_wheel_and_the_needs():
    found = {
        origin.split()[0]: origin for origin in origins({"uv.lock": (CASES / "uv.lock").read_text(encoding="utf-8")})
    }
    assert found["pkg:pypi/idna@3.20"].endswith("-py3-none-any.whl SHA256:ab7ae712")
    assert found["pkg:pypi/requests@2.34.2"].partition(" brings ")[2].split() == [
        "pkg:pypi/certifi@2026.10.18", "pkg:pypi/charset-normalizer@3.5.2", "pkg:pypi/idna@3.20", "pkg:pypi/urllib3@2.8.0",
    ]  # fmt: skip


def test_poetry_archives_have_hashes_without_addresses():
    lock = f"""[[package]]
name = "a"
version = "1"
files = [
    {{file = "a-1-py3-none-any.whl", hash = "sha256:{"2c" * 32}"}},
    {{file = "a-1.tar.gz", hash = "sha256:{"3d" * 32}"}},
]

[package.dependencies]
g = {{url = "https://host/g.zip"}}

[[package]]
name = "g"
version = "1"

[package.source]
type = "git"
url = "https://ada@github.com/o/g.git"
reference = "main"
resolved_reference = "00ff"

[metadata.files]
a = [{{file = "a-1.tar.gz", hash = "sha256:{"3d" * 32}"}}]
"""
    g = "pkg:github/o/g@1"
    assert origins({"poetry.lock": lock}) == [
        f"pkg:pypi/a@1 SHA256:2c2c2c2c brings {g}",
        f"{g} from git+https://github.com/o/g.git@00ff",
    ]


def test_a_package_from_a_repository_has_no_archive_checksum():
    """The checksums listed beside it would be those of another file."""
    source = '[package.source]\ntype = "git"\nurl = "https://host/a"\nresolved_reference = "00ff"\n'
    digest = f'files = [\n    {{file = "a-1.tar.gz", hash = "sha256:{"0a" * 32}"}},\n]\n'
    (found,) = ecosystems.read("poetry.lock", f'[[package]]\nname = "a"\nversion = "1"\n{digest}{source}').dependencies
    (archive,) = ecosystems.read("poetry.lock", f'[[package]]\nname = "a"\nversion = "1"\n{digest}').dependencies

    assert (found.download, found.checksums) == ("git+https://host/a@00ff", ())
    assert len(archive.checksums) == 1


A, B, C = ("0a" * 32, "0b" * 32, "0c" * 32)
HOST = "https://files.pythonhosted.org/x"
SDIST = f'sdist = {{ url = "{HOST}/a-1.tar.gz", hash = "sha256:{A}", size = 1 }}\n'
WHEEL = f'    {{ url = "{HOST}/a-1-py3-none-any.whl", hash = "sha256:{B}" }},\n'
NATIVE = f'    {{ url = "{HOST}/a-1-cp313-cp313-linux.whl", hash = "sha256:{C}" }},\n'


@pytest.mark.parametrize(
    ("section", "address", "digest"),
    [
        (f"{SDIST}wheels = [\n{WHEEL}]\n", f"{HOST}/a-1-py3-none-any.whl", B),
        (f"{SDIST}wheels = [\n{NATIVE}]\n", f"{HOST}/a-1.tar.gz", A),
        (f"{SDIST}wheels = [\n{WHEEL}{WHEEL}]\n", f"{HOST}/a-1.tar.gz", A),
        (f"wheels = [\n{NATIVE}]\n", f"{HOST}/a-1-cp313-cp313-linux.whl", C),
        (f"wheels = [\n{NATIVE}{NATIVE}]\n", None, None),
        (f'files = [\n  {{file = "a-1.tar.gz", hash = "sha256:{A}"}},\n]\n', None, A),
        (f'source = {{ url = "{HOST}/a-1.zip" }}\nsdist = {{ hash = "sha256:{A}" }}\n', f"{HOST}/a-1.zip", A),
        (
            f'wheels = [{{ name = "a-1-py3-none-any.whl", url = "{HOST}/a-1-py3-none-any.whl", hashes = {{ sha256 = "{B}" }} }}]',
            f"{HOST}/a-1-py3-none-any.whl",
            B,
        ),
        (f'[package.dependencies]\nb = {{ url = "{HOST}/b.zip" }}\n', None, None),
        ("", None, None),
        ("{" * 100_000, None, None),
    ],
)
def test_a_universal_wheel_is_chosen_before_sources_and_nothing_else(section, address, digest):
    found = chosen_archive(section)
    assert found.get("download") == address
    assert [checksum.value for checksum in found.get("checksums", ())] == ([digest] if digest else [])


LOCK = """{
  "_meta": {},
  "default": {
    "a": {"version": "==1.0"},
    "g": {"git": "https://github.com/o/g.git", "ref": "00ff"},
    "own": {"path": "."}
  },
  "develop": {
    "b": {"version": "==2.0"}, "c": 3
  }
}"""


def test_a_pipfile_lock_gives_exact_versions_and_repositories():
    assert dependency_lines("Pipfile.lock", LOCK) == [
        "pkg:pypi/a@1.0 runtime-import :4",
        "pkg:github/o/g@00ff runtime-import :5",
        "pkg:pypi/b@2.0 dev-tool :9",
        "! file/broken :8",
    ]


def test_packages_that_the_pipfile_names_are_direct():
    assert merged({"Pipfile": '[packages]\na = "*"\n', "Pipfile.lock": LOCK}) == [
        "pkg:pypi/a@1.0 runtime-import direct :2",
        "pkg:pypi/b@2.0 dev-tool indirect :9",
        "pkg:github/o/g@00ff runtime-import indirect :5",
    ]


def test_one_hash_is_the_archive_s_and_of_several_none_is_taken():
    first, other = "sha256:" + "2c" * 32, "sha256:" + "3d" * 32
    entries = (
        f'"a": {{"version": "==1", "hashes": ["{first}"]}}, "b": {{"version": "==2", "hashes": ["{first}", "{other}"]}}'
    )
    git = '"g": {"git": "https://ada@github.com/o/g.git", "ref": "00ff"}'
    assert origins({"Pipfile.lock": f'{{"default": {{{entries}, {git}}}}}'}) == [
        "pkg:pypi/a@1 SHA256:2c2c2c2c",
        "pkg:pypi/b@2",
        "pkg:github/o/g@00ff from git+https://github.com/o/g.git@00ff",
    ]


def test_each_category_of_a_pipfile_lock_is_read():
    content = '{"_meta": {"sources": []}, "default": {}, "develop": {"a": {"version": "==1"}}, "gui": {"b": {"version": "==5"}}, "docs": {"c": {}}}'
    assert [line.rpartition(" :")[0] for line in dependency_lines("Pipfile.lock", content)] == [
        "pkg:pypi/a@1 dev-tool",
        "pkg:pypi/b@5 runtime-import",
        "pkg:pypi/c dev-tool",
    ]
