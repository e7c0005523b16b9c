"""What people and Apps do to pull requests, and the events that each deed sends out."""

from collections.abc import Iterable

from bot.demo.github import payloads
from bot.demo.github.git import bare_repository
from bot.demo.github.refusal import Refusal, invalid
from bot.demo.github.register import Register, locked
from bot.demo.github.state import Account, Activity, App, CheckRun, Comment, Issue, Json, Pull, Repository, Token
from bot.demo.github.webhooks import Hooks

_ALWAYS = frozenset({"installation", "installation_repositories", "github_app_authorization"})
_COMMENT_LIMIT = 65536


class Changes(Register):
    """The register, and the deeds that change it; each holds the lock, so they can be called from anywhere."""

    hooks: Hooks

    def emit(self, repo: Repository, event: str, payload: Json, *, only: App | None = None) -> None:
        """Tell each App that is installed there and asked for that event (`only`: no other App)."""
        for one in self.installations.values():
            wanted = event in one.app.events and (only is None or one.app is only)
            if wanted and one.covers(repo) and one.suspended_at is None:
                self.hooks.send(one.app, event, {**payload, "installation": payloads.small_installation(one)})

    def emit_to(self, app: App, event: str, payload: Json) -> None:
        """Tell one App what it is always told."""
        if event in _ALWAYS or event in app.events:
            self.hooks.send(app, event, payload)

    def tell(self, pull: Pull, action: str, sender: Account, **more: object) -> None:
        """A `pull_request` event."""
        self.emit(pull.repository, "pull_request", payloads.pull_request(self, action, pull, sender, **more))

    @locked
    def open_pull(  # noqa: PLR0913 - the fields of GitHub's form
        self, base: Repository, opener: Account, head: str, *, base_branch: str = "", title: str = "", body: str = "",
        draft: bool = False, source: Repository | None = None,
    ) -> Pull:  # fmt: skip
        """Open a pull request from a branch of `source` (the base repository itself when None); 422 as GitHub's."""
        source = source or base
        base_branch = base_branch or base.default_branch
        head_sha = bare_repository.resolve(source.git, f"refs/heads/{head}")
        base_sha = bare_repository.resolve(base.git, f"refs/heads/{base_branch}")
        if head_sha is None or base_sha is None:
            raise invalid("PullRequest", "head" if head_sha is None else "base", "there is no such branch")
        if any(one.base == base_branch and one.repository is base for one in self.open_pulls(source, branch=head)):
            raise invalid("PullRequest", "head", f"A pull request already exists for {source.owner.login}:{head}.")
        number = base.next_number
        bare_repository.bring(base.git, source.git, head_sha, f"refs/pull/{number}/head")
        if bare_repository.merge_base(base.git, base_sha, head_sha) is None:
            raise invalid("PullRequest", "head", f"The {head} branch has no history in common with {base_branch}")
        if not bare_repository.between(base.git, base_sha, head_sha):
            raise invalid("PullRequest", "head", f"No commits between {base_branch} and {head}")
        title = title or bare_repository.commit(base.git, head_sha).message.split("\n")[0] or head
        pull = Pull(
            self.next_id("pull"), number, base, base_branch, base_sha, source, head, head_sha, opener, title,
            self.now(), self.now(), body, draft,
        )  # fmt: skip
        base.pulls[number] = pull
        self.tell(pull, "opened", opener)
        return pull

    @locked
    def close_pull(self, pull: Pull, by: Account) -> None:
        """Close without merging; nothing when closed already."""
        if pull.closed_at is None:
            pull.closed_at = pull.updated_at = self.now()
            self.tell(pull, "closed", by)

    @locked
    def merge_pull(self, pull: Pull, by: Account) -> None:
        """Merge with a merge commit; 405 when it is closed or conflicts."""
        if pull.closed_at is not None:
            raise Refusal(405, "Pull Request is not mergeable")
        message = f"Merge pull request #{pull.number} from {pull.head}\n\n{pull.title}"
        before = bare_repository.resolve(pull.repository.git, f"refs/heads/{pull.base}")
        try:
            signed = bare_repository.Signed(by.name, by.noreply, self.now())
            pull.merge_sha = bare_repository.merge(
                pull.repository.git, pull.base, pull.head_sha, message=message, by=signed
            )
        except bare_repository.GitFailed as why:
            raise Refusal(405, "Pull Request is not mergeable") from why
        pull.merged_at = pull.closed_at = pull.updated_at = self.now()
        pull.merged_by = by
        self.tell(pull, "closed", by)
        self.landed(pull.repository, by, {f"refs/heads/{pull.base}": (before, pull.merge_sha)})

    @locked
    def reopen_pull(self, pull: Pull, by: Account) -> None:
        """Open again; 422 when it was merged."""
        if pull.merged_at is not None:
            raise invalid("PullRequest", "state", "state cannot be changed. The pull request was merged.")
        if pull.closed_at is not None:
            pull.closed_at = None
            pull.updated_at = self.now()
            self.tell(pull, "reopened", by)

    @locked
    def edit_pull(self, pull: Pull, by: Account, *, title: str | None = None, body: str | None = None,
                  base: str | None = None) -> None:  # fmt: skip
        """Change title, body or base branch; one `edited` event says what it was before."""
        changes: Json = {}
        if title is not None and title != pull.title:
            changes["title"], pull.title = {"from": pull.title}, title
        if body is not None and body != pull.body:
            changes["body"], pull.body = {"from": pull.body}, body
        if base is not None and base != pull.base:
            sha = bare_repository.resolve(pull.repository.git, f"refs/heads/{base}")
            if sha is None:
                raise invalid("PullRequest", "base", f"there is no branch {base}")
            changes["base"] = {"ref": {"from": pull.base}, "sha": {"from": pull.base_sha}}
            pull.base, pull.base_sha = base, sha
        if changes:
            pull.updated_at = self.now()
            self.tell(pull, "edited", by, changes=changes)

    @locked
    def ready(self, pull: Pull, by: Account) -> None:
        """Take a draft out of being one."""
        if pull.draft:
            pull.draft, pull.updated_at = False, self.now()
            self.tell(pull, "ready_for_review", by)

    @locked
    def open_issue(
        self, repo: Repository, who: Account, title: str, body: str = "", *, app: App | None = None
    ) -> Issue:
        """Open an issue; nobody here listens to its events."""
        made = Issue(self.next_id("issue"), repo.next_number, who, title, body, self.now(), self.now(), app=app)
        repo.issues[made.number] = made
        return made

    @locked
    def edit_issue(
        self, issue: Issue, *, title: str | None = None, body: str | None = None, state: str | None = None
    ) -> None:
        """Change title, body or state (`open`, `closed`)."""
        issue.title = issue.title if title is None else title
        issue.body = issue.body if body is None else body
        if state is not None:
            issue.closed_at = None if state == "open" else issue.closed_at or self.now()
        issue.updated_at = self.now()

    @locked
    def add_labels(self, pull: Pull, names: Iterable[str], by: Account) -> None:
        """Put labels on, creating those that do not exist; an event for each new one."""
        for name in names:
            label = self.label_of(pull.repository, name)
            if label not in pull.labels:
                pull.labels.append(label)
                pull.updated_at = self.now()
                self.emit(pull.repository, "pull_request", payloads.labelled(self, "labeled", pull, label, by))

    @locked
    def remove_label(self, pull: Pull, name: str, by: Account) -> None:
        """Take a label off; 404 when it is not there."""
        label = next((one for one in pull.labels if one.name.lower() == name.lower()), None)
        if label is None:
            raise Refusal(404, "Label does not exist")
        pull.labels.remove(label)
        pull.updated_at = self.now()
        self.emit(pull.repository, "pull_request", payloads.labelled(self, "unlabeled", pull, label, by))

    @locked
    def comment(self, pull: Pull, who: Account, body: str, *, app: App | None = None) -> Comment:
        """Say something on a pull request; 422 when empty or longer than GitHub takes."""
        self.check_comment(body)
        said = Comment(self.next_id("comment"), who, body, self.now(), self.now(), app)
        pull.comments.append(said)
        self.emit(pull.repository, "issue_comment", payloads.issue_comment(self, pull, said, who))
        return said

    @staticmethod
    def check_comment(body: str) -> None:
        """422 when the text is none or too long (65,536 characters)."""
        if not body.strip():
            raise invalid("IssueComment", "body", "body cannot be blank")
        if len(body) > _COMMENT_LIMIT:
            raise invalid("IssueComment", "body", f"body is too long (maximum is {_COMMENT_LIMIT} characters)")

    @locked
    def landed(self, repo: Repository, pusher: Account, changes: dict[str, tuple[str | None, str | None]]) -> None:
        """References moved by a push: tell the Apps there, and bring every pull request from these branches along."""
        repo.pushed_at = self.now()
        for reference, (before, after) in changes.items():
            repo.activities.append(self._activity(repo, pusher, reference, before, after))
            self.emit(repo, "push", payloads.push(self, repo, pusher, (reference, before, after)))
            for pull in self.open_pulls(repo, branch=reference.removeprefix("refs/heads/")):
                self._synchronize(pull, after, pusher)

    def _activity(
        self, repo: Repository, pusher: Account, reference: str, before: str | None, after: str | None
    ) -> Activity:
        if before is None or after is None:
            kind = "branch_creation" if before is None else "branch_deletion"
        else:
            kind = "push" if bare_repository.merge_base(repo.git, before, after) == before else "force_push"
        number, branch = self.next_id("activity"), reference.removeprefix("refs/heads/")
        return Activity(
            id=number, kind=kind, branch=branch, before=before, after=after, actor=pusher, at=self.now()
        )  # fmt: skip

    def _synchronize(self, pull: Pull, after: str | None, pusher: Account) -> None:
        if after is None:
            self.close_pull(pull, pusher)
            return
        assert pull.head_repository is not None
        bare_repository.bring(pull.repository.git, pull.head_repository.git, after, f"refs/pull/{pull.number}/head")
        before, pull.head_sha = pull.head_sha, after
        pull.base_sha = bare_repository.resolve(pull.repository.git, f"refs/heads/{pull.base}") or pull.base_sha
        pull.updated_at = self.now()
        self.tell(pull, "synchronize", pusher, before=before, after=after)

    @locked
    def rerequest(self, run: CheckRun, by: Account) -> None:
        """A person asks for a check run again: only its App is told, the run stays as it is."""
        self.emit(run.repository, "check_run", payloads.check_run(self, "rerequested", run, by), only=run.app)

    @locked
    def rerequest_suite(self, run: CheckRun, by: Account) -> None:
        """A person asks for all checks of a head again."""
        self.emit(run.repository, "check_suite", payloads.check_suite(self, run, by), only=run.app)

    @locked
    def revoke(self, app: App, who: Account) -> None:
        """A person takes back what they allowed the App; its tokens for them end."""
        self.tokens = {text: one for text, one in self.tokens.items() if not (one.app is app and one.user is who)}
        self.allowed.discard((app.id, who.id))
        self.emit_to(app, "github_app_authorization", payloads.revoked(self, who))

    @locked
    def put(self, text: str, token: Token) -> str:
        """Remember a token."""
        self.tokens[text] = token
        return text
