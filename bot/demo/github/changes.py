"""Changes by people and Apps to issues, pull requests and memberships, and the webhooks that each change sends."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bot.demo.github import event_payloads
from bot.demo.github.git import bare_repository
from bot.demo.github.json import account_json, check_json, issue_json, pull_json, repository_json
from bot.demo.github.refusal import ErrorResponse, invalid
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import (
    Activity,
    Json,
    StoredAccount,
    StoredApp,
    StoredCheckRun,
    StoredComment,
    StoredIssue,
    StoredPull,
    StoredRepository,
    StoredTeam,
)
from bot.demo.github.webhooks import Hooks

# GitHub sends these also to an App that did not subscribe to them.
_ALWAYS = frozenset({"installation", "installation_repositories", "github_app_authorization"})
_COMMENT_LIMIT = 65536  # Characters that GitHub takes in a comment.


class Changes(SimulatedState):
    """The register, and what changes it; each method holds the lock, so that it can be called from anywhere."""

    hooks: Hooks

    def emit(
        self, repo: StoredRepository, event: str, sender: StoredAccount, *, only: StoredApp | None = None, **fields: Any
    ) -> None:
        """Send an event to each App that is installed there and subscribes to it (`only`: to no other App)."""
        installed = [
            installation
            for installation in self.installations.values()
            if installation.suspended_at is None and installation.covers(repo)
        ]
        listening = [
            installation
            for installation in installed
            if event in installation.app.events and only in (None, installation.app)
        ]
        if listening:
            payload = event_payloads.about_repository(self, repo, sender, fields)
            for installation in listening:
                self.hooks.send(
                    installation.app,
                    event,
                    {**payload, "installation": event_payloads.simple_installation(installation)},
                )

    def emit_to(self, app: StoredApp, event: str, payload: Json) -> None:
        """Send an event to one App, if it subscribes to it or cannot but get it."""
        if event in _ALWAYS or event in app.events:
            self.hooks.send(app, event, payload)

    def emit_pull(self, pull: StoredPull, action: str, sender: StoredAccount, **more: Any) -> None:
        """Send a `pull_request` event; `more` is what only that action carries."""
        pull.updated_at = self.now()
        whole = pull_json.pull(self, pull)
        if pull.repository.squash_message:  # Webhooks tell it; REST does only to Apps that may write contents.
            settings = {"allow_squash_merge": True, "squash_merge_commit_message": pull.repository.squash_message}
            whole["base"]["repo"] |= settings
        self.emit(
            pull.repository, "pull_request", sender, action=action, number=pull.number, pull_request=whole, **more
        )  # fmt: skip

    def open_pull(  # noqa: PLR0913 - the fields of GitHub's form
        self, base: StoredRepository, opener: StoredAccount, head: str, *, base_branch: str = "", title: str = "", body: str = "",
        draft: bool = False, source: StoredRepository | None = None,
    ) -> StoredPull:  # fmt: skip
        """Open a pull request from a branch of `source` (the base repository itself when None); 422 as GitHub's."""
        source = source or base
        base_branch = base_branch or base.default_branch
        head_sha = bare_repository.resolve(source.git, f"refs/heads/{head}")
        base_sha = bare_repository.resolve(base.git, f"refs/heads/{base_branch}")
        if head_sha is None or base_sha is None:
            raise invalid("PullRequest", "head" if head_sha is None else "base", "there is no such branch")
        if any(pull.base == base_branch and pull.repository is base for pull in self.open_pulls(source, branch=head)):
            raise invalid("PullRequest", "head", f"A pull request already exists for {source.owner.login}:{head}.")
        if bare_repository.merge_base(base.git, base_sha, head_sha) is None:
            raise invalid("PullRequest", "head", f"The {head} branch has no history in common with {base_branch}")
        if not bare_repository.between(base.git, base_sha, head_sha):
            raise invalid("PullRequest", "head", f"No commits between {base_branch} and {head}")
        number = base.next_number  # Issues and pull requests share their numbers at GitHub.
        bare_repository.point(base.git, f"refs/pull/{number}/head", head_sha)  # GitHub keeps each head there.
        title = title or bare_repository.commit(base.git, head_sha).message.split("\n")[0] or head
        pull = StoredPull(
            id=self.next_id("pull"), number=number, repository=base, base=base_branch, base_sha=base_sha,
            head_repository=source, head=head, head_sha=head_sha, opener=opener, title=title,
            created_at=self.now(), updated_at=self.now(), body=body, draft=draft,
        )  # fmt: skip
        base.pulls[number] = pull
        self.emit_pull(pull, "opened", opener)
        return pull

    def close_pull(self, pull: StoredPull, by: StoredAccount) -> None:
        """Close without merging; nothing when closed already."""
        if pull.closed_at is None:
            pull.closed_at = self.now()
            self.emit_pull(pull, "closed", by)

    def merge_pull(self, pull: StoredPull, by: StoredAccount, *, method: str = "merge", message: str = "") -> None:
        """Merge with a merge commit, or by another method of GitHub's; 405 when it is closed or conflicts.

        `message` is what the person wrote for a squash.
        """
        git, branch = pull.repository.git, f"refs/heads/{pull.base}"
        before = bare_repository.resolve(git, branch)
        if pull.closed_at is not None or before is None:
            raise ErrorResponse(405, "Pull Request is not mergeable")
        try:
            pull.rebased = self._written(pull, by, before, method, message)
        except bare_repository.GitFailed as why:
            raise ErrorResponse(405, "Pull Request is not mergeable") from why
        pull.merge_sha = pull.rebased[-1]
        bare_repository.point(git, branch, pull.merge_sha)
        pull.merged_at = pull.closed_at = self.now()
        pull.merged_by = by
        self.emit_pull(pull, "closed", by)
        self.landed(pull.repository, by, {branch: (before, pull.merge_sha)})

    def _written(self, pull: StoredPull, by: StoredAccount, before: str, method: str, message: str) -> list[str]:
        """The commits that merging writes, none on a branch yet."""
        git, signed = pull.repository.git, bare_repository.GitIdentity(by.name, by.noreply, self.now())
        if method == "rebase":
            return bare_repository.rebase(git, before, pull.head_sha, by=signed)
        author = None
        if method == "squash":  # Its author is who opened the pull request, as at GitHub.
            who = pull.opener or by
            author = bare_repository.GitIdentity(who.name, who.noreply, self.now())
        message = message or f"Merge pull request #{pull.number} from {pull.head}\n\n{pull.title}"
        return [
            bare_repository.merge_commit(git, before, pull.head_sha, message=message, by=signed, squashed_as=author)
        ]

    def reopen_pull(self, pull: StoredPull, by: StoredAccount) -> None:
        """Open again; 422 when it was merged."""
        if pull.merged_at is not None:
            raise invalid("PullRequest", "state", "state cannot be changed. The pull request was merged.")
        if pull.closed_at is not None:
            pull.closed_at = None
            self.emit_pull(pull, "reopened", by)

    def edit_pull(self, pull: StoredPull, by: StoredAccount, *, title: str | None = None, body: str | None = None,
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
            self.emit_pull(pull, "edited", by, changes=changes)

    def ready(self, pull: StoredPull, by: StoredAccount) -> None:
        """Take a draft out of being one."""
        if pull.draft:
            pull.draft = False
            self.emit_pull(pull, "ready_for_review", by)

    def open_issue(
        self, repo: StoredRepository, who: StoredAccount, title: str, body: str = "", *, app: StoredApp | None = None
    ) -> StoredIssue:
        """Open an issue; no event is sent, since no App here subscribes to it."""
        made = StoredIssue(
            id=self.next_id("issue"), number=repo.next_number, repository=repo, opener=who, title=title, body=body,
            created_at=self.now(), updated_at=self.now(), app=app,
        )  # fmt: skip
        repo.issues[made.number] = made
        return made

    def edit_issue(
        self, issue: StoredIssue, *, title: str | None = None, body: str | None = None, state: str | None = None
    ) -> None:
        """Change title, body or state (`open`, `closed`)."""
        issue.title = issue.title if title is None else title
        issue.body = issue.body if body is None else body
        if state is not None:
            issue.closed_at = None if state == "open" else issue.closed_at or self.now()
        issue.updated_at = self.now()

    def add_labels(self, pull: StoredPull, names: Iterable[str], by: StoredAccount) -> None:
        """Put labels on, creating those that do not exist; an event for each new one."""
        for name in names:
            label = self.label_of(pull.repository, name)
            if label not in pull.labels:
                pull.labels.append(label)
                self.emit_pull(pull, "labeled", by, label=repository_json.label(self, pull.repository, label))

    def remove_label(self, pull: StoredPull, name: str, by: StoredAccount) -> None:
        """Take a label off; 404 when it is not there."""
        label = self.find_label(pull.repository, name)
        if label not in pull.labels:
            raise ErrorResponse(404, "Label does not exist")
        pull.labels.remove(label)
        self.emit_pull(pull, "unlabeled", by, label=repository_json.label(self, pull.repository, label))

    def comment(self, on: StoredIssue, who: StoredAccount, body: str, *, app: StoredApp | None = None) -> StoredComment:
        """Comment on an issue or pull request; 422 when empty or longer than GitHub takes."""
        self.check_comment(body)
        made = StoredComment(self.next_id("comment"), who, body, self.now(), self.now(), app)
        on.comments.append(made)
        about: Json = {"issue": issue_json.issue(self, on), "comment": issue_json.comment(self, on, made)}
        self.emit(on.repository, "issue_comment", who, action="created", **about)
        return made

    @staticmethod
    def check_comment(body: str) -> None:
        """422 when the text is none or too long (65,536 characters)."""
        if not body.strip():
            raise invalid("IssueComment", "body", "body cannot be blank")
        if len(body) > _COMMENT_LIMIT:
            raise invalid("IssueComment", "body", f"body is too long (maximum is {_COMMENT_LIMIT} characters)")

    @contextmanager
    def push(self, repo: StoredRepository, pusher: StoredAccount) -> Iterator[None]:
        """Around a push: the references that it moved have landed afterwards."""
        with self.lock:  # Nothing else may move a reference meanwhile.
            before = bare_repository.references(repo.git)
            yield
            after = bare_repository.references(repo.git)
            moved = {name: (before.get(name), after.get(name)) for name in {**before, **after}}
            self.landed(repo, pusher, {name: pair for name, pair in moved.items() if pair[0] != pair[1]})

    def landed(
        self, repo: StoredRepository, pusher: StoredAccount, changes: dict[str, tuple[str | None, str | None]]
    ) -> None:
        """References moved by a push: tell the Apps there, and bring every pull request from these branches along."""
        repo.pushed_at = self.now()
        for reference, (before, after) in changes.items():
            if before is None or after is None:
                kind = "branch_creation" if before is None else "branch_deletion"
            else:
                # A push whose new head does not stand on the old one was forced.
                kind = "push" if bare_repository.merge_base(repo.git, before, after) == before else "force_push"
            number, branch = self.next_id("activity"), reference.removeprefix("refs/heads/")
            repo.activities.append(
                Activity(id=number, kind=kind, branch=branch, before=before, after=after, actor=pusher, at=self.now())
            )
            self.emit(repo, "push", pusher, **event_payloads.push(self, repo, pusher, (reference, before, after)))
            for pull in self.open_pulls(repo, branch=branch):
                self._synchronize(pull, after, pusher)
            for pull in [pull for pull in repo.pulls.values() if pull.base == branch and pull.closed_at is None]:
                # Whose head is in the base by now GitHub takes for merged, however it came there.
                if after and bare_repository.merge_base(repo.git, pull.head_sha, after) == pull.head_sha:
                    pull.merge_sha, pull.merged_by = pull.head_sha, pusher
                    pull.merged_at = pull.closed_at = self.now()
                    self.emit_pull(pull, "closed", pusher)

    def _synchronize(self, pull: StoredPull, after: str | None, pusher: StoredAccount) -> None:
        if after is None:  # GitHub closes a pull request whose branch is deleted.
            self.close_pull(pull, pusher)
            return
        # A fork and what it was forked from find each other's objects: the commits are there already.
        bare_repository.point(pull.repository.git, f"refs/pull/{pull.number}/head", after)
        before, pull.head_sha = pull.head_sha, after
        # GitHub shows the base branch's newest commit as of the last push.
        pull.base_sha = bare_repository.resolve(pull.repository.git, f"refs/heads/{pull.base}") or pull.base_sha
        self.emit_pull(pull, "synchronize", pusher, before=before, after=after)

    def emit_check_run(self, run: StoredCheckRun, action: str, sender: StoredAccount, **more: Any) -> None:
        """Send a `check_run` event to the App of the run, and to no other; `more` is what only that action carries."""
        about = check_json.run_with_suite(self, run)
        self.emit(run.repository, "check_run", sender, only=run.app, action=action, check_run=about, **more)

    def rerequest(self, run: StoredCheckRun, by: StoredAccount) -> None:
        """A person asks for a check run again: only its App is told, the run stays as it is."""
        self.emit_check_run(run, "rerequested", by)

    def request_action(self, run: StoredCheckRun, by: StoredAccount, identifier: str) -> None:
        """A person presses a button that the App put on its run; 422 for one that is not there."""
        if identifier not in {action["identifier"] for action in run.actions}:
            raise invalid("CheckRun", "actions", "there is no such button")
        self.emit_check_run(run, "requested_action", by, requested_action={"identifier": identifier})

    def revoke(self, app: StoredApp, who: StoredAccount) -> None:
        """A person takes back what they allowed the App; its tokens for them end."""
        self.tokens = {
            text: token for text, token in self.tokens.items() if not (token.app is app and token.user is who)
        }
        self.allowed.discard((app.id, who.id))
        revoked = {"action": "revoked", "sender": account_json.account(self, who)}
        self.emit_to(app, "github_app_authorization", revoked)

    def team(self, organization: StoredAccount, slug: str, members: Sequence[StoredAccount]) -> StoredTeam:
        """A new team of an organisation, in place of one of that name; its people are members there too."""
        made = StoredTeam(self.next_id("team"), slug, [member.id for member in members], self.now())
        organization.teams[slug] = made
        for member in members:
            organization.members.setdefault(member.id, "member")  # An admin stays one.
        return made
