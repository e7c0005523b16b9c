"""Build files together: own libraries are no dependencies, and each file counts for the others."""

import pytest

from audit.ecosystems.native import build_tree, meson
from tests.audit.ecosystems.brief import merged, together


@pytest.mark.parametrize(
    ("files", "names"),
    [
        # a name in a variable, made in one file and used in another; a prefix, and the name of the file that is made
        ({"CMakeLists.txt": "set(LIB_NAME libtea)\nadd_subdirectory(lib)", "lib/CMakeLists.txt": "add_library(${LIB_NAME} a.c)", "src/CMakeLists.txt": "target_link_libraries(tea libtea)"}, []),
        ({"CMakeLists.txt": "project(tea)\nadd_library(tea_lib a.c)\nset_target_properties(tea_lib PROPERTIES OUTPUT_NAME tea)", "src/CMakeLists.txt": "target_link_libraries(cup -ltea)"}, []),
        # made by a function of the tree's own, whose name another file knows
        ({"cmake/own.cmake": "function(tea_library NAME)\nadd_library(${NAME} ${ARGN})\nadd_library(tea::${NAME} ALIAS ${NAME})\nendfunction()", "CMakeLists.txt": "tea_library(pot pot.c)\ntarget_link_libraries(app tea::pot pot)"}, []),
        # what the work installs as its package, and looks for in tests and examples
        ({"CMakeLists.txt": "project(tea)\ninstall(EXPORT teaTargets NAMESPACE Tea:: DESTINATION lib)", "examples/CMakeLists.txt": "find_package(Tea)\ntarget_link_libraries(x Tea::pot)"}, []),
        ({"cmake/Kettle-config.cmake.in": "@PACKAGE_INIT@\n", "app/CMakeLists.txt": "find_package(Kettle)\ntarget_link_libraries(x Kettle::kettle)"}, []),
        ({"libs/cup/CMakeLists.txt": "project(cup)\nadd_library(cup c.c)", "app/CMakeLists.txt": "project(app)\nfind_package(cup)"}, []),
        # tests' own targets hide nothing of the work's
        ({"tests/CMakeLists.txt": "add_library(gsl fake.c)\ntarget_link_libraries(t gsl)", "CMakeLists.txt": "target_link_libraries(app gsl)"}, ["gsl unknown"]),
        # a handle, or a bundled copy, of the name of what is looked for is not the work's own
        ({"CMakeLists.txt": "find_package(Readline)\nadd_library(readline INTERFACE)\ntarget_link_libraries(readline INTERFACE ${R})"}, ["readline unknown"]),
        ({"CMakeLists.txt": "target_link_libraries(app readline)", "deps/readline/CMakeLists.txt": "project(readline)\nadd_library(readline r.c)"}, ["readline unknown"]),
        # a binding is called like its library
        ({"CMakeLists.txt": "project(gsl)\nfind_package(GSL)\nadd_library(pygsl MODULE b.c)"}, ["gsl unknown"]),
        # the module says which library it looks for
        ({"cmake/FindTeaMath.cmake": "find_library(TEAMATH NAMES gsl)", "CMakeLists.txt": "find_package(TeaMath)"}, ["gsl unknown"]),
    ],
)  # fmt: skip
def test_libraries_that_the_tree_makes_are_no_dependencies_in_any_file(files, names):
    assert sorted(f"{dependency.name} {dependency.usage}" for dependency in together(files)) == names


@pytest.mark.parametrize(
    ("files", "names"),
    [
        # what the work installs for pkg-config, or overrides, under whichever name
        ({"meson.build": "project('tea', 'c')\npot = library('pot-2.0', 'p.c')\nimport('pkgconfig').generate(pot)", "tests/meson.build": "dependency('pot-2.0', static: true)"}, []),
        ({"meson.build": "meson.override_dependency('pot', pot_dep)", "cup/meson.build": "dependency('pot')"}, []),
        ({"meson.build": "pkg = import('pkgconfig')\npkg.generate(name: 'Pot', filebase: 'pot-3')", "cup/meson.build": "dependency('pot-3')"}, []),
        ({"meson.build": "project('gsl', 'c')\ndependency('gsl')"}, ["gsl unknown"]),
        # a wrap is what builds ask for by other names
        ({"meson.build": "dependency('pot-glib')", "subprojects/pot.wrap": "[wrap-file]\nsource_url = https://example.org/pot-1.0.tgz\n[provide]\ndependency_names = pot-glib, pot-core\n"}, ["pot static-link"]),
        ({"meson.build": "dependency('pot-x', fallback: ['pot', 'pot_dep'])", "subprojects/pot.wrap": "[wrap-file]\nsource_url = https://example.org/pot-1.0.tgz\n"}, ["pot static-link"]),
        ({"meson.build": "dependency('pot-x', fallback: ['pot', 'pot_dep'])"}, ["pot-x unknown"]),
    ],
)  # fmt: skip
def test_libraries_that_meson_files_make_are_no_dependencies(files, names):
    assert sorted(f"{dependency.name} {dependency.usage}" for dependency in together(files)) == names


def test_a_vcpkg_triplet_decides_how_libraries_are_linked():
    manifest = {"vcpkg.json": '{"dependencies": ["readline"]}'}
    assert merged(manifest) == ["pkg:generic/readline unknown direct :1 GPL-3.0-or-later"]
    static = {
        "CMakePresets.json": '{"configurePresets": [{"cacheVariables": {"VCPKG_TARGET_TRIPLET": "x64-linux-static"}}]}'
    }
    assert merged(manifest | static) == ["pkg:generic/readline static-link direct :1 GPL-3.0-or-later"]
    shared = {"triplets/x.cmake": "set(VCPKG_LIBRARY_LINKAGE dynamic)"}
    assert merged(manifest | shared) == ["pkg:generic/readline dynamic-link direct :1 GPL-3.0-or-later"]
    assert merged(manifest | static | shared) == merged(manifest)


def test_a_build_file_read_alone_is_settled_by_itself():
    assert [
        dependency.name for dependency in build_tree.alone(meson.read)("meson.build", "dependency('gsl')").dependencies
    ] == ["gsl"]
    assert not meson.read("meson.build", "dependency('gsl')").dependencies
