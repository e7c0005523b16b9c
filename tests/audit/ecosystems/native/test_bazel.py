"""Bazel's two kinds of files."""

from tests.audit.ecosystems.brief import dependency_lines, origins

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


def test_calls():
    """Linked statically; rules are tools; archives of known hosts are their repositories'."""
    assert dependency_lines("MODULE.bazel", CONTENT) == [
        "pkg:generic/rules_cc@0.0.9 build-tool direct :2",
        "pkg:generic/abseil-cpp@20230802.0 static-link direct :3",
        "pkg:generic/x@1 dev-tool direct :4",
        "pkg:github/google/googletest@1.14.0 test-only direct :6",
        "pkg:github/fmtlib/fmt@10.1.0 static-link direct :11",
        "pkg:golang/github.com/o/dep@v1.0.0 static-link direct :12",
    ]


def test_archives():
    """Where it is fetched from, and what it hashes to."""
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


def test_java():
    """Archives that rules_jvm_external is told of, by their coordinates."""
    content = (
        'maven.install(\n    artifacts = [\n        "com.google.guava:guava:32.0.0-jre",\n        "a.b:c:jar:1.0",\n    ],\n'
        '    repositories = ["https://repo1.maven.org/maven2"],\n)\nx(name = "n:m:1")\n'
    )
    assert dependency_lines("MODULE.bazel", content) == [
        "pkg:maven/com.google.guava/guava@32.0.0-jre dynamic-link direct :3",
        "pkg:maven/a.b/c@1.0 dynamic-link direct :4",
    ]
