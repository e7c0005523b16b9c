"""Build files and manifests of tools whose files are not read: that they name something is said, so that no clean answer hides it."""

import re
from typing import Final

from audit.ecosystems.parsed_file import ParsedFile, not_read
from audit.usage import usage_by_folder

_COORDINATES: Final = r"['\"][\w.-]++:[\w.-]++:[^'\"\n]++['\"]"
"""Group, name and version of an archive, in one text."""
_JSON: Final = r"\"dependencies\""
_TOML: Final = r"^\[[\w.-]*dependencies"
_YAML: Final = r"^[ \t]*+dependencies:"
_LINKED: Final = r"[\s'\"]-l[A-Za-z]|pkg-config"
"""A linker's option for a library, or a question to pkg-config."""
_TABLE: Final = (
    # The Java virtual machine
    ("*.sbt", "sbt", r"\blibraryDependencies\b|\baddSbtPlugin\b"),
    ("project/*.scala", "sbt", r"%%?[ \t]*+\""),
    ("build.sc build.mill", "Mill", r"\b(?:ivy|mvn)Deps\b"),
    ("ivy.xml", "Ivy", r"<dependency\b"),
    ("build.xml", "Ant", r"<(?:ivy|artifact|mvn|resolver):|\.jar\b|<(?:classpath|pathelement|get)\b"),
    ("init.gradle init.gradle.kts", "Gradle's init scripts", rf"{_COORDINATES}|\blibrary\(|^[ \t]*+id\b"),
    ("project.clj", "Leiningen", r":dependencies\b"),
    ("build.boot", "Boot", r":dependencies\b"),
    ("deps.edn", "Clojure", r":deps\b"),
    # C, C++ and their neighbours
    ("SConstruct SConscript sconstruct SConscript.py", "SCons", rf"\bLIBS\b|\bParseConfig\b|\bCheckLib|\bMergeFlags\b|{_LINKED}"),
    ("wscript wscript_build", "Waf", rf"\bcheck_c|\blib[ \t]*+=|\buselib\b|\buse[ \t]*+=|{_LINKED}"),
    ("auto.def", "autosetup", r"\bcc-check-function-in-lib\b|\bpkg-config\b|-l[a-z]"),
    ("*.qbs", "Qbs", r"\bDepends\b|\b(?:dynamic|static)Libraries\b"),
    ("premake4.lua premake5.lua premake.lua", "Premake", r"\blinks\b"),
    ("xmake.lua", "xmake", r"\badd_(?:requires|packages|links|syslinks)\b"),
    ("Tupfile Tupfile.lua Tuprules.tup", "Tup", _LINKED),
    ("BUILD.gn *.gni", "GN", rf"\blibs[ \t]*+\+?=|//third_party/|\bpkg_config\b|\bframeworks\b|{_LINKED}"),
    ("DEPS", "gclient", r"^[ \t]*+deps[ \t]*+="),
    ("BUCK BUCK.v2 TARGETS", "Buck", r"\bprebuilt_|\bexported_linker_flags\b|\bhttp_archive\b|//third[-_]party|\bmaven_"),
    ("Jamfile Jamroot Jamrules *.jam Jamfile.v2", "Jam", rf"\blib\b|<library>|\bLINKLIBS\b|{_LINKED}"),
    ("moz.build", "mozbuild", r"\b(?:USE_LIBS|OS_LIBS)\b"),
    ("Imakefile", "imake", rf"LIBRARIES\b|LIBS\b|{_LINKED}"),
    ("Android.bp", "Soong", r"\b(?:shared|static|header|whole_static)_libs\b"),
    ("*.bpr *.bpk *.cbproj *.dproj *.ewp *.uvproj *.uvprojx", "an older development environment", r"\.lib\b|\.a\b"),
    ("*.cbp", "Code::Blocks", r"<Add (?:library|option)=\"(?!-[^l])"),
    (".cproject", "Eclipse", r"\.(?:libs|libraries)\b|valueType=\"libs\""),
    ("config.w32", "PHP on Windows", r"\bCHECK_LIB\b|\.lib\b"),
    ("Configure", "a configure script", r"^use[ \t]++\w|\blibswanted="),
    ("build.info", "OpenSSL's build", _LINKED),
    ("project.pbxproj", "Xcode", r" in Frameworks|\bXCRemoteSwiftPackageReference\b|['\"\s]-l[A-Za-z]"),
    ("project.yml", "XcodeGen", r"^packages:"),
    ("Project.swift Dependencies.swift", "Tuist", r"\.(?:package|remote|external|xcframework|library)\("),
    ("buildfile", "build2", r"^[ \t]*+import\b"),
    ("buckaroo.toml", "Buckaroo", r"^\[\[dependency\]\]"),
    ("clib.json", "clib", _JSON),
    ("Cartfile Cartfile.private", "Carthage", r"^[ \t]*+(?:github|git|binary)\b"),
    ("*.podspec", "CocoaPods", r"^[ \t]*+\w++\.(?:dependency|librar(?:y|ies)|vendored_\w++)\b"),
    ("library.properties", "Arduino", r"^depends="),
    ("platformio.ini", "PlatformIO", r"^[ \t]*+lib_deps\b"),
    ("library.json", "PlatformIO", _JSON),
    ("idf_component.yml", "ESP-IDF", r"^dependencies:"),
    ("west.yml", "west", r"^[ \t]*+projects:"),
    ("default.xml", "repo", r"<project\b[^>\n]{0,500}\bname="),
    ("package.xml", "ROS or PEAR", r"<(?:\w{0,20}depend|package|extension)>"),
    ("*.rosinstall *.repos", "vcstool", r"\b(?:git|url|uri):"),
    ("*.uplugin *.Build.cs", "Unreal", r"DependencyModuleNames\b|\"Plugins\""),
    ("Packages/manifest.json", "Unity", _JSON),
    ("*.core", "FuseSoC", r"^[ \t]*+depend[ \t]*+:"),
    ("Bender.yml", "Bender", r"^dependencies:"),
    # Other languages
    ("*.gpr", "GNAT", rf"^[ \t]*+with\b|\bLinker\b|{_LINKED}"),
    ("alire.toml", "Alire", r"depends-on\b"),
    ("rebar.config", "Rebar3", rf"^[ \t]*+\{{deps,[ \t]*+\[[ \t\n]*+[^\s\]]|{_LINKED}"),
    ("gleam.toml", "Gleam", r"^\[dependencies\]"),
    ("*.cabal", "Cabal", r"(?i)^[ \t]*+(?:build-depends|extra-libraries|extra-lib\w*|pkgconfig-depends|frameworks):"),
    ("cabal.project", "Cabal", r"^[ \t]*+source-repository-package\b|^[ \t]*+extra-packages:"),
    ("package.yaml", "hpack", rf"{_YAML}|^[ \t]*+(?:extra-libraries|pkg-config-dependencies):"),
    ("stack.yaml", "Stack", r"^extra-deps:[ \t]*+(?:\n|\[[^\]])"),
    ("*.opam", "opam", r"^(?:depends|depexts):"),
    ("dune-project", "Dune", r"\(depends\b"),
    ("dune jbuild", "Dune", r"\(libraries\b|-cclib\b|[\s(]-l[A-Za-z]|\bpkg-config\b|\(c_library_flags\b"),
    ("Project.toml", "Julia", r"^\[deps\]"),
    ("Manifest.toml", "Julia", r"^\[\["),
    ("DESCRIPTION", "R", r"^(?:Imports|Depends|LinkingTo|SystemRequirements):"),
    ("renv.lock", "renv", r"\"Packages\""),
    ("packrat.lock", "Packrat", r"^Package:"),
    ("cpanfile", "Perl", r"^[ \t]*+requires\b"),
    ("Makefile.PL Build.PL", "Perl", rf"\bPREREQ_PM\b|_REQUIRES\b|\brequires\b|{_LINKED}"),
    ("META.json META.yml META6.json", "Perl", r"\brequires\b|\"depends\""),
    ("dist.ini", "Dist::Zilla", r"^\[Prereqs"),
    ("*.rockspec", "LuaRocks", r"^[ \t]*+(?:external_)?dependencies\b|\blibraries[ \t]*+="),
    ("package.lua", "Lit", r"\bdependencies\b"),
    ("dub.json", "DUB", rf"{_JSON}|\"libs(?:-[\w-]{{1,40}})?\"|\"lflags"),
    ("dub.sdl", "DUB", r"^[ \t]*+(?:dependency|libs|lflags)\b"),
    ("shard.yml", "Crystal", r"^dependencies:"),
    ("*.nimble", "Nimble", r"^[ \t]*+requires\b|\bpass[lL]\b"),
    ("build.zig", "Zig", r"\blinkSystemLibrary|\blinkFramework\b|\.dependency\("),
    ("build.zig.zon", "Zig", r"\.dependencies\b"),
    ("v.mod", "V", r"\bdependencies:[ \t]*+\[[ \t]*+['\"]"),
    ("info.rkt", "Racket", r"\bdeps\b"),
    ("*.asd", "ASDF", r":depends-on\b"),
    ("qlfile", "Qlot", r"^\w"),
    ("Cask Eask", "Emacs", r"\(depends-on\b"),
    ("Eldev", "Eldev", r"\beldev-(?:use|add)-"),
    ("*-pkg.el", "Emacs", r"'\(\("),
    ("fpm.toml", "Fortran's fpm", rf"{_TOML}|^[ \t]*+link[ \t]*+="),
    ("elm.json", "Elm", _JSON),
    ("spago.dhall spago.yaml", "Spago", r"\bdependencies\b"),
    ("bsconfig.json rescript.json", "ReScript", r"\"(?:bs-)?dependencies\""),
    ("haxelib.json", "Haxelib", _JSON),
    ("*.hxml", "Haxe", r"^[ \t]*+-{1,2}(?:lib|library|L)\b"),
    ("lakefile.lean lakefile.toml", "Lake", r"\brequire\b"),
    ("*.ipkg", "Idris", r"^depends\b"),
    ("corral.json", "Pony", r"\"deps\""),
    ("Mason.toml", "Mason", r"^\[dependencies\]"),
    ("Move.toml", "Move", r"^\[dependencies\]"),
    ("Scarb.toml", "Scarb", r"^\[dependencies\]"),
    ("foundry.toml", "Foundry", rf"{_TOML}|\bremappings\b"),
    ("Gopkg.toml", "dep", r"^\[\[(?:constraint|override)\]\]"),
    ("Gopkg.lock", "dep", r"^\[\[projects\]\]"),
    ("glide.yaml", "Glide", r"^import:"),
    ("Godeps/Godeps.json", "godep", r"\"ImportPath\""),
    ("vendor/vendor.json", "govendor", r"\"path\""),
    ("bower.json component.json", "Bower", _JSON),
    ("bun.lockb", "Bun's binary lock file", r""),
    ("paket.dependencies", "Paket", r"^[ \t]*+(?:nuget|github|git|http)\b"),
    ("*.nuspec", "NuGet", r"<dependency\b"),
    # Systems, images and infrastructure
    ("flake.nix default.nix shell.nix package.nix", "Nix", r"[iI]nputs\b|\bpackages\b|\bwith pkgs\b"),
    ("guix.scm manifest.scm", "Guix", r"inputs\b|->manifest\b"),
    ("*.spec", "RPM packaging", r"^(?:Build)?Requires\b"),
    ("APKBUILD PKGBUILD", "packaging", r"^(?:make|check|opt)?depends"),
    ("*.ebuild", "Gentoo packaging", r"^[RB]?DEPEND="),
    ("Formula/*.rb", "Homebrew packaging", r"^[ \t]*+depends_on\b"),
    ("Portfile", "MacPorts", r"^[ \t]*+depends_"),
    ("Brewfile", "Homebrew", r"^[ \t]*+brew\b"),
    ("meta.yaml recipe.yaml", "conda packaging", r"^requirements:"),
    ("spack.yaml", "Spack", r"^[ \t]*+specs:"),
    ("*.eb", "EasyBuild", r"dependencies\b"),
    ("*.bb *.bbappend", "Yocto", r"^R?DEPENDS|^SRC_URI\b"),
    ("Config.in", "Buildroot", r"\bselect BR2_PACKAGE"),
    ("snapcraft.yaml", "Snap", r"\b(?:stage|build)-packages:|\bsource:"),
    ("org.*.yml org.*.yaml org.*.json com.*.yml com.*.yaml com.*.json io.*.yml io.*.yaml io.*.json", "Flatpak", r"^[ \t\"]*+sdk\"?+[ \t]*+:"),
    ("AppImageBuilder.yml", "AppImage", r"\binclude:"),
    ("docker-compose*.yml docker-compose*.yaml compose.yml compose.yaml", "Compose", r"^[ \t]*+image:"),
    ("Chart.yaml requirements.yaml", "Helm", r"^dependencies:"),
    ("helmfile.yaml", "Helmfile", r"^releases:"),
    ("kustomization.yaml kustomization.yml", "Kustomize", r"https?://|\bgithub\.com/|^helmCharts:"),
    ("jsonnetfile.json", "Jsonnet", r"\"source\""),
    ("*.tf", "Terraform", r"^[ \t]*+(?:required_providers\b|module[ \t]++\")"),
    ("*.pkr.hcl", "Packer", r"\brequired_plugins\b"),
    ("requirements.yml galaxy.yml meta/main.yml", "Ansible", r"^(?:roles|collections|dependencies):[ \t]*+\n|^-[ \t]++(?:src|name|role):"),
    ("Puppetfile", "Puppet", r"^mod\b"),
    ("metadata.json", "Puppet", r"\"version_requirement\""),
    ("Berksfile", "Chef", r"^cookbook\b"),
    ("metadata.rb", "Chef", r"^depends\b"),
)  # fmt: skip
"""Patterns of the file's name, the tool, and what stands where dependencies are named; the order has no meaning."""
_MARKS: Final = {pattern: (tool, mark) for patterns, tool, mark in _TABLE for pattern in patterns.split()}
PATTERNS: Final = tuple(_MARKS)


def read(pattern: str, path: str, content: str) -> ParsedFile:
    """A finding where the file, which that pattern fits, names dependencies; none in folders of tests, examples and documentation."""
    tool, mark = _MARKS[pattern]
    if usage_by_folder(path):
        return ParsedFile()
    named = re.search(mark, content, re.MULTILINE)
    if named is None:
        return ParsedFile()
    line = content.count("\n", 0, named.start()) + 1
    said = f"names dependencies for {tool}, whose files are not read"
    return ParsedFile(findings=(not_read(path, line, said),))
