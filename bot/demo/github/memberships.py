"""Members of organisations and teams, collaborators of repositories, and the webhooks when they change."""

from collections.abc import Sequence
from typing import Any

from bot.demo.github import payloads
from bot.demo.github.changes import Changes
from bot.demo.github.json import account_json
from bot.demo.github.state import StoredAccount, StoredRepository, StoredTeam


class Memberships(Changes):
    """Who belongs where."""

    def emit_organization(self, owner: StoredAccount, event: str, sender: StoredAccount, **fields: Any) -> None:
        """Send an event about an organisation to each App that is installed there."""
        about = {
            **fields, "organization": account_json.organization(self, owner), "sender": account_json.account(self, sender),
        }  # fmt: skip
        for one in self.installations.values():
            if one.account is owner and one.suspended_at is None:
                self.emit_to(one.app, event, {**about, "installation": payloads.simple_installation(one)})

    def add_member(self, owner: StoredAccount, who: StoredAccount, by: StoredAccount) -> None:
        """Make somebody a member of an organisation: `organization` member_added."""
        owner.members[who.id] = "member"
        membership = account_json.membership(self, owner, who)
        self.emit_organization(owner, "organization", by, action="member_added", membership=membership)

    def remove_member(self, owner: StoredAccount, who: StoredAccount, by: StoredAccount) -> None:
        """Take somebody out of an organisation and its teams: `organization` member_removed, `membership` removed."""
        membership = account_json.membership(self, owner, who)
        for one in owner.teams.values():
            if who.id in one.members:
                self.remove_from_team(owner, one, who, by)
        del owner.members[who.id]
        self.emit_organization(owner, "organization", by, action="member_removed", membership=membership)

    def team(self, organization: StoredAccount, slug: str, members: Sequence[StoredAccount]) -> StoredTeam:
        """A new team of an organisation, in place of one of that name; its people are members there too."""
        made = StoredTeam(self.next_id("team"), slug, [one.id for one in members], self.now())
        organization.teams[slug] = made
        for one in members:
            organization.members.setdefault(one.id, "member")
        return made

    def add_to_team(self, owner: StoredAccount, team: StoredTeam, who: StoredAccount, by: StoredAccount) -> None:
        """Make a member of an organisation one of a team: `membership` added."""
        team.members.append(who.id)
        self._emit_membership("added", owner, team, who, by)

    def remove_from_team(self, owner: StoredAccount, team: StoredTeam, who: StoredAccount, by: StoredAccount) -> None:
        """Take somebody out of a team: `membership` removed."""
        team.members.remove(who.id)
        self._emit_membership("removed", owner, team, who, by)

    def _emit_membership(
        self, action: str, owner: StoredAccount, team: StoredTeam, who: StoredAccount, by: StoredAccount
    ) -> None:
        about = {"member": account_json.account(self, who), "team": account_json.team_simple(self, owner, team)}
        self.emit_organization(owner, "membership", by, action=action, scope="team", **about)

    def set_collaborator(self, repo: StoredRepository, who: StoredAccount, by: StoredAccount, *, role: str) -> None:
        """Give somebody a role in a repository: `member` added, or edited when they had another."""
        former = repo.collaborators.get(who.id)
        repo.collaborators[who.id] = role
        permission = {"maintain": "write", "triage": "read"}.get(role, role)
        changes = {"permission": {"to": permission}, "role_name": {"to": role}}
        if former is not None:
            changes = {"old_permission": {"from": former}, "permission": {"from": former, "to": permission}}
        member, action = account_json.account(self, who), "added" if former is None else "edited"
        self.emit(repo, "member", by, action=action, member=member, changes=changes)

    def remove_collaborator(self, repo: StoredRepository, who: StoredAccount, by: StoredAccount) -> None:
        """Take somebody's role in a repository away: `member` removed."""
        del repo.collaborators[who.id]
        self.emit(repo, "member", by, action="removed", member=account_json.account(self, who))
