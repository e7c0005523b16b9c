"""Contents by their SHA: small texts a hundred at once by GraphQL, all else one by one by REST; each is checked by git's hash."""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bot.github.by_rest import optional
from bot.github.client.graphql_errors import Unavailable, judge_graphql
from bot.github.client.transport import Transport
from bot.github.documents import BLOB_SLOTS, blobs_query
from bot.github.ports import Missing, Moved, RepositoryPlace
from bot.github.reading import Garbled, Json, understanding
from bot.github.renames import RepositoryClient, root

LARGE_BLOB_BYTES = 300_000  # GraphQL cuts longer texts, and has ten seconds for a whole query.

MAX_BLOB_BYTES_PER_QUERY = 1_500_000  # A query has ten seconds for all of its blobs.

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")  # SHA-1, or SHA-256.


class GitHubBlobs(RepositoryClient):
    """Files by their SHA."""

    def blobs(self, place: RepositoryPlace, sizes: Mapping[str, int]) -> Mapping[str, bytes]:
        """The blobs of these SHAs, whose sizes a tree has told. One that is gone is left out.

        `Unreachable` for one that does not hash to its SHA, ValueError for a SHA that is none.
        """
        wrong = [sha for sha in sizes if not _SHA.fullmatch(sha)]
        if wrong:
            raise ValueError("not the SHA of a blob")
        # The empty blob is known by its name: it is not asked for.
        found = {sha: b"" for sha, size in sizes.items() if size == 0 and blob_sha(b"", sha) == sha}
        small = sorted((size, sha) for sha, size in sizes.items() if size < LARGE_BLOB_BYTES and sha not in found)
        for batch in _batches(small):
            found |= self._following(place, partial(_together, batch))
        for sha in sizes:
            if sha not in found:
                content = self._following(place, partial(_alone, sha))
                found |= {} if content is None else {sha: content}
        return found


def blob_sha(content: bytes, like: str = "") -> str:
    """The name that git gives to this content; by SHA-256 where `like` is as long as one of those."""
    algorithm = "sha256" if len(like) == 64 else "sha1"
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _batches(sized: Sequence[tuple[int, str]]) -> Iterator[list[str]]:
    batch: list[str] = []
    used = 0
    for size, sha in sized:
        if len(batch) == BLOB_SLOTS or (batch and used + size > MAX_BLOB_BYTES_PER_QUERY):
            yield batch
            batch, used = [], 0
        batch.append(sha)
        used += size
    if batch:
        yield batch


def _together(shas: Sequence[str], transport: Transport, place: RepositoryPlace) -> dict[str, bytes]:
    """The texts that GraphQL gives whole; none while it is down."""
    variables = {"owner": place.owner, "name": place.name, **{f"oid{slot}": sha for slot, sha in enumerate(shas)}}
    try:
        answer = transport.query(blobs_query(len(shas)), variables)
        judge_graphql(answer, optional=[f"repository.blob{slot}" for slot in range(len(shas))])
    except Unavailable:  # REST gives them one by one.
        return {}
    repository = answer.data.get("repository")
    if not repository:
        raise Missing("the repository was not found, or the App may not read it")
    with understanding():
        if repository["databaseId"] is None:  # It is not known whose texts these are.
            return {}
        if int(repository["databaseId"]) != place.repository_id:
            raise Moved("another repository has this name now")
        texts = [(sha, _text(repository.get(f"blob{slot}"))) for slot, sha in enumerate(shas)]
    # A text that lacks the blob's hash is asked of REST, which gives bytes.
    return {sha: text for sha, text in texts if text is not None and blob_sha(text, sha) == sha}


def _text(found: Json | None) -> bytes | None:
    """The bytes of a text that was given whole; whether they are those of the blob, its hash tells."""
    if not found or found["isTruncated"] or found["isBinary"] or not isinstance(found["text"], str):
        return None
    return found["text"].encode(errors="surrogatepass")


def _alone(sha: str, transport: Transport, place: RepositoryPlace) -> bytes | None:
    """One blob by REST; None when it is gone."""
    found = optional(transport, f"{root(place)}/git/blobs/{sha}")
    if found is None:
        return None
    with understanding():
        if found["encoding"] not in ("base64", "utf-8"):
            raise Garbled("GitHub sent a file in an unknown encoding")
        text = str(found["content"])
        content = base64.b64decode(text) if found["encoding"] == "base64" else text.encode()
    if blob_sha(content, sha) != sha:
        raise Garbled("GitHub sent a file that does not match its SHA")
    return content
