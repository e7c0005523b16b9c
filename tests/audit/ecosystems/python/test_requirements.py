"""Requirements files: continuation lines, comments, hashes, markers, addresses, other files, and pip-compile's `via`."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, origins, together

CASES = {
    "a==1.0": ["pkg:pypi/a@1.0 runtime-import direct :1"],
    "A_b.C==1.0 # why": ["pkg:pypi/a-b-c@1.0 runtime-import direct :1"],
    "\n\na>=1,<2": ["pkg:pypi/a runtime-import direct :3"],
    "a==1.*": ["pkg:pypi/a runtime-import direct :1"],
    "a[x]==1; python_version < '3.9'": ["pkg:pypi/a@1 runtime-import direct :1"],
    'a; os_name != "nt"': ["pkg:pypi/a runtime-import direct :1"],
    "a==1 \\\n    --hash=sha256:00 \\\n    --hash=sha256:01\nb==2": [
        "pkg:pypi/a@1 runtime-import direct :1",
        "pkg:pypi/b@2 runtime-import direct :4",
    ],
    "-e git+https://github.com/Psf/Requests.git@v2.0#egg=requests": [
        "pkg:github/psf/requests@v2.0 runtime-import direct :1"
    ],
    "https://x.org/dl/thing-1.2.tar.gz": ["pkg:pypi/thing@1.2?repository_url=x.org runtime-import direct :1"],
    "a @ https://x.org/a-1.0-py3-none-any.whl": ["pkg:pypi/a@1.0?repository_url=x.org runtime-import direct :1"],
    "-e .\n./other\nsub/folder": [],
    "--index-url https://x.org\n-i y\n--no-binary :all:\n-c other.txt": [],
    "a==1\n    # via b\nc==2\n    # via -r requirements.in\nd==3 # via c": [
        "pkg:pypi/a@1 runtime-import indirect :1",
        "pkg:pypi/c@2 runtime-import direct :3",
        "pkg:pypi/d@3 runtime-import indirect :5",
    ],
    "a b c\n== 1\na==1": [
        "pkg:pypi/a@1 runtime-import direct :3",
        "! dependency/unreadable :1",
        "! dependency/unreadable :2",
    ],
    "a==1 \\": ["pkg:pypi/a@1 runtime-import direct :1"],
}


@pytest.mark.parametrize(("content", "expected"), CASES.items(), ids=lambda value: repr(value)[:40])
def test_each_form_of_line_gives_its_requirement(content, expected):
    assert dependency_lines("requirements.txt", content) == expected


@pytest.mark.parametrize(
    ("path", "usage"),
    [
        ("requirements-dev.txt", "dev-tool"),
        ("reqs/test.txt", "test-only"),
        ("dev-reqs.txt", "dev-tool"),
        ("reqs.txt", "runtime-import"),
        ("requirements.pip", "runtime-import"),
        ("dev-requirements.txt", "dev-tool"),
        ("requirements/test.txt", "test-only"),
        ("test-requirements.in", "test-only"),
        ("requirements/docs.txt", "dev-tool"),
        ("requirements/prod.txt", "runtime-import"),
        ("requirements_build.txt", "build-tool"),
        ("_vendor/vendor.txt", "vendored"),
    ],
)
def test_the_name_of_the_file_gives_the_usage(path, usage):
    assert dependency_lines(path, "a==1") == [f"pkg:pypi/a@1 {usage} direct :1"]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("-r base.txt", "x/base.txt"),
        ("--requirement=../base.txt", "base.txt"),
        ("-r ../../out.txt", "../out.txt"),
        ("-r '../a b.txt'", "a b.txt"),
        ("-r /srv/../base.txt", "/srv/../base.txt"),
    ],
)
def test_included_files_are_named_from_the_folder_of_the_file(line, path):
    (include,) = ecosystems.read("x/requirements.txt", f"\n{line}").includes

    assert (include.path, include.place.line) == (path, 2)


def test_one_hash_is_the_archive_s_and_of_several_none_is_taken():
    first, other = "sha256:" + "2c" * 32, "sha256:" + "3d" * 32
    content = f"a==1 --hash={first}\nb==2 \\\n  --hash={first} \\\n  --hash={other}\nc==3\n"
    assert origins({"requirements.txt": content}) == ["pkg:pypi/a@1 SHA256:2c2c2c2c", "pkg:pypi/b@2", "pkg:pypi/c@3"]


def test_an_index_counts_for_all_files_that_are_read_together():
    """The options of pip are global."""
    files = {
        "requirements.txt": "-r requirements/base.txt\na==1",
        "requirements/base.txt": "-r more.txt\nb==1",
        "requirements/more.txt": "-r base.txt\nc==1",
        "requirements-corp.txt": "-i https://pypi.corp.example\n-r requirements/base.txt\nd==1",
    }
    elsewhere = [dependency.name for dependency in together(files) if "pypi.corp.example" in (dependency.purl or "")]
    assert elsewhere == ["b", "c", "d"]
    files["requirements/more.txt"] += "\n--extra-index-url https://other.example"
    found = {dependency.name: (dependency.purl or "").rpartition("=")[2] for dependency in together(files)}
    assert found == {"a": "other.example", "b": "other.example", "c": "other.example", "d": "pypi.corp.example"}


def test_files_that_a_production_file_includes_are_runtime():
    files = {
        "requirements.txt": "-r requirements/dev.txt",
        "requirements/dev.txt": "-r test.txt\na==1",
        "requirements/test.txt": "b==1",
        "requirements/docs.txt": "c==1",
        "requirements-dev.txt": "-r requirements/docs.txt\nd==1",
        "tests/requirements.txt": "-r ../requirements/docs.txt\ne==1",
        "tools/requirements.txt": "-r ../requirements/docs.txt",
        "requirements/all.txt": "-r docs.txt",
    }
    found = {dependency.name: dependency.usage.value for dependency in together(files)}
    assert found == {"a": "runtime-import", "b": "runtime-import", "c": "dev-tool", "d": "dev-tool", "e": "test-only"}
    why = next(dependency.why for dependency in together(files) if dependency.name == "b")
    assert why == "requirements.txt reaches this file by -r: what runs"


def test_a_list_compiled_from_a_runtime_file_is_runtime():
    files = {
        "requirements/prod.in": "-r dev.in",
        "requirements/dev.in": "a",
        "requirements/dev.txt": "a==1",
        "requirements/test.in": "-r prod.in\nb",
    }
    found = {(dependency.name, dependency.version): dependency.usage.value for dependency in together(files)}
    assert found == {("a", "1"): "runtime-import", ("b", None): "test-only"}
