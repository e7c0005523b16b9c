"""Instructions that go on over several lines."""

import pytest

from audit.ecosystems.containers.instructions import logical_lines


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("RUN a \\\n  b\nRUN c", [(1, "RUN a    b"), (3, "RUN c")]),
        ("RUN a \\ \t\n# x\n\nb\n", [(1, "RUN a  b")]),
        ("# syntax=x\n# escape=`\nRUN a `\n b \\\nRUN c", [(3, "RUN a   b \\"), (5, "RUN c")]),
        ("RUN a `\nRUN b", [(1, "RUN a `"), (2, "RUN b")]),
        ("RUN <<A\nx\ny \\\nz\nA\nRUN b", [(1, "RUN <<A; x; y z; "), (6, "RUN b")]),
        ("RUN a \\", [(1, "RUN a ")]),
    ],
)
def test_an_instruction_goes_on_where_its_line_says_so(content, expected):
    assert list(logical_lines(content)) == expected
