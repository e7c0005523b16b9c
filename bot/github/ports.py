"""The questions asked of GitHub and the few things said to it, as protocols and plain values."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

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
    """This version of GitHub has no such thing, whoever asks."""


class Moved(HubError):
    """301, 302, 307 or 308 on a write: the repository was renamed or transferred; look it up by id and try again."""


@dataclass(frozen=True, slots=True)
class RepositoryPlace:
    """A repository as seen through one installation. The id is the identity; owner and name may change."""

    installation: int
    owner: str
    name: str
    repository_id: int

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner}/{self.name}"


UNREADABLE = "\x01"
"""The `text` of a rule file that is too large or not text: no YAML parser takes it, so it never counts as absent."""


WITHHELD = "\x02"
"""The `text` of a rule file that GitHub does not let the App read: whether it is there is not known, and it never counts as absent."""


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A rule file as GitHub gave it: `text` None means that it is certainly absent, UNREADABLE that it is there.

    WITHHELD: GitHub refuses to say.
    """

    path: str
    text: str | None


Unread = Literal["not-found", "not-covered", "listed", "refused", "no-answer"]
"""Why it is not known what rulebook an organisation has.

`not-found`: GitHub knows no such `.github`, or not for us, and the installation's list was not asked what that means;
`not-covered`: the App is installed on chosen repositories, so it need not see one that is there; `listed`: GitHub lists
it and does not show it; `refused`: GitHub refuses it; `no-answer`: GitHub's answer is incomplete or odd.
"""


@dataclass(frozen=True, slots=True)
class RuleFiles:
    """The rule files of the default branches; `organization` None: it is not known, and `unread` says why."""

    organization: RuleFile | None
    repository: RuleFile
    dco: RuleFile
    unread: Unread = "no-answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestSnapshot:
    """A pull request at one moment: what a review needs before it reads the rest of the commits."""

    place: RepositoryPlace  # as GitHub names it now
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
    known_labels: frozenset[str]  # of those asked for, which the repository has
    changed_files: int
    rule_files: RuleFiles
    mailmap: str  # of the base; "" when there is none
    commit_count: int | None  # None: GitHub did not say
    commits: tuple[Commit, ...]  # the first page
    cursor: str | None  # where the next page begins; None: no more
    more_authors: Mapping[str, str] = field(default_factory=dict)
    """By SHA, where the next co-authors of that commit begin."""
    doubt: str = ""
    """Why these commits can't be all there is to know, one of `agreements.completeness`; "" when they can."""

    @property
    def holds_history(self) -> bool:
        """Whether all commits and co-authors are in it: nobody has to be asked for more."""
        return self.cursor is None and not self.more_authors


@dataclass(frozen=True, slots=True)
class History:
    """All commits that could be read; `doubt` says what is missing (`agreements.completeness`), "" when nothing is."""

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
        """Whether these are all commits of that head, whoever made them."""
        return not self.doubt or self.doubt in OF_PEOPLE


@dataclass(frozen=True, slots=True)
class Files:
    """Paths that a pull request adds or changes, by their new names; GitHub lists 3,000 at most.

    `gone` are those where nothing is any more: removed, or renamed to another path; `added` are those of `paths` that are new.
    """

    paths: tuple[str, ...] = ()
    complete: bool = True
    gone: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BranchPush:
    """A push that GitHub recorded: the account, authenticated, that made `after` the branch's head in place of `before`."""

    account: Account
    before: str
    after: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """What a check run shows; `conclusion` None means in progress, `again` a button that asks to look again: label and identifier."""

    name: str
    head_sha: str
    external_id: str
    details_url: str
    title: str
    summary: str
    text: str = ""
    conclusion: Literal["success", "failure", "action_required", "neutral"] | None = None
    again: tuple[str, str] | None = field(default=None, repr=False)
    """It goes with the conclusion: what is shown is told apart without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCheck:
    """A check run as everybody sees it at GitHub now; `conclusion` None means that it has not completed."""

    id: int
    app_id: int | None
    title: str
    conclusion: str | None
    at: datetime | None
    """When it was completed, or else when it began, by GitHub's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment as GitHub has it now; `edited` means that its text may no longer be its author's."""

    number: int  # of the pull request where it stands
    author: Account | None
    body: str
    created_at: datetime
    edited: bool


Role = Literal["admin", "maintain", "write", "none"]
"""What somebody may do in a repository; `none` is everything that does not write."""


@dataclass(frozen=True, slots=True)
class AccountWithAge:
    """An account and since when GitHub has it: a login that changed hands belongs to a younger one, or to an older."""

    account: Account
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Team:
    """A team of an organisation, by the ids of both: whoever takes their names has others."""

    organization_id: int
    id: int


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """Who we are at GitHub. The bot's login is `slug[bot]`."""

    id: int
    slug: str


@dataclass(frozen=True, slots=True)
class Installation:
    """Where the App is installed, and what it was granted there: perhaps less than the App asks for by now."""

    id: int
    account: Account
    suspended: bool
    permissions: Mapping[str, str] = field(default_factory=dict, hash=False)


class Pulls(Protocol):
    """Reading pull requests."""

    def fetch_snapshot(
        self, place: RepositoryPlace, number: int, labels: tuple[str, ...], *, organization: bool = True
    ) -> PullRequestSnapshot:
        """One read: the pull request, rule files, mailmap, first commits; `labels` are the names to look up.

        Without `organization` it is left open whether a `.github` that GitHub does not find is certainly absent.
        """

    def fetch_head(self, place: RepositoryPlace, number: int) -> PullRequestSnapshot:
        """The pull request alone, by the smallest read: no commits, no rule files. For when a snapshot cannot be had."""

    def history(self, snapshot: PullRequestSnapshot, *, coauthors: bool = True) -> History:
        """The commits of that snapshot, the missing pages read; free when the first page was all.

        `coauthors`: whether it is worth asking for those that a page of commits does not bring.
        """

    def linked_bots(self, snapshot: PullRequestSnapshot, addresses: Collection[str]) -> Mapping[str, Account]:
        """Those of the authors' addresses there that GitHub links to a bot, which no snapshot and no history tells."""

    def rule_files(self, place: RepositoryPlace) -> RuleFiles:
        """The rule files of the default branches, as a snapshot has them, where there is no pull request to look at."""

    def organization_file(self, installation: int, owner: Account) -> RuleFile | Unread:
        """The organisation's file, by the same rule, where there is no repository to look at; or why it is not known."""

    def files(self, snapshot: PullRequestSnapshot) -> Files:
        """Which files the pull request of that snapshot adds or changes."""

    def open_numbers(self, place: RepositoryPlace) -> tuple[int, ...]:
        """Numbers of the open pull requests, all pages."""


class Pushes(Protocol):
    """Who pushed, where no event has told us."""

    def pushes(self, snapshot: PullRequestSnapshot) -> tuple[BranchPush, ...]:
        """The newest pushes to the branch of that snapshot, oldest first; none where GitHub does not say."""


class Checks(Protocol):
    """Our check runs."""

    def create_check(self, place: RepositoryPlace, run: CheckRun) -> int:
        """Create and return its id."""

    def update_check(self, place: RepositoryPlace, check_id: int, run: CheckRun) -> None:
        """Bring an existing run of ours to this state. `Missing` when it is gone."""

    def find_check(self, place: RepositoryPlace, head_sha: str, is_wanted: Callable[[str], bool]) -> int | None:
        """The id of our App's newest run on that head whose external id is wanted, if any."""

    def shown_checks(self, place: RepositoryPlace, head_sha: str, name: str) -> tuple[ShownCheck, ...]:
        """The latest check run of that name on that head of each App, the newest first."""


class Comments(Protocol):
    """Our comment, the label pair, reactions."""

    def create_comment(self, place: RepositoryPlace, number: int, body: str) -> int:
        """Create and return its id."""

    def update_comment(self, place: RepositoryPlace, comment_id: int, body: str) -> None:
        """Replace the body. `Missing` when it was deleted."""

    def find_comment(self, place: RepositoryPlace, number: int, marker: str) -> int | None:
        """The id of the comment written by our App that contains the marker, if any; others' quotes never count."""

    def comment(self, place: RepositoryPlace, comment_id: int) -> Comment:
        """Anybody's comment. `Missing` when it was deleted."""

    def create_label(self, place: RepositoryPlace, name: str, color: str, description: str) -> None:
        """Create a label of the repository; fine when it exists already."""

    def add_label(self, place: RepositoryPlace, number: int, name: str) -> None:
        """Put a label on the pull request."""

    def remove_label(self, place: RepositoryPlace, number: int, name: str) -> None:
        """Take a label off; fine when it was not there."""

    def labels(self, place: RepositoryPlace, number: int) -> frozenset[str]:
        """The names of the labels on the pull request."""

    def react(
        self, place: RepositoryPlace, comment_id: int, reaction: Literal["+1", "eyes", "confused", "rocket"]
    ) -> None:
        """Answer a comment with a reaction."""

    def our_reaction(self, place: RepositoryPlace, comment_id: int) -> tuple[str, datetime] | None:
        """Our App's first reaction to that comment and its time by GitHub's clock, if any."""


class Repositories(Protocol):
    """Repositories, people and installations."""

    def may_read(self, place: RepositoryPlace, account: Account) -> bool:
        """True when that very account (ids compared) may read the repository; False whenever in doubt."""

    def role(self, place: RepositoryPlace, account: Account) -> Role:
        """The role of that very account (ids compared) in the repository; `none` whenever in doubt."""

    def members(self, place: RepositoryPlace) -> frozenset[int]:
        """Account ids of the members of the owning organisation; empty where GitHub knows none."""

    def team_by_name(self, organization: str, team: str) -> Team:
        """Which team that is now. `Missing` when there is none, or the App is not installed in the organisation."""

    def team_members(self, team: Team) -> frozenset[int]:
        """Account ids of its members, found by ids alone; `Missing` as above."""

    def repository_by_name(self, owner: str, name: str) -> tuple[RepositoryPlace, Account]:
        """A repository that the App is installed on, and its owner. `Missing` when there is none of that name."""

    def account_by_login(self, login: str) -> Account:
        """Resolve a login (for `COUNTERSIGN_ACCOUNTS`), once, to its id. `Missing` when nobody has it."""

    def accounts_by_login(self, logins: Sequence[str]) -> Iterator[Mapping[str, Account | None]]:
        """Who has each of these logins now, None for nobody: in batches, each asked for when it is taken."""

    def account_with_age(self, login: str) -> AccountWithAge:
        """Who has that login now, and since when there is that account. `Missing` when nobody has it."""


class Content(Protocol):
    """Files of a repository that are ours."""

    def put_file(self, place: RepositoryPlace, path: str, content: bytes, message: str) -> bool:
        """Have that file on the default branch; False when it is so already. `Refused` without the permission."""


class App(Protocol):
    """The App itself."""

    def identity(self, *, again: bool = False) -> AppIdentity:
        """Who we are; proves that the App id and private key fit together. `Refused` when they do not.

        Asked once, or `again`.
        """

    def installations(self, *, on_odd: Callable[[str], None] | None = None) -> tuple[Installation, ...]:
        """Where we are installed, all pages; `on_odd` is told of each entry that cannot be used, else the log."""
