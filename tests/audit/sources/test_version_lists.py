"""The versions that registries list, without withdrawn ones."""

import pytest

from audit.sources import version_lists

FILES = [
    {"filename": "a-1.0.tar.gz", "yanked": False},
    {"filename": "a-1.1.tar.gz", "yanked": "broken"},
    {"filename": "a-1.1-py3-none-any.whl", "yanked": True},
    {"filename": "a-1.2.tar.gz", "yanked": "half"},
    {"filename": "a-1.2-py3-none-any.whl", "yanked": False},
    {"filename": "nonsense", "yanked": True},
]
GONE = [{"filename": "a-1.0.tar.gz", "yanked": True}]


@pytest.mark.parametrize(
    ("read", "answer", "versions"),
    [
        (version_lists.pypi, {"versions": ["1.0", "1.1", "1.2.0", "odd"], "files": FILES}, ["1.0", "1.2.0", "odd"]),
        (version_lists.pypi, {"versions": ["1.0"], "files": GONE}, ["1.0"]),
        (version_lists.pypi, {"versions": ["1.0", 7, None]}, ["1.0"]),
        (version_lists.npm, {"versions": {"1.0.0": {}, "1.1.0": {"deprecated": "use b"}, "1.2.0": 7}}, ["1.0.0", "1.2.0"]),
        (version_lists.npm, {"versions": {"1.0.0": {"deprecated": "x"}}}, ["1.0.0"]),
        (version_lists.crates, {"versions": [{"num": "1.0.0"}, {"num": "1.1.0", "yanked": True}, 7, {}]}, ["1.0.0"]),
        (version_lists.crates, {"versions": [{"num": "1.1.0", "yanked": True}]}, ["1.1.0"]),
        (version_lists.deps_dev, {"versions": [{"versionKey": {"version": "1.0"}}, {"versionKey": 7}, None]}, ["1.0"]),
    ],
)  # fmt: skip
def test_withdrawn_versions_are_listed_only_if_no_other_is_left(read, answer, versions):
    assert read(answer) == versions


@pytest.mark.parametrize("read", [version_lists.pypi, version_lists.npm, version_lists.crates, version_lists.deps_dev])
@pytest.mark.parametrize(
    "odd", [{}, {"versions": 7}, {"versions": [[]]}, {"versions": {"": 7}}, {"files": {"x": 1}, "versions": ["1"]}]
)
def test_odd_answers_give_a_list(read, odd):
    assert isinstance(read(odd), list)


def file(name, **more):
    """A file of PyPI's index."""
    return {"filename": name, "url": f"https://files.pythonhosted.org/{name}#sha256=0", **more}


@pytest.mark.parametrize(
    ("files", "version", "address"),
    [
        ([file("a_b-1.0-py3-none-any.whl")], "1.0", "https://files.pythonhosted.org/a_b-1.0-py3-none-any.whl.metadata"),
        ([file("a-1.0-py2-none-any.whl"), file("a-1.0-py3-none-any.whl", **{"core-metadata": {"sha256": "0"}})], "1", "https://files.pythonhosted.org/a-1.0-py3-none-any.whl.metadata"),
        ([file("a-1.0.tar.gz")], "1.0", ""),
        ([file("a-2.0-py3-none-any.whl")], "1.0", None),
        ([file("a-1.0-py3-none-any.whl") | {"url": None}], "1.0", ""),
        ([file("a-1.0-py3-none-any.whl")], "nonsense", None),
        ([7, None, {"filename": ["x"]}], "1.0", None),
        ("x", "1.0", None),
    ],
)  # fmt: skip
def test_a_wheel_with_metadata_of_its_own_is_preferred(files, version, address):
    assert version_lists.wheel({"files": files}, version) == address


def test_an_older_index_without_versions_is_read_by_its_files():
    listed = [file("a-1.0.tar.gz"), file("a-2.0-py3-none-any.whl", yanked=True), file("a-1.5.zip")]

    assert version_lists.pypi({"files": listed}) == ["1.0", "1.5"]


def test_the_latest_of_npm_and_the_names_of_nuget_are_lists():
    assert version_lists.npm_latest({"version": "1.0.0"}) == ["1.0.0"]
    assert version_lists.npm_latest({"version": "1.0.0", "deprecated": "no"}) == version_lists.npm_latest({}) == []
    assert version_lists.nuget({"versions": ["1.0.0", 7]}) == ["1.0.0"]
