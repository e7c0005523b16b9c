"""deno.lock in its versions: npm, JSR, modules by address."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import merged, origins

FIVE = """{"version": "5",
  "specifiers": {
    "jsr:@std/assert@1": "1.0.0", "jsr:@std/internal@^1.0": "1.0.2", "npm:chalk@5": "5.3.0",
    "npm:react-dom@18": "18.2.0_react@18.2.0"
  },
  "jsr": {
    "@std/assert@1.0.0": {"integrity": "00", "dependencies": ["jsr:@std/internal@^1.0"]},
    "@std/internal@1.0.2": {"integrity": "00"}
  },
  "npm": {
    "chalk@5.3.0": {"integrity": "sha512-x"},
    "react-dom@18.2.0_react@18.2.0": {"dependencies": ["react", "loose@1.0.0"]},
    "react@18.2.0": {},
    "loose@1.0.0": {"tarball": "https://npm.corp.example/l.tgz"}
  },
  "workspace": {
    "dependencies": ["jsr:@std/assert@1", "npm:react-dom@18"],
    "packageJson": {"dependencies": ["npm:chalk@5"]}
  }
}"""


def test_packages_that_deno_json_asks_for_are_direct_and_peers_no_part_of_a_version():
    assert merged({"deno.lock": FIVE}) == [
        "pkg:jsr/%40std/assert@1.0.0 runtime-import direct :7",
        "pkg:jsr/%40std/internal@1.0.2 runtime-import indirect :8",
        "pkg:npm/chalk@5.3.0 runtime-import indirect :11",
        "pkg:npm/loose@1.0.0?repository_url=npm.corp.example runtime-import indirect :14",
        "pkg:npm/react@18.2.0 runtime-import indirect :13",
        "pkg:npm/react-dom@18.2.0 runtime-import direct :12",
    ]


def test_a_package_json_beside_a_deno_lock_says_which_packages_are_tools():
    manifest = '{"devDependencies": {"chalk": "5"}}'
    assert "pkg:npm/chalk@5.3.0 dev-tool direct :1" in merged({"deno.lock": FIVE, "package.json": manifest})


def test_needs_are_found_by_name_by_version_and_by_specifier():
    found = origins({"deno.lock": FIVE})
    assert "pkg:jsr/%40std/assert@1.0.0 brings pkg:jsr/%40std/internal@1.0.2" in found
    assert (
        "pkg:npm/react-dom@18.2.0 brings pkg:npm/loose@1.0.0?repository_url=npm.corp.example pkg:npm/react@18.2.0"
        in found
    )


@pytest.mark.parametrize(
    "lock",
    [
        '{"version": "2", "remote": {}, "npm": {"specifiers": {"a@1": "a@1.0.0"}, "packages": {"a@1.0.0": {"dependencies": {"b": "b@2.0.0"}}, "b@2.0.0": {}}}}',
        '{"version": "3", "packages": {"specifiers": {"npm:a@1": "npm:a@1.0.0"}, "npm": {"a@1.0.0": {"dependencies": {"b": "b@2.0.0"}}, "b@2.0.0": {}}}}',
        '{"version": "4", "specifiers": {"npm:a@1": "1.0.0"}, "npm": {"a@1.0.0": {"dependencies": ["b"]}, "b@2.0.0": {}}}',
    ],
)
def test_the_older_versions_of_the_lock_file_are_read_alike(lock):
    assert origins({"deno.lock": lock}) == ["pkg:npm/a@1.0.0 brings pkg:npm/b@2.0.0", "pkg:npm/b@2.0.0"]


@pytest.mark.parametrize(
    ("address", "purl"),
    [
        ("https://deno.land/std@0.224.0/fs/mod.ts", "pkg:generic/deno.land/std@0.224.0"),
        ("https://deno.land/x/oak@v12.0.0/mod.ts", "pkg:generic/deno.land/x/oak@v12.0.0"),
        ("https://esm.sh/@s/x@1.0.0/y.js", "pkg:npm/%40s/x@1.0.0"),
        ("https://esm.sh/v135/preact@10.19.2/hooks.js", "pkg:npm/preact@10.19.2"),
        ("https://esm.sh/stable/react@18.2.0/x.js", "pkg:npm/react@18.2.0"),
        ("https://esm.sh/gh/o/r@1.0/x.js", "pkg:generic/esm.sh/gh/o/r@1.0"),
        ("https://ga.jspm.io/npm:lodash@4.17.21/lodash.js", "pkg:npm/lodash@4.17.21"),
        ("https://cdn.jsdelivr.net/npm/@s/x@1.0.0/+esm", "pkg:npm/%40s/x@1.0.0"),
        ("https://unpkg.com/x@^1/y.js", "pkg:npm/x"),
        ("https://unpkg.com/x/y.js", "pkg:npm/x"),
        ("https://raw.githubusercontent.com/o/r/main/x.ts", "pkg:github/o/r@main"),
        ("https://example.org/a/b.ts", "pkg:generic/example.org/a"),
    ],
)
def test_modules_of_one_work_are_one_dependency_without_a_licence(address, purl):
    lock = f'{{"version": "4", "remote": {{"{address}": "00", "{address}x": "00"}}}}'
    (dependency,) = ecosystems.read("deno.lock", lock).dependencies
    assert (dependency.purl, dependency.places[0].line, dependency.license.expression) == (purl, 1, None)


CONFIG = """{
  // as `deno add` writes it
  "name": "@me/own", "license": "MIT",
  "imports": {
    "chalk": "npm:chalk@5.3.0", "@std/path": "jsr:@std/path@^1.0.0", "react/": "npm:/react@18/",
    "oak": "https://deno.land/x/oak@v12.6.1/mod.ts", "@/": "./src/", "me": "jsr:@me/own",
  },
  "scopes": {"./x/": {"y": "npm:@s/y"}},
}"""


@pytest.mark.parametrize("path", ["deno.json", "deno.jsonc", "import_map.json"])
def test_a_deno_configuration_without_a_lock_names_the_dependencies(path):
    assert merged({path: CONFIG}) == [
        "pkg:npm/%40s/y runtime-import direct :8",
        "pkg:jsr/%40std/path runtime-import direct :5",
        "pkg:npm/chalk@5.3.0 runtime-import direct :5",
        "pkg:generic/deno.land/x/oak@v12.6.1 runtime-import direct :6",
        "pkg:npm/react runtime-import direct :5",
    ]
    assert ecosystems.read(path, CONFIG).license.expression == "MIT"


def test_a_lock_file_beside_a_deno_configuration_gives_the_versions_once():
    lock = """{"version": "5", "specifiers": {"jsr:@std/path@^1.0.0": "1.0.8", "npm:chalk@5.3.0": "5.3.0"},
      "jsr": {"@std/path@1.0.8": {}}, "npm": {"chalk@5.3.0": {}},
      "remote": {"https://deno.land/x/oak@v12.6.1/mod.ts": "0"},
      "workspace": {"dependencies": ["jsr:@std/path@^1.0.0", "npm:chalk@5.3.0"]}}"""
    config = CONFIG.replace('"react/": "npm:/react@18/",', "").replace('"npm:@s/y"', '"./y.ts"')
    found = merged({"deno.json": config, "deno.lock": lock})
    assert [line.split()[0] for line in found] == [
        "pkg:jsr/%40std/path@1.0.8", "pkg:npm/chalk@5.3.0", "pkg:generic/deno.land/x/oak@v12.6.1",
    ]  # fmt: skip


def test_an_import_map_of_another_name_is_a_finding():
    [found] = ecosystems.read("deno.json", '{\n"importMap": "./maps/all.json"}').findings
    assert (found.code, found.place.line) == ("dependency/unreadable", 2)
    assert ecosystems.read("deno.json", '{"importMap": "./import_map.json"}').findings == ()


def test_the_import_map_of_rails_names_what_is_downloaded_or_loaded_by_its_address():
    content = """# Pin npm packages by running ./bin/importmap
pin "application", preload: true
pin "@hotwired/stimulus", to: "stimulus.min.js"
pin "lodash" # @4.17.21
pin "@rails/actioncable", to: "@rails--actioncable.js", preload: false # @7.1.3
  pin('md5', to: 'https://cdn.jsdelivr.net/npm/md5@2.3.0/md5.js')
pin "x", to: "https://example.org/x.js" # of our own
# pin "commented" # @1.0.0
pin_all_from "app/javascript/controllers", under: "controllers"
"""
    assert merged({"config/importmap.rb": content}) == [
        "pkg:npm/%40rails/actioncable@7.1.3 vendored direct :5",
        "pkg:generic/example.org/x.js runtime-import direct :7",
        "pkg:npm/lodash@4.17.21 vendored direct :4",
        "pkg:npm/md5@2.3.0 runtime-import direct :6",
    ]
