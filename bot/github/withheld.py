"""Makes up for what GraphQL withheld of a pull request: what a review needs is asked of REST, all else not missed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from agreements.completeness import ACCOUNTS, COAUTHORS
from agreements.identity.matching import address_key
from bot.github import by_rest, ports
from bot.github.client.graphql_errors import WithheldField, sentence
from bot.github.client.transport import Transport
from bot.github.documents import AUTHOR_SLOTS, LABEL_SLOTS
from bot.github.reading import Json, account, has_no_id, rule_files, understanding
from bot.github.renames import root

_COMMIT: Final = "repository.pullRequest.commits.nodes.*.commit"
_COMMIT_INDEX: Final = 4  # Of the commit's position in such a path; four names later stands that of a co-author.
_COAUTHOR: Final = f"{_COMMIT}.authors.nodes.*.user"
_SIDES: Final = ("author", "committer", "signature")  # REST tells them as well, but not co-authors' accounts.
# REST is asked for these by themselves; where any other part of a snapshot is withheld, REST reads all.
_PARTS: Final = {
    "organization": "rules",
    "repository": "repository.rulebook",
    "dco": "repository.dco",
    "mailmap": "repository.pullRequest.baseRef",
    "opener": "repository.pullRequest.author",
    "labels": "repository.pullRequest.labels",
}
# They decide nothing: pushers to a fork are looked up elsewhere, too, and to create a label twice does no harm.
_UNNEEDED: Final = (
    "repository.pullRequest.headRepository",
    *(f"repository.label{slot}" for slot in range(LABEL_SLOTS)),
)

OF_COMMITS: Final = (*(f"{_COMMIT}.{side}" for side in _SIDES), _COAUTHOR)
"""The fields of a page of commits that may be withheld, see `people`."""
OF_SNAPSHOT: Final = (*_UNNEEDED, *_PARTS.values(), *OF_COMMITS)
"""The fields of a snapshot that may be withheld, see `complete`."""
OF_AUTHORS: Final = tuple(f"repository.commit{slot}.authors.nodes.*.user" for slot in range(AUTHOR_SLOTS))
"""The fields of a page of co-authors that may be withheld: these people are not known then."""


@contextmanager
def asked_of_rest(lost: Sequence[WithheldField]) -> Iterator[None]:
    """Add to each error raised inside what GraphQL withheld."""
    try:
        yield
    except ports.HubError as error:
        if not lost:
            raise
        text = f"{sentence(lost)}; {error}"
        # What GitHub refuses to show exists, so it is not missing.
        if isinstance(error, ports.Missing) and any(field.kind == "FORBIDDEN" for field in lost):
            raise ports.Refused(text) from error
        error.args = (text, *error.args[1:])
        raise


def nameless(pull: Json) -> Sequence[WithheldField]:
    """The opener, where it is an account without an id: that is as good as withheld."""
    return [WithheldField(("repository", "pullRequest", "author"))] if has_no_id(pull.get("author")) else []


def complete(
    transport: Transport, found: ports.PullRequestSnapshot, lost: Sequence[WithheldField], labels: tuple[str, ...]
) -> ports.PullRequestSnapshot:
    """The snapshot, with what GraphQL withheld of it and REST has. Raises HubError where the check has to say that it cannot be had."""
    gone = {part: some for part, at in _PARTS.items() if (some := [field for field in lost if field.is_within(at)])}
    if not gone:
        return found
    with asked_of_rest([field for some in gone.values() for field in some]):
        files = found.rule_files
        organization: ports.RuleFile | ports.Unread = files.organization or files.unread
        if "organization" in gone:
            organization = _organization(transport, found, gone["organization"])
        here = root(found.place)
        repository = _file(transport, here, files.repository, gone.get("repository", []))
        dco = _file(transport, here, files.dco, gone.get("dco", []))
        found = replace(found, rule_files=rule_files(organization, repository, dco))
        if "mailmap" in gone:
            found = replace(found, mailmap=by_rest.mailmap(transport, found.place, found.base_sha))
        if "opener" in gone or "labels" in gone:
            head = by_rest.fetch_head(transport, found.place, found.number, labels)
            opener = head.opener if "opener" in gone else found.opener
            found = replace(found, opener=opener, labels=head.labels if "labels" in gone else found.labels)
    refused = [field for field in gone.get("opener", []) if field.kind == "FORBIDDEN"]
    if refused and found.opener is None:
        raise ports.Refused(
            sentence(refused)
        )  # REST leaves the account out, too, but that does not mean that it was deleted
    return found


def _organization(
    transport: Transport, found: ports.PullRequestSnapshot, lost: Sequence[WithheldField]
) -> ports.RuleFile | ports.Unread:
    if all((field.path, field.kind) == (("rules",), "NOT_FOUND") for field in lost):
        return "not-found"  # What that means is looked into later.
    file = by_rest.organization_file(transport, found.place.owner, found.owner_id)
    if file == "not-found":  # One of the two answers says that it is there
        return "refused" if _is_refused(lost) else "no-answer"
    if isinstance(file, ports.RuleFile) and file.text is None and _is_refused(lost):
        return "refused"
    return file


def _file(transport: Transport, where: str, file: ports.RuleFile, lost: Sequence[WithheldField]) -> ports.RuleFile:
    if not lost:
        return file
    found = by_rest.rule_file(transport, where, file.path)
    # A file that GitHub refuses to show may exist, also where REST finds nothing.
    return ports.RuleFile(file.path, ports.WITHHELD) if found.text is None and _is_refused(lost) else found


def _is_refused(lost: Sequence[WithheldField]) -> bool:
    return any(field.kind == "FORBIDDEN" for field in lost)


def people(
    transport: Transport, place: ports.RepositoryPlace, number: int, page: Json, lost: Sequence[WithheldField]
) -> tuple[Json, str]:
    """A page of commits with those people whom GraphQL withheld and REST has, and the doubt where REST has them not."""
    with understanding():
        commits = [node["commit"] for node in page["nodes"]]
        # An account without an id, and a co-author that is null, are as good as withheld.
        sides, coauthors = _lost_sides(commits, lost), _lost_coauthors(commits, lost)
    if not sides and not coauthors:
        return page, ""
    with asked_of_rest([field for field in lost if any(map(field.is_within, OF_COMMITS))]):
        listed = by_rest.listed_commits(transport, place, number) if sides else {}
    with understanding():
        commits = [dict(commit) for commit in commits]
        is_unknown = [_fill_side(commits[at], side, listed, kind) for (at, side), kind in sides.items()]
        named = [commit.get(side) or {} for commit in commits for side in ("author", "committer")]
        # Addresses that GitHub links to an account in these commits, and that account.
        known = {
            address_key(actor["email"]): actor["user"]
            for actor in named
            if actor.get("email") and account(actor.get("user"))
        }
        is_unnamed = [_fill_coauthor(commits[at], position, known) for at, position in sorted(coauthors)]
    doubt = ACCOUNTS if any(is_unknown) else COAUTHORS if any(is_unnamed) else ""
    return {**page, "nodes": [{"commit": commit} for commit in commits]}, doubt


def _lost_sides(commits: Sequence[Json], lost: Sequence[WithheldField]) -> dict[tuple[int, str], str]:
    """The sides of commits that are not known, by the commit's position, and the kind of the error."""
    found = {
        (int(field.path[_COMMIT_INDEX]), side): field.kind
        for side in _SIDES
        for field in lost
        if field.is_within(f"{_COMMIT}.{side}")
    }
    for at, commit in enumerate(commits):
        for side in ("author", "committer"):
            if has_no_id((commit.get(side) or {}).get("user")):
                found.setdefault((at, side), "")
    return found


def _lost_coauthors(commits: Sequence[Json], lost: Sequence[WithheldField]) -> set[tuple[int, int]]:
    """The positions of commits, and in them of co-authors, that are not known."""
    found = {
        (int(field.path[_COMMIT_INDEX]), int(field.path[_COMMIT_INDEX + 4]))
        for field in lost
        if field.is_within(_COAUTHOR)
    }
    return found | {
        (at, number)
        for at, commit in enumerate(commits)
        for number, author in enumerate(commit["authors"]["nodes"])
        if is_unknown(author)
    }


def is_unknown(author: Json | None) -> bool:
    """Whether it is not known who that author is."""
    return author is None or has_no_id(author.get("user"))


def _fill_side(commit: dict[str, Any], side: str, listed: Mapping[str, Json], kind: str) -> bool:
    """Write what REST says into the commit; True if it is still not known whose account that is."""
    item = listed.get(str(commit["oid"]))
    if item is None:  # REST lists no more than 250
        commit[side] = None if side == "signature" else {**(commit.get(side) or {}), "user": None}
        return side != "signature"
    if side == "signature":
        commit[side] = {"isValid": (item["commit"].get("verification") or {}).get("verified") is True}
        return False
    identity = item["commit"].get(side) or {}
    commit[side] = {"name": identity.get("name"), "email": identity.get("email"), "user": item.get(side)}
    # GitHub links an address to no account, or refuses to say: REST does not tell the one from the other.
    return kind == "FORBIDDEN" and account(item.get(side)) is None


def _fill_coauthor(commit: dict[str, Any], number: int, known: Mapping[str, Json]) -> bool:
    """Give the co-author the account that the same address has nearby; True if it is still not known."""
    nodes = list(commit["authors"]["nodes"])
    coauthor, author = nodes[number], commit.get("author") or {}
    if coauthor is None:
        return True
    email = str(coauthor.get("email") or "")
    nodes[number] = {**coauthor, "user": known.get(address_key(email))}
    commit["authors"] = {**commit["authors"], "nodes": nodes}
    # GitHub lists the author among the authors, too: no doubt about a co-author.
    is_author = (coauthor.get("name"), coauthor.get("email")) == (author.get("name"), author.get("email"))
    return nodes[number]["user"] is None and not is_author
