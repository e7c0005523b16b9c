"""The registries that are asked about a package, and the packages that are not asked about."""

import pytest

from audit.facts import Source
from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import NO_VERSION_FITS
from audit.sources.questions import PUBLIC, Registry, UnaskedReason, is_private, questions


@pytest.mark.parametrize(
    ("purl", "asked"),
    [
        ("pkg:pypi/flask-babel@4.0.0", ["pypi/flask-babel/4.0.0/json", "simple/flask-babel/", "v3/systems/pypi/packages/flask-babel/versions/4.0.0"]),
        ("pkg:npm/%40babel/core@7.0.0", ["@babel/core|7.0.0", "@babel/core", "v3/systems/npm/packages/@babel/core|versions/7.0.0"]),
        ("pkg:cargo/serde@1.0.0", ["api/v1/crates/serde/1.0.0", "v3/systems/cargo/packages/serde/versions/1.0.0"]),
        ("pkg:golang/github.com/BurntSushi/toml@v1.0.0", ["v3/systems/go/packages/github.com/BurntSushi/toml|versions/v1.0.0"]),
        ("pkg:maven/org.apache.commons/commons-lang3@3.12.0", ["v3/systems/maven/packages/org.apache.commons:commons-lang3/versions/3.12.0", "org/apache/commons/commons-lang3/3.12.0/commons-lang3-3.12.0.pom"]),
        ("pkg:nuget/Newtonsoft.Json@13.0.1", ["v3/systems/nuget/packages/Newtonsoft.Json/versions/13.0.1", "newtonsoft.json/13.0.1/newtonsoft.json.nuspec"]),
        ("pkg:gem/rails@7.0.0", ["api/v2/rubygems/rails/versions/7.0.0.json", "v3/systems/rubygems/packages/rails/versions/7.0.0"]),
        ("pkg:golang/x.org/y@v1.0.0%2Bincompatible", ["v3/systems/go/packages/x.org/y|versions/v1.0.0+incompatible"]),
    ],
)  # fmt: skip
def test_a_package_is_asked_about_at_its_registry_and_then_at_deps_dev(purl, asked):
    assert ["/".join(question.path) for question in questions(purl)] == [path.replace("|", "/") for path in asked]
    assert [question.source for question in questions(purl) if not question.spare][-1] is Source.DEPS_DEV


@pytest.mark.parametrize(
    ("purl", "wanted", "asked"),
    [
        ("pkg:pypi/flask-babel", "^4", ["simple/flask-babel/", "v3/systems/pypi/packages/flask-babel"]),
        ("pkg:npm/%40babel/core", "^7", ["@babel/core/latest", "@babel/core", "v3/systems/npm/packages/@babel/core"]),
        ("pkg:cargo/serde", "1", ["api/v1/crates/serde", "v3/systems/cargo/packages/serde"]),
        ("pkg:maven/g/x", "[1,2)", ["v3/systems/maven/packages/g:x"]),
        ("pkg:nuget/A.B", "[1,2)", ["v3/systems/nuget/packages/A.B", "a.b/index.json"]),
        ("pkg:gem/rack", "~> 3", ["api/v1/gems/rack.json", "v3/systems/rubygems/packages/rack"]),
        ("pkg:composer/psr/log", "^1", ["p2/psr/log.json"]),
        ("pkg:npm/a@1.0.0", "^1", ["a/1.0.0", "a", "v3/systems/npm/packages/a/versions/1.0.0"]),
    ],
)
def test_versions_are_listed_only_if_none_is_named(purl, wanted, asked):
    assert ["/".join(question.path) for question in questions(purl, wanted=wanted)] == asked


def test_the_newest_fitting_version_of_a_list_is_the_answer():
    latest, registry, deps_dev = questions("pkg:npm/a", wanted="^1.2")

    assert registry.read({"versions": {"1.1.0": {}, "1.9.0": {}, "2.0.0": {}}}) == DeclaredLicense("1.9.0")
    assert deps_dev.read({"versions": [{"versionKey": {"version": "1.2.0"}}]}) == DeclaredLicense("1.2.0")
    assert registry.read({"versions": {"2.0.0": {}}}) == NO_VERSION_FITS
    assert latest.read({"version": "1.9.0"}) == DeclaredLicense("1.9.0")
    assert latest.read({"version": "2.0.0"}) == NO_VERSION_FITS
    assert latest.read({"version": "1.9.0", "deprecated": "broken"}) == NO_VERSION_FITS
    assert registry.accept == "application/vnd.npm.install-v1+json"


def test_a_private_registry_that_may_be_asked_lists_the_versions_alone():
    purl = "pkg:npm/x?repository_url=npm.corp.example"
    found = questions(purl, (), {Registry.NPM: "npm.corp.example"}, "^1")

    assert [question.registry for question in found] == [Registry.NPM] * 2
    assert questions(purl, wanted="^1") is UnaskedReason.ELSEWHERE
    assert (
        questions("pkg:maven/g/x?repository_url=m.corp", (), {Registry.DEPS_DEV: "m.corp"}, "[1,)")
        is UnaskedReason.ELSEWHERE
    )
    assert questions("pkg:npm/%40corp/x", ("@corp",), wanted="^1") is UnaskedReason.PRIVATE


@pytest.mark.parametrize(
    ("purl", "asked"),
    [
        ("pkg:composer/symfony/console@v7.0.0", "p2/symfony/console.json"),
        ("pkg:composer/a/b@dev-main", "p2/a/b~dev.json"),
        ("pkg:composer/a/b@1.x-dev", "p2/a/b~dev.json"),
        ("pkg:hex/plug@1.16.1", "api/packages/plug"),
        ("pkg:conda/numpy@1.26.4?channel=conda-forge", "release/conda-forge/numpy/1.26.4"),
    ],
)
def test_kinds_that_deps_dev_does_not_know_are_asked_about_at_their_registry_alone(purl, asked):
    assert ["/".join(question.path) for question in questions(purl)] == [asked]
    assert questions(purl)[0].source is Source.REGISTRY


def test_packagist_s_answer_is_read_for_the_asked_version():
    [question] = questions("pkg:composer/a/b@1.0.0")
    assert question.read({"packages": {"a/b": [{"version": "1.0.0", "license": ["MIT"]}]}}).expression == "MIT"


def test_a_name_with_slashes_is_one_part_of_the_path():
    assert questions("pkg:npm/%40babel/core@7.0.0")[0].path == ("@babel/core", "7.0.0")
    assert questions("pkg:golang/a.org/b/c@v1")[0].path[4] == "a.org/b/c"


@pytest.mark.parametrize(
    ("purl", "why"),
    [
        ("pkg:generic/zlib@1.3", UnaskedReason.NO_REGISTRY),
        ("pkg:deb/debian/curl@7", UnaskedReason.NO_REGISTRY),
        ("pkg:github/a/b@v1", UnaskedReason.NO_REGISTRY),
        ("no purl", UnaskedReason.NO_REGISTRY),
        ("pkg:pypi/x", UnaskedReason.NO_VERSION),
        ("pkg:pypi/x?repository_url=dl.example.org", UnaskedReason.ELSEWHERE),
        ("pkg:conda/x@1", UnaskedReason.NO_CHANNEL),
        ("pkg:conda/x@1?repository_url=c.corp.example", UnaskedReason.ELSEWHERE),
        ("pkg:conda/x@1?channel=a%2Fb", UnaskedReason.NO_REGISTRY),
        ("pkg:conda/x@1?channel=c&repository_url=c.corp.example", UnaskedReason.ELSEWHERE),
        ("pkg:hex/corp/x@1?repository_url=repo.hex.pm", UnaskedReason.ELSEWHERE),
        ("pkg:composer/x@1", UnaskedReason.NO_REGISTRY),
        ("pkg:conda/x@1?channel=..", UnaskedReason.NO_REGISTRY),
        ("pkg:swift/github.com/a/b@1", UnaskedReason.NO_REGISTRY),
        ("pkg:pub/x@1", UnaskedReason.NO_REGISTRY),
        ("pkg:npm/x@1?repository_url=npm.corp.example", UnaskedReason.ELSEWHERE),
        ("pkg:pypi/x@1?vcs_url=git%2Bhttps://x/y", UnaskedReason.ELSEWHERE),
        ("pkg:npm/..@1", UnaskedReason.NO_REGISTRY),
        ("pkg:npm/a@..", UnaskedReason.NO_REGISTRY),
        ("pkg:golang/a.org/../b@v1", UnaskedReason.NO_REGISTRY),
        ("pkg:npm/a%20b@1", UnaskedReason.NO_REGISTRY),
        ("pkg:npm/a%20b", UnaskedReason.NO_REGISTRY),
        ("pkg:npm/a@1%0d%0aHost:%20x", UnaskedReason.NO_REGISTRY),
        (f"pkg:npm/{'a' * 400}@1", UnaskedReason.NO_REGISTRY),
        ("pkg:npm/%40corp/x@1", UnaskedReason.PRIVATE),
        ("pkg:npm/%40corp/x", UnaskedReason.PRIVATE),
    ],
)
def test_foreign_private_and_unnameable_packages_are_not_asked_about(purl, why):
    assert questions(purl, ("@corp",)) is why


def test_a_private_registry_that_may_be_asked_answers_alone():
    """Another registry must not learn the names of its packages."""
    purl = "pkg:npm/x@1?repository_url=npm.corp.example"
    found = questions(purl, (), {Registry.NPM: "npm.corp.example"})

    assert {question.registry for question in found} == {Registry.NPM}
    of_maven = questions("pkg:maven/g/x@1?repository_url=m.corp", (), {Registry.MAVEN: "m.corp"})
    assert [question.registry for question in of_maven] == [Registry.MAVEN]
    assert questions(purl, (), {Registry.NPM: "registry.npmjs.org"}) is UnaskedReason.ELSEWHERE
    assert questions(purl, (), {Registry.PYPI: "npm.corp.example"}) is UnaskedReason.ELSEWHERE
    assert (
        questions("pkg:maven/g/x@1?repository_url=m.corp", (), {Registry.DEPS_DEV: "m.corp"}) is UnaskedReason.ELSEWHERE
    )


@pytest.mark.parametrize(
    ("name", "pattern", "fits"),
    [
        ("@corp/x", "@corp", True),
        ("@corp/x", "@corp/*", True),
        ("@Corp/X", "@corp/x", True),
        ("@corporate/x", "@corp", False),
        ("corp-tools", "corp-*", True),
        ("corp-tools", "CORP_*", True),
        ("corp-internal-x", "corp.internal.x", True),
        ("corporate", "corp-*", False),
        ("git.corp.example/team/x", "git.corp.example", True),
        ("git.corp.example.org/team/x", "git.corp.example/*", False),
        ("com.corp.lib/x", "com.corp", True),
        ("com.corp/x", "com.corp:x", True),
        ("com.corporate/x", "com.corp", False),
        ("a[b]", "a[b]", True),
        ("ab", "a[b]", False),
        ("anything", "*", True),
    ],
)
def test_private_names_are_matched_by_whole_parts_in_any_case(name, pattern, fits):
    assert is_private(name, ("other", pattern)) is fits


def test_every_registry_has_an_address_over_tls():
    assert set(PUBLIC) == set(Registry)
    assert all(address.startswith("https://") for address in PUBLIC.values())


def test_the_newest_fitting_version_of_php_and_ruby_is_found():
    [packagist] = questions("pkg:composer/psr/log", wanted="^1")
    listed = {"packages": {"psr/log": [{"version": "2.0.0"}, {"version": "v1.1.4"}, {"version": "1.1.3"}]}}
    assert packagist.read(listed) == DeclaredLicense("v1.1.4")
    assert packagist.read({"packages": {"psr/log": []}}) == NO_VERSION_FITS
    rubygems, _ = questions("pkg:gem/rack", wanted="~> 3.0")
    assert rubygems.read({"version": "3.1.0"}) == DeclaredLicense("3.1.0")
    assert rubygems.read({"version": "4.0.0"}) == NO_VERSION_FITS
    assert questions("pkg:composer/log", wanted="^1") is UnaskedReason.NO_REGISTRY
