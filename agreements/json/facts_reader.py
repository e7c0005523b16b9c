"""Reads JSON facts; an error is one line that names the key path."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from agreements.completeness import DOUBTS
from agreements.domains.masking import masked_text
from agreements.facts import (
    ChosenCover,
    Company,
    Entry,
    Facts,
    FileDiff,
    Override,
    PortalSignoff,
    PullRequest,
    Sender,
    Signature,
)
from agreements.github_server import GITHUB_COM, GitHubServer, github_server
from agreements.identity.subjects import GHOST
from agreements.json import commits
from agreements.json.values import (
    FactsInvalid,
    account,
    account_id,
    choice,
    filled,
    flag,
    items,
    moment,
    needed_moment,
    number,
    section,
    text,
    texts,
)
from agreements.rulebook.rules import Rules
from agreements.rulebook.rules_reader import RulesInvalid, parse

__all__ = ["FactsInvalid", "read"]
_T = TypeVar("_T")
_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_Object = Mapping[str, object]


def read(data: object, rules: Callable[[object], Rules] = parse) -> Facts:
    """The facts in plain data, as `countersign evaluate` takes them. Raises FactsInvalid with the first mistake.

    `rules` reads the rulebook; a caller with many facts may pass one that remembers.
    """
    root = section(data, "")  # Keys that nothing here names are ignored: facts of a later release are read, too.
    repository = section(root.get("repository"), "repository")
    count = root.get("commit_count")
    return Facts(
        rules=_rules(root, rules),
        repository=_full_name(repository),
        owner_type=choice(repository, "owner_type", ("Organization", "User"), "repository"),
        owner_id=_owner_id(repository),
        server=_server(root),
        pull_request=_pull_request(section(root.get("pull_request"), "pull_request")),
        commit_count=None if count is None else number(count, "commit_count", least=0),
        commits=commits.read(items(root, "commits", "", needed=True)),
        commits_doubt=choice(root, "commits_doubt", ("", *DOUBTS), ""),
        senders=tuple(
            _sender({} if sender is None else section(sender, path), path)
            for sender, path in items(root, "senders", "")
        ),
        unknown_pushes=texts(root, "unknown_pushes", ""),
        members=frozenset(number(member, path) for member, path in items(root, "members", "")),
        signatures=_each(root, "signatures", _signature),
        companies=_each(root, "companies", _company),
        emails=_emails(root),
        commenters=tuple(filter(None, (account(commenter, path) for commenter, path in items(root, "commenters", "")))),
        small_lines={key: number(value, path, least=0) for key, value, path in _by_account(root, "small_lines")},
        mailmap=text(root, "mailmap", "", default=""),
        overrides=tuple(override for override in _each(root, "overrides", _override) if override is not None),
        signoffs=tuple(signoff for signoff in _each(root, "signoffs", _signoff) if signoff is not None),
        choices=tuple(cover for cover in _each(root, "choices", _choice) if cover is not None),
        now=needed_moment(root, "now", ""),
    )


def _full_name(repository: _Object) -> str:
    name = filled(repository, "full_name", "repository")
    owner, _, bare = name.partition("/")
    # The rules of a repository are found by its full name.
    if not owner or not bare or "/" in bare or any(char.isspace() for char in name):
        raise FactsInvalid("repository.full_name", "must be owner/name")
    return name


def _owner_id(repository: _Object) -> int | None:
    value = repository.get("owner_id")
    return None if value is None else number(value, "repository.owner_id")


def _server(root: _Object) -> GitHubServer:
    host = text(root, "server", "", default=GITHUB_COM.host)
    if not _HOST.fullmatch(host):  # The address of a page would name another host than it seems to.
        raise FactsInvalid("server", "must be the host name of a GitHub server, such as github.com")
    return github_server(host)


def _each(root: _Object, key: str, read_one: Callable[[_Object, str], _T], at: str = "") -> tuple[_T, ...]:
    return tuple(read_one(section(value, path), path) for value, path in items(root, key, at))


def _rules(root: _Object, rules: Callable[[object], Rules]) -> Rules:
    if "rulebook" not in root:
        raise FactsInvalid("rulebook", "is missing")
    try:
        return rules(root["rulebook"])
    except RulesInvalid as invalid:
        more = f" (and {len(invalid.errors) - 1} more)" if len(invalid.errors) > 1 else ""
        line = invalid.errors[0].line
        # The rulebook's own lines already begin with it.
        where = line if line.startswith("rulebook: ") else f"rulebook.{line}"
        raise FactsInvalid("", f"{where}{more}") from None


def _pull_request(data: _Object) -> PullRequest:
    return PullRequest(
        number=number(data.get("number"), "pull_request.number"),
        opener=account(data.get("opener"), "pull_request.opener"),
        head_sha=filled(data, "head_sha", "pull_request"),
        base=text(data, "base", "pull_request", default=""),
        created_at=moment(data, "created_at", "pull_request"),
        labels=texts(data, "labels", "pull_request"),
        files=texts(data, "files", "pull_request"),
        files_complete=flag(data, "files_complete", "pull_request", default=True) is True,
        changed_files=_changed_files(data),
        changes=None if data.get("changes") is None else _each(data, "changes", _change, "pull_request"),
    )


def _change(data: _Object, path: str) -> FileDiff:
    return FileDiff(
        path=filled(data, "path", path),
        previous_path=text(data, "previous_path", path, default=""),
        additions=number(data.get("additions", 0), f"{path}.additions", least=0),
        deletions=number(data.get("deletions", 0), f"{path}.deletions", least=0),
        text=flag(data, "text", path, default=False) is True,
    )


def _changed_files(data: _Object) -> int | None:
    if data.get("changed_files") is not None:
        return number(data["changed_files"], "pull_request.changed_files", least=0)
    # An empty list of files says that none changes, a missing one says nothing.
    return 0 if data.get("files") == [] else None


def _sender(data: _Object, path: str) -> Sender:
    who = {key: value for key, value in data.items() if key not in ("may_write", "shas")}
    shas = None if data.get("shas") is None else frozenset(texts(data, "shas", path))
    # Nothing covers GHOST.
    return Sender(account(who, path) or GHOST, flag(data, "may_write", path, default=False) is True, shas)


def _signature(data: _Object, path: str) -> Signature:
    return Signature(
        agreement=text(data, "agreement", path),
        version=text(data, "version", path),
        account_id=account_id(data.get("account"), f"{path}.account"),
        signed_at=needed_moment(data, "signed_at", path),
        withdrawn_at=moment(data, "withdrawn_at", path),
        party=_party(data, path),
        record=text(data, "record", path, default=""),
        logged=flag(data, "logged", path, default=True) is True,
    )


def _company(data: _Object, path: str) -> Company:
    domains = data.get("domains")
    return Company(
        name=text(data, "name", path),
        agreement=text(data, "agreement", path),
        version=text(data, "version", path),
        signed_at=needed_moment(data, "signed_at", path),
        ended_at=moment(data, "ended_at", path),
        party=_party(data, path),
        domains=None if domains is None else choice(data, "domains", ("linked", "enrolled"), path),
        covers=tuple(_entry(section(entry, at), at) for entry, at in items(data, "covers", path)),
        excludes=tuple(_entry(section(entry, at), at) for entry, at in items(data, "excludes", path)),
        record=text(data, "record", path, default=""),
        logged=flag(data, "logged", path, default=True) is True,
    )


def _party(data: _Object, path: str) -> str | None:
    return None if data.get("party") is None else filled(data, "party", path)


def _entry(data: _Object, path: str) -> Entry:
    """A company's entry; without any key it names no person."""
    named = [key for key in ("domain", "email", "account") if data.get(key) is not None]
    if len(named) > 1:  # With several it would not be clear whom it names.
        raise FactsInvalid(path, f"names both {named[0]} and {named[1]}, make two entries")
    return Entry(
        domain=text(data, "domain", path) if named == ["domain"] else None,
        subdomains=flag(data, "subdomains", path, default=True) is True,
        email=text(data, "email", path) if named == ["email"] else None,
        account_id=_whom(data.get("account"), f"{path}.account", least=1),
        since=moment(data, "from", path),
        until=moment(data, "until", path),
        record=text(data, "record", path, default=""),
    )


def _emails(root: _Object) -> dict[int, tuple[str, ...]]:
    return {key: texts({"": addresses}, "", path) for key, addresses, path in _by_account(root, "emails")}


def _by_account(root: _Object, name: str) -> Iterator[tuple[int, object, str]]:
    """The account ids of the mapping under that name, each with its value and its path."""
    values = root.get(name)
    for key, value in ({} if values is None else section(values, name)).items():
        # JSON keys are text, and 007 would be another spelling of 7.
        if not (key.isascii() and key.isdigit() and key[0] != "0" and len(key) < 20):
            raise FactsInvalid(f"{name}.{masked_text(key)[:40]}", "must be an account id")
        path = f"{name}.{key}"
        yield number(int(key), path), value, path


def _override(data: _Object, path: str) -> Override | None:
    by = account(data.get("by"), f"{path}.by")
    kind = choice(data, "kind", ("dco", "cla", "vouch"), path, needed=True)
    # 0 stands for a pusher whom GitHub did not name.
    who, head = _whom(data.get("account"), f"{path}.account", least=0), text(data, "head_sha", path)
    reason = text(data, "reason", path, default="")
    email = None if data.get("email") is None else filled(data, "email", path)
    # An override without its giver is none.
    return None if by is None else Override(kind, who, head, by, reason, email)


def _signoff(data: _Object, path: str) -> PortalSignoff | None:
    who, shas = _whom(data.get("account"), f"{path}.account", least=1), texts(data, "shas", path)
    # A sign-off without an account is none.
    return None if who is None else PortalSignoff(who, shas)


def _choice(data: _Object, path: str) -> ChosenCover | None:
    who = _whom(data.get("account"), f"{path}.account", least=1)
    company = None if data.get("company") is None else filled(data, "company", path)
    return None if who is None else ChosenCover(who, company)


def _whom(value: object, path: str, *, least: int) -> int | None:
    """An account as an object or as its bare id, None for none."""
    if isinstance(value, Mapping) or value is None:
        return account_id(value, path)
    return number(value, path, least=least)
