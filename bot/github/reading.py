"""GitHub's JSON, of GraphQL and of REST, into our own nouns; what cannot be understood is an error, never a guess."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

from agreements.completeness import CHANGED, DIFFERS, MOVED, NO_COUNT, NO_HEAD, OF_PEOPLE
from agreements.dco.trailers import coauthors
from agreements.facts import Account, Coauthor, Commit, Identity
from agreements.github_server import GitHubServer
from agreements.identity.matching import address_key, noreply_owner
from bot.github.ports import History, PullRequestSnapshot, RepositoryPlace, RuleFile, RuleFiles, Unreachable, Unread

Json = Mapping[str, Any]

RULEBOOK, DCO = ".github/countersign.yml", ".github/dco.yml"


class Garbled(Unreachable):
    """An answer that has not the shape that GitHub documents: a proxy's page, a half answer."""


@contextmanager
def understanding() -> Iterator[None]:
    """Turn each error of a missing key or a wrong type inside into Garbled, which does not quote the answer."""
    failed = False
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        failed = True
    # Raised out here, without its cause, whose text may quote the answer.
    if failed:
        raise Garbled("GitHub's answer is not in the expected format")


def account(data: Json | None) -> Account | None:
    """The account, of either dialect. None, `{}`, the placeholder `ghost` and an account without an id: None."""
    if not data:
        return None
    number = data.get("databaseId") if "__typename" in data or "databaseId" in data else data.get("id")
    login = str(data.get("login") or "")
    # GitHub shows the account `ghost` in the place of each deleted one.
    if not isinstance(number, int) or isinstance(number, bool) or login.lower() == "ghost":
        return None
    kind = str(data.get("__typename") or data.get("type") or "User")
    if data.get("__typename") == "Bot" and not login.endswith("[bot]"):
        login += "[bot]"  # GraphQL leaves off what REST and the profile show
    return Account(number, login, "Bot" if login.endswith("[bot]") else kind)


def has_no_id(user: Json | None) -> bool:
    """True for an account of GraphQL's of which GitHub left the id out."""
    return user is not None and not isinstance(user.get("databaseId"), int)


def as_asked(names: Iterable[str], labels: tuple[str, ...]) -> tuple[str, ...]:
    """Label names, spelt as we asked for them where only the case differs."""
    asked = {name.casefold(): name for name in labels}  # GitHub ignores the case of labels.
    return tuple(asked.get(name.casefold(), name) for name in names)


def rule_files(organization: RuleFile | Unread, repository: RuleFile, dco: RuleFile) -> RuleFiles:
    """The three of them, or the two with the reason why the organisation's is not known."""
    if isinstance(organization, RuleFile):
        return RuleFiles(organization, repository, dco)
    return RuleFiles(None, repository, dco, unread=organization)


def place(repository: Json, installation: int) -> RepositoryPlace:
    """The repository as that installation sees it, of either dialect."""
    number = repository["databaseId"] if "databaseId" in repository else repository["id"]
    return RepositoryPlace(installation, str(repository["owner"]["login"]), str(repository["name"]), int(number))


def moment(text: object) -> datetime:
    """A date-time with its zone. ValueError otherwise."""
    found = datetime.fromisoformat(str(text))
    if found.tzinfo is None:
        raise ValueError("a moment without a zone")
    return found


def graphql_commit(node: Json) -> Commit:
    """A commit of GraphQL's; its co-authors are `authors` beyond the git author, and whom the message names besides."""
    author = node.get("author")
    message = _text(node["message"])
    return Commit(
        sha=_text(node["oid"]),
        message=message,
        parents=tuple(_text(parent["oid"]) for parent in node["parents"]["nodes"]),
        verified=bool((node.get("signature") or {}).get("isValid", False)),
        authored_at=moment(node["authoredDate"]),
        author=_identity(author),
        committer=_identity(node.get("committer")),
        author_account=account((author or {}).get("user")),
        committer_account=account((node.get("committer") or {}).get("user")),
        coauthors=_coauthors(node, message),
    )


def next_page(connection: Json) -> str | None:
    """The cursor with which the next page of a list of GraphQL's begins; None when this is the last."""
    page = connection["pageInfo"]
    return str(page["endCursor"]) if page["hasNextPage"] else None


def with_authors(commit: Commit, people: Iterable[Json | None]) -> Commit:
    """The commit with more of those whom GitHub lists as its authors; they come before whom only the message names."""
    listed = {
        address_key(who.email): Coauthor(who.name, who.email, account((person or {}).get("user")))
        for person in people
        if (who := _identity(person)) is not None
    }
    # GitHub's own link replaces a co-author whom the message names without an account.
    kept = tuple(
        coauthor
        for coauthor in commit.coauthors
        if coauthor.account is not None or address_key(coauthor.email) not in listed
    )
    known = {address_key(coauthor.email) for coauthor in kept} | (
        {address_key(commit.author.email)} if commit.author else set()
    )
    return replace(commit, coauthors=(*kept, *(coauthor for key, coauthor in listed.items() if key not in known)))


def rest_commit(item: Json) -> Commit:
    """A commit of REST's, without co-authors: REST does not tell them."""
    commit = item["commit"]
    verification = commit.get("verification") or {}
    author = commit.get("author")
    return Commit(
        sha=_text(item["sha"]),
        message=_text(commit["message"]),
        parents=tuple(_text(parent["sha"]) for parent in item["parents"]),
        verified=verification.get("verified") is True,
        authored_at=moment(author["date"]) if author and author.get("date") else None,
        author=_identity(author),
        committer=_identity(commit.get("committer")),
        author_account=account(item.get("author")),
        committer_account=account(item.get("committer")),
    )


def known_addresses(commits: tuple[Commit, ...]) -> Mapping[str, Account]:
    """Addresses that GitHub itself linked to an account in these commits."""
    pairs = [(commit.author, commit.author_account) for commit in commits]
    pairs += [(commit.committer, commit.committer_account) for commit in commits]
    return {address_key(identity.email): person for identity, person in pairs if identity and identity.email and person}


def linked(email: str, known: Mapping[str, Account], server: GitHubServer) -> Account | None:
    """The account of an address as far as REST lets us know: linked in a commit nearby, or noreply with its id."""
    if found := known.get(address_key(email)):
        return found
    owner = noreply_owner(email, server)
    # The login in such an address is what its author wrote there: one that GitHub names goes first.
    return owner and next((person for person in known.values() if person.id == owner.id), owner)


def _identity(data: Json | None) -> Identity | None:
    return Identity(str(data.get("name") or ""), str(data.get("email") or "")) if data else None


def _coauthors(node: Json, message: str) -> tuple[Coauthor, ...]:
    author, committer = _identity(node.get("author")), node.get("committer") or {}
    # Those that GitHub lists come first, then those of a `Co-authored-by` that it reads differently or leaves out.
    listed = [
        (who, account((actor or {}).get("user"))) for actor in node["authors"]["nodes"] if (who := _identity(actor))
    ]
    found = [Coauthor(who.name, who.email, person) for who, person in listed if who != author]
    known = {address_key(who.email) for who, _ in listed} | ({address_key(author.email)} if author else set())
    for named in coauthors(message):
        key = address_key(named.email)
        if key not in known:
            known.add(key)
            # An account only if GitHub links that very address to the committer; else the co-author is judged without.
            same = key == address_key(str(committer.get("email") or ""))
            found.append(replace(named, account=account(committer.get("user")) if same else None))
    return tuple(found)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def assemble_history(
    snapshot: PullRequestSnapshot, *, commits: tuple[Commit, ...], head_sha: str, count: int | None, doubt: str = ""
) -> History:
    """The history from all that was read: complete when counted, unique, and of one head from first page to last.

    `head_sha` and `count` are as of the last page, `doubt` is what is known already.
    """
    unique = {commit.sha: commit for commit in commits}
    found = _doubt(snapshot, frozenset(unique), head_sha, count)
    # That it is not known who people are says least: any other doubt goes before it.
    found = found or doubt if doubt in OF_PEOPLE else doubt or found
    return History(snapshot.head_sha, count, tuple(unique.values()), found)


def _doubt(snapshot: PullRequestSnapshot, shas: frozenset[str], head_sha: str, count: int | None) -> str:
    if head_sha != snapshot.head_sha:
        return MOVED
    if count is None or snapshot.commit_count is None:
        return NO_COUNT
    if count != snapshot.commit_count:
        return CHANGED
    if len(shas) != count:
        return DIFFERS
    return NO_HEAD if shas and snapshot.head_sha not in shas else ""
