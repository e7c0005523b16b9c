"""Writes a file to a repository: the one thing that needs more permissions than the App asks for by default."""

import base64

from bot.github.by_rest import optional
from bot.github.client.transport import Transport
from bot.github.contents.blobs import blob_sha
from bot.github.ports import RepositoryPlace
from bot.github.reading import understanding
from bot.github.renames import RepositoryClient, root


class GitHubContent(RepositoryClient):
    """A file of a repository that is ours."""

    def put_file(self, place: RepositoryPlace, path: str, content: bytes, message: str) -> bool:
        """Have that file on the default branch; False when it is so already. `Refused` without the permission.

        It is compared by git's own hash, so that no size is too large.
        """

        def put(transport: Transport, there: RepositoryPlace) -> bool:
            where = f"{root(there)}/contents/{path}"
            held = held_sha(transport, where)
            if held == blob_sha(content):
                return False
            body = {"message": message, "content": base64.b64encode(content).decode()}
            transport.write("PUT", where, {**body, "sha": held} if held else body)
            return True

        return self._following(place, put)


def held_sha(transport: Transport, where: str, ref: str = "") -> str | None:
    """The hash of the file that is there; on the default branch unless a commit is named."""
    found = optional(transport, where, {"ref": ref} if ref else None)
    with understanding():
        return None if found is None else str(found["sha"])
