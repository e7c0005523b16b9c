"""A file of ours is made, replaced by its hash, and left alone while it is the same, however large it is."""

import base64

import pytest

from bot.github.contents.content import GitHubContent
from bot.github.ports import Missing, RepositoryPlace

PLACE = RepositoryPlace(5, "cann", "community", 9)
HELLO = "ce013625030ba8dba906f756967f9e9ca394464a"
"""What git calls a file that holds `hello` and a line end."""


class OneLine:
    """A line that knows one file by its hash, and is the switchboard, too."""

    def __init__(self, sha):
        self.sha, self.written = sha, []

    def installation(self, number):
        """Itself."""
        assert number == 5
        return self

    def read(self, path, parameters=None):
        """The file without its content, as GitHub answers for a large one."""
        assert path == "/repos/cann/community/contents/docs/list"
        if self.sha is None:
            raise Missing("no such file")
        return {"sha": self.sha, "encoding": "none", "content": ""}

    def write(self, verb, path, body):
        """Noted."""
        self.written.append((verb, path, body))


@pytest.mark.parametrize("held", [None, "f" * 40])
def test_what_differs_is_written(held):
    """A new file without a hash, another with that of the file that it replaces."""
    line = OneLine(held)

    assert GitHubContent(line).put_file(PLACE, "docs/list", b"hello\n", "Update list")
    [(verb, path, body)] = line.written
    assert (verb, path) == ("PUT", "/repos/cann/community/contents/docs/list")
    assert base64.b64decode(body.pop("content")) == b"hello\n"
    assert body == ({"message": "Update list", "sha": held} if held else {"message": "Update list"})


def test_what_is_the_same_is_left_alone():
    """No write at all."""
    line = OneLine(HELLO)

    assert not GitHubContent(line).put_file(PLACE, "docs/list", b"hello\n", "Update list")
    assert line.written == []
