"""Folders of works by others: all with their own licence file except the repository's own parts."""

import pytest

from audit.licenses.spdx import texts
from audit.scan.assembly import assemble
from audit.scan.vendored_works import VendoredWorks, is_data
from audit.scan.walk import walk
from audit.scan.walk_limits import Limits
from audit.texts.identification import detect as detected
from tests.audit.scan.test_walk import Memory

MIT = texts()["MIT"].replace("<year> <copyright holders>", "2020 {}")
OURS, THEIRS = MIT.format("Acme"), MIT.format("Ada Example")
ISC = "Copyright (c) 2015 Ada Example\n\n" + texts()["ISC"][texts()["ISC"].index("Permission to use") :]
HEAD = f"/*\n{ISC}*/\nint a;\n"
GNU = (
    "/* Copyright (C) 2017 Acme\n * This is free software under the GNU General Public License, either version 2 of the"
    " License,\n * or (at your option) any later version. */\n"
)


def found(files, own=OURS):
    """The works of a tree as `name usage licence`, and its findings as `code place`."""
    ground = Memory({path: said.encode() for path, said in {"LICENSE": own, **files}.items()})
    repository = assemble(walk(ground, Limits()), "o/r", lambda text, _path: detected(text).spdx)
    works = [f"{each.name} {each.usage} {each.license.expression}" for each in repository.dependencies]
    told = [
        each for each in repository.findings if each.code != "scope/no-source"
    ]  # most of these trees hold texts alone
    return works, [f"{each.code} {each.place.path}" for each in told]


@pytest.mark.parametrize("folder", [
    "deps/lua", "lib/lua", "libs/lua", "src/lua", "ext/lua", "bundled/lua", "subprojects/lua", "submodules/lua", "contrib/lua",
    "externals/lua", "thirdparty/lua", "lua", "plugins/a/b/c/d/lua", "src/main/java/org/lua",
])  # fmt: skip
def test_a_folder_with_its_own_licence_is_a_vendored_work_anywhere(folder):
    assert found({f"{folder}/LICENSE": THEIRS, f"{folder}/a.c": "int a;"}) == (["lua vendored MIT"], [])
    assert found({f"{folder}/COPYING": ISC}) == (["lua vendored ISC"], [])
    assert found({f"{folder}/COPYRIGHT": "All rights are mine."}) == (["lua vendored None"], [])


@pytest.mark.parametrize("path", [
    "packages/a/LICENSE", "src/LICENSE", "lib/LICENSE", "libs/a/LICENSE", "src/main/resources/META-INF/LICENSE", "docs/LICENSE",
    "docs/license.rst", "tests/LICENSE", "debian/copyright", "node_modules/x/dist/LICENSE",
])  # fmt: skip
def test_a_folder_with_the_root_s_text_and_holder_is_an_own_part(path):
    assert found({path: OURS}) == ([], [])
    assert found({path: OURS.replace("2020", "2018-2023")}) == ([], [])


def test_a_second_copy_of_a_text_counts_again():
    assert found({"a/x/LICENSE": THEIRS, "b/y/LICENSE": THEIRS})[0] == ["x vendored MIT", "y vendored MIT"]
    assert found({"deps/x/LICENSE": OURS, "third_party/y/LICENSE": OURS})[0] == ["x vendored MIT", "y vendored MIT"]
    assert found({"deps/x/LICENSE": THEIRS, "deps/x/src/LICENSE": THEIRS})[0] == ["x vendored MIT"]
    assert found({"third_party/x/LICENSE": THEIRS, "third_party/x/sub/y/LICENSE": ISC})[0] == [
        "x vendored MIT", "y vendored ISC",
    ]  # fmt: skip


def test_a_part_of_a_workspace_is_no_work_by_others():
    manifest = {"package.json": '{"name": "o", "license": "MIT", "workspaces": ["packages/*"]}'}
    assert found({**manifest, "packages/a/LICENSE": THEIRS}) == ([], [])
    assert found({**manifest, "packages/a/LICENSE": ISC}) == ([], ["license/nested packages/a/LICENSE"])
    assert found({**manifest, "other/a/LICENSE": ISC}) == (["a vendored ISC"], [])


def test_works_in_tests_and_documentation_are_used_there():
    assert found({"tests/catch/LICENSE": ISC})[0] == ["catch test-only ISC"]
    assert found({"docs/_themes/LICENSE": THEIRS})[0] == ["_themes dev-tool MIT"]
    assert found({"tests/data/LICENSE": "made up", "tests/LICENSE": ISC, "docs/COPYING": ISC}) == ([], [])


def test_texts_in_collections_and_templates_are_findings():
    texts = {"licenses/a/LICENSE": ISC, "debian/copyright": ISC, "templates/new/LICENSE": ISC, "{{name}}/LICENSE": ISC}
    works, findings = found(texts)
    assert works == []
    assert set(findings) <= {f"license/nested {path}" for path in texts}
    assert findings


def test_a_licence_file_may_be_named_after_its_work():
    assert found({"tests/catch.license": ISC})[0] == ["catch test-only ISC"]
    assert found({"src/stb.license": ISC, "src/other-LICENSE.txt": THEIRS})[0] == [
        "other vendored MIT",
        "stb vendored ISC",
    ]
    assert found({"img/x.png": "", "img/x.png.license": ISC}) == ([], [])
    assert found({"lib/x/MIT-LICENSE": THEIRS})[0] == ["x vendored MIT"]


def test_the_head_of_a_source_tells_a_vendored_work_s_licence():
    assert found({"deps/linenoise/linenoise.c": HEAD, "deps/linenoise/example.c": "int b;"})[0] == [
        "linenoise vendored ISC"
    ]
    assert found({"deps/x/src/x.c": HEAD.replace("Ada", "Ada")})[0] == ["x vendored ISC"]
    assert found({"deps/x/x.c": "/* Copyright (c) 2020 Ada. Ask for a licence. */\nint a;"})[0] == ["x vendored None"]
    assert found({"deps/x/x.c": f"/*\n{OURS}*/\nint a;"}) == ([], [])
    assert found({"deps/x/x.c": "int a;"}) == ([], ["license/nested deps/x"])
    assert found({"deps/README.md": "x", "deps/x/README.md": "x"}) == ([], [])
    assert found({"src/x/x.c": HEAD}) == ([], ["license/attribution src/x/x.c"])
    assert found({"third_party/x/x.c": HEAD})[0] == ["x vendored ISC"]
    assert found({"deps/x/x.c": GNU})[0] == ["x vendored GPL-2.0-or-later"]


@pytest.mark.parametrize("folder", ["deps", "third_party", "subprojects", "bundled"])
@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("package.json", '{"name": "x", "license": "ISC"}'), ("composer.json", '{"name": "a/x", "license": "ISC"}'), ("Cargo.toml", "[package]\nname = 'x'\nlicense = 'ISC'"),
        ("pyproject.toml", "[project]\nname = 'x'\nlicense = 'ISC'"), ("setup.cfg", "[metadata]\nname = x\nlicense = ISC"), ("setup.py", "setup(name='x', license='ISC')"),
        ("x.gemspec", "Gem::Specification.new do |s|\n s.name = 'x'\n s.license = 'ISC'\nend"), ("pom.xml", "<project><licenses><license><name>ISC</name></license></licenses></project>"),
        ("meson.build", "project('x', 'c', version : '1.2.3', license : 'ISC')"), ("meson.build", "project('x',\n  license: [\n 'ISC',\n])"),
    ],
)  # fmt: skip
def test_a_manifest_states_the_licence_of_a_work_without_a_licence_file(folder, path, content):
    works, findings = found({f"{folder}/x/{path}": content, f"{folder}/x/a.c": "int a;"})
    assert [work.rpartition(" ")[0].partition(" ")[0] for work in works] == ["x"]
    assert works[0].endswith(" ISC")
    assert findings == []


def test_a_manifest_with_the_repository_s_own_licence_is_of_a_part_of_its_own():
    own = {"deps/x/package.json": '{"name": "x", "license": "MIT"}', "deps/x/a.js": "x()"}
    assert found(own) == ([], [])
    other = {path: said.replace("MIT", "GPL-3.0-only") for path, said in own.items()}
    assert found(other) == (["x vendored GPL-3.0-only"], [])
    workspace = {"package.json": '{"name": "o", "license": "MIT", "workspaces": ["deps/*"]}'}
    assert found({**other, **workspace}) == ([], ["license/nested deps/x/package.json"])
    assert found({"deps/x/package.json": '{"name": "x", "license": "Mine"}', "deps/x/a.js": ""})[0] == [
        "x vendored Mine"
    ]


def test_single_files_that_state_nothing_are_told_once():
    files = {
        "src/third_party/a.c": "int a;",
        "src/third_party/b.py": "x = 1",
        "src/third_party/c.h": HEAD,
        "src/third_party/__init__.py": "x = 1",
    }
    assert found({**files, "src/third_party/d.c": " \n"}) == (["c vendored ISC"], ["license/nested src/third_party"])
    assert found({"src/deps/a.c": "int a;", "tests/third_party/a.c": "int a;", "vendor/x/a.c": f"/*\n{ISC}*/"})[1] == []


@pytest.mark.parametrize("folder", ["deps", "src/third_party"])
def test_single_files_in_a_vendor_folder_are_works_by_their_heads(folder):
    stb = HEAD + '#define STB_VERSION "2.28.1"\n'
    files = {
        f"{folder}/stb.h": stb,
        f"{folder}/stb.c": HEAD,
        f"{folder}/ours.c": f"/*\n{OURS}*/",
        f"{folder}/x.js": "x()",
    }
    # In `deps` a repository may keep helpers of its own.
    told = [] if folder == "deps" else [f"license/nested {folder}"]
    assert found(files) == (["stb vendored ISC"], told)
    ground = Memory({path: said.encode() for path, said in {"LICENSE": OURS, **files}.items()})
    repository = assemble(walk(ground, Limits()), "o/r", lambda text, _path: detected(text).spdx)
    assert repository.dependencies[0].version == "2.28.1"
    assert repository.dependencies[0].places[0].path == f"{folder}/stb.c"


@pytest.mark.parametrize("folder", ["external", "src/external", "External", "engine/src/external"])
def test_c_and_c_plus_plus_in_external_is_a_work_by_others(folder):
    assert found({f"{folder}/zlib/zlib.c": "int a;"}) == ([], [f"license/nested {folder}/zlib"])
    assert found({f"{folder}/fmt/README.md": "x", f"{folder}/fmt/src/format.cc": "int a;"})[1] == [
        f"license/nested {folder}/fmt"
    ]
    assert found({f"{folder}/lua/lua.c": HEAD}) == (["lua vendored ISC"], [])
    assert found({f"{folder}/glfw/include/GLFW/glfw3.h": HEAD})[0] == ["glfw vendored ISC"]
    assert found({f"{folder}/stb_image.h": "int a;", f"{folder}/glad.c": HEAD}) == (
        ["glad vendored ISC"],
        [f"license/nested {folder}"],
    )
    ours = f"/*\n{OURS}*/\nint a;"
    assert found({f"{folder}/ours.c": ours, f"{folder}/own/own.c": ours}) == ([], [])
    build = "project(x)\nfind_package(OpenSSL)"
    licensed = {f"{folder}/x/LICENSE": OURS, f"{folder}/x/CMakeLists.txt": build, f"{folder}/x/src/a.c": "int a;"}
    assert found(licensed) == (["x vendored MIT"], [])
    assert found({f"tests/{folder}/catch/catch.hpp": "int a;", f"examples/{folder}/stb.h": "int a;"}) == ([], [])


@pytest.mark.parametrize("path", [
    "external/client.go", "external/github/client.go", "src/external/index.ts", "external/__init__.py", "external/api/weather.py",
    "src/main/java/org/tea/external/Leaf.java", "src/main/java/org/tea/external/x/jni.c", "external/src/lib.rs", "external/CMakeLists.txt",
    "external/tea/deep/down/below/native.c", "external/Client.cs", "third_party/tea/external/x/x.c", "deps/tea/external/x/x.c",
])  # fmt: skip
def test_the_own_code_for_what_is_outside_is_no_work_by_others(path):
    around = {"third_party/tea/LICENSE": ISC, "deps/tea/LICENSE": ISC}
    works, told = found({**around, path: "x = 1\n"})
    assert (works, [place for place in told if "nested" in place]) == (["tea vendored ISC", "tea vendored ISC"], [])


def test_a_part_of_a_workspace_that_names_no_licence_is_no_work_by_others():
    cargo = {"Cargo.toml": '[workspace]\nmembers = ["external", "external/*", "deps/*"]\n'}
    parts = {f"{folder}/sys/{name}": "int a;" for folder in ("external", "deps") for name in ("a.c", "b.h")}
    assert found({**cargo, **parts}) == ([], [])


def test_build_files_around_a_vendored_work_are_no_work():
    assert found({"deps/ssl/glue.c": "int a;", "deps/ssl/ssl/LICENSE": ISC}) == (["ssl vendored ISC"], [])


def test_three_sources_of_a_vendored_work_are_read():
    ground = Memory({f"deps/x/{name}.java": b"package a" for name in "abcdefgh"})
    walked = walk(ground, Limits())
    assert [path for path, chosen in walked.works.parts.items() if chosen] == [
        "deps/x/a.java",
        "deps/x/b.java",
        "deps/x/c.java",
    ]


def test_name_and_version_come_from_metadata_folder_or_version_header():
    lua = {"deps/lua/COPYRIGHT": THEIRS, "deps/lua/src/lua.h": '#define LUA_RELEASE "Lua 5.1.5"\n'}
    jemalloc = {"deps/je/COPYING": ISC, "deps/je/configure.ac": "AC_INIT([jemalloc], [5.2.1])"}
    npm = {"web/lodash/LICENSE": THEIRS, "web/lodash/package.json": '{"name": "lodash", "version": "4.17.21"}'}
    fmt = {"third_party/f/LICENSE": THEIRS, "third_party/f/CMakeLists.txt": "project(fmt VERSION 9.1.0)"}
    ground = Memory({path: said.encode() for path, said in {**lua, **jemalloc, **npm, **fmt}.items()})
    repository = assemble(walk(ground, Limits()), "o/r", lambda text, _path: detected(text).spdx)

    assert [each.purl for each in repository.dependencies] == [
        "pkg:generic/fmt@9.1.0", "pkg:generic/jemalloc@5.2.1", "pkg:npm/lodash@4.17.21", "pkg:generic/lua@5.1.5",
    ]  # fmt: skip


def test_a_vendored_work_s_own_needs_are_left_out():
    cmake = "project(x)\nfind_package(OpenSSL)"
    assert found({"deps/x/LICENSE": THEIRS, "deps/x/CMakeLists.txt": cmake})[0] == ["x vendored MIT"]
    assert "openssl unknown Apache-2.0" in found({"plugins/x/LICENSE": THEIRS, "plugins/x/CMakeLists.txt": cmake})[0]
    assert "openssl unknown Apache-2.0" in found({"deps/x/x.c": "int a;", "deps/x/CMakeLists.txt": cmake})[0]


def test_a_library_that_the_build_looks_for_is_the_vendored_copy():
    cmake = {"CMakeLists.txt": "find_package(Lua)"}
    assert found({**cmake, "src/lua/LICENSE": THEIRS})[0] == ["lua vendored MIT"]
    npm = {"package.json": '{"name": "o", "license": "MIT", "dependencies": {"lua": "1.0.0"}}'}
    assert set(found({**npm, "src/lua/LICENSE": THEIRS})[0]) == {"lua runtime-import None", "lua vendored MIT"}


@pytest.mark.parametrize(
    ("files", "usage"),
    [
        ({"libs/so/core.c": "int x;"}, "vendored"),
        ({"libs/so/src/deep/core.c": "int x;"}, "vendored"),
        ({"libs/so/a.ttf": "x"}, "data-or-doc"),
    ],
)
@pytest.mark.parametrize("folder", ["libs/so", "third_party/so"])
def test_a_folder_with_code_is_no_data_under_any_licence(folder, files, usage):
    files = {path.replace("libs/so", folder): said for path, said in files.items()}
    assert found({f"{folder}/LICENSE": texts()["CC-BY-SA-4.0"], **files})[0] == [f"so {usage} CC-BY-SA-4.0"]


@pytest.mark.parametrize("shelf", ["ThirdParty", "Third_Party", "3rdParty"])
def test_vendor_folders_are_told_in_any_case(shelf):
    assert found({f"src/{shelf}/foo/LICENSE": ISC, f"src/{shelf}/foo/a.c": "int x;"})[0] == ["foo vendored ISC"]


def test_fonts_are_data_by_their_licence():
    assert is_data("OFL-1.1")
    assert is_data("CC-BY-4.0 OR OFL-1.1-RFN")
    assert not is_data("MIT OR OFL-1.1")
    assert not is_data(None)


def test_vendored_works_are_bounded():
    works = VendoredWorks()
    for number in range(30_000):
        works.enter(f"a{number}", ["LICENSE"])
    assert len(works.found) == 20_000


def test_unnamed_code_in_vendor_folders_is_one_finding():
    glue = {
        f"server/{page}/vendored/{part}/x.js": "module.exports = 1"
        for page in ("app", "pages")
        for part in ("contexts", "rsc")
    }
    assert found(glue) == ([], ["license/nested server/app/vendored/contexts"])
    assert found({"third_party/utils/a.c": "int a;"}) == ([], ["license/nested third_party/utils"])
    for said in (
        {"LICENSE": THEIRS},
        {"package.json": '{"name": "tea", "license": "MIT"}'},
        {"b.c": f"/*\n{THEIRS}\n*/\nint b;"},
    ):
        files = {f"third_party/utils/{name}": content for name, content in said.items()} | {
            "third_party/utils/a.c": "int a;"
        }
        works, _ = found(files)
        assert len(works) == 1, said
    assert found({"third_party/tea/a.c": "int a;"})[0] == ["tea vendored None"]


@pytest.mark.parametrize(
    "path", ["site/vendor/tea.js", "site/vendor/tea.min.js", "demo/deps/tea-1.9.js", "third_party/tea/tea.js"]
)
def test_the_work_s_own_bundle_in_a_vendor_folder_is_its_own(path):
    bundle = {path: "/*! tea v1.9.0\n * Copyright 2020 Bo Other\n * Released under the MIT license */\nvar tea = 1;\n"}
    assert found({"package.json": '{"name": "tea", "license": "MIT"}', **bundle})[0] == []
    assert len(found({"package.json": '{"name": "cup", "license": "MIT"}', **bundle})[0]) == 1


def test_parts_of_a_gradle_build_are_no_vendored_works():
    part = {
        "subprojects/core/core.gradle": "dependencies {\n compile 'org.slf4j:slf4j-api:1.7'\n}",
        "subprojects/core/src/main/java/org/tea/deps/Leaf.java": "package org.tea.deps;\nclass Leaf {}\n",
        "subprojects/hot-water/src/main/java/org/tea/deps/pot/Pot.java": "package org.tea.deps.pot;\nclass Pot {}\n",
    }
    listed = {"settings.gradle": "rootProject.name = 'tea'\ninclude 'core',\n    'hotWater'\n"}
    assert found(part | listed) == (["org.slf4j:slf4j-api dynamic-link None"], [])
    licensed = part | {"subprojects/core/LICENSE": THEIRS}
    assert found(licensed | listed)[0] == ["org.slf4j:slf4j-api dynamic-link None"]
    assert found(licensed)[0] == ["core vendored MIT"]
