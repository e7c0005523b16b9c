"""A file that is ours, one issue for each marker, and files for the default branch as one pull request at a time.

A commit that brings the branch up to date has the default branch as its second parent, so that the branch only ever
moves forward, never conflicts, and no commit of other people is lost.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from bot.github.by_rest import optional
from bot.github.client.transport import Transport
from bot.github.contents.blobs import blob_sha
from bot.github.contents.trees import merge_base
from bot.github.ports import Missing, PullRequestProposal, Refused, RepositoryPlace
from bot.github.reading import Json, understanding
from bot.github.renames import RepositoryClient, root


class GitHubProposals(RepositoryClient):
    """Our proposals to a repository's people: one pull request and one issue for each marker, and a file that is ours."""

    def propose(self, place: RepositoryPlace, proposal: PullRequestProposal) -> int | None:
        """Number of our open pull request with these files; None: nothing differs from the default branch, or declined.

        Our open one is brought up to date, unless others have committed to its branch: then it is theirs. Bytes that
        people declined by closing it are not proposed again. `Refused` without the permission (contents: write), or when
        another App or person uses our branch, too; `Missing` without a default branch.
        """

        def put(transport: Transport, there: RepositoryPlace) -> int | None:
            branch = transport.read(root(there))
            with understanding():
                base = str(branch["default_branch"])
            ours = self._pulls(transport, there, proposal)
            return _ProposalRun(transport, root(there), proposal, base, self._bot_login()).put(ours)

        return self._following(place, put)

    def _pulls(self, transport: Transport, place: RepositoryPlace, proposal: PullRequestProposal) -> list[Json]:
        """Our pull requests from that branch, the newest first."""
        asked = {"head": f"{place.owner}:{proposal.branch}", "state": "all"}
        items = list(transport.pages(f"{root(place)}/pulls", asked))
        with understanding():
            ours = [
                item
                for item in items
                # A fork's branch of that name is another one, and people may quote the marker.
                if item["head"]["ref"] == proposal.branch
                and ((item["head"].get("repo") or {}).get("id")) == place.repository_id
                and self._is_ours(item, proposal.marker)
            ]
            return sorted(ours, key=lambda pull: int(pull["number"]), reverse=True)

    def put_file(self, place: RepositoryPlace, path: str, content: bytes, message: str) -> bool:
        """Have that file on the default branch; False when it is so already. `Refused` without the permission."""

        def put(transport: Transport, there: RepositoryPlace) -> bool:
            where = f"{root(there)}/contents/{path}"
            held = _held_sha(transport, where)
            # Compared by git's own hash, so that no size is too large.
            if held == blob_sha(content):
                return False
            body = {"message": message, "content": base64.b64encode(content).decode()}
            # With the hash GitHub refuses to overwrite a file that has changed since.
            transport.write("PUT", where, {**body, "sha": held} if held else body)
            return True

        return self._following(place, put)

    def issue(self, place: RepositoryPlace, *, marker: str, title: str, body: str, wanted: bool) -> int | None:
        """Number of our App's issue with that marker, open when `wanted`, else closed; None: there is none, none is wanted.

        `body` holds the marker. `Missing` where issues are switched off. Of several the first is it; a person's, or one that
        quotes the marker, never is.
        """

        def keep(transport: Transport, there: RepositoryPlace) -> int | None:
            asked = {"creator": self._bot_login(), "state": "all"}
            items = list(transport.pages(f"{root(there)}/issues", asked))
            with understanding():  # GitHub lists pull requests among issues
                ours = [item for item in items if "pull_request" not in item and self._is_ours(item, marker)]
                found = min(ours, key=lambda issue: int(issue["number"]), default=None)
            if found is None and not wanted:
                return None
            if found is None:
                return _number(transport.write("POST", f"{root(there)}/issues", {"title": title, "body": body}))
            with understanding():
                number, state = int(found["number"]), "open" if wanted else "closed"
                shown = {"title": found["title"], "body": found["body"], "state": found["state"]}
            should = {"title": title, "body": body, "state": state}
            if changed := {name: value for name, value in should.items() if shown[name] != value}:
                transport.write("PATCH", f"{root(there)}/issues/{number}", changed)
            return number

        return self._following(place, keep)


def _held_sha(transport: Transport, where: str, ref: str = "") -> str | None:
    """The hash of the file that is there; on the default branch unless a commit is named."""
    found = optional(transport, where, {"ref": ref} if ref else None)
    with understanding():
        return None if found is None else str(found["sha"])


def _number(made: Any) -> int:
    with understanding():
        return int(made["number"])


class _ProposalRun:
    """A run that brings one proposal to one repository."""

    def __init__(self, transport: Transport, where: str, proposal: PullRequestProposal, base: str, us: str) -> None:
        self._transport = transport
        self._where = where
        self._proposal = proposal
        self._base = base
        self._us = us
        self._wanted = {path: blob_sha(content) for path, content in proposal.files.items()}

    def put(self, ours: list[Json]) -> int | None:
        """The number of the pull request, if any."""
        tip = self._tip(self._base)
        if tip is None:
            raise Missing("the default branch was not found")
        with understanding():
            opened = next((pull for pull in ours if pull["state"] == "open"), None)
        if not self._differing(tip):
            if opened is not None:
                # Nothing is left to propose; without its marker it will not count as declined by people.
                with understanding():
                    number, body = int(opened["number"]), str(opened["body"]).replace(self._proposal.marker, "")
                self._transport.write("PATCH", f"{self._where}/pulls/{number}", {"state": "closed", "body": body})
            return None
        if opened is not None:
            return self._bring(opened, tip)
        with understanding():
            # People closed these very bytes without merging them.
            if ours and not ours[0].get("merged_at") and not self._differing(str(ours[0]["head"]["sha"])):
                return None
        self._branch(tip)
        proposal = self._proposal
        fields = {"title": proposal.title, "body": proposal.body, "head": proposal.branch, "base": self._base}
        return _number(self._transport.write("POST", f"{self._where}/pulls", fields))

    def _bring(self, pull: Json, tip: str) -> int:
        """Bring our open pull request up to date."""
        with understanding():
            number, head = int(pull["number"]), str(pull["head"]["sha"])
            shown = {"title": str(pull["title"]), "body": str(pull["body"]), "base": str(pull["base"]["ref"])}
        commits = list(self._transport.pages(f"{self._where}/pulls/{number}/commits"))
        with understanding():
            if not all(map(self._is_ours, commits)):  # Commits of other people: it is theirs now.
                return number
        if self._differing(head) or self._overtaken(tip, head):
            self._move(self._commit(tip, head))
        should = {"title": self._proposal.title, "body": self._proposal.body, "base": self._base}
        if shown != should:
            self._transport.write("PATCH", f"{self._where}/pulls/{number}", should)
        return number

    def _overtaken(self, tip: str, head: str) -> bool:
        """True when the default branch has other bytes there than those that the branch started from."""
        start = merge_base(self._transport, self._where, tip, head)
        return start != tip and any(self._held(path, start) != self._held(path, tip) for path in self._wanted)

    def _branch(self, tip: str) -> None:
        """Make our branch with these files; an existing one is continued if all its commits are ours."""
        head = self._tip(self._proposal.branch)
        if head is None:
            self._transport.write(
                "POST",
                f"{self._where}/git/refs",
                {"ref": f"refs/heads/{self._proposal.branch}", "sha": self._commit(tip, None)},
            )
            return
        compared = self._transport.read(f"{self._where}/compare/{tip}...{head}", {"per_page": 100})
        with understanding():
            ahead, commits = int(compared["ahead_by"]), list(compared["commits"])
            # More commits than the page shows may be of other people.
            theirs = ahead > len(commits) or not all(map(self._is_ours, commits))
        if theirs:
            raise Refused("the branch already exists, with commits by others")
        self._move(self._commit(tip, head))

    def _commit(self, tip: str, head: str | None) -> str:
        """The default branch with these files in one commit; on top of our branch, too, if there is one.

        Raises Refused where one of our files at its top is a link.
        """
        parents = [tip] if head is None or head == tip else [head, tip]  # The branch only ever moves forward.
        base = self._transport.read(f"{self._where}/git/commits/{tip}")
        with understanding():
            tree = str(base["tree"]["sha"])
            for entry in self._transport.read(f"{self._where}/git/trees/{tree}")["tree"]:
                if entry["path"] in self._wanted and entry["mode"] == "120000":  # It may lead to any file
                    raise Refused(f"{entry['path']} is a symbolic link in the repository, so it was not changed")
        files, message = self._proposal.files, self._proposal.message
        made = write_commit(self._transport, self._where, files, message=message, base_tree=tree, parents=parents)
        with understanding():
            return str(made["sha"])

    def _move(self, sha: str) -> None:
        # Not forced: GitHub refuses it if another commit was pushed meanwhile.
        self._transport.write(
            "PATCH", f"{self._where}/git/refs/heads/{self._proposal.branch}", {"sha": sha, "force": False}
        )

    def _tip(self, branch: str) -> str | None:
        found = optional(self._transport, f"{self._where}/git/ref/heads/{branch}")
        with understanding():
            return None if found is None else str(found["object"]["sha"])

    def _differing(self, commit: str) -> Mapping[str, str]:
        """The wanted files that a commit lacks or has with other bytes."""
        return {path: sha for path, sha in self._wanted.items() if self._held(path, commit) != sha}

    def _held(self, path: str, commit: str) -> str | None:
        return _held_sha(self._transport, f"{self._where}/contents/{quote(path)}", commit)

    def _is_ours(self, commit: Json) -> bool:
        """Whether our App's account made the commit; a merge of the default branch by a person is theirs."""
        author = commit.get("author") or {}
        return bool(author.get("type") == "Bot" and author.get("login") == self._us)


def write_commit(
    transport: Transport,
    where: str,
    files: Mapping[str, bytes],
    *,
    message: str,
    base_tree: str,
    parents: Sequence[str],
) -> Json:
    """A commit on no branch yet, by the App or person of the transport: these files over a tree. Gives GitHub's answer."""

    def made(kind: str, fields: Json) -> Json:
        answer: Json = transport.write("POST", f"{where}/git/{kind}", fields)
        return answer

    with understanding():
        shas = {
            path: made("blobs", {"content": base64.b64encode(content).decode(), "encoding": "base64"})["sha"]
            for path, content in files.items()
        }
        entries = [{"path": path, "mode": "100644", "type": "blob", "sha": sha} for path, sha in shas.items()]
        tree = made("trees", {"base_tree": base_tree, "tree": entries})["sha"]
    return made("commits", {"message": message, "tree": tree, "parents": list(parents)})
