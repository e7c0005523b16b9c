"""Which versions registries list: whatever the answer holds, and without what was withdrawn."""

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
def test_what_is_listed(read, answer, versions):
    """What was withdrawn counts only where nothing else is left."""
    assert read(answer) == versions


@pytest.mark.parametrize("read", [version_lists.pypi, version_lists.npm, version_lists.crates, version_lists.deps_dev])
@pytest.mark.parametrize(
    "odd", [{}, {"versions": 7}, {"versions": [[]]}, {"versions": {"": 7}}, {"files": {"x": 1}, "versions": ["1"]}]
)
def test_odd_answers(read, odd):
    """A list, whatever stands there."""
    assert isinstance(read(odd), list)
