"""Bazel: module files, workspaces and BUILD files."""

from tests.audit.ecosystems.brief import dependency_lines, merged, origins, together

CONTENT = """module(name = "shop")
bazel_dep(name = "rules_cc", version = "0.0.9")
bazel_dep(name = "abseil-cpp", version = "20230802.0")
bazel_dep(name = "x", version = "1", dev_dependency = True)
# bazel_dep(name = "no")
http_archive(
    name = "com_google_googletest",
    urls = ["https://github.com/google/googletest/archive/v1.14.0.zip"],
    strip_prefix = "googletest-1.14.0",
)
git_repository(name = "fmt", remote = "https://github.com/fmtlib/fmt", tag = "10.1.0")
go_repository(name = "dep", importpath = "github.com/o/dep", version = "v1.0.0")
http_archive(
"""


def test_calls_in_module_files_give_their_dependencies_and_usage():
    assert dependency_lines("MODULE.bazel", CONTENT) == [
        "pkg:generic/rules_cc@0.0.9 build-tool direct :2",
        "pkg:generic/abseil-cpp@20230802.0 static-link direct :3",
        "pkg:generic/x@1 dev-tool direct :4",
        "pkg:github/google/googletest@1.14.0 test-only direct :6",
        "pkg:github/fmtlib/fmt@10.1.0 static-link direct :11 MIT",
        "pkg:golang/github.com/o/dep@v1.0.0 static-link direct :12",
    ]


def test_an_archive_has_its_address_and_hash():
    content = f"""
http_archive(name = "zlib", urls = ["https://zlib.net/zlib-1.3.tar.gz", "https://mirror.example/z"], sha256 = "{"2c" * 32}")
git_repository(name = "fmt", remote = "https://github.com/fmtlib/fmt", tag = "10.1.0")
bazel_dep(name = "abseil-cpp", version = "1")
"""
    assert origins({"MODULE.bazel": content}) == [
        "pkg:generic/abseil-cpp@1",
        "pkg:github/fmtlib/fmt@10.1.0 from git+https://github.com/fmtlib/fmt@10.1.0",
        "pkg:generic/zlib@1.3 from https://zlib.net/zlib-1.3.tar.gz SHA256:2c2c2c2c",
    ]


def test_java_artifacts_are_read_by_their_coordinates():
    content = (
        'maven.install(\n    artifacts = [\n        "com.google.guava:guava:32.0.0-jre",\n        "a.b:c:jar:1.0",\n    ],\n'
        '    repositories = ["https://repo1.maven.org/maven2"],\n)\nx(name = "n:m:1")\n'
    )
    assert dependency_lines("MODULE.bazel", content) == [
        "pkg:maven/com.google.guava/guava@32.0.0-jre dynamic-link direct :3",
        "pkg:maven/a.b/c@1.0 dynamic-link direct :4",
    ]


def test_the_use_in_build_files_decides_the_usage_of_a_repository():
    files = {
        "MODULE.bazel": 'module(name = "shop", repo_name = "own")\nbazel_dep(name = "googletest", version = "1.14", repo_name = "gt")\n'
        'bazel_dep(name = "bench_x", version = "1")\nbazel_dep(name = "shared_x", version = "1")\nuse_repo(pip, "pypi")\n',
        "deps.bzl": 'def deps():\n    maybe(\n        http_archive,\n        name = "acme",\n        url = "https://github.com/o/acme/archive/v2.0.tar.gz",\n    )\n'
        '    if "tea" not in native.existing_rules():\n        tea_http_archive(name = "tea")\n',
        "BUILD": 'load("@rules_cc//cc:defs.bzl", "cc_library")\ncc_library(\n    name = "a",\n    deps = [":b", "//c", "@own//d", "@acme//:x", "@readline//:r", "@pypi//six"],\n'
        '    linkopts = ["-lgsl", "-lpthread"],\n    tools = ["@maker//:run"],\n)\ncc_test(name = "t", deps = ["@gt//:main", "@bench_x//:b"])\n'
        'cc_binary(name = "s", linkstatic = False, deps = ["@shared_x//:s"])\n',
    }
    assert sorted(f"{dependency.name} {dependency.usage}" for dependency in together(files)) == [
        "acme static-link", "bench_x test-only", "googletest test-only", "gsl unknown", "maker build-tool", "readline static-link",
        "shared_x dynamic-link", "tea static-link",
    ]  # fmt: skip


def test_each_word_of_a_linker_option_and_imported_library_files_count():
    content = (
        'cc_binary(name = "a", linkopts = ["-Wl,-Bstatic -lgmp", "-l:libreadline.a", "ws2_32.lib", "-framework Cocoa"])\n'
        'cc_import(name = "g", shared_library = "/usr/lib/libgsl.so")\n'
    )
    assert {dependency.name for dependency in together({"BUILD": content})} == {"gmp", "readline", "gsl"}


def test_a_repository_named_outside_of_test_rules_is_not_test_only():
    """A macro may link what it is given into anything."""
    fetched = {"WORKSPACE": 'http_archive(name = "acme")\n', "BUILD": 'cc_test(name = "t", deps = ["@acme//:x"])\n'}
    assert [dependency.usage for dependency in together(fetched)] == ["test-only"]
    macro = {"own.bzl": 'def lib(deps):\n    return ["@acme//" + one for one in deps]\n'}
    assert [dependency.usage for dependency in together(fetched | macro)] == ["static-link"]


def test_a_list_of_java_artifacts_in_another_file_is_read():
    files = {
        "deps.bzl": 'ARTIFACTS = [\n    "com.example:tea:1.2",\n]\n',
        "WORKSPACE": 'maven_install(artifacts = ARTIFACTS)\nlocal_path_override(module_name = "here", path = "x")\nbazel_dep(name = "here")\n',
        "BUILD": 'java_library(name = "j", deps = ["@maven//:com_example_tea", "@here//:x"])\n',
    }
    assert merged(files) == ["pkg:maven/com.example/tea@1.2 dynamic-link direct :2"]
