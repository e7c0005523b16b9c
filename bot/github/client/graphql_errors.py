"""Judges the errors of a GraphQL answer field by field: what GitHub withheld, and whether the question can do without it."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from bot.github.client.failures import plain, speaks_of_limit
from bot.github.ports import Missing, Unreachable
from bot.github.reading import Json

# NOT_FOUND for the thing that was asked about means that it is gone, or that the App may not see it.
_SUBJECTS: Final = frozenset({("repository",), ("repository", "pullRequest"), ("node",)})
# These fields as people call them. Any other is called by its own name, taken apart, and what it is a part of.
_NAMES: Final[Mapping[str, str]] = {
    "author": "the author",
    "authors": "the co-authors",
    "baseRef": "the base branch",
    "commit": "a commit",
    "commits": "the commits",
    "committer": "the committer",
    "dco": "the file .github/dco.yml",
    "entries": "the merge queue",
    "headRepository": "the fork",
    "labels": "the labels",
    "mergeQueue": "the merge queue",
    "owner": "the owner of the repository",
    "pullRequest": "the pull request",
    "repository": "the repository",
    "rulebook": "the rulebook",
    "rules": "the repository .github",
    "signature": "a commit's signature",
    "user": "the account of an author or committer",
}
_PARTS: Final[Mapping[str, str]] = {
    "baseRefName": "the base branch",
    "baseRefOid": "the base commit",
    "databaseId": "the id",
    "headRefName": "the branch",
    "headRefOid": "the head commit",
    "isPrivate": "the visibility",
    "nameWithOwner": "the name",
    "oid": "the hash",
}
_MAX_NAMED: Final = 3
# GitHub's words for why it refuses, and what they mean.
_HINTS: Final = (
    ("ip allow list", "the IP allow list of the organisation does not include this server"),
    ("saml", "the organisation requires SAML single sign-on"),
)


class Unavailable(Unreachable):
    """GraphQL gave no usable answer (5xx, not there, network): REST may still do."""


@dataclass(frozen=True, slots=True)
class GraphqlAnswer:
    """An answer of GraphQL with HTTP 200: its `data` and its `errors`, which may both be there."""

    data: Json
    errors: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class WithheldField:
    """A field that came with an error instead of a value, or is missing with the object around it.

    `path` is where, with positions in lists as decimals; empty for an error about the whole query. `kind` is GitHub's word
    for the error, "" where it gives none. `hint` says why, as far as GitHub does.
    """

    path: tuple[str, ...]
    kind: str = ""
    hint: str = ""

    def is_within(self, pattern: str) -> bool:
        """Whether it is that field or a part of it; names with dots between them, `*` for any position."""
        names = pattern.split(".")
        here = self.path[: len(names)]
        return len(here) == len(names) and all(
            name in (part, "*" if part.isdecimal() else part) for name, part in zip(names, here, strict=True)
        )


class Withheld(Unavailable):
    """GraphQL answered, but not what is needed: REST may. The message names the fields and says why, as far as GitHub does."""

    def __init__(self, fields: Collection[WithheldField]) -> None:
        super().__init__(sentence(fields))
        self.fields = tuple(fields)

    @property
    def is_too_much(self) -> bool:
        """Whether the question was too large for GraphQL: a smaller one may be answered."""
        return any(field.kind == "RESOURCE_LIMITS_EXCEEDED" for field in self.fields)


def is_graphql_limit(error: Any) -> bool:
    """Whether that error of GraphQL's is its rate limit, which has had two names."""
    return isinstance(error, Mapping) and (
        error.get("type") in ("RATE_LIMITED", "RATE_LIMIT") or speaks_of_limit(error.get("message"))
    )


def judge_graphql(answer: GraphqlAnswer, *, optional: Collection[str] = ()) -> tuple[WithheldField, ...]:
    """The fields that GitHub withheld of those named in `optional` (see `is_within`): nothing in them may be taken as read.

    Raises Missing where the repository or the pull request is not found, Withheld for every other field. That a rate
    limit is used up never comes here: the transport has told it.
    """
    lost = tuple(map(_field, answer.errors))
    needed = [field for field in lost if not any(map(field.is_within, optional))]
    for field in needed:
        if field.kind == "NOT_FOUND" and field.path in _SUBJECTS:
            raise Missing(f"{plain_name(field.path)} was not found, or the App may not read it")
    if needed:
        raise Withheld(needed)
    return lost


def withheld_nodes(lost: Iterable[WithheldField]) -> frozenset[int]:
    """The positions of the `nodes` that GitHub withheld in part; those that it does not find are not among them."""
    return frozenset(
        int(field.path[1])
        for field in lost
        if len(field.path) > 1 and not (field.kind == "NOT_FOUND" and len(field.path) == 2)
    )


def plain_name(path: Iterable[str]) -> str:
    """A name for people of the field at that path: "the commits", "the changed files of the pull request"."""
    names = [part for part in path if part != "nodes" and part.isalnum() and not part.isdecimal()]
    if not names:
        return "the query"
    own, around = names[-1], next((_NAMES[name] for name in reversed(names[:-1]) if name in _NAMES), "")
    if own in _NAMES:
        return _NAMES[own]
    called = _PARTS.get(own) or "the " + "".join(f" {char.lower()}" if char.isupper() else char for char in own)
    return f"{called} of {around}" if around else called


def _field(error: Any) -> WithheldField:
    given = error if isinstance(error, Mapping) else {}
    path = given.get("path")
    message = str(given.get("message") or "").lower()
    extensions = given.get("extensions")
    # GitHub tells of SAML in an extension; its message need not.
    message += " saml" if isinstance(extensions, Mapping) and extensions.get("saml_failure") else ""
    # For a query over its resource limits GitHub may give a message alone, without a type.
    kind = str(given.get("type") or ("RESOURCE_LIMITS_EXCEEDED" if "resource limits" in message else ""))
    hints = [said for word, said in _HINTS if word in message] if kind == "FORBIDDEN" else []
    found = tuple(str(part) for part in path) if isinstance(path, (list, tuple)) else ()
    # Of an error about the whole query GitHub's own words are all that there is to say.
    return WithheldField(found, kind, hints[0] if hints else "" if found else plain(given.get("message")))


def sentence(fields: Collection[WithheldField]) -> str:
    """The fields that GitHub withheld and why, as far as it says: one clause for each kind of error."""
    clauses = []
    reason = attrgetter("kind", "hint")
    for (kind, hint), group in groupby(sorted(fields, key=reason), key=reason):
        names = list(dict.fromkeys(plain_name(field.path) for field in group))
        shown = ", ".join(names[:_MAX_NAMED]) + (" and more" if len(names) > _MAX_NAMED else "")
        said = {
            "FORBIDDEN": f"GitHub does not let the App see {shown}",
            "NOT_FOUND": f"GitHub did not find {shown}",
        }.get(kind, f"GitHub's GraphQL API did not answer {shown}")
        clauses.append(f"{said} ({hint})" if hint else said)
    return "; ".join(clauses)
