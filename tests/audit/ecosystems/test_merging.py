"""Manifests and lock files together, over a whole repository."""

from tests.audit.ecosystems.brief import merged


def test_a_range_and_a_version():
    """What is named without a version goes into the same use that has one; another use stays."""
    files = {
        "pyproject.toml": '[project]\ndependencies = ["a>=1"]\n',
        "requirements.txt": "a==1.0",
        "requirements-dev.txt": "a==1.0",
    }
    assert merged(files) == ["pkg:pypi/a@1.0 dev-tool direct :1", "pkg:pypi/a@1.0 runtime-import direct :1"]


def test_own_packages():
    """What the repository makes is no dependency of it."""
    files = {"package.json": '{"name": "one"}', "sub/package.json": '{"dependencies": {"one": "1", "two": "2"}}'}
    assert merged(files) == ["pkg:npm/two runtime-import direct :1"]


def test_a_name_in_two_registries():
    """A Python package may use the crate that is called like itself."""
    files = {
        "pyproject.toml": '[project]\nname = "bcrypt"\n',
        "src/Cargo.toml": '[package]\nname = "_bcrypt"\n[dependencies]\nbcrypt = "0.17"\n',
    }
    assert [one.partition(" ")[0] for one in merged(files)] == ["pkg:cargo/bcrypt"]


def test_the_nearest_lock_file():
    """Serves a manifest; one in another folder does not."""
    lock = '{"packages": {"": {"dependencies": {"a": "1"}}, "node_modules/a": {"version": "1.0.0"}}}'
    manifest = '{"dependencies": {"a": "1"}}'
    said = merged(
        {"x/package-lock.json": lock, "x/y/package.json": manifest, "z/package.json": '{"dependencies": {"b": "1"}}'}
    )

    assert said == ["pkg:npm/a@1.0.0 runtime-import direct :1", "pkg:npm/b runtime-import direct :1"]


def test_folders_of_tests_and_examples():
    """What their manifests and lock files name is not shipped."""
    files = {
        "tests/fixtures/package.json": '{"dependencies": {"a": "1"}}',
        "examples/x/Cargo.lock": '[[package]]\nname="b"\nversion="1"\nsource="r"\n',
    }
    assert merged(files) == ["pkg:npm/a test-only direct :1", "pkg:cargo/b@1 dev-tool :1"]


def test_the_order():
    """Of the files does not matter."""
    files = {"package.json": '{"dependencies": {"b": "1"}}', "requirements.txt": "a==1", "go.mod": "require c v1"}
    assert merged(files) == merged(dict(reversed(files.items())))
