"""The record of a judged pull request, so that it can be judged again under other rules: its facts and rule files."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agreements.facts import Commit, Facts
from agreements.github_server import GitHubServer
from agreements.json import commits
from agreements.json.facts_writer import Plain, record
from agreements.json.values import FactsInvalid
from agreements.judge import required
from agreements.rulebook.rules import Rules, for_repository
from bot.github.ports import RuleFile, RuleFiles

MAX_PACKED_BYTES, MAX_PLAIN_BYTES = 4 * 2**20, 32 * 2**20
"""Bytes, compressed and as JSON: what is longer is not kept, as it could be a pull request made to fill the disk."""
TOO_LARGE = b""
"""Stands in the place of facts that are not kept."""
_COMPRESSION_LEVEL = 3  # Of zlib: a third less time than its default, a seventh more space.


class CannotReplay(Exception):
    """The reason for which a pull request cannot be judged under other rules, as a clause for people."""


@dataclass(frozen=True, slots=True)
class HeadBranch:
    """The `repository` that the commits came from (`owner/name`), None when that is gone, and the `branch` there."""

    repository: str | None
    branch: str


@dataclass(frozen=True, slots=True)
class RecordedFacts:
    """The `facts` as plain data without their rules, the `files` that these came from, and what GitHub was asked for them.

    `head` is None in what was kept before it was, and `title` "". `asked` holds those of `asked` below: what a rule did not need was not asked.
    """

    facts: Plain
    files: RuleFiles
    asked: frozenset[str]
    head: HeadBranch | None = None
    title: str = ""

    @property
    def full_name(self) -> str:
        """`owner/name` of the repository, as it was called then."""
        repository = self.facts["repository"]
        return str(repository["full_name"]) if isinstance(repository, Mapping) else ""

    @property
    def logins(self) -> dict[int, str]:
        """The logins that GitHub gave the accounts of the pull request itself and of its commits, by id."""
        facts: Any = self.facts
        # Without people whom only a record names, such as the one who proved an address of a commit.
        accounts = [facts["pull_request"].get("opener"), *facts.get("senders", ())]
        for commit in facts["commits"]:
            accounts += [commit.get("author_account"), commit.get("committer_account")]
            accounts += [coauthor.get("account") for coauthor in commit["coauthors"]]
        return {account["id"]: account["login"] for account in accounts if account and account.get("login")}


def asked(rules: Rules, full_name: str) -> frozenset[str]:
    """The facts for which GitHub was asked only as the rules need them: `files`, `members`, and `bots`' addresses."""
    files = rules.changelog.require and for_repository(rules, full_name).require != "none"
    members = "exempt" in (rules.people.members, rules.dco.members)
    bots = rules.dco.matching == "exact" and "DCO" in required(rules, full_name)
    needs = (("files", files), ("members", members), ("bots", bots))
    return frozenset(name for name, needed in needs if needed)


def pack(facts: Facts, files: RuleFiles, head: HeadBranch | None = None, title: str = "") -> bytes:
    """The bytes to be sealed and kept; `TOO_LARGE` where they would be too many."""
    data = {
        "facts": record(facts),
        "asked": sorted(asked(facts.rules, facts.repository)),
        "files": [file and [file.path, file.text] for file in (files.organization, files.repository, files.dco)],
        "head": None if head is None else [head.repository, head.branch],
        "title": title.encode(errors="replace").decode(),  # A page shows it: UTF-8 has no half of a surrogate pair.
    }
    plain = json.dumps(data, separators=(",", ":")).encode()
    if len(plain) > MAX_PLAIN_BYTES:  # Before it costs time to compress.
        return TOO_LARGE
    packed = zlib.compress(plain, _COMPRESSION_LEVEL)
    return packed if len(packed) <= MAX_PACKED_BYTES else TOO_LARGE


def unpack(packed: bytes, server: GitHubServer, *, owner_id: int | None = None) -> RecordedFacts:
    """The packed facts; `server` and `owner_id` for those without. Raises CannotReplay if they were too large."""
    data = _plain_data(packed)
    organization, repository, dco = (None if file is None else RuleFile(*file) for file in data["files"])
    assert repository is not None
    assert dco is not None
    head = HeadBranch(*data["head"]) if data.get("head") else None
    # Facts of earlier releases name neither server nor owner: they are read as this deployment's.
    facts = {"server": server.host, **data["facts"]}
    if owner_id is not None:
        facts["repository"] = {"owner_id": owner_id, **facts["repository"]}
    return RecordedFacts(
        facts, RuleFiles(organization, repository, dco), frozenset(data["asked"]), head, data.get("title", "")
    )


def unpack_commits(packed: bytes) -> tuple[Commit, ...]:
    """The commits of what was packed, and nothing else of it. Raises CannotReplay, as for a reader of all of it."""
    found = _plain_data(packed)["facts"]["commits"]
    try:
        return commits.read((commit, f"commits[{number}]") for number, commit in enumerate(found))
    except FactsInvalid as error:
        raise CannotReplay(f"cannot be replayed: its stored facts cannot be read ({error})") from None


def _plain_data(packed: bytes) -> Any:
    if packed == TOO_LARGE:
        raise CannotReplay("cannot be replayed: its facts were too large to be stored")
    return json.loads(zlib.decompress(packed))  # Only what `pack` made comes here, so its size is bounded.
