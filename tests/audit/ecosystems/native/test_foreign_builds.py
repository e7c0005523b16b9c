"""Build files and sources of other languages that link C libraries."""

import time

import pytest

from audit import ecosystems
from audit.ecosystems.native import foreign_builds
from audit.ecosystems.native.foreign_builds import names_library
from audit.scan.checkout import scan
from tests.audit.ecosystems.brief import dependency_lines, merged

CASES = [
    ("build.rs", 'fn main() { println!("cargo:rustc-link-lib=static=gdbm"); }\n', {"gdbm static-link"}),
    ("build.rs", 'println!("cargo::rustc-link-lib=dylib:+verbatim=gmp");\n', {"gmp dynamic-link"}),
    ("build.rs", 'println!("cargo:rustc-link-lib=framework=Cocoa");\n', set()),
    ("build.rs", 'pkg_config::Config::new().atleast_version("1").probe("zlib").unwrap();\n', {"zlib dynamic-link"}),
    ("build.rs", 'println!("cargo:rustc-link-arg=-lcurl");\n', {"curl dynamic-link"}),
    ("src/lib.rs", '#[link(name = "readline", kind = "static")]\nextern "C" {}\n', {"readline static-link"}),
    ("src/lib.rs", '#[cfg_attr(unix, link(name = "nobody"))]\nextern "C" {}\n', {"nobody dynamic-link"}),
    (".cargo/config.toml", '[build]\nrustflags = ["-l", "readline", "-Clink-arg=-lgdbm"]\n', {"readline dynamic-link", "gdbm dynamic-link"}),
    ("setup.cfg", "[metadata]\nname = x\n[build_ext]\nlibraries = readline gdbm\n", {"readline dynamic-link", "gdbm dynamic-link"}),
    ("setup.cfg", "[build_ext]\nlibraries =\n    readline\n    # none\n    gdbm\n[options.extras_require]\nlibraries = curl\n", {"readline dynamic-link", "gdbm dynamic-link", "curl runtime-import"}),
    ("x.pyx", "# distutils: libraries = gsl gslcblas m\n", {"gsl dynamic-link"}),
    ("extconf.rb", "have_library('readline', 'x')\npkg_config('libxml-2.0')\n$LIBS << ' -lcurl'\n",
     {"readline dynamic-link", "libxml2 dynamic-link", "curl dynamic-link"}),
    ("extconf.rb", "$libs = append_library($libs, 'gmp')\n", {"gmp dynamic-link"}),
    ("binding.gyp", "{'targets': [{'libraries': ['-lreadline', '../lib/libcurl.a', '<!@(pkg-config --libs glib-2.0)']}]}",
     {"readline dynamic-link", "curl static-link", "glib dynamic-link"}),
    ("Sources/C/module.modulemap", 'module C [system] {\n  header "s.h"\n  link "readline"\n  link framework "Cocoa"\n}\n', {"readline dynamic-link"}),
    ("a.vcxproj", "<AdditionalDependencies>libcurl_a.lib;ws2_32.lib;$(D)\\libssl.lib;a.lib;%(AdditionalDependencies)</AdditionalDependencies>",
     {"curl dynamic-link", "openssl dynamic-link"}),
    ("a.dsp", '# ADD LINK32 kernel32.lib ..\\z\\zlibd.lib /out:"x.exe" /libpath:"..\\libpng.lib"\n', {"zlib dynamic-link"}),
    ("a.xcconfig", "OTHER_LDFLAGS[sdk=mac*] = $(inherited) -lreadline -framework SDL2 -framework AppKit\n", {"readline dynamic-link", "sdl2 dynamic-link"}),
    ("build.sh", "#!/bin/sh\nL='-lgdbm -lm'\n$CC -o a a.c $L -lreadline $(pkg-config --libs gtk+-3.0)\nls -la\necho -lfoo\n",
     {"gdbm dynamic-link", "readline dynamic-link", "gtk dynamic-link"}),
    ("build.bat", "@echo off\r\nset LIBS=libcurl.lib user32.lib\r\ncl a.c %LIBS% /link SDL2.lib\r\nrem old.lib\r\n",
     {"curl dynamic-link", "sdl2 dynamic-link"}),
    ("justfile", "build:\n  gcc main.c -o a -lreadline\n", {"readline dynamic-link"}),
    ("build.ninja", "rule link\n  command = clang++ $in -o $out -lgdbm\n", {"gdbm dynamic-link"}),
    ("Rakefile", "file('a') { sh 'ls -la' }\n", set()),
    ("a.cpp", '#pragma comment(lib, "libcurl.lib")\n#pragma comment(lib, "ws2_32")\n', {"curl dynamic-link"}),
    ("a.c", 'void *f(void) { return dlopen("./libkconfig.so", 1); }\n', set()),
    ("a.c", 'void *f(void) { return dlopen("libgdbm.so.6", 1); }\nvoid *g(void) { return dlopen("libc.so.6", 1); }\n', {"gdbm dynamic-link"}),
    ("CMakePresets.json", '{"cacheVariables": {"CMAKE_EXE_LINKER_FLAGS": "-lreadline"}}', {"readline dynamic-link"}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "content", "expected"), CASES)
def test_build_files_of_other_languages_name_their_c_libraries(path, content, expected):
    found = ecosystems.read(path, content)
    assert {
        f"{dependency.name} {dependency.usage.value}"
        for dependency in found.dependencies
        if dependency.name not in found.own
    } == expected
    assert not found.findings


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("build.rs", 'println!("cargo:rustc-link-lib={}", name);\n'),
        ("setup.py", "from setuptools import setup, Extension\nsetup(ext_modules=[Extension('x', ['x.c'], libraries=found())])\n"),
        ("extconf.rb", "%w[a b].each { |name| have_library(name) }\n"),
        *((name, '<ItemGroup><PackageReference Include="x" /></ItemGroup>') for name in ("a.vcxproj", "a.wixproj", "a.proj", "a.projitems", "a.sqlproj")),
        ("a.groovy", "@Grab('g:a:1')\nimport g.A\n"),
        ("a.fsx", '#r "nuget: A, 1.0"\n'),
        ("a.csx", '#r "nuget: A"\n#r "nuget: B"\n'),
    ],
)  # fmt: skip
def test_a_computed_library_name_is_a_finding(path, content):
    assert [finding.code for finding in ecosystems.read(path, content).findings] == ["file/unsupported"]


@pytest.mark.parametrize(
    ("path", "content", "name"),
    [
        ("setup.py", "from setuptools import setup, Extension\nlibs = ['gsl']\nlibs += ['gslcblas']\nsetup(ext_modules=[Extension('x', ['x.c'], libraries=libs)])\n", "gsl"),
        ("setup.py", "from setuptools import setup, Extension\nsetup(ext_modules=[Extension('x', ['x.c'], extra_objects=['/usr/lib/libreadline.a'])])\n", "readline"),
        ("setup.py", "import subprocess\nsubprocess.check_output(['pkg-config', '--libs', 'libxml-2.0'])\n", "libxml2"),
        ("pyproject.toml", "[[tool.setuptools.ext-modules]]\nname = 'x'\nsources = ['x.c']\nlibraries = ['readline']\n", "readline"),
        ("Cargo.toml", "[package]\nname = 'x'\n[package.metadata.system-deps]\nlibxml = { name = 'y', version = '2' }\n\"gtk+-3.0\" = '3'\n", "gtk"),
        ("Cargo.toml", "[package]\nname = 'x'\n[package.metadata.system-deps.'cfg(unix)']\nreadline = '8'\n", "readline"),
        ("Cargo.toml", "[package]\nname = 'x'\n[package.metadata.system-deps.x]\nname = 'readline'\nversion = '8'\n", "readline"),
        ("Package.swift", 'let p = Package(name: "x", targets: [.systemLibrary(name: "C", pkgConfig: "readline")])\n', "readline"),
    ],
)  # fmt: skip
def test_a_manifest_keeps_its_packages_beside_its_c_libraries(path, content, name):
    assert name in {dependency.name for dependency in ecosystems.read(path, content).dependencies}


def test_the_cgo_preamble_links_and_includes_beside_the_go_imports():
    source = (
        "package a\n\n/*\n#cgo linux LDFLAGS: -L${SRCDIR}/lib -lgdbm -lm\n#cgo pkg-config: --static libxml-2.0\n"
        '#include <readline/readline.h>\n*/\nimport "C"\nimport "example.org/x"\n'
    )
    read = ecosystems.read("a.go", source)
    assert read.imports is not None
    assert "example.org/x" in read.imports.paths
    assert merged({"go.mod": "module a\n\ngo 1.21\n", "a.go": source}) == [
        "pkg:generic/gdbm dynamic-link direct :4 GPL-3.0-or-later",
        "pkg:generic/libxml2 static-link direct :5 MIT",
        "pkg:generic/readline unknown direct :6 GPL-3.0-or-later",
    ]


LONG = [f"somelib{number}" for number in range(300)]
TEXTS = [f"'{name}'" for name in LONG]
OPTIONS = " ".join(f"-l{name}" for name in LONG)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("setup.py", "Extension('x', libraries=[\n" + "".join(f"            {text},\n" for text in TEXTS) + "    ])\n"),
        ("setup.py", f"subprocess.check_output(['pkg-config', '--libs',\n                 {', '.join(TEXTS)}])\n"),
        ("setup.py", f"Extension('x', extra_link_args=['-lz', '{OPTIONS}'])\n"),
        ("Cargo.toml", "[package.metadata.system-deps]\n" + "".join(f'{name} = "1"\n' for name in LONG)),
        ("build.rs", f'println!("cargo:rustc-link-arg={OPTIONS}");\n'),
        ("extconf.rb", f"$LIBS << ' {OPTIONS}'\n"),
        ("a.vcxproj", f"<AdditionalDependencies>{';'.join(f'{name}.lib' for name in LONG)}</AdditionalDependencies>"),
        ("a.vcproj", f'<Tool AdditionalDependencies="{" ".join(f"{name}.lib" for name in LONG)}"/>'),
    ],
)  # fmt: skip
def test_a_long_list_of_libraries_counts_whole(path, content):
    assert {dependency.name for dependency in ecosystems.read(path, content).dependencies} >= {*LONG}


@pytest.mark.slow
@pytest.mark.parametrize("start", ["libs=[#", "libs=[\n", "libs=['a',", "'-L -l ", "cffi_modules=["])
def test_unclosed_lists_are_read_in_linear_time(start):
    before = time.process_time()
    foreign_builds.read("Python", "setup.py", start * 80_000)
    assert time.process_time() - before < 4


def test_a_cffi_script_named_in_a_setup_py_is_read(tmp_path):
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(cffi_modules=['made.py:ffi'])\n")
    (tmp_path / "made.py").write_text("ffi.set_source('_x', '', libraries=['readline'])\n")
    found = scan(tmp_path, name="a", detect=lambda *_: "")
    assert [(dependency.name, dependency.places[0].path) for dependency in found.dependencies] == [
        ("readline", "made.py")
    ]


def test_languages_are_still_told_beside_their_c_libraries(tmp_path):
    (tmp_path / "a.rs").write_text('#[link(name = "readline")]\nextern "C" {}\nextern crate serde;\n')
    (tmp_path / "b.pyx").write_text("# distutils: libraries = gdbm\nimport numpy\n")
    found = scan(tmp_path, name="a", detect=lambda *_: "")
    assert {dependency.name for dependency in found.dependencies} == {"readline", "gdbm"}
    assert {finding.message.partition(" (")[0] for finding in found.findings if finding.code == "scope/language"} == {
        "Rust",
        "Python",
    }


def test_an_own_library_that_is_loaded_by_name_is_no_dependency():
    files = {
        "a.c": 'void *f(void) { return dlopen("libown.so", 1); }\n',
        "Makefile": "libown.so: o.o\n\tcc -shared -o $@ o.o\n",
    }
    assert merged(files) == []


def test_only_sources_that_name_a_library_are_read():
    assert names_library(b'#[link(name = "x")]')
    assert names_library(b"gcc a.c -lreadline")
    assert not names_library(b"fn main() {}\n")


ZLIB = "pkg:generic/zlib dynamic-link direct :{} Zlib"
READLINE = "pkg:generic/readline dynamic-link direct :{} GPL-3.0-or-later"


@pytest.mark.parametrize(
    ("preamble", "expected"),
    [
        ("// #cgo LDFLAGS: -lreadline -lz -lm\n", [READLINE.format(2), ZLIB.format(2)]),
        ("/*\n#cgo CFLAGS: -I.\n#cgo pkg-config: zlib >= 1.2 readline\n*/\n", [ZLIB.format(4), READLINE.format(4)]),
        ("//#cgo linux,amd64 LDFLAGS: -L${SRCDIR}/lib -lz\n", [ZLIB.format(2)]),
        ("// #cgo LDFLAGS: -Wl,-Bstatic -lz\n", [ZLIB.format(2).replace("dynamic", "static")]),
        ("// #cgo windows LDFLAGS: -lws2_32 -lunheard\n", ["pkg:generic/unheard dynamic-link direct :2"]),
        ("// #cgo CFLAGS: -lz\n// it used #cgo LDFLAGS: -lz\n", []),
        ("// #cgo noescape f\n", []),
    ],
)
def test_cgo_lines_of_the_linker_and_pkg_config_are_read_in_all_comments(preamble, expected):
    assert dependency_lines("a.go", f'package a\n{preamble}import "C"\n') == expected


def test_cgo_lines_without_the_c_import_do_not_count():
    assert dependency_lines("a.go", "package a\n// #cgo LDFLAGS: -lz\n") == []


def test_cgo_libraries_are_uses_of_the_repository_like_modules():
    mod = "module example.org/a\nrequire x.org/b v1.0.0\n"
    source = 'package a\n// #cgo LDFLAGS: -lz -lown\nimport "C"\nimport "x.org/b"\n'
    test = 'package a\n// #cgo LDFLAGS: -lreadline\nimport "C"\n'

    found = merged({"go.mod": mod, "a.go": source, "a_test.go": test, "own.pc.in": "Libs: -lown\n"})

    assert found == [
        "pkg:generic/readline test-only direct :2 GPL-3.0-or-later",
        "pkg:golang/x.org/b@v1.0.0 static-link direct :2",
        ZLIB.format(2),
    ]


def test_a_script_command_that_is_cut_off_is_a_finding():
    for count, is_said in ((100, False), (300, True)):
        content = f"gcc $FLAGS x.o {' '.join(f'-lsome{number}' for number in range(count))}\n"
        read = ecosystems.read("build.sh", content)
        assert [finding.place.line for finding in read.findings] == [1] * is_said
