"""Meson: calls and wraps."""

import pytest

from audit import ecosystems
from audit.ecosystems.native import meson
from tests.audit.ecosystems.brief import dependency_lines, origins, together

BUILD = """project('shop', 'c')
cc = meson.get_compiler('c')
zlib = dependency('zlib', static: true)
ssl = dependency('openssl', static: false, required: false)
dependency('threads')
usb = cc.find_library('usb-1.0')
gen = dependency('protoc', native: true)
sub = subproject('inih')  # dependency('no')
"""


def test_the_arguments_of_a_dependency_call_say_how_it_is_linked():
    assert dependency_lines("meson.build", BUILD) == [
        "pkg:generic/zlib static-link direct :3 Zlib",
        "pkg:generic/openssl dynamic-link direct optional :4 Apache-2.0",
        "pkg:generic/libusb unknown direct :6 LGPL-2.1-or-later",
        "pkg:generic/protobuf build-tool direct :7 BSD-3-Clause",
        "pkg:generic/inih static-link direct :8 BSD-3-Clause",
    ]


def test_a_wrap_of_a_repository_or_an_archive_is_built_in():
    git = "[wrap-git]\nurl = https://github.com/benhoyt/inih.git\nrevision = r58\n"
    archive = "[wrap-file]\ndirectory = zlib-1.3\nsource_url = https://zlib.net/zlib-1.3.tar.gz\n"
    assert dependency_lines("subprojects/inih.wrap", git) == [
        "pkg:github/benhoyt/inih@r58 static-link direct :2 BSD-3-Clause"
    ]
    assert dependency_lines("subprojects/zlib.wrap", archive) == ["pkg:generic/zlib@1.3 static-link direct :3 Zlib"]
    of_tag = "[wrap-file]\nsource_url = https://github.com/fmtlib/fmt/archive/10.2.0.tar.gz\n"
    assert dependency_lines("subprojects/fmt.wrap", of_tag) == [
        "pkg:github/fmtlib/fmt@10.2.0 static-link direct :2 MIT"
    ]
    assert dependency_lines("subprojects/x.wrap", "[wrap-redirect]\n") == []


def test_a_wrap_has_its_address_and_hash():
    git = "[wrap-git]\nurl = https://ada@github.com/benhoyt/inih.git\nrevision = r58\n"
    archive = f"[wrap-file]\nsource_url = https://zlib.net/zlib-1.3.tar.gz\nsource_hash = {'2c' * 32}\n"
    assert origins({"subprojects/inih.wrap": git}) == [
        "pkg:github/benhoyt/inih@r58 from git+https://github.com/benhoyt/inih.git@r58"
    ]
    assert origins({"subprojects/zlib.wrap": archive}) == [
        "pkg:generic/zlib@1.3 from https://zlib.net/zlib-1.3.tar.gz SHA256:2c2c2c2c"
    ]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("dependency('gsl', 'readline')", ["gsl unknown", "readline unknown"]),
        ("dependency('tss2-esys tss2-mu', required: false)", ["tpm2-tss unknown"]),
        ("need = ['gsl', ['readline', '>= 8']]\nforeach one : need\n  dependency(one)\nendforeach", ["gsl unknown", "readline unknown"]),
        ("meson.get_compiler('c').find_library('readline')", ["readline unknown"]),
        ("cxx = meson.get_compiler('cpp')\nlib = cxx.find_library('gsl', static: true)", ["gsl static-link"]),
        ("name = 'gsl'\nd = dependency(name)", ["gsl unknown"]),
        ("executable('a', 'a.c', link_args: ['-lreadline', '-lm', '-L.'])", ["readline unknown"]),
        ("add_project_link_arguments('-lgsl', language: 'c')", ["gsl unknown"]),
        ("project('a', 'c', default_options: ['prefer_static=true'])\ndependency('gsl')", ["gsl static-link"]),
        ("dependency('threads')\ncc.find_library('ws2_32')\ncc.find_library('dl')\ndependency('appleframeworks', modules: ['Cocoa'])", []),
        ("dependency('bash-completion')\ndependency('systemd')", ["bash-completion build-tool", "systemd build-tool"]),
        ("r = run_command('pkg-config', '--libs', 'readline')\nrun_command(['gsl-config', '--libs'])", ["gsl unknown", "readline unknown"]),
        ("cc.find_library('readline_d')\ndependency('FuzzingEngine')\ncc.find_library('pcre2d-8')", ["pcre2 unknown", "readline unknown"]),
        ("flags = ['-lole32', '-luuid']\nother = ['-luuid']", ["libuuid unknown"]),
        ("dependency(get_option('which'))\ndependency('')", []),
    ],
)  # fmt: skip
def test_a_library_is_found_in_each_form_of_build_files(content, names):
    assert sorted(f"{dependency.name} {dependency.usage}" for dependency in together({"meson.build": content})) == names


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("dependency('gsl', 'readline')", ", one of gsl, readline"),
        ("dependency('gsl', 'readline', version: '>=2')", ", one of gsl, readline"),
        ("d = 'gsl'\ndependency(d, 'readline',)", ", one of gsl, readline"),
        ("dependency('readline', 'libreadline')", ", one of readline, libreadline"),
        ("dependency('gsl', 'gsl')", ""),
        ("dependency('gsl',)", ""),
        ("dependency('gsl', required: false)", ""),
        ("d = ['gsl', 'readline']\nforeach one : d\n  dependency(one)\nendforeach", ""),
        ("dependency('tss2-esys tss2-mu', required: false)", ""),
        ("cc.find_library('gsl', dirs: ['/x'])", ""),
    ],
)
def test_all_libraries_of_a_choice_count_and_say_what_they_are_chosen_from(call, why):
    whys = {dependency.why for dependency in together({"meson.build": call})}
    function = "find_library" if "find_library" in call else "dependency"
    assert whys == {f"meson.build: {function}(){why}"}


def test_a_computed_name_is_one_finding_and_an_empty_name_none():
    found = ecosystems.read("meson.build", "dependency(get_option('x'))\ndependency(y)\ndependency('')\n").findings
    assert [(finding.code, finding.place.line) for finding in found] == [("file/unsupported", 1)]


def test_a_wrap_of_programs_is_a_build_tool_and_its_branch_no_version():
    content = "[wrap-git]\nurl = https://example.org/tools/tea.git\nrevision = main\n[provide]\nprogram_names = tea\n"
    assert dependency_lines("subprojects/tea.wrap", content) == ["pkg:generic/tea build-tool direct :2"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("project('x', 'c', license: 'GPL-3.0-only')", "GPL-3.0-only"), ("project('x',\n  license : ['MIT', 'ISC'],\n)", "MIT AND ISC"),
        ("project('x', license: ['MIT', 'see the file'])", "MIT, see the file"), ("project('x')\nlicense = 'MIT'", None), ("project('x', license_files: 'MIT')", None),
        ("project('x', version: run_command('v').stdout(), license: 'MIT')", None),
    ],
)  # fmt: skip
def test_the_licence_of_a_project_is_stated_in_its_call(content, said):
    assert meson.stated_license("meson.build", content).expression == said
