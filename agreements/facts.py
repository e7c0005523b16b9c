"""The nouns of a decision: what was seen of one pull request, and the verdict that explains itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from agreements.github_server import GITHUB_COM, GitHubServer
from agreements.rulebook.rules import Rules

Value = str | int | bool | None | tuple[str, ...]


class Conclusion(StrEnum):
    """The conclusion of a check; the names are GitHub's."""

    SUCCESS = "success"
    FAILURE = "failure"
    ACTION_REQUIRED = "action_required"
    NEUTRAL = "neutral"

    @property
    def passes(self) -> bool:
        """True when GitHub would let the pull request be merged."""
        return self in (Conclusion.SUCCESS, Conclusion.NEUTRAL)


WORST_FIRST = (Conclusion.FAILURE, Conclusion.ACTION_REQUIRED, Conclusion.SUCCESS, Conclusion.NEUTRAL)
"""The order in which conclusions count where several verdicts have one check run."""


@dataclass(frozen=True, slots=True)
class Account:
    """A GitHub account: `id`, `login` and `type` (GitHub's `User`, `Bot` and so on)."""

    id: int  # the identity: a login can change hands
    login: str = ""
    type: str = "User"


@dataclass(frozen=True, slots=True)
class Identity:
    """A `name` and an `email` as git wrote them: a claim, never a proof."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Coauthor:
    """A person named in a trailer (`name`, `email`), with the `account` that GitHub links to the address, None for none."""

    name: str
    email: str
    account: Account | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit: `sha`, `message`, `parents` (SHAs), `author` and `committer` as git wrote them, and `authored_at`.

    `verified` is GitHub's word on its signature, None when GitHub was not asked. `merge_changes`: a merge brings more
    than its parents, None when it was not looked at. `merged`: a protected branch of the repository holds it already,
    None when that was not looked at. `reverts`: it undoes exactly what a commit changed that such a branch holds, None
    when not looked at. `author_account` and `committer_account` are those that GitHub links, `coauthors` the people of
    its trailers.
    """

    sha: str
    message: str = ""
    parents: tuple[str, ...] = ()
    verified: bool | None = None
    merge_changes: bool | None = None
    merged: bool | None = None
    reverts: bool | None = None
    authored_at: datetime | None = None
    author: Identity | None = None
    committer: Identity | None = None
    author_account: Account | None = None
    committer_account: Account | None = None
    coauthors: tuple[Coauthor, ...] = ()

    @property
    def is_merge(self) -> bool:
        """Whether it has two or more parents; the same parent named twice is one."""
        return len(self.parents) > 1 and len(set(self.parents)) > 1


@dataclass(frozen=True, slots=True)
class Sender:
    """The authenticated `account` that pushed commits still in the pull request; `may_write`: it has write access to the base.

    `shas` are the commits that its pushes brought, None where that was not looked at: each may be its own then.
    """

    account: Account
    may_write: bool = False
    shas: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDiff:
    """The change of one file: its `path`, its `previous_path` ("": not renamed), and numbers of lines, `additions` and `deletions`.

    `text`: it is known to be a plain text file, no link, no submodule and no program, whose lines can be counted.
    """

    path: str
    previous_path: str = ""
    additions: int = 0
    deletions: int = 0
    text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """The pull request: `number`, `opener` (None for a deleted account), `head_sha`, the `base` branch, `created_at` and `labels`.

    `files` are those it adds or changes, by their new names, not those it removes; `files_complete` is False when GitHub did not list them
    all. `changed_files` counts those it adds, changes or removes, None: not known. `changes` are all changed files by their lines, None where
    that was not looked at.
    """

    number: int
    opener: Account | None
    head_sha: str
    base: str = ""
    created_at: datetime | None = None
    labels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    files_complete: bool = True
    changed_files: int | None = None
    changes: tuple[FileDiff, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A person's own signature of `agreement` (`version`); in force from `signed_at` until `withdrawn_at`, half-open.

    `account_id` None: not known. `party` is the other side, None for the rulebook's own. `record` is its id here, ""
    for one made elsewhere. `logged`: the log of records has it; else it covers no one.
    """

    agreement: str
    version: str
    account_id: int | None
    signed_at: datetime
    withdrawn_at: datetime | None = None
    party: str | None = None
    record: str = field(default="", compare=False)
    logged: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a company: one of `domain` (with `subdomains`), `email` or `account_id`, from `since` until `until`; `record` is its id."""

    domain: str | None = None  # An entry with none of the three covers no one.
    subdomains: bool = True
    email: str | None = None
    account_id: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    record: str = field(default="", compare=False)

    def runs(self, at: datetime) -> bool:
        """Whether the entry says something at that time."""
        return (self.since is None or self.since <= at) and (self.until is None or at < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """The agreement (`agreement`, `version`) of the company `name` and the people it `covers` and `excludes`.

    It is in force from `signed_at` until `ended_at` (None: without end). `domains` None means the rulebook's choice;
    `party`, `record` and `logged` are as those of a signature.
    """

    name: str
    agreement: str
    version: str
    signed_at: datetime
    ended_at: datetime | None = None
    party: str | None = None
    domains: str | None = None
    covers: tuple[Entry, ...] = ()
    excludes: tuple[Entry, ...] = ()
    record: str = field(default="", compare=False)
    logged: bool = True


@dataclass(frozen=True, slots=True)
class Override:
    """An override `by` a person with the right to it, with a `reason`, for one pull request and one `head_sha`.

    The `kind` `cla`: the account `account_id`, or the address without an account (`email`), needs no cover; `dco`:
    sign-offs are set aside; `vouch`: `by` answers for the work of AI agents here.
    """

    kind: str
    account_id: int | None
    head_sha: str
    by: Account
    reason: str = ""
    email: str | None = None


@dataclass(frozen=True, slots=True)
class PortalSignoff:
    """A sign-off that the account `account_id` gave in the portal for the commits `shas` of this pull request."""

    account_id: int
    shas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChosenCover:
    """The choice of the account `account_id` for whom it contributes here: only that cover is looked at.

    `company` is the `record` of the company, or its name where it has none; None: the person's own signature.
    """

    account_id: int
    company: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that a verdict about a `repository` (`owner/name`) on a `server` may depend on: `rules`, `pull_request`, `commits` and these.

    `commit_count` is GitHub's, None when not known; `commits_doubt` why the commits may be incomplete
    (`agreements.completeness`). `owner_type` and `owner_id` are the repository owner's: without `organization` that
    account is the party. `senders` pushed, `unknown_pushes` are heads without a known pusher, `members` account ids of
    the organisation. `signatures`, `companies`, `overrides`, `signoffs` and `choices` are records, `emails` the addresses
    proven by account, `commenters` the accounts among them that asked for a check. `small_lines` are lines of small changes,
    by account, that count besides these. `mailmap` is the base's file. `now` is the only clock.
    """

    rules: Rules
    repository: str
    owner_type: str = "Organization"
    owner_id: int | None = None
    server: GitHubServer = GITHUB_COM
    pull_request: PullRequest
    commit_count: int | None
    commits: tuple[Commit, ...]
    commits_doubt: str = ""
    senders: tuple[Sender, ...] = ()
    unknown_pushes: tuple[str, ...] = ()
    members: frozenset[int] = frozenset()
    signatures: tuple[Signature, ...] = ()
    companies: tuple[Company, ...] = ()
    emails: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    commenters: tuple[Account, ...] = ()
    small_lines: Mapping[int, int] = field(default_factory=dict)
    mailmap: str = ""
    overrides: tuple[Override, ...] = ()
    signoffs: tuple[PortalSignoff, ...] = ()
    choices: tuple[ChosenCover, ...] = ()
    now: datetime

    def is_member(self, account_id: int) -> bool:
        """Whether that account is a member of the organisation."""
        # A user's repository has that user as its member.
        return account_id in self.members or (self.owner_type == "User" and account_id == self.owner_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A reason why the pull request does not pass: the `code` and its `values` are the meaning, words come later.

    It is about the commit `sha`, and the `account` in its `role`; None where it is about no single one.
    """

    code: str
    sha: str | None = None
    account: Account | None = None
    role: str | None = None
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A reason for passing, recorded as carefully as a reason for failing; `code`, `sha`, `account`, `role`, `values` as in `Problem`."""

    code: str
    sha: str | None = None
    account: Account | None = None
    role: str | None = None
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommitStatus:
    """The DCO's answer (`status`) for the commit `sha`, and the `codes` behind it."""

    sha: str
    status: Literal["pass", "fail"]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check that the rulebook asks for (`name`: CLA, DCO, Changelog): its `conclusion`, `problems` and `notes`.

    `commits` are the answers for single commits, None for a check that has none.
    """

    name: str
    conclusion: Conclusion
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    commits: tuple[CommitStatus, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer for one pull request: the worst `conclusion` of its `checks`."""

    conclusion: Conclusion
    checks: tuple[Check, ...] = ()
