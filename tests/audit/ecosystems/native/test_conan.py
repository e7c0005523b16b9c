"""Conan and vcpkg: links by options, tools, both lock files."""

import pytest

from tests.audit.ecosystems.brief import dependency_lines

TXT = """[requires]
zlib/1.3 # why
libusb/1.0.26@user/channel#rev
fmt/[>=10 <11]
nlohmann_json/3.11
[tool_requires]
cmake/3.27
[test_requires]
gtest/1.14
[options]
libusb/*:shared=True
"""
PY = """class Shop(ConanFile):
    name = "shop"
    requires = "zlib/1.3", "libusb/1.0.26"
    default_options = {"libusb/*:shared": True}
    def requirements(self):
        self.requires("fmt/[>=10 <11]", transitive_headers=True)  # self.requires("no/1")
    def build_requirements(self):
        self.tool_requires("cmake/3.27")
"""


def test_conan_links_statically_unless_an_option_says_otherwise():
    assert dependency_lines("conanfile.txt", TXT) == [
        "pkg:conan/zlib@1.3 static-link direct :2 Zlib",
        "pkg:conan/libusb@1.0.26 dynamic-link direct :3 LGPL-2.1-or-later",
        "pkg:conan/fmt static-link direct :4 MIT",
        "pkg:conan/nlohmann_json@3.11 header-only direct :5 MIT",
        "pkg:conan/cmake@3.27 build-tool direct :7",
        "pkg:conan/gtest@1.14 test-only direct :9",
    ]


def test_a_broken_section_or_line_is_a_finding_and_the_rest_is_read():
    broken = "# all\n[requires\nzlib/1.3\n[requires]\nzlib\n# none\nfmt/10.0\n[imports]\nbin, *.dll -> ./bin\n"
    assert dependency_lines("conanfile.txt", broken) == [
        "pkg:conan/fmt@10.0 static-link direct :7 MIT",
        "! dependency/unreadable :2",
        "! dependency/unreadable :3",
        "! dependency/unreadable :5",
    ]


def test_a_conanfile_program_gives_only_literal_references():
    assert dependency_lines("conanfile.py", PY) == [
        "pkg:conan/zlib@1.3 static-link direct :3 Zlib",
        "pkg:conan/libusb@1.0.26 dynamic-link direct :3 LGPL-2.1-or-later",
        "pkg:conan/fmt static-link direct :6 MIT",
        "pkg:conan/cmake@3.27 build-tool direct :8",
    ]


def test_both_formats_of_conan_lock_files_are_read():
    lists = '{"version": "0.5",\n"requires": [\n"zlib/1.3#00%1"],\n"build_requires": ["cmake/3.27#00"]}'
    nodes = """{"graph_lock": {"nodes": {
      "0": {"ref": "shop/1.0", "requires": ["1"]},
      "1": {"ref": "zlib/1.2#0", "options": "shared=True", "package_id": "x"},
      "2": {"ref": "cmake/3.1", "package_id": "y", "context": "build"}}}}"""
    assert dependency_lines("conan.lock", lists) == [
        "pkg:conan/zlib@1.3 static-link :3 Zlib",
        "pkg:conan/cmake@3.27 build-tool :4",
    ]
    assert dependency_lines("conan.lock", nodes) == [
        "pkg:conan/zlib@1.2 static-link :3 Zlib",
        "pkg:conan/cmake@3.1 build-tool :4",
    ]


def test_vcpkg_names_objects_host_tools_features_and_overrides_are_read():
    content = """{"name": "shop", "dependencies": [
      "zlib",
      {"name": "protobuf", "host": true}, 7],
      "features": {"x": {"dependencies": [{"name": "gtest"}]}},
      "overrides": [{"name": "zlib", "version": "1.3"}]}"""
    assert dependency_lines("vcpkg.json", content) == [
        "pkg:generic/zlib@1.3 unknown direct :2 Zlib",
        "pkg:generic/protobuf build-tool direct :3",
        "pkg:generic/googletest test-only direct optional :4 BSD-3-Clause",
        "! file/broken :1",
    ]


def test_a_requirement_with_a_computed_version_has_no_version():
    content = (
        'name = "me"\nself.requires(f"readline/{self.v}")\nself.requires("gsl/%s" % v, options={"shared": True})\n'
        'self.requires("acme/{}".format(v))\nfor one in ("tea/1.0", "cup/[>=2]", "lib/x/1", "text"):\n    self.requires(one)\n'
    )
    assert dependency_lines("conanfile.py", content) == [
        "pkg:conan/readline static-link direct :2 GPL-3.0-or-later",
        "pkg:conan/gsl dynamic-link direct :3 GPL-3.0-or-later",
        "pkg:conan/acme static-link direct :4",
        "pkg:conan/tea@1.0 static-link direct :5",
        "pkg:conan/cup static-link direct :5",
    ]
    assert dependency_lines("conanfile.py", 'self.requires("tea/1.0")\nx = "cup/1.0"\n') == [
        "pkg:conan/tea@1.0 static-link direct :1"
    ]


@pytest.mark.parametrize(
    "call", ['for one in NAMES:\n    self.requires(f"{one}/1")', "self.requires(one)", 'self.requires("tea" + rest)']
)
def test_a_computed_requirement_is_a_finding(call):
    assert dependency_lines("conanfile.py", call) == [f"! file/unsupported :{call.count(chr(10)) + 1}"]


def test_the_package_under_test_is_no_dependency():
    assert dependency_lines("test_package/conanfile.py", "self.requires(self.tested_reference_str)") == []


def test_vcpkg_s_helper_ports_are_build_tools():
    assert dependency_lines("vcpkg.json", '{"dependencies": ["vcpkg-cmake-config"]}') == [
        "pkg:generic/vcpkg-cmake-config build-tool direct :1"
    ]
    assert dependency_lines("CMakePresets.json", '{"version": 3}') == []
