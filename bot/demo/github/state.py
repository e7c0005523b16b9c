"""The nouns of a small GitHub; every id comes from its own range, so that mixing two kinds up is noticed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

Json = dict[str, Any]

LEVELS = ("none", "read", "triage", "write", "maintain", "admin")  # Roles in a repository, weakest first.


def timestamp(at: datetime | None) -> str | None:
    """A moment as GitHub writes it, UTC to the second; None stays null."""
    return None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class StoredEmail:
    """An `address` of a person; only `verified` ones link commits, and one is `primary`."""

    address: str
    verified: bool = True
    primary: bool = False


@dataclass(slots=True, eq=False)
class StoredTeam:
    """A team by `slug`, made at `created_at`, `members` by account id; another of that slug has another `id`."""

    id: int
    slug: str
    members: list[int]
    created_at: datetime


@dataclass(slots=True, eq=False)
class StoredAccount:
    """A person, a bot or an organisation (`type`) by `id`, `login` and displayed `name`, made at `created_at`.

    `token` is a person's password. `emails` and an address at `noreply_domain` are linked to the account. `members`
    maps account ids to `admin` or `member`, `teams` slugs to teams.
    """

    id: int
    login: str
    name: str
    type: str
    created_at: datetime
    noreply_domain: str
    token: str = ""  # "" for those who do not sign in.
    emails: list[StoredEmail] = field(default_factory=list)
    members: dict[int, str] = field(default_factory=dict)
    teams: dict[str, StoredTeam] = field(default_factory=dict)

    @property
    def noreply(self) -> str:
        """The no-reply address that GitHub gives to each account."""
        return f"{self.id}+{self.login}@{self.noreply_domain}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMail:
    """A mail as it is read: `at` a time `to` an address, with `subject` and `body`."""

    at: datetime
    to: str
    subject: str
    body: str


@dataclass(slots=True, eq=False)
class Label:
    """A label of a repository by `id` and `name`, its `description`, its `color` as six hexadecimal digits."""

    id: int
    name: str
    color: str = "ededed"
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """A move of `branch` by `actor`, `at` a time, from `before` to `after` (or None); `kind`: GitHub's word; `id`."""

    id: int
    kind: str
    branch: str
    before: str | None
    after: str | None
    actor: StoredAccount
    at: datetime


@dataclass(slots=True, eq=False)
class StoredRepository:
    """A repository by `id`, `owner`, `name`; `git` is its bare folder, named by id so that renaming moves nothing.

    `created_at`, `private`, `description`, `default_branch`, `fork_of`, `pushed_at`, `archived`, `has_issues`: as seen.
    `collaborators` are roles by account id, `labels` by name, `pulls` and `issues` by number. `required_checks` are of
    a ruleset for the default branch, `protected_checks` of its classic protection: name → id of the App that has to
    set it, None: any; `protected_branches` are the same of other branches, by name. `sbom` is what the dependency graph
    tells; None: it is off. `activities`, `merge_queue` in order. `squash_message` is GitHub's word for what a squash's default
    message holds; "": its webhooks do not say.
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
    protected_branches: dict[str, dict[str, int | None]] = field(default_factory=dict)
    activities: list[Activity] = field(default_factory=list)
    merge_queue: "list[MergeQueueEntry]" = field(default_factory=list)
    squash_message: str = ""

    @property
    def full_name(self) -> str:
        """`owner/name`, as of now."""
        return f"{self.owner.login}/{self.name}"

    @property
    def next_number(self) -> int:
        """The number of the next pull request or issue: both are counted together."""
        return max([0, *self.pulls, *self.issues]) + 1


@dataclass(slots=True, eq=False)
class StoredComment:
    """A comment by `id`: `user` (None: deleted), `body`, `created_at`, `updated_at`, its `app` if any, `reactions`."""

    id: int
    user: StoredAccount | None
    body: str
    created_at: datetime
    updated_at: datetime
    app: "StoredApp | None" = None
    reactions: list[tuple[int, StoredAccount, str, datetime]] = field(default_factory=list)  # Id, account, content, at


@dataclass(slots=True, eq=False, kw_only=True)
class StoredIssue:
    """An issue of a `repository` by `id` and `number`: `title`, `body`, `labels`, `comments`; made by an `app` if set.

    `opener` None is a deleted account. `created_at`, `updated_at`; `closed_at` is None while it is open.
    """

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
    """A pull request from the branch `head` of `head_repository` (None: a deleted fork) to `base`; perhaps a `draft`.

    `head_sha` and `base_sha` are as of the last push; `merged_at`, `merged_by`, `merge_sha` None until it is merged.
    `rebased` are the commits that merging wrote.
    """

    base: str
    base_sha: str
    head_repository: StoredRepository | None
    head: str
    head_sha: str
    draft: bool = False
    merged_at: datetime | None = None
    merged_by: StoredAccount | None = None
    merge_sha: str | None = None
    rebased: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class MergeQueueEntry:
    """A `pull` queued by `enqueuer`; `base_sha` and `head_sha` of its trial merge are None before it has a `group`."""

    pull: StoredPull
    enqueuer: StoredAccount
    base_sha: str | None = None
    head_sha: str | None = None
    group: "Sequence[MergeQueueEntry]" = ()


@dataclass(slots=True, eq=False)
class StoredApp:
    """A GitHub App as its `owner` registered it at `created_at`, with its `bot`; `key` is the public half in PEM form.

    `id`, `slug` and `client_id` name it; `client_secret` and `webhook_secret` prove it. `hook_url` and `callbacks` are
    its addresses, `permissions` (by REST's names) and `events` what it asks for.
    """

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
    """An `app` just made from a manifest; its `private_key` is given away once before `expires_at`, and not kept."""

    app: StoredApp
    private_key: str = field(repr=False)
    expires_at: datetime


@dataclass(slots=True, eq=False)
class StoredInstallation:
    """An `app` on an `account` by `id`, since `created_at`; `suspended_at` if so; `repositories` None: all."""

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
    """A check run by `id` and `name` of an `app`, on `head_sha` of a `repository`; `conclusion` None: not completed.

    `suite` is its suite's id; `external_id`, `details_url`, `status`, `output`, `actions` are as they were sent, from
    `started_at` to `completed_at`.
    """

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
    """The `permissions` of a bearer until `expires_at`: an `installation`, or a `user`, through an `app` if given."""

    expires_at: datetime | None
    app: StoredApp | None = None
    installation: StoredInstallation | None = None
    user: StoredAccount | None = None
    permissions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OAuthCode:
    """A code that a browser carries back once before `expires_at`, for `app`, `user`, `redirect_uri`, `challenge`."""

    app: StoredApp
    user: StoredAccount
    redirect_uri: str
    challenge: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Call:
    """One API request as tests count it: `method`, path `template` of GitHub's OpenAPI, `status`."""

    method: str
    template: str
    status: int
