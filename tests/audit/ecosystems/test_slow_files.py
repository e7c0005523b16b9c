"""Files made to be slow to read: four times the file takes four times the steps, in every reader; what nests too deeply is refused."""

import sys

import pytest

from audit.ecosystems import FILE_READERS, read, row, work

PIECES = (
    "(", "[", "{", '"', "'", '"""', "\\\n", "${", "/*", "<<A\n", "do\n", "a: [", "a => [", ":a => {", "a = {", "- ", "a: ", '{"a":', "<a>", "#{",
    ".package(", '.target(name: "a", ', "gem 'a', ", "pod 'a'\n", "{:a, ", "deps: [", ".name = [", "find_package(", "if(A)\n",
    "FROM a AS b\n", "RUN pip install a && ", "a==1\n", "a; ", "[[package]]\n", "import (\n", 'a@^1:\n  version "1"\n',
)  # fmt: skip
"""Each is repeated: what is not closed, what nests, what asks for something again and again."""
SMALL, FACTOR = 3_000, 4
MOST_GROWTH = 1.4
"""Times the growth of the file, for what does not grow with it."""
MOST_STEPS_PER_WORK = 9
"""Lines of Python for each unit of the work that a file is charged."""
READERS = {id(reader): pattern.replace("*", "a") for pattern, _, reader in reversed(FILE_READERS)}


def steps(path, content):
    """How many lines of Python reading it runs: the same on every machine."""
    count = 0

    def traced(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        read(path, content)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("path", sorted(READERS.values()))
def test_steps_grow_as_the_file_does(path):
    """For each piece; and no file takes more steps than the work that it is charged."""
    for piece in PIECES:
        little, much = (piece * (size // len(piece)) for size in (SMALL, SMALL * FACTOR))
        few, many = steps(path, little), steps(path, much)
        assert many < few * FACTOR * MOST_GROWTH + 2_000, (piece, few, many)
        assert many < MOST_STEPS_PER_WORK * work(much, row(path)) + 2_000, (piece, many, work(much, row(path)))


def test_options_within_options():
    """Labels that differ, each opening a value within the value before."""
    for path, head in (("Gemfile", 'gem "a", '), ("Podfile", 'pod "a", '), ("mix.exs", "deps: [{:a, ")):
        little, much = (head + "".join(f"a{at}: [" for at in range(count)) for count in (500, 2_000))
        assert steps(path, much) < steps(path, little) * FACTOR * MOST_GROWTH


@pytest.mark.parametrize(
    ("path", "opens", "closes"),
    [
        ("package-lock.json", '{"version":"1","dependencies":{"a":', "}}"),
        ("bom.json", '{"type":"library","name":"a","components":[', "]}"),
    ],
)
def test_nested_too_deeply(path, opens, closes):
    """A finding, and no error: the format may allow a depth that its reader does not follow."""
    for depth in (300, 900, 5_000):
        content = opens * depth + ("{}" if path.startswith("package") else "") + closes * depth
        assert {one.code for one in read(path, content).findings} <= {"file/refused", "file/broken"}
