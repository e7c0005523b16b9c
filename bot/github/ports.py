"""GitHub's answers and what is said to it, as plain values, and the errors when it does not do what was asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from agreements.completeness import OF_PEOPLE
from agreements.facts import Account, Commit


class HubError(Exception):
    """GitHub did not do what was asked; the message is safe to log and to show (no personal data, no token)."""


class Unreachable(HubError):
    """Network failure, time-out, 5xx or a rate limit: worth trying again. `retry_after` in seconds, if GitHub said."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Refused(HubError):
    """401, 403 or 422: GitHub understood and says no; trying again the same way will not help."""


class Missing(HubError):
    """404 or 410: it is not there, or not for us; or 409 for a repository without commits."""


class Unsupported(Missing):
    """This version of GitHub has no such thing for any caller."""


class Moved(HubError):
    """301, 302, 307 or 308 on a write: the repository was renamed or transferred; look it up by id and try again."""


@dataclass(frozen=True, slots=True)
class RepositoryPlace:
    """A repository as seen through one `installation`: `repository_id` identifies it, `owner` and `name` may change."""

    installation: int
    owner: str
    name: str
    repository_id: int

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner}/{self.name}"


# The `text` of a rule file that is too large or not text: no YAML parser takes it, so it never counts as absent.
UNREADABLE = "\x01"


# The `text` of a rule file that GitHub does not let the App read: it may be there, so it never counts as absent.
WITHHELD = "\x02"


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The rule file at `path` as GitHub gave it: its `text`, None if certainly absent, UNREADABLE or WITHHELD."""

    path: str
    text: str | None


Unread = Literal["not-found", "not-covered", "listed", "refused", "no-answer"]
"""The reasons for which it is not known what rulebook an organisation has.

`not-found`: GitHub knows no such `.github`, or not for us, and the installation's list was not asked what that means;
`not-covered`: the App is installed on chosen repositories, so it need not see one that is there; `listed`: GitHub lists
it and does not show it; `refused`: GitHub refuses it; `no-answer`: GitHub's answer is incomplete or odd.
"""


@dataclass(frozen=True, slots=True)
class RuleFiles:
    """The rule files of the default branches: `organization` (None: unknown, see `unread`), `repository`, `dco`."""

    organization: RuleFile | None
    repository: RuleFile
    dco: RuleFile
    unread: Unread = "no-answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestSnapshot:
    """A pull request at one moment: what a review needs before it reads the rest of the commits.

    Of its repository: `place`, `owner_id`, `owner_type`, `private`, `known_labels`, `rule_files`, `mailmap`. Of itself:
    `number`, `title`, `state`, `draft`, `opener` (None: a deleted account), `created_at`, `updated_at`, the branches `base` and
    `head`, `base_sha`, `head_sha`, `head_repository`, `labels`, `changed_files`, `commit_count`, `commits`, `cursor`.
    """

    place: RepositoryPlace  # As GitHub names it now
    owner_id: int
    owner_type: Literal["Organization", "User"]
    private: bool
    number: int
    state: Literal["open", "closed", "merged"]
    draft: bool
    opener: Account | None
    created_at: datetime
    updated_at: datetime
    base: str
    base_sha: str
    head: str
    head_sha: str
    head_repository: str | None  # None: the fork was deleted
    labels: tuple[str, ...]
    known_labels: frozenset[str]  # Those asked for that the repository has
    changed_files: int
    rule_files: RuleFiles
    mailmap: str  # Of the base; "" when there is none
    commit_count: int | None  # None: GitHub did not say
    commits: tuple[Commit, ...]  # The first page
    cursor: str | None  # The next page begins there; None: no more
    more_authors: Mapping[str, str] = field(default_factory=dict)
    """The cursor of the next co-authors of a commit, by its SHA."""
    doubt: str = ""
    """The reason why these commits can't be all there is to know, of `agreements.completeness`; "" when they can."""
    title: str = ""

    @property
    def holds_history(self) -> bool:
        """Whether all commits and co-authors are in it, so that no more pages are asked for."""
        return self.cursor is None and not self.more_authors


@dataclass(frozen=True, slots=True)
class History:
    """The `commits` of `head_sha` that could be read, and GitHub's `count` of them (None: not told).

    `doubt` says what is missing (`agreements.completeness`), "" when nothing is.
    """

    head_sha: str
    count: int | None
    commits: tuple[Commit, ...]
    doubt: str = ""

    @property
    def complete(self) -> bool:
        """Whether these are all commits of that head, with all their co-authors."""
        return not self.doubt

    @property
    def has_all_commits(self) -> bool:
        """Whether these are all commits of that head, even if some of their people are not known."""
        return not self.doubt or self.doubt in OF_PEOPLE


@dataclass(frozen=True, slots=True)
class Files:
    """The `paths` that a pull request adds or changes, by their new names; not `complete` beyond GitHub's 3,000.

    `gone` are those where nothing is any more: removed, or renamed to another path; `added` are those of `paths` that are new.
    """

    paths: tuple[str, ...] = ()
    complete: bool = True
    gone: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BranchPush:
    """A push that GitHub recorded: `account`, authenticated, made `after` the head in place of `before` (`at`)."""

    account: Account
    before: str
    after: str
    at: datetime


@dataclass(frozen=True, slots=True)
class CheckButton:
    """A button at a check run: its `label` and `description`, and the `identifier` by which GitHub tells of a press."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """The contents of the check run `name` on `head_sha`; `conclusion` None means in progress.

    `external_id` is ours, to find it again; `details_url` its link; `title`, `summary` and `text` are shown.
    `buttons` are at most three.
    """

    name: str
    head_sha: str
    external_id: str
    details_url: str
    title: str
    summary: str
    text: str = ""
    conclusion: Literal["success", "failure", "action_required", "neutral"] | None = None
    buttons: tuple[CheckButton, ...] = field(default=(), repr=False)
    """They follow from the conclusion and the text, so the digest of the contents leaves them out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCheck:
    """The check run `id` of the App `app_id` with its `title`; `conclusion` None means that it has not completed."""

    id: int
    app_id: int | None
    title: str
    conclusion: str | None
    at: datetime | None
    """When it was completed, or else when it began, by GitHub's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment by `author`, its `body` and `created_at`, on pull request `number`; `edited`: perhaps by others."""

    number: int  # Of the pull request where it stands
    author: Account | None
    body: str
    created_at: datetime
    edited: bool


Role = Literal["admin", "maintain", "write", "none"]
"""The role of a person in a repository; `none` is everything that does not write."""


@dataclass(frozen=True, slots=True)
class AccountWithAge:
    """An `account` and its `created_at`: a login that changed hands belongs to a younger account, or an older one."""

    account: Account
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Team:
    """A team by its `id` and its `organization_id`, which never change hands as names do."""

    organization_id: int
    id: int


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """The App at GitHub: its `id` and `slug`. Its bot's login is `slug[bot]`."""

    id: int
    slug: str


@dataclass(frozen=True, slots=True)
class Installation:
    """The App's installation on an `account`: its `id`, whether `suspended`, and the `permissions` granted so far."""

    id: int
    account: Account
    suspended: bool
    permissions: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationRepository:
    """A repository (`place`) as an installation's list shows it: `node` is its id in GraphQL, `branch` the default one.

    `pushed_at` is when anything was last pushed to a branch (None: never); `private`, `archived`, `fork` are GitHub's.
    """

    place: RepositoryPlace
    node: str
    branch: str
    pushed_at: datetime | None
    private: bool
    archived: bool
    fork: bool


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a tree: its `path` below the root, the `sha` of its blob, its `size` in bytes.

    Of a `link` the blob is the path that it leads to, as text.
    """

    path: str
    sha: str
    size: int
    link: bool = False


@dataclass(frozen=True, slots=True)
class GitTree:
    """The `entries` of a `commit`. `complete` False: GitHub cut it short, and walking its folders was too much, too."""

    commit: str
    entries: tuple[TreeEntry, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class RevertClaim:
    """A commit (`sha`) with one `parent`, whose message says that it reverts the commit `reverted`: to be proven."""

    sha: str
    parent: str
    reverted: str


@dataclass(frozen=True, slots=True)
class PendingReport:
    """An answer that GitHub still works on; `report` is what to ask again with."""

    report: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestProposal:
    """Proposed `files`, by path, from our `branch`: `title`, `body` (with `marker`), and the commit's `message`."""

    branch: str
    files: Mapping[str, bytes]
    title: str
    body: str
    marker: str
    message: str
