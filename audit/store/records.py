"""The tables of the audit: accounts, their repositories, sealed facts, our posts at GitHub, the nights and their counts."""

from datetime import datetime

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel

from audit.store.columns import GitHubId, Instant


class AuditAccount(SQLModel, table=True):
    """An account whose repositories are audited; `began_at` is the last night's beginning, `job_id` its job.

    `judged_at` is the moment of the newest audit, `skipped` of how many repositories it kept what was found before. `why` says
    why the last night brought nothing ("": it did).
    """

    __tablename__ = "audit_account"

    owner_id: int = Field(primary_key=True, sa_type=GitHubId, sa_column_kwargs={"autoincrement": False})  # GitHub's id.
    login: str = ""
    began_at: datetime = Field(sa_type=Instant)
    job_id: str = ""
    judged_at: datetime | None = Field(default=None, sa_type=Instant)
    repositories: int = 0
    violations: int = 0
    skipped: int = Field(default=0, sa_column_kwargs={"server_default": "0"})  # For rows from before this column.
    why: str = ""


class AuditRepository(SQLModel, table=True):
    """A repository as last listed and as last read.

    `wanted_sha` is the commit to be read since `wanted_at` (None: nothing waits), `head_sha` the one that was read, with the
    fingerprint of what counted of it. `report` is GitHub's number for an answer that it still works on. `why` says why the
    last reading failed.
    """

    __tablename__ = "audit_repository"

    repository_id: int = Field(primary_key=True, sa_type=GitHubId, sa_column_kwargs={"autoincrement": False})
    owner_id: int = Field(index=True, sa_type=GitHubId)
    installation_id: int = Field(sa_type=GitHubId)
    owner: str
    name: str
    node: str  # The id in GitHub's GraphQL.
    branch: str
    private: bool
    archived: bool
    fork: bool
    pushed_at: datetime | None = Field(default=None, sa_type=Instant)
    looked_at: datetime = Field(sa_type=Instant)
    wanted_sha: str | None = None
    wanted_at: datetime | None = Field(default=None, sa_type=Instant)
    head_sha: str | None = None
    fingerprint: str = ""
    read_at: datetime | None = Field(default=None, sa_type=Instant)
    report: str = ""  # Asked for again by this number.
    why: str = ""


class AuditSealed(SQLModel, table=True):
    """Bytes under a data key of their own, which the key ring wraps; `id` says what they are: `facts/7`, `blob/<sha>`."""

    __tablename__ = "audit_sealed"

    id: str = Field(primary_key=True)
    sealed: bytes
    wrapped_key: bytes
    ring_key_id: str = Field(index=True)


class AuditBlob(SQLModel, table=True):
    """A repository's need of a blob, as it was last read; a blob that none needs any more is deleted."""

    __tablename__ = "audit_blob"

    repository_id: int = Field(primary_key=True, sa_type=GitHubId, sa_column_kwargs={"autoincrement": False})
    sha: str = Field(primary_key=True, index=True)  # Asked when a repository needs it no more.


class AuditPage(SQLModel, table=True):
    """A file of an account's newest audit, sealed under `page/<owner>/<name>`; `digest` is of what it says.

    `repository_id` is that of the repository whose folder it is, None for what is about all of them. `inputs` is a digest of what
    it was made from ("": not known).
    """

    __tablename__ = "audit_page"

    owner_id: int = Field(primary_key=True, sa_type=GitHubId, sa_column_kwargs={"autoincrement": False})
    name: str = Field(primary_key=True)
    repository_id: int | None = Field(default=None, sa_type=GitHubId)
    digest: str
    made_at: datetime = Field(sa_type=Instant)
    inputs: str = Field(default="", sa_column_kwargs={"server_default": ""})  # As `skipped`.


class AuditNight(SQLModel, table=True):
    """A night in which something changed; the changes are sealed under `night/<id>`, in Chinese under `night/<id>/zh`."""

    __tablename__ = "audit_night"

    id: str = Field(primary_key=True)
    owner_id: int = Field(index=True, sa_type=GitHubId)
    at: datetime = Field(sa_type=Instant)
    changes: int
    violations: int
    mended: int


class AuditTotals(SQLModel, table=True):
    """The counts of an account's audit on a night that differs from the one before; `uses` is by verdict."""

    __tablename__ = "audit_totals"

    owner_id: int = Field(primary_key=True, sa_type=GitHubId, sa_column_kwargs={"autoincrement": False})
    at: datetime = Field(primary_key=True, sa_type=Instant)
    repositories: int
    violations: int
    uses: dict[str, int] = Field(sa_type=JSON)


class AuditPost(SQLModel, table=True):
    """Our issue or our pull request in a repository: the intent is stored before anything is asked of GitHub.

    `number` None: intended, and perhaps made. `digest` is of what it shows.
    """

    __tablename__ = "audit_post"

    repository_id: int = Field(primary_key=True, sa_type=GitHubId, sa_column_kwargs={"autoincrement": False})
    kind: str = Field(primary_key=True)
    number: int | None = None
    digest: str = ""
    intended_at: datetime = Field(sa_type=Instant)
