"""CMake: every command that names a dependency."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, merged, origins, together

CASES = {
    "find_package(OpenSSL 3.0 REQUIRED)": ["pkg:generic/openssl unknown direct :1 Apache-2.0"],
    "find_package(Foo 1.2 EXACT)": ["pkg:generic/foo@1.2 unknown direct :1"],
    "set(OPENSSL_USE_STATIC_LIBS ON)\nfind_package(OpenSSL)": ["pkg:generic/openssl static-link direct :2 Apache-2.0"],
    "find_package(Threads)\nfind_package(${X})": ["! file/unsupported :2"],
    "find_package(Git)\nfind_package(GTest)\nfind_package(Eigen3)": [
        "pkg:generic/git build-tool direct :1",
        "pkg:generic/googletest test-only direct :2 BSD-3-Clause",
        "pkg:generic/eigen header-only direct :3 MPL-2.0",
    ],
    "find_package(Python3 COMPONENTS Interpreter)": ["pkg:generic/python3 build-tool direct :1"],
    "find_package(Python3 COMPONENTS Interpreter Development)": ["pkg:generic/python unknown direct :1 PSF-2.0"],
    "FetchContent_Declare(\n  fmt # why\n  GIT_REPOSITORY https://github.com/fmtlib/fmt.git\n  GIT_TAG 10.1.0)": [
        "pkg:github/fmtlib/fmt@10.1.0 static-link direct :1 MIT"
    ],
    "FetchContent_Declare(googletest URL https://x.org/googletest-1.14.zip)": [
        "pkg:generic/googletest@1.14 test-only direct :1 BSD-3-Clause"
    ],
    "ExternalProject_Add(zstd GIT_REPOSITORY https://github.com/facebook/zstd)": [
        "pkg:github/facebook/zstd unknown direct :1 BSD-3-Clause OR GPL-2.0-only"
    ],
    "CPMAddPackage(NAME spdlog GITHUB_REPOSITORY gabime/spdlog VERSION 1.12.0)": [
        "pkg:github/gabime/spdlog@1.12.0 static-link direct :1 MIT"
    ],
    "add_subdirectory(${ROOT}/third_party/zlib)\nadd_subdirectory(src)": ["pkg:generic/zlib vendored direct :1 Zlib"],
    "add_library(usb SHARED IMPORTED)\nadd_library(z STATIC IMPORTED)\nadd_library(h INTERFACE IMPORTED)": [
        "pkg:generic/libusb-0.1 dynamic-link direct :1 LGPL-2.0-or-later",
        "pkg:generic/zlib static-link direct :2 Zlib",
        "pkg:generic/h unknown direct :3",
    ],
    "target_link_libraries(app PRIVATE usb-1.0 m ${X} -lfoo Qt5::Core /usr/lib/libssl.so.3 libcrypto.a $<A:b>)": [
        "pkg:generic/libusb unknown direct :1 LGPL-2.1-or-later",
        "pkg:generic/foo unknown direct :1",
        "pkg:generic/qt5 unknown direct :1 LGPL-3.0-only OR GPL-2.0-only",
        "pkg:generic/openssl dynamic-link direct :1 Apache-2.0",
        "pkg:generic/openssl static-link direct :1 Apache-2.0",
        "! file/unsupported :1",
    ],
    "target_link_libraries(app d3d11 Dwmapi WS2_32 shell32.lib objc x264)": [
        "pkg:generic/x264 unknown direct :1 GPL-2.0-or-later"
    ],
    "pkg_check_modules(USB REQUIRED IMPORTED_TARGET libusb-1.0>=1.0)": [
        "pkg:generic/libusb unknown direct :1 LGPL-2.1-or-later"
    ],
    '# find_package(No)\n#[[ find_package(No) ]]\nmessage("find_package(No)")\n[==[find_package(No)]==]': [],
    'list(APPEND x --config \\"${config}\\")\nfind_package(A)': ["pkg:generic/a unknown direct :2"],
    "find_package(": ["! file/broken :1"],
    "find_package()": [],
    "))((find_package(A)": ["! file/broken :1"],
    "find_package(A)\nfind_package(B\nfind_package(C)": ["pkg:generic/a unknown direct :1", "! file/broken :2"],
}


@pytest.mark.parametrize(("content", "expected"), CASES.items(), ids=lambda value: repr(value)[:40])
def test_each_command_gives_its_dependencies(content, expected):
    assert dependency_lines("CMakeLists.txt", content) == expected


def test_targets_built_in_the_repository_are_no_dependencies():
    files = {"CMakeLists.txt": "target_link_libraries(app core z)", "core/CMakeLists.txt": "add_library(core a.c)"}
    assert merged(files) == ["pkg:generic/zlib unknown direct :1 Zlib"]
    assert ecosystems.read("x.cmake", "add_library(My::core ALIAS core)").own == {"My::core"}


def test_packages_found_in_a_folder_of_tests_are_test_only():
    assert dependency_lines("tests/CMakeLists.txt", "find_package(ZLIB)") == [
        "pkg:generic/zlib test-only direct :1 Zlib"
    ]


def test_a_find_module_s_targets_and_pkg_config_modules_are_its_package():
    module = "pkg_check_modules(_X264 QUIET x264)\nadd_library(LIBX264::LIBX264 UNKNOWN IMPORTED)\nfind_package(ZLIB)"
    assert merged({"cmake/FindLibx264.cmake": module, "CMakeLists.txt": "find_package(Libx264)"}) == [
        "pkg:generic/x264 unknown direct :1 GPL-2.0-or-later",
        "pkg:generic/zlib unknown direct :3 Zlib",
    ]


def test_a_package_of_conan_that_cmake_finds_is_one_dependency():
    said = merged({"CMakeLists.txt": "find_package(ZLIB)", "conanfile.txt": "[requires]\nzlib/1.3\n"})
    assert said == ["pkg:conan/zlib@1.3 static-link direct :2 Zlib"]


def test_an_archive_has_its_address_and_hash_unless_the_address_is_a_variable():
    content = f"""
FetchContent_Declare(zlib URL https://zlib.net/zlib-1.3.tar.gz URL_HASH SHA256={"2c" * 32})
FetchContent_Declare(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt.git GIT_TAG 10.1.0)
FetchContent_Declare(own GIT_REPOSITORY ${{BASE}}/own.git GIT_TAG main)
"""
    found = {origin.split()[0]: origin for origin in origins({"CMakeLists.txt": content})}
    assert found["pkg:generic/zlib@1.3"].endswith(" from https://zlib.net/zlib-1.3.tar.gz SHA256:2c2c2c2c")
    assert found["pkg:github/fmtlib/fmt@10.1.0"].endswith(" from git+https://github.com/fmtlib/fmt.git@10.1.0")
    assert not any("own" in value and "from" in value for value in found.values())


def test_cpm_s_short_forms_give_repository_and_version():
    content = 'CPMAddPackage("gh:fmtlib/fmt#10.0.0")\nCPMAddPackage("gl:o/x@1.2")\nCPMAddPackage("https://e.com/o/y.git#v3")\nCPMAddPackage(gh:o/z)\n'
    assert [line.split(" static-link")[0] for line in dependency_lines("CMakeLists.txt", content)] == [
        "pkg:github/fmtlib/fmt@10.0.0", "pkg:gitlab/o/x@1.2", "pkg:generic/y@v3", "pkg:github/o/z",
    ]  # fmt: skip
    assert dependency_lines("CMakeLists.txt", "CPMAddPackage()\nCPMAddPackage(gh:)\n") == []


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("pkg_search_module(X REQUIRED gsl>=2 readline)", "pkg_search_module, one of gsl, readline"),
        ("pkg_search_module(X QUIET gsl)", "pkg_search_module"),
        ("pkg_check_modules(X REQUIRED gsl readline)", "pkg_check_modules"),
    ],
)
def test_modules_of_which_the_first_is_taken_all_count_and_say_so(call, why):
    assert {dependency.why for dependency in together({"CMakeLists.txt": call})} == {
        f"CMake: {why}, no word on how it is linked"
    }


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("find_library(READLINE_LIB NAMES readline edit HINTS /opt)", ["readline unknown"]),
        ("find_library(M m)\nfind_library(X_FRAMEWORK Acme)\nfind_library(Y Cocoa)", []),
        ("find_library(ACME_LIBRARY NAMES libacme.a acme)", ["acme unknown"]),
        ('check_library_exists(gsl gsl_sf_bessel_J0 "" HAVE_GSL)', ["gsl unknown"]),
        ("pkg_search_module(GSL IMPORTED_TARGET gsl)\ntarget_link_libraries(app PkgConfig::GSL)", ["gsl unknown"]),
        ("link_libraries(readline)\nadd_link_options(-lgsl)", ["gsl unknown", "readline unknown"]),
        ("target_link_libraries(app -lreadline -Wl,--as-needed -l:libgsl.a -pthread)", ["gsl static-link", "readline unknown"]),
        ("target_link_libraries(app PRIVATE Acme::core Threads::Threads)", ["Acme unknown"]),
        ("target_link_libraries(app unofficial::acme::acme)", ["acme unknown"]),
        ("target_link_libraries(app zlibstatic zstd::libzstd_shared)", ["zlib static-link", "zstd dynamic-link"]),
        ("set(LIBS readline)\nlist(APPEND LIBS gsl)\ntarget_link_libraries(app ${LIBS})", ["gsl unknown", "readline unknown"]),
        ("foreach(one IN ITEMS readline gsl)\ntarget_link_libraries(app ${one})\nendforeach()", ["gsl unknown", "readline unknown"]),
        ("set(ALL Readline GSL)\nforeach(p IN LISTS ALL)\nfind_package(${p})\nendforeach()", ["gsl unknown", "readline unknown"]),
        ("macro(need P)\nfind_package(${P} REQUIRED)\nendmacro()\nneed(GSL)\nNEED(Readline)", ["gsl unknown", "readline unknown"]),
        (
            ('function(tool)\ncmake_parse_arguments(T "" "NAME" "LIBS;SRC" ${ARGN})\nadd_executable(${T_NAME} ${T_SRC})\n'
            "target_link_libraries(${T_NAME} ${T_LIBS})\nendfunction()\ntool(NAME app SRC a.c LIBS gsl m)"),
            ["gsl unknown"],
        ),
        ("target_link_libraries(app $<$<PLATFORM_ID:Linux>:readline;m> $<LINK_ONLY:gsl> $<$<CONFIG:Debug>:$<IF:1,acme,m>>)", ["acme unknown", "gsl unknown", "readline unknown"]),
        ("target_link_libraries(app $<TARGET_PROPERTY:x,y> ${NOT_KNOWN} @LIBS@ ${A}-${B} debug ${X}d)", []),
        ('set_target_properties(x PROPERTIES INTERFACE_LINK_LIBRARIES "gsl;${X}")', ["gsl unknown"]),
        ('set(CMAKE_EXE_LINKER_FLAGS "${CMAKE_EXE_LINKER_FLAGS} -lreadline -static-libgcc")', ["readline unknown"]),
        ("set(CMAKE_FIND_LIBRARY_SUFFIXES .a)\nfind_package(GSL)", ["gsl static-link"]),
        ("set(BUILD_SHARED_LIBS ON)\nFetchContent_Declare(acme URL https://example.org/acme-1.tgz)", ["acme dynamic-link"]),
        ("FetchContent_Declare(me GIT_REPOSITORY ${CMAKE_CURRENT_SOURCE_DIR}/../..)", []),
        ("find_package(Qt${QT_VERSION_MAJOR} COMPONENTS Core)\ntarget_link_libraries(a Qt${QT_VERSION_MAJOR}::Core)", ["Qt unknown"]),
        ("conan_cmake_configure(REQUIRES readline/8.2 BUILD_REQUIRES cmake/3.20 GENERATORS x)", ["cmake build-tool", "readline static-link"]),
        ("find_package(GTest)\ntarget_link_libraries(t GTest::gtest_main gmock_main)", ["googletest test-only"]),
        ('target_link_libraries(app -undefined suppress "-framework CoreFoundation" "-framework SDL2" -Xlinker -lgsl)', ["gsl unknown", "sdl2 unknown"]),
        ('set_target_properties(app PROPERTIES LINK_FLAGS "-flat_namespace -undefined suppress -lgsl")', ["gsl unknown"]),
        ("target_link_options(app PRIVATE /ENTRY:main invalidcontinue.obj LINKER:--x -lgsl)", ["gsl unknown"]),
        ("add_library(r STATIC IMPORTED)\nset_target_properties(r PROPERTIES IMPORTED_LOCATION /usr/lib/libreadline.a)", ["readline static-link"]),
        ("target_link_libraries(app ${CMAKE_SOURCE_DIR}/lib/libgsl.a ${ACME_DIR}/libacme.so ${CMAKE_BINARY_DIR}/libown.a)", ["acme dynamic-link", "gsl static-link"]),
        ("execute_process(COMMAND pkg-config --libs readline OUTPUT_VARIABLE X)\nexecute_process(COMMAND gsl-config --libs)", ["gsl unknown", "readline unknown"]),
        ("pkg_check_modules(ACME REQUIRED IMPORTED_TARGET gsl)\ntarget_link_libraries(app PkgConfig::ACME)", ["gsl unknown"]),
        ("add_executable(gsl IMPORTED)\ntarget_link_libraries(app gsl)", ["gsl unknown"]),
        ("ExternalProject_Add(gsl_build URL https://example.org/gsl-2.7.tar.gz)", ["gsl unknown"]),
        ('CPMAddPackage(NAME own URI "gh:fmtlib/fmt#10.1.1")\ntarget_link_libraries(app own)', ["fmt static-link"]),
        ("IF(X)\nFIND_PACKAGE(GSL)\nENDIF(X)", ["gsl unknown"]),
    ],
)  # fmt: skip
def test_a_library_is_found_in_each_form_by_its_name_in_the_table(content, names):
    assert (
        sorted(f"{dependency.name} {dependency.usage}" for dependency in together({"CMakeLists.txt": content})) == names
    )


def test_templates_with_cmake_placeholders_are_read_and_not_called_broken():
    header = "/* @VERSION@ */\n#cmakedefine HAVE_X (\n#define A(x) (x\nfind_package(No\n"
    assert dependency_lines("config.h.cmake", header) == []
    assert dependency_lines("INSTALL.cmake", "How to (build\n\n  cmake . (see below\n") == []
    assert dependency_lines("AcmeConfig.cmake.in", "@PACKAGE_INIT@\nfind_dependency(ZLIB)\n") == []
    broken = ecosystems.read("cmake/x.cmake", "find_package(GSL)\nfind_package(ZLIB\n")
    assert [(finding.code, finding.place.line) for finding in broken.findings] == [("file/broken", 2)]


def test_names_that_only_the_build_knows_are_findings():
    assert dependency_lines("CMakeLists.txt", "find_package(${WHICH}_X)") == ["! file/unsupported :1"]
    assert dependency_lines("x.cmake", "function(need P)\nfind_package(${P})\nendfunction()") == []
