"""Parts of a CMake build that are not spelled out are followed or said; usual variables and CMake's own modules are not."""

import pytest

from tests.audit.ecosystems.native.test_bazel_hubs import audited


def said(files: dict[str, str]) -> list[str]:
    """The dependencies, and the findings of files that are not read."""
    found = audited(files)
    findings = [
        f"! {each.place.path}:{each.place.line} {each.message}"
        for each in found.findings
        if each.code == "file/unsupported"
    ]
    return [
        *(dependency.name for dependency in found.dependencies),
        *(line.partition(": list what")[0] for line in findings),
    ]


@pytest.mark.parametrize(
    ("script", "others", "lines"),
    [
        ("include(deps/list.txt)", {"deps/list.txt": "find_package(GSL)\n"}, ["gsl"]),
        ("include(${CMAKE_CURRENT_LIST_DIR}/deps.inc)", {"deps.inc": "find_package(GSL)\n"}, ["gsl"]),
        ("include(${CMAKE_SOURCE_DIR}/a/deps)", {"a/deps": "find_package(GSL)\n"}, ["gsl"]),
        ("include(ext/Deps)", {"cmake/ext/Deps.cmake": "find_package(GSL)\n"}, ["gsl"]),
        ("include(deps/list.txt)", {}, ["! CMakeLists.txt:1 takes in deps/list.txt, which is not found in the tree"]),
        ("include(cmake/gone.cmake)", {}, ["! CMakeLists.txt:1 takes in cmake/gone.cmake, which is not found in the tree"]),
        ("include(${NOWHERE}/list.txt)", {}, ["! CMakeLists.txt:1 takes in ${NOWHERE}/list.txt, of which only the build knows which file it is"]),
        ("target_link_libraries(x PRIVATE ${OTHER_LIBS})", {}, ["! CMakeLists.txt:1 links ${OTHER_LIBS}, to which no file assigns anything"]),
        ("project(foo)\ntarget_link_libraries(x ${FOO_LIBS})", {}, ["! CMakeLists.txt:2 links ${FOO_LIBS}, to which no file assigns anything"]),
        ("project(foo C)\ntarget_link_libraries(x ${foo_LIBRARIES})", {}, ["! CMakeLists.txt:2 links ${foo_LIBRARIES}, to which no file assigns anything"]),
        ("find_package(${FOO_WHICH})\ntarget_link_libraries(x ${FOO_LIBS})", {}, [
            "! CMakeLists.txt:1 looks for a package whose name is computed (${FOO_WHICH})", "! CMakeLists.txt:2 links ${FOO_LIBS}, to which no file assigns anything",
        ]),
        ("set(LIBS ${OTHER})\ntarget_link_libraries(x ${LIBS} -l${MORE} $ENV{LIBS})", {}, [
            "! CMakeLists.txt:2 links ${OTHER}, to which no file assigns anything", "! CMakeLists.txt:2 links ${MORE}, to which no file assigns anything",
            "! CMakeLists.txt:2 links $ENV{LIBS}, to which no file assigns anything",
        ]),
        ("file(DOWNLOAD https://x.example/gpl-1.0.tar.gz g.tgz)", {}, ["! CMakeLists.txt:1 downloads something when it is built, which is not read (https://x.example/gpl-1.0.tar.gz)"]),
        ("execute_process(COMMAND git clone https://x.example/g)", {}, ["! CMakeLists.txt:1 downloads something when it is built, which is not read (COMMAND git clone https://x.example/g)"]),
        ("hunter_add_package(GSL)\nrapids_cpm_find(readline 8.2)", {}, ["gsl", "readline"]),
    ],
)  # fmt: skip
def test_what_is_not_spelled_out_is_followed_or_said(script, others, lines):
    assert said({"CMakeLists.txt": f"{script}\n", **others}) == lines


@pytest.mark.parametrize(
    "script",
    [
        "include(GNUInstallDirs)", "include(ECMSetupVersion)", "include(${CMAKE_BINARY_DIR}/conan_paths.cmake)", "include(local.cmake OPTIONAL)", "include(conanbuildinfo.cmake)",
        'set(EPHEMERAL_DIR "${CMAKE_CURRENT_SOURCE_DIR}/ephemeral")\ninclude(${EPHEMERAL_DIR}/generated_config.cmake)', "include(${EPHEMERAL_DIR}/generated_config.cmake)",
        "include(${CMAKE_CURRENT_LIST_DIR}/@NAME@.cmake)", "file(GLOB parts cmake/*.cmake)\nforeach(part ${parts})\ninclude(${part})\nendforeach()",
        "target_link_libraries(x ${CMAKE_DL_LIBS} ${PROJECT_NAME} ${CMAKE_THREAD_LIBS_INIT})", "find_library(LIB_M m)\ntarget_link_libraries(x ${LIB_M})",
        "option_list(OUT SOME_LIBS)\ntarget_link_libraries(x ${SOME_LIBS})", "set(${prefix}_LIBS m)\ntarget_link_libraries(x ${acme_LIBS})",
        "function(link T L)\ntarget_link_libraries(${T} ${L} ${ARGN} ${WHICH})\nendfunction()", "target_link_libraries(x $<$<BOOL:${WITH_M}>:m>)",
        "file(DOWNLOAD https://github.com/cpm-cmake/CPM.cmake/releases/download/v1/CPM.cmake ${CPM_DOWNLOAD_LOCATION})", "execute_process(COMMAND git submodule update --init)",
        "execute_process(COMMAND ${GIT_EXECUTABLE} describe --tags OUTPUT_VARIABLE V)", "add_custom_target(t COMMAND x DEPENDS curl libcurl)", "file(READ x.txt DOWNLOAD)",
        "project(foo)\ntarget_link_libraries(x -l${foo_VERSION_MAJOR} ${FOO_DESCRIPTION} ${FOO_IS_TOP_LEVEL} ${foo_HOMEPAGE_URL})\ninclude(${foo_SOURCE_DIR}/${FOO_VERSION}.cmake)",
        "target_link_libraries(x ${X_LIBS})\nif(X_LIBS)\nset(X_LIBS m)\nendif()",
    ],
)  # fmt: skip
def test_ordinary_scripts_are_quiet(script):
    assert said({"CMakeLists.txt": f"{script}\n"}) == []


def test_a_variable_of_a_package_that_is_looked_for_or_of_another_file_is_known():
    files = {
        "CMakeLists.txt": "find_package(OpenCV)\nfind_package(PythonLibs)\nfind_package(Qt${QT_VERSION_MAJOR})\npkg_check_modules(DEPS gsl)\nset(SHARED_LIBS gsl)\nadd_subdirectory(src)\n",
        "src/CMakeLists.txt": "target_link_libraries(x ${OpenCV_LIBS} ${PYTHON_LIBRARIES} ${Qt5Widgets_LIBRARIES} ${DEPS_LIBRARIES} ${SHARED_LIBS})\nfind_package(${SHARED_LIBS})\n",
    }
    assert not [line for line in said(files) if line.startswith("!")]
