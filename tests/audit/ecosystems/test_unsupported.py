"""Build files and manifests that are not read are findings where they name dependencies."""

import pytest

from audit import ecosystems
from audit.ecosystems import unsupported
from audit.verdict.unreadable_input import is_not_read, is_unreadable

FILES = {
    "*.sbt": 'name := "x"\nlibraryDependencies += "org.typelevel" %% "cats-core" % "2.9.0"\n',
    "project/*.scala": 'object D {\nval a = "org.typelevel" %% "cats-core" % "2"\n',
    "build.sc build.mill": "object a extends ScalaModule {\n  def ivyDeps = Agg()\n",
    "ivy.xml": '<dependencies>\n<dependency org="x" name="y"/></dependencies>',
    "build.xml": '<project>\n<classpath path="lib/x.jar"/></project>',
    "init.gradle init.gradle.kts": 'a {\n  library("guava", "com.google.guava:guava:32")\n',
    "project.clj build.boot": '(defproject x "1"\n  :dependencies [[a "1"]])\n',
    "deps.edn": '{\n:deps {a {:mvn/version "1"}}}\n',
    "SConstruct SConscript sconstruct SConscript.py": "env = Environment()\nenv.Program('a', LIBS=['readline'])\n",
    "wscript wscript_build": "def configure(c):\n  c.check_cfg(package='zlib')\n",
    "auto.def": "use cc\ncc-check-function-in-lib gzopen z\n",
    "*.qbs": 'Product {\n  Depends { name: "cpp" }\n',
    "premake4.lua premake5.lua premake.lua": 'project "a"\n  links { "readline" }\n',
    "xmake.lua": 'target("a")\n  add_packages("zlib")\n',
    "Tupfile Tupfile.lua Tuprules.tup": "# x\n: a.o |> gcc %f -lreadline -o %o |> a\n",
    "BUILD.gn *.gni": 'executable("a") {\n  libs = [ "readline" ]\n',
    "DEPS": "vars = {}\ndeps = {\n",
    "BUCK BUCK.v2 TARGETS": "x()\nprebuilt_cxx_library(name = 'a')\n",
    "Jamfile Jamroot Jamrules *.jam Jamfile.v2": "exe a : a.cpp\n  : <library>readline ;\n",
    "moz.build": "DIRS = []\nUSE_LIBS += ['zlib']\n",
    "Imakefile": "# x\nLOCAL_LIBRARIES = $(XLIB)\n",
    "Android.bp": 'cc_binary {\n  shared_libs: ["libz"],\n',
    "*.bpr *.bpk *.cbproj *.dproj *.ewp *.uvproj *.uvprojx": "<x/>\n<ALLLIB value='readline.lib'/>\n",
    "*.cbp": '<Linker>\n<Add library="readline"/></Linker>',
    ".cproject": '<option>\n<option valueType="libs"/>',
    "config.w32": "// x\nCHECK_LIB('libcurl.lib', 'x')\n",
    "Configure": "#!/usr/bin/env perl\nuse strict;\n",
    "build.info": "LIBS=libx\nLDFLAGS[x]= -lz\n",
    "project.pbxproj": "// x\n A /* libz.tbd in Frameworks */ = {\n",
    "project.yml": "name: x\npackages:\n",
    "Project.swift Dependencies.swift": "import A\nlet a = [.package(url: x)]\n",
    "buildfile": "exe{a}: x\nimport libs = libz%lib{z}\n",
    "buckaroo.toml": 'name = "x"\n[[dependency]]\n',
    "clib.json library.json elm.json bower.json component.json haxelib.json dub.json Packages/manifest.json": '{\n"dependencies": {}}',
    "Cartfile Cartfile.private": '# x\ngithub "Alamofire/Alamofire"\n',
    "*.podspec": "Pod::Spec.new do |s|\n  s.dependency 'A'\nend\n",
    "library.properties": "name=x\ndepends=ArduinoJson\n",
    "platformio.ini": "[env:a]\nlib_deps = x\n",
    "idf_component.yml": 'version: "1"\ndependencies:\n',
    "west.yml": "manifest:\n  projects:\n",
    "default.xml": '<manifest>\n<project name="a"/></manifest>',
    "package.xml": "<package format='2'>\n<build_depend>roscpp</build_depend>",
    "*.rosinstall *.repos": "- a\n  git: {uri: x}\n",
    "*.uplugin *.Build.cs": '{\n"Plugins": []}\n//DependencyModuleNames',
    "*.core": "filesets:\n  depend: [a]\n",
    "Bender.yml shard.yml Chart.yaml requirements.yaml": "name: x\ndependencies:\n",
    "buildout.cfg": "[app]\neggs = a\n",
    "buildozer.spec": "[app]\nrequirements = python3,kivy\n",
    "flit.ini": "[metadata]\nrequires = a\n",
    "anaconda-project.yml anaconda-project.yaml": "name: x\npackages:\n",
    "python_env.yaml": "python: 3\ndependencies:\n",
    "cog.yaml": "build:\n  python_packages:\n",
    "bentofile.yaml": "python:\n  packages:\n",
    "*.gpr": '-- x\nwith "gnatcoll";\n',
    "alire.toml": 'name = "x"\n[[depends-on]]\n',
    "rebar.config": '{erl_opts, []}.\n{deps, [{cowboy, "2.9.0"}]}.\n',
    "gleam.toml fpm.toml Mason.toml Move.toml Scarb.toml foundry.toml": 'name = "x"\n[dependencies]\na = "1"\n',
    "*.cabal": "library\n  build-depends: base\n",
    "cabal.project": "packages: .\nsource-repository-package\n",
    "package.yaml": "name: x\ndependencies:\n- base\n",
    "stack.yaml": "resolver: x\nextra-deps:\n- a\n",
    "*.opam": 'name: "x"\ndepends: ["dune"]\n',
    "dune-project": "(lang dune 3)\n(package (depends x))\n",
    "dune jbuild": "(executable\n (libraries unix))\n",
    "Project.toml": 'name = "X"\n[deps]\nJSON = "x"\n',
    "Manifest.toml": "# x\n[[deps.JSON]]\n",
    "DESCRIPTION": "Package: x\nImports: rlang\n",
    "renv.lock": '{\n"Packages": {}}',
    "packrat.lock": "PackratFormat: 1\nPackage: rlang\n",
    "cpanfile *.nimble": "\nrequires 'Moose';\n",
    "Makefile.PL Build.PL": "use X;\nWriteMakefile(PREREQ_PM => {});\n",
    "META.json META.yml META6.json": '{\n"requires": {}, "depends": []}',
    "dist.ini": "name = x\n[Prereqs]\n",
    "*.rockspec package.lua": "package = 'x'\ndependencies = {'lua'}\n",
    "dub.sdl": 'name "x"\ndependency "vibe-d" version="1"\n',
    "build.zig": '// x\n exe.linkSystemLibrary("z");\n',
    "build.zig.zon": ".{\n.dependencies = .{},\n}\n",
    "v.mod": "Module {\n dependencies: ['a']\n",
    "info.rkt": "#lang info\n(define deps '(\"base\"))\n",
    "*.asd": "(defsystem x\n :depends-on (a))\n",
    "qlfile": "\nql alexandria\n",
    "Cask Eask": '(source x)\n(depends-on "s")\n',
    "Eldev": ";x\n(eldev-use-package-archive 'gnu)\n",
    "*-pkg.el": "(define-package \"x\" \"1\"\n  '((emacs \"25\")))\n",
    "spago.dhall spago.yaml": "x:\n  dependencies = [a]\n",
    "bsconfig.json rescript.json": '{\n"bs-dependencies": [], "dependencies": []}',
    "*.hxml": "-cp src\n-lib hxcpp\n",
    "lakefile.lean lakefile.toml": "package x\nrequire mathlib\n",
    "*.ipkg": "package x\ndepends = contrib\n",
    "corral.json": '{\n"deps": []}',
    "Gopkg.toml": "# x\n[[constraint]]\n",
    "Gopkg.lock": "# x\n[[projects]]\n",
    "glide.yaml": "package: x\nimport:\n",
    "Godeps/Godeps.json": '{\n"ImportPath": "x"}',
    "vendor/vendor.json": '{\n"path": "x"}',
    "paket.dependencies": "source https://nuget.org/api/v2\nnuget Argu\n",
    "*.nuspec": "<package>\n<dependency id='a'/>",
    "flake.nix default.nix shell.nix package.nix": "{\n buildInputs = [];\n",
    "guix.scm manifest.scm": ";x\n(inputs (list x))\n",
    "*.spec": "Name: x\nBuildRequires: readline-devel\n",
    "APKBUILD PKGBUILD": "pkgname=x\nmakedepends=(readline)\n",
    "*.ebuild": 'EAPI=8\nDEPEND="sys-libs/readline"\n',
    "Formula/*.rb": "class X\n  depends_on 'readline'\n",
    "Portfile": "PortSystem 1.0\ndepends_lib port:readline\n",
    "Brewfile": "\nbrew 'readline'\n",
    "meta.yaml recipe.yaml": "outputs:\n  - requirements:\n",
    "spack.yaml": "spack:\n  specs: [zlib]\n",
    "*.eb": "name = 'x'\ndependencies = []\n",
    "*.bb *.bbappend": "SUMMARY = 'x'\nDEPENDS = 'readline'\n",
    "Config.in": "config X\n\tselect BR2_PACKAGE_READLINE\n",
    "snapcraft.yaml": "name: x\nparts: {a: {stage-packages: [b]}}\n",
    "org.*.yml org.*.yaml org.*.json com.*.yml com.*.yaml com.*.json io.*.yml io.*.yaml io.*.json": "id: x\nsdk: org.freedesktop.Sdk\n",
    "AppImageBuilder.yml": "version: 1\nAppDir: {apt: {include: [a]}}\n include:\n",
    "docker-compose*.yml docker-compose*.yaml compose.yml compose.yaml compose.*.yml compose.*.yaml": "services:\n  image: redis\n",
    "helmfile.yaml": "x: 1\nreleases:\n",
    "kustomization.yaml kustomization.yml": "resources:\n- https://x.example/a\n",
    "jsonnetfile.json": '{\n"source": {}}',
    "*.podspec.json": '{\n"dependencies": {}}',
    "templates/*.yaml templates/*.yml k8s/*.yaml k8s/*.yml kubernetes/*.yaml kubernetes/*.yml manifests/*.yaml manifests/*.yml deploy/*.yaml deploy/*.yml": "containers:\n- image: redis\n",
    "Earthfile": "VERSION 0.8\nFROM debian:12\n",
    "Singularity Singularity.* *.def": "# x\nBootstrap: docker\nFrom: debian:12\n",
    "Aptfile apt.txt": "# x\nlibgsl-dev\n",
    "paket.lock": "NUGET\n    Argu (2.1)\n",
    "pubspec_overrides.yaml": "dependency_overrides:\n  a: ^1.0.0\n",
    "buf.yaml buf.lock": "version: v1\ndeps:\n- buf.build/o/r\n",
    "conda*.yml conda*.yaml *env.yml *env.yaml *environment*.yml *environment*.yaml": "name: x\ndependencies:\n  - numpy\n",
    "requirements *-requirements": "-i x\nflask[async]>=3\n",
    "*.main.kts": '#!/usr/bin/env kotlin\n@file:DependsOn("g:a:1")\n',
    "*.tf.json": '{\n"module": {}}',
    "terragrunt.hcl": 'terraform {\nsource = "git::https://x.example/a"\n}\n',
    "*.tf *.tofu": 'locals {}\nmodule "a" {\n',
    "*.pkr.hcl": "packer {\n  required_plugins {\n",
    "requirements.yml galaxy.yml meta/main.yml": "---\n- src: geerlingguy.docker\n",
    "Puppetfile": "forge 'x'\nmod 'puppetlabs/stdlib'\n",
    "metadata.json": '{\n"version_requirement": "1"}',
    "Berksfile": "source 'x'\ncookbook 'a'\n",
    "metadata.rb": "name 'x'\ndepends 'a'\n",
}  # fmt: skip
SAMPLES = {pattern: content for patterns, content in FILES.items() for pattern in patterns.split()}


@pytest.mark.parametrize("pattern", SAMPLES)
def test_an_unread_file_is_a_finding_at_the_line_of_its_dependencies(pattern):
    path, content = f"sub/{pattern.replace('*', 'x')}", SAMPLES[pattern]
    [found] = ecosystems.read(path, content).findings
    assert (found.code, found.place.path, found.place.line) == ("file/unsupported", path, 2)
    assert is_not_read(found)
    assert not is_unreadable(found)
    assert ecosystems.read(path, "").findings == ()
    assert ecosystems.read(f"examples/{path}", content).findings == ()


SPELLINGS = {
    "rebar.config": ['{deps,\n  [{a, "1"}]}.', '{profiles, [{prod, [{deps, [{a, "1"}]}]}]}.', "{ deps , [a]}.", "{deps, Deps}."],
    "x.cabal": ["library\n  Build-Depends : base", "library { build-depends: base }"],
    "x.podspec": ["s.ios.dependency 'A'", "s.subspec('B') { |b| b.dependency 'A' }", "s.dependency('A')"],
    "x.nimble": ['[Deps]\nRequires: "a"', 'when defined(x): requires "a"', 'taskRequires "test", "a"'],
    "cpanfile": ["on runtime => sub { requires 'A' };", "feature 'x', 'y' => sub { recommends 'A' };"],
    "build.sbt": ['x.dependsOn(RootProject(uri("https://x.example/a.git")))', 'val a = "g" %% "a" % v', 'lazy val p = ProjectRef(gitUri, "a")'],
    "project/D.scala": ['val a = "g".%%("a").%(v)', 'val a = "g" % name % v', 'val p = RootProject(uri("x"))'],
    "compose.yaml": ["services: {db: {image: mongo:5}}", "  db: {image: postgres}", '"image": "redis"', "build: https://x.example/a.git", "dockerfile_inline: |"],
    "Cargo/fpm.toml": ['dependencies.a = "1"', "[ dependencies ]", '["dependencies"]', "[[executable.dependencies]]"],
    "gleam.toml": ['dependencies = { a = "1" }', "[ dependencies ]"],
    "Project.toml": ["[ deps ]", 'deps = {A = "x"}'],
    "shard.yml": ["dependencies :", '"dependencies":', "dependencies: {a: {}}"],
    "stack.yaml": ["extra-deps: # those\n- a", "extra-deps: [a]"],
    "x.opam": ["depends : []", "depopts: []"],
    "dune-project": ["(package ( depends a))"],
    "Puppetfile": ["  mod 'a/b'"],
    "Berksfile": ["group :x do\n  cookbook 'a'"],
    "meta/main.yml": ["dependencies: [a]", "dependencies: # those\n- a"],
    "pubspec_overrides.yaml": ["  a:\n    git: https://x.example/a.git", "  a: {git: x}"],
}  # fmt: skip


@pytest.mark.parametrize(("path", "content"), [(path, each) for path, listed in SPELLINGS.items() for each in listed])
def test_dependencies_are_found_in_each_valid_spelling(path, content):
    assert [finding.code for finding in ecosystems.read(path, content).findings] == ["file/unsupported"]


NAMES_NOTHING = {
    "rebar.config": "{erl_opts, [debug_info]}.\n{deps, []}.\n% {deps, [a]}.\n{profiles, [{test, [{deps, [\n]}]}]}.\n",
    "x.cabal": "name: x\nlibrary\n  -- build-depends: base\n  exposed-modules: X\n",
    "x.podspec": "Pod::Spec.new do |s|\n  s.name = 'x'\n  # s.dependency 'A'\n  s.ios.deployment_target = '9'\nend\n",
    "build.sbt": 'name := "x"\nscalaVersion := "3.3.1"\nlazy val core = project.in(file("core")).dependsOn(util % "compile->test")\n',
    "project/D.scala": 'object D { val v = "%s-%s".format(1, 2 % 3) }\n',
    "compose.yaml": "services:\n  web:\n    build: .\n    # image: x\n    labels: {x-image: a}\n",
    "templates/x.yaml": 'kind: Deployment\nimage: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"\nimage: {{ x }}\n',
    "k8s/x.yaml": "kind: Service\n# image: x\nimagePullPolicy: Always\n",
    "stack.yaml": "resolver: lts-21\nextra-deps: []\n",
    "meta/main.yml": "galaxy_info: {}\ndependencies: []\n",
    "galaxy.yml": "dependencies: {}\n",
    "shard.yml": "name: x\ndependencies: {}\ndevelopment_dependencies:\n",
    "pubspec_overrides.yaml": "# melos_managed_dependency_overrides: a,b\ndependency_overrides:\n  a:\n    path: ../a\n  b: {path: ../b}\n",
    "buf.yaml": "version: v2\ndeps: []\nlint:\n  use: [DEFAULT]\n",
    "env.yml": "production:\n  KEY: value\ndependencies:\n  web: 1\n",
    "requirements": "Requirements\n============\n\nYou need Python 3.11 or newer; numpy is optional.\n",
    "x.main.kts": 'println("hello")\n',
    "x.tf.json": '{"variable": {"x": {}}}',
    "terragrunt.hcl": 'include "root" {\n  path = find_in_parent_folders()\n}\nterraform {\n  source = "../modules/x"\n}\n',
    "x.def": "LIBRARY x\nEXPORTS\n  f @1\n",
    "x.spec": "Name: x\nVersion: 1\n",
    "ios/App.xcodeproj/project.pbxproj": "".join(
        f"\t\tA1 /* {name} in Frameworks */ = {{isa = PBXBuildFile; fileRef = A2 /* {name} */; }};\n"
        for name in (
            "libPods-App.a", "libPods-App-AppTests.a", "Pods_Runner.framework", "Pods_App_Share_Extension.framework", "UIKit.framework",
            "StoreKit.framework", "libc++.tbd", "FlutterGeneratedPluginSwiftPackage", "CapApp-SPM",
        )
    )
    + "\t\tA3 /* Frameworks */ = {\n\t\t\tisa = PBXFrameworksBuildPhase;\n\t\t};\n",
}  # fmt: skip


@pytest.mark.parametrize(("path", "content"), NAMES_NOTHING.items())
def test_an_ordinary_file_that_names_nothing_is_quiet(path, content):
    assert ecosystems.read(path, content).findings == ()


def test_every_pattern_is_tried_and_has_its_own_row():
    rows = {
        ecosystems.FILE_READERS[row][0]
        for sample in SAMPLES
        if (row := ecosystems.row(sample.replace("*", "x"))) is not None
    }
    assert rows | {"bun.lockb"} == set(unsupported.PATTERNS)


@pytest.mark.parametrize(
    "name",
    [
        "Alamofire",
        "libz.tbd",
        "Charts.framework",
        "UIKitPlus.framework",
        "libPods.xcframework",
        "MLKit.xcframework",
        "Pods.framework",
    ],
)
def test_a_library_that_xcode_links_itself_is_told(name):
    named = f"A1 /* UIKit.framework in Frameworks */ = {{}};\nA2 /* {name} in Frameworks */ = {{}};\n"
    [found] = ecosystems.read("A.xcodeproj/project.pbxproj", named).findings
    assert (found.code, found.place.line) == ("file/unsupported", 2)


def test_a_binary_lock_file_is_a_finding_with_any_content():
    [found] = ecosystems.read("bun.lockb", "x" * 2_000_000).findings
    assert (found.code, found.place.line) == ("file/unsupported", 1)
