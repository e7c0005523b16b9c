"""Manifests that are not read say so where they name dependencies, and only there."""

import pytest

from audit import ecosystems
from audit.verdict.unreadable_input import is_unreadable

FILES = {
    "build.sbt": 'name := "x"\nlibraryDependencies += "org.typelevel" %% "cats-core" % "2.9.0"\n',
    "rebar.config": '{erl_opts, []}.\n{deps, [{cowboy, "2.9.0"}]}.\n',
    "x.cabal": "library\n  build-depends: base\n",
    "Project.toml": 'name = "X"\n[deps]\nJSON = "x"\n',
    "DESCRIPTION": "Package: x\nImports: rlang\n",
    "cpanfile": "\nrequires 'Moose';\n",
    "x-1.rockspec": "package = 'x'\ndependencies = {'lua'}\n",
    "dub.json": '{\n"dependencies": {"vibe-d": "1"}}',
    "dub.sdl": 'name "x"\ndependency "vibe-d" version="1"\n',
    "shard.yml": "name: x\ndependencies:\n  kemal: {}\n",
    "x.opam": 'name: "x"\ndepends: ["dune"]\n',
    "paket.dependencies": "source https://nuget.org/api/v2\nnuget Argu\n",
    "elm.json": '{\n"dependencies": {}}',
    "bower.json": '{\n"dependencies": {}}',
    "ivy.xml": '<dependencies>\n<dependency org="x" name="y"/></dependencies>',
    "Cartfile": '# x\ngithub "Alamofire/Alamofire"\n',
    "x.podspec": "Pod::Spec.new do |s|\n  s.dependency 'A'\nend\n",
    "x.nimble": 'version = "1"\nrequires "nim >= 2"\n',
    "project.clj": '(defproject x "1"\n  :dependencies [[a "1"]])\n',
    "deps.edn": '{\n:deps {a {:mvn/version "1"}}}\n',
    "build.zig.zon": ".{\n.dependencies = .{},\n}\n",
    "auto.def": "use cc\ncc-check-function-in-lib gzopen z\n",
    "wscript": "def configure(conf):\n    conf.check_cfg(package='zlib')\n",
    "xmake.lua": "target('x')\nadd_requires('zlib')\n",
    "premake5.lua": 'project "x"\nlinks { "z" }\n',
    "SConstruct": "env = Environment()\nenv.Append(LIBS=['z'])\n",
    "gleam.toml": 'name = "x"\n[dependencies]\na = "1"\n',
}


@pytest.mark.parametrize("path", FILES)
def test_what_is_not_read(path):
    """The line at which dependencies begin; what could be judged counts all the same."""
    [found] = ecosystems.read(f"sub/{path}", FILES[path]).findings
    assert (found.code, found.place.path, found.place.line) == ("file/unsupported", f"sub/{path}", 2)
    assert not is_unreadable(found)
    assert ecosystems.read(path, "").findings == ()
    assert ecosystems.read(f"examples/{path}", FILES[path]).findings == ()


def test_every_pattern_is_tried():
    """And has a row of its own in the table."""
    rows = {ecosystems.FILE_READERS[row][0] for path in FILES if (row := ecosystems.row(path)) is not None}
    assert rows == {pattern for pattern, family, _ in ecosystems.FILE_READERS if family == "unsupported"}
