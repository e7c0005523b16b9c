"""Facts as plain data for JSON: the inverse of `agreements.json.facts_reader.read`, but for the rulebook."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING

from agreements import moments
from agreements.facts import (
    Account,
    ChosenCover,
    Coauthor,
    Commit,
    Company,
    Entry,
    Facts,
    FileDiff,
    Identity,
    Override,
    PortalSignoff,
    PullRequest,
    Sender,
    Signature,
)
from agreements.github_server import GitHubServer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Plain = dict[str, object]

_ALWAYS: Mapping[type, tuple[str, ...]] = {
    PullRequest: ("number", "head_sha", "changes"),
    Commit: ("sha", "coauthors"),  # Without co-authors, those that the message names would be read.
    Identity: ("name", "email"),  # Also when they are empty: an object without any means no person.
    Signature: ("agreement", "version"),
    Company: ("name", "agreement", "version"),
    Entry: ("domain", "email"),  # A key that is there but empty is not the same as none.
    Override: ("kind", "head_sha"),
    FileDiff: ("path",),
    Facts: ("pull_request", "commits"),
}
"""The fields that are always written; of the others those that are not their default, and not empty."""
_NAMES = {"account_id": "account", "since": "from"}


def record(facts: Facts) -> Plain:
    """The facts as `countersign evaluate` takes them, without their rulebook; defaults are left out.

    `read({**record(facts), "rulebook": …})` gives these facts under that rulebook.
    """
    # What `read` refuses (half a surrogate pair, an unknown type of account) is written as it stands.
    repository: Plain = {"full_name": facts.repository, "owner_type": facts.owner_type}
    if facts.owner_id is not None:
        repository["owner_id"] = facts.owner_id
    return {"repository": repository, **_object(facts, besides=("rules", "repository", "owner_type", "owner_id"))}


def _object(noun: "DataclassInstance", besides: tuple[str, ...] = ()) -> Plain:
    found: Plain = {}
    always = _ALWAYS.get(type(noun), ())
    for field in fields(noun):
        value = getattr(noun, field.name)
        if field.name in besides or (value == field.default and field.name not in always):
            continue
        plain = _plain(value)
        # Missing, null and empty read alike.
        if plain is not None and (field.name in always or plain not in ("", [], {})):
            found[_NAMES.get(field.name, field.name)] = plain
    return found


def _plain(value: object) -> object:
    found = value
    match value:
        case datetime():
            found = moments.text(value)
        case Account():  # An account without an id stands for a deleted one, which is written as none.
            found = _object(value) if value.id else None
        case GitHubServer():
            found = value.host
        case Sender():
            found = {"may_write": value.may_write, **(_object(value.account) if value.account.id else {})}
            found |= {} if value.shas is None else {"shas": sorted(value.shas)}
        case Signature():
            who = {} if value.account_id is None else {"account": {"id": value.account_id}}
            found = _object(value, besides=("account_id",)) | who
        case (
            Identity()
            | PullRequest()
            | Commit()
            | Coauthor()
            | Company()
            | Entry()
            | Override()
            | FileDiff()
            | PortalSignoff()
            | ChosenCover()
        ):
            found = _object(value)
        case Mapping():
            found = {str(key): _plain(part) for key, part in value.items()}
        case frozenset():
            found = sorted(value)
        case tuple():
            found = [_plain(part) for part in value]
    return found
