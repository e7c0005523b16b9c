"""Which manifests speak, for which folder, and which names they know."""

import pytest

from audit.ecosystems import read, row
from audit.scan.manifest_coverage import NamedPackages, folder_of, speaks


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("setup.py", ""), ("a/b/pom.xml", "a/b"), ("a/requirements/base.txt", "a"), ("a/Requirements/x/requirements.txt", "a/Requirements/x"),
        ("docker/conda/environment.yml", ""), ("a/Packages/manifest.json", "a"), ("ios/A.xcodeproj/project.pbxproj", "ios"),
        ("vendor/modules.txt", ""), ("a/debian/control", "a"),
    ],
)  # fmt: skip
def test_the_folder_is_that_around_a_list(path, folder):
    assert folder_of(path, row(path)) == folder


@pytest.mark.parametrize(
    ("path", "said", "does"),
    [
        ("requirements.txt", "a", True), ("requirements.txt", "# none", False), ("requirements.txt", "a b c", True), ("requirements-dev.txt", "a", False),
        ("package.json", '{"dependencies": {"a": "1.0.0"}}', True), ("package.json", '{"devDependencies": {"a": "1.0.0"}}', False),
        ("package.json", "{", True), ("package.json", '{"name": "a"}', True), ("mix.exs", "", True), ("DESCRIPTION", "", True), ("BUILD", "", True),
        ("settings.gradle", "", False), ("gradle.lockfile", "a.b:c:1=runtimeClasspath", True),
    ],
)  # fmt: skip
def test_it_speaks_by_what_runs_by_its_package_or_by_what_it_is(path, said, does):
    at = row(path)
    assert speaks(at, read(path, said, at)) is does
    assert speaks(at, None)


def test_a_name_is_known_whole_and_of_python_at_an_end():
    packages = NamedPackages()
    packages.add(["PyYAML", "python-dateutil", "psycopg2-binary", "com.google.guava:guava", "@s/p", "left-pad"])
    whole = ["pyyaml", "PyYAML", "com.google", "@s/p", "left-pad"]
    part = ["yaml", "dateutil", "psycopg2", "left_pad", "google"]
    never = ["aml2", "ml", "util", "guava.x"]
    assert [name for name in whole + part + never if packages.has(name, in_part=False)] == whole
    assert [name for name in whole + part + never if packages.has(name, in_part=True)] == [*whole, *part, "util"]
