"""Packages of private registries have the registry in their package URL in every lock file."""

import pytest

from audit.ecosystems import origins, read
from audit.ecosystems.purls import canonical
from tests.audit.ecosystems.brief import together

OWN = "?repository_url=npm.corp.example"


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://registry.npmjs.org/a/-/a-1.0.0.tgz", ""),
        ("https://registry.npmmirror.com/a/-/a-1.0.0.tgz", ""),
        ("https://ada:secret@npm.corp.example:8443/a.tgz", "npm.corp.example"),
        ("HTTPS://X", ""),
        ("http://NPM.Corp.Example", "npm.corp.example"),
        ("registry+https://github.com/rust-lang/crates.io-index", ""),
        ("registry+https://github.com/corp/index", "github.com"),
        ("sparse+https://index.crates.io/", ""),
        ("sparse+https://cargo.corp.example/index/", "cargo.corp.example"),
        ("", ""),
        ("../folder", ""),
        ("https://", ""),
    ],
)
def test_the_host_of_a_private_registry_is_kept_without_a_password(address, host):
    assert origins.host(address) == host


def test_only_packages_of_registries_get_a_registry_s_address():
    assert origins.taken("pkg:github/o/a@00ff", "https://x.org/a") == "pkg:github/o/a@00ff"
    assert origins.taken(None, "https://x.org/a") is None
    assert canonical(origins.taken("pkg:npm/a@1", "https://x.org/a")) == "pkg:npm/a@1?repository_url=x.org"


FILES = {
    "package-lock.json": '{"lockfileVersion": 3, "packages": {"": {}, "node_modules/a": {"version": "1.0.0", "resolved": "https://npm.corp.example/a.tgz"}}}',
    "yarn.lock": 'a@^1:\n  version "1.0.0"\n  resolved "https://npm.corp.example/a/-/a-1.0.0.tgz#00ff"\n',
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\npackages:\n  a@1.0.0:\n    resolution: {integrity: x, tarball: https://npm.corp.example/a.tgz}\n",
    "Cargo.lock": '[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "sparse+https://npm.corp.example/"\n',
    "poetry.lock": '[[package]]\nname = "a"\nversion = "1.0.0"\n[package.source]\ntype = "legacy"\nurl = "https://npm.corp.example/simple"\n',
    "uv.lock": 'version = 1\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = { registry = "https://npm.corp.example/simple" }\n',
    "pylock.toml": 'lock-version = "1.0"\n[[packages]]\nname = "a"\nversion = "1.0.0"\nindex = "https://npm.corp.example/simple"\n',
    "Pipfile.lock": '{"_meta": {"sources": [{"name": "corp", "url": "https://npm.corp.example/simple"}]}, "default": {"a": {"version": "==1.0.0", "index": "corp"}}}',
    "requirements.txt": "--extra-index-url https://npm.corp.example/simple\na==1.0.0\n",
}
BERRY = """__metadata:
  version: 8

"a@npm:^1.0.0":
  version: 1.0.0
  resolution: "a@npm:1.0.0::__archiveUrl=https%3A%2F%2Fnpm.corp.example%2Fa%2F-%2Fa-1.0.0.tgz"
  languageName: node
  linkType: hard
"""


@pytest.mark.parametrize(("path", "content"), [*FILES.items(), ("yarn.lock", BERRY)], ids=[*FILES, "yarn.lock 2"])
def test_each_lock_file_tells_a_private_registry_and_not_a_shared_registry(path, content):
    (own,) = read(path, content).dependencies
    shared = {"Cargo.lock": "index.crates.io"}.get(path, "registry.npmjs.org")
    (public,) = read(path, content.replace("npm.corp.example", shared)).dependencies

    assert own.purl.endswith(f"/a@1.0.0{OWN}")
    assert public.purl == own.purl.removesuffix(OWN)


_URL = "https://dl.example.org/a-1.0.tar.gz"
_TGZ = "https://dl.example.org/a-1.0.0.tgz"
ARCHIVES = {
    ("requirements.txt", f"a @ {_URL}\n"): "pkg:pypi/a@1.0",
    ("requirements/x.txt", f"{_URL}#egg=a\n"): "pkg:pypi/a@1.0",
    ("requirements-ci.txt", f"a @ hg+{_URL}\n"): "pkg:pypi/a@1.0",
    ("setup.cfg", f"[options]\ninstall_requires =\n  a @ {_URL}\n"): "pkg:pypi/a@1.0",
    ("pyproject.toml", f'[project]\ndependencies = ["a @ {_URL}"]\n'): "pkg:pypi/a@1.0",
    (
        "pyproject.toml",
        f'[project]\ndependencies = ["a"]\n[tool.uv.sources]\na = {{url = "{_URL}"}}\n',
    ): "pkg:pypi/a",
    ("pyproject.toml", f'[tool.poetry.dependencies]\na = {{url = "{_URL}"}}\n'): "pkg:pypi/a",
    ("Pipfile", f'[packages]\na = {{file = "{_URL}"}}\n'): "pkg:pypi/a",
    ("Pipfile.lock", f'{{"default": {{"a": {{"file": "{_URL}"}}}}}}'): "pkg:pypi/a",
    (
        "poetry.lock",
        f'[[package]]\nname = "a"\nversion = "1.0"\n[package.source]\ntype = "url"\nurl = "{_URL}"\n',
    ): "pkg:pypi/a@1.0",
    (
        "uv.lock",
        f'version = 1\n[[package]]\nname = "a"\nversion = "1.0"\nsource = {{ url = "{_URL}" }}\n',
    ): "pkg:pypi/a@1.0",
    ("pdm.lock", f'[[package]]\nname = "a"\nversion = "1.0"\nurl = "{_URL}"\n'): "pkg:pypi/a@1.0",
    (
        "pylock.toml",
        f'[[packages]]\nname = "a"\nversion = "1.0"\n[packages.archive]\nurl = "{_URL}"\n',
    ): "pkg:pypi/a@1.0",
    (
        "pylock.ci.toml",
        f'[[packages]]\nname = "a"\nversion = "1.0"\nwheels = [{{url = "{_URL}", hashes = {{sha256 = "00"}}}}]\n',
    ): "pkg:pypi/a@1.0",
    (
        "pylock.dev.toml",
        f'[[packages]]\nname = "a"\nversion = "1.0"\nsdist = {{url = "{_URL}", hashes = {{sha256 = "00"}}}}\n',
    ): "pkg:pypi/a@1.0",
    ("package.json", f'{{"dependencies": {{"a": "{_TGZ}"}}}}'): "pkg:npm/a",
    (
        "package-lock.json",
        f'{{"packages": {{"node_modules/a": {{"version": "1.0.0", "resolved": "{_TGZ}"}}}}}}',
    ): "pkg:npm/a@1.0.0",
    ("yarn.lock", f'"a@{_TGZ}":\n  version "1.0.0"\n  resolved "{_TGZ}#00ff"\n'): "pkg:npm/a@1.0.0",
    (
        "pnpm-lock.yaml",
        f"lockfileVersion: '9.0'\npackages:\n  a@{_TGZ}:\n    resolution: {{tarball: {_TGZ}}}\n    version: 1.0.0\n",
    ): "pkg:npm/a",
}


@pytest.mark.parametrize(
    ("file", "purl"), ARCHIVES.items(), ids=[f"{at} {file[0]}" for at, file in enumerate(ARCHIVES)]
)
def test_an_archive_at_its_own_address_is_not_the_registry_s_package(file, purl):
    """Any content may lie there, so its name must not be looked up in the registry."""
    path, content = file
    (dependency,) = read(path, content).dependencies
    assert dependency.purl == f"{purl}?repository_url=dl.example.org"

    shared = {"npm": "registry.npmjs.org", "pypi": "files.pythonhosted.org"}[purl[4:].partition("/")[0]]
    (public,) = read(path, content.replace("dl.example.org", shared)).dependencies
    assert public.purl == purl


FILES_OF_OURS = {
    ("requirements.txt", "./wheels/a-1.0-py3-none-any.whl\n"): "pkg:pypi/a@1.0",
    ("requirements-x.txt", "a @ file:///home/ada/a-1.0.zip\n"): "pkg:pypi/a@1.0",
    ("Pipfile", '[packages]\na = {path = "./a-1.0.tar.gz"}\n'): "pkg:pypi/a",
    ("Pipfile.lock", '{"default": {"a": {"path": "./a-1.0.tar.gz"}}}'): "pkg:pypi/a",
    (
        "poetry.lock",
        '[[package]]\nname = "a"\nversion = "1.0"\n[package.source]\ntype = "file"\nurl = "a-1.0.whl"\n',
    ): "pkg:pypi/a@1.0",
    ("uv.lock", '[[package]]\nname = "a"\nversion = "1.0"\nsource = { path = "a-1.0.whl" }\n'): "pkg:pypi/a@1.0",
    ("pdm.lock", '[[package]]\nname = "a"\nversion = "1.0"\npath = "./a-1.0.whl"\n'): "pkg:pypi/a@1.0",
    ("package.json", '{"dependencies": {"a": "file:a.tgz"}}'): "pkg:npm/a",
    (
        "package-lock.json",
        '{"packages": {"node_modules/a": {"version": "1.0.0", "resolved": "file:a.tgz"}}}',
    ): "pkg:npm/a@1.0.0",
    ("npm-shrinkwrap.json", '{"dependencies": {"a": {"version": "file:a.tgz"}}}'): "pkg:npm/a",
    ("yarn.lock", '"a@file:./a.tgz":\n  version "1.0.0"\n  resolved "file:./a.tgz#00ff"\n'): "pkg:npm/a@1.0.0",
    (
        "pnpm-lock.yaml",
        "lockfileVersion: '9.0'\npackages:\n  a@file:a.tgz:\n    resolution: {tarball: file:a.tgz}\n    version: 1.0.0\n",
    ): "pkg:npm/a",
}


@pytest.mark.parametrize(
    ("file", "purl"), FILES_OF_OURS.items(), ids=[f"{at} {file[0]}" for at, file in enumerate(FILES_OF_OURS)]
)
def test_an_archive_in_a_file_is_a_package_of_no_registry(file, purl):
    (dependency,) = read(*file).dependencies
    assert dependency.purl == f"{purl}?repository_url=no-registry"


def test_a_registry_package_takes_in_no_archive_of_the_same_name():
    """Merged into it, an archive would have the licence that the registry states."""
    files = {
        "requirements.txt": "a @ https://dl.example.org/a.zip\n",
        "setup.cfg": "[options]\ninstall_requires =\n  a==1.0\n",
    }
    assert [dependency.purl for dependency in together(files)] == [
        "pkg:pypi/a?repository_url=dl.example.org",
        "pkg:pypi/a@1.0",
    ]


ELSEWHERE = {
    (
        "pdm.lock",
        '[[package]]\nname = "a"\nversion = "1.0"\ngit = "https://github.com/o/a"\nrevision = "00ff"\n',
    ): "pkg:github/o/a@1.0",
    ("Gemfile", "git 'https://github.com/o/a' do\n  gem 'a'\nend\n"): "pkg:github/o/a",
    ("gems.rb", "github 'o/a' do\n  gem 'a'\nend\n"): "pkg:github/o/a",
    (
        "Gemfile",
        "git 'https://github.com/o/x' do\n  gem 'a', source: 'https://gems.corp.example'\nend\n",
    ): "pkg:gem/a?repository_url=gems.corp.example",
    (
        "pom.xml",
        """<project><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1.0</version>
        <scope>system</scope><systemPath>${basedir}/lib/a.jar</systemPath></dependency></dependencies></project>""",
    ): "pkg:maven/g/a@1.0?repository_url=no-registry",
    (
        "ci/Dockerfile",
        "FROM scratch\nRUN pip install https://dl.example.org/a-1.0.tar.gz\n",
    ): "pkg:pypi/a@1.0?repository_url=dl.example.org",
}


@pytest.mark.parametrize(
    ("file", "purl"), ELSEWHERE.items(), ids=[f"{at} {file[0]}" for at, file in enumerate(ELSEWHERE)]
)
def test_a_repository_a_gem_block_or_a_system_path_is_another_origin(file, purl):
    assert [
        dependency.purl
        for dependency in read(*file).dependencies
        if dependency.purl and "scratch" not in dependency.purl
    ] == [purl]


def test_gems_in_a_path_block_are_the_repository_s_own():
    assert read("Gemfile", "path 'engines' do\n  gem 'a'\nend\ngem 'b'\n").dependencies[0].purl == "pkg:gem/b"


@pytest.mark.parametrize(
    ("path", "content", "purl"),
    [
        ("requirements.txt", "--find-links https://dl.example.org/wheels\na==1.0\n", "pkg:pypi/a@1.0"),
        ("requirements.txt", "-f https://dl.example.org/wheels\na==1.0\n", "pkg:pypi/a@1.0"),
        (
            "composer.json",
            '{"repositories": [{"type": "vcs", "url": "https://dl.example.org/a"}], "require": {"o/a": "1.0"}}',
            "pkg:composer/o/a@1.0",
        ),
        (
            "composer.json",
            '{"repositories": {"corp": {"type": "composer", "url": "https://dl.example.org"}}, "require": {"o/a": "1.0"}}',
            "pkg:composer/o/a@1.0",
        ),
    ],
)
def test_an_extra_index_counts_for_every_package_of_its_file(path, content, purl):
    (dependency,) = read(path, content).dependencies
    assert dependency.purl == f"{purl}?repository_url=dl.example.org"


@pytest.mark.parametrize(
    "repositories",
    [
        '[{"packagist.org": false}]',
        '[{"type": "path", "url": "../a"}]',
        '{"packagist.org": false}',
        "7",
        '[{"type": "composer", "url": "https://repo.packagist.org"}]',
    ],
)
def test_folders_and_packagist_are_no_private_repositories(repositories):
    (dependency,) = read(
        "composer.json", f'{{"repositories": {repositories}, "require": {{"o/a": "1.0"}}}}'
    ).dependencies
    assert dependency.purl == "pkg:composer/o/a@1.0"
