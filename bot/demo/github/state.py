"""The nouns of a small GitHub; every id comes from its own range, so that mixing two kinds up is noticed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

Json = dict[str, Any]

LEVELS = ("none", "read", "triage", "write", "maintain", "admin")
"""Repository roles, weakest first."""


def timestamp(at: datetime | None) -> str | None:
    """A moment as GitHub writes it, UTC to the second; None stays null."""
    return None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class StoredEmail:
    """An address of a person; only verified ones link commits."""

    address: str
    verified: bool = True
    primary: bool = False


@dataclass(slots=True, eq=False)
class StoredTeam:
    """A team of an organisation; another one of the same slug has another id."""

    id: int
    slug: str
    members: list[int]
    created_at: datetime


@dataclass(slots=True, eq=False)
class StoredAccount:
    """A person, a bot or an organisation; `members` maps account ids to `admin` or `member`, `teams` slugs to teams."""

    id: int
    login: str
    name: str
    type: str
    created_at: datetime
    noreply_domain: str
    token: str = ""
    emails: list[StoredEmail] = field(default_factory=list)
    members: dict[int, str] = field(default_factory=dict)
    teams: dict[str, StoredTeam] = field(default_factory=dict)

    @property
    def noreply(self) -> str:
        """The no-reply address that GitHub gives to each account."""
        return f"{self.id}+{self.login}@{self.noreply_domain}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMail:
    """One mail as it is read."""

    at: datetime
    to: str
    subject: str
    body: str


@dataclass(slots=True, eq=False)
class Label:
    """A label of a repository; color is six hexadecimal digits."""

    id: int
    name: str
    color: str = "ededed"
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """A branch moved; `before` or `after` is None where it was created or deleted. `kind` is GitHub's word for it."""

    id: int
    kind: str
    branch: str
    before: str | None
    after: str | None
    actor: StoredAccount
    at: datetime


@dataclass(slots=True, eq=False)
class StoredRepository:
    """A repository; `git` is its bare folder, named by id so that renaming moves nothing.

    `required_checks` are those of a ruleset for the default branch, `protected_checks` those of its classic protection:
    name → id of the App that has to set it, None: any App. `sbom` is what the dependency graph tells, as it is fetched; None: the graph is off. `activities`: oldest first.
    """

    id: int
    owner: StoredAccount
    name: str
    git: Path
    created_at: datetime
    private: bool = False
    description: str = ""
    default_branch: str = "main"
    fork_of: "StoredRepository | None" = None
    collaborators: dict[int, str] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    pulls: dict[int, "StoredPull"] = field(default_factory=dict)
    issues: dict[int, "StoredIssue"] = field(default_factory=dict)
    pushed_at: datetime | None = None
    archived: bool = False
    has_issues: bool = True
    sbom: Json | None = None
    required_checks: dict[str, int | None] = field(default_factory=dict)
    protected_checks: dict[str, int | None] = field(default_factory=dict)
    activities: list[Activity] = field(default_factory=list)
    merge_queue: "list[MergeQueueEntry]" = field(default_factory=list)

    @property
    def full_name(self) -> str:
        """`owner/name`, as of now."""
        return f"{self.owner.login}/{self.name}"

    @property
    def next_number(self) -> int:
        """Of the next pull request or issue: both are counted together."""
        return max([0, *self.pulls, *self.issues]) + 1


@dataclass(slots=True, eq=False)
class StoredComment:
    """A comment on a pull request; `app` is set when an App wrote it. Reactions: (id, account, content, moment)."""

    id: int
    user: StoredAccount | None
    body: str
    created_at: datetime
    updated_at: datetime
    app: "StoredApp | None" = None
    reactions: list[tuple[int, StoredAccount, str, datetime]] = field(default_factory=list)


@dataclass(slots=True, eq=False, kw_only=True)
class StoredIssue:
    """An issue; `app` is set when an App opened it. Opener None is a deleted account."""

    id: int
    number: int
    repository: StoredRepository
    opener: StoredAccount | None
    title: str
    created_at: datetime
    updated_at: datetime
    body: str = ""
    closed_at: datetime | None = None
    app: "StoredApp | None" = None
    labels: list[Label] = field(default_factory=list)
    comments: list[StoredComment] = field(default_factory=list)

    @property
    def state(self) -> str:
        """`open` or `closed`; a merged pull request is closed."""
        return "open" if self.closed_at is None else "closed"


@dataclass(slots=True, eq=False, kw_only=True)
class StoredPull(StoredIssue):
    """A pull request; head repository None is a deleted fork."""

    base: str
    base_sha: str
    head_repository: StoredRepository | None
    head: str
    head_sha: str
    draft: bool = False
    merged_at: datetime | None = None
    merged_by: StoredAccount | None = None
    merge_sha: str | None = None


@dataclass(slots=True, eq=False)
class MergeQueueEntry:
    """A pull request that waits to be merged. Base and head are of its trial merge, None before it is in a group."""

    pull: StoredPull
    enqueuer: StoredAccount
    base_sha: str | None = None
    head_sha: str | None = None
    group: "Sequence[MergeQueueEntry]" = ()


@dataclass(slots=True, eq=False)
class StoredApp:
    """A GitHub App as its owner registered it; `key` is the public half in PEM form."""

    id: int
    slug: str
    owner: StoredAccount
    bot: StoredAccount
    key: str
    created_at: datetime
    webhook_secret: str
    hook_url: str
    client_id: str
    client_secret: str
    callbacks: list[str]
    permissions: dict[str, str]
    events: list[str]


@dataclass(frozen=True, slots=True)
class RegisteredApp:
    """An App that was just made from a manifest, with its private key, which is given away once and not kept."""

    app: StoredApp
    private_key: str = field(repr=False)
    expires_at: datetime


@dataclass(slots=True, eq=False)
class StoredInstallation:
    """An App on an account; repositories None means all of them."""

    id: int
    app: StoredApp
    account: StoredAccount
    created_at: datetime
    repositories: set[int] | None = None
    suspended_at: datetime | None = None

    def covers(self, repository: StoredRepository) -> bool:
        """True when the repository belongs to the account and was chosen."""
        return repository.owner is self.account and (self.repositories is None or repository.id in self.repositories)


@dataclass(slots=True, eq=False)
class StoredCheckRun:
    """A check run; conclusion None means not completed."""

    id: int
    suite: int
    app: StoredApp
    repository: StoredRepository
    name: str
    head_sha: str
    started_at: datetime
    external_id: str = ""
    details_url: str = ""
    status: str = "queued"
    conclusion: str | None = None
    completed_at: datetime | None = None
    output: Json = field(default_factory=dict)
    actions: list[Json] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StoredToken:
    """What a bearer may do, until when: of an installation, of a person through an App, or (no App) by a fine-grained token."""

    expires_at: datetime | None
    app: StoredApp | None = None
    installation: StoredInstallation | None = None
    user: StoredAccount | None = None
    permissions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OAuthCode:
    """A code that the browser carries back once, for one App, one person, one address and one PKCE challenge."""

    app: StoredApp
    user: StoredAccount
    redirect_uri: str
    challenge: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Call:
    """One API request as tests count it: method, path template of GitHub's OpenAPI, status."""

    method: str
    template: str
    status: int
