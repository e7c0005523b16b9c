"""The rules of GitHub's registration page for manifests: all of one is taken, or nothing, with every reason."""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from bot.app_yaml import MAX_NAME_CHARACTERS
from bot.demo.github.state import Json
from bot.github.permissions import in_manifest
from bot.network.addresses import address_parts, is_public

# Keys, addresses, what must be there: "Registering a GitHub App from a manifest". All sources read on 2026-11-28.
_KEYS: Final = frozenset({
    "name", "url", "hook_attributes", "redirect_url", "callback_urls", "setup_url", "description", "public", "default_events",
    "default_permissions", "request_oauth_on_install", "setup_on_update",
})  # fmt: skip
_HOOK_KEYS: Final = frozenset({"url", "active"})
_ADDRESSES: Final = ("url", "redirect_url", "setup_url")
_MAX_CALLBACKS: Final = 10  # GitHub's limit.
# Permissions and levels: "Creating a GitHub App using URL parameters" (github/docs at 1312b68), and `app-permissions`
# of REST's description, whose names these are.
_IN_REST: Final = (
    "actions", "administration", "artifact_metadata", "attestations", "checks", "code_quality", "codespaces", "contents",
    "dependabot_secrets", "deployments", "discussions", "environments", "issues", "merge_queues", "metadata", "packages", "pages",
    "pull_requests", "repository_custom_properties", "repository_hooks", "repository_projects", "secret_scanning_alerts", "secrets",
    "security_events", "single_file", "statuses", "vulnerability_alerts", "workflows", "custom_properties_for_organizations",
    "members", "organization_administration", "organization_custom_roles", "organization_custom_org_roles",
    "organization_custom_properties", "organization_copilot_seat_management", "organization_copilot_agent_settings",
    "organization_announcement_banners", "organization_events", "organization_hooks", "organization_personal_access_tokens",
    "organization_personal_access_token_requests", "organization_plan", "organization_projects", "organization_packages",
    "organization_secrets", "organization_self_hosted_runners", "organization_user_blocking", "email_addresses", "followers",
    "git_ssh_keys", "gpg_keys", "interaction_limits", "profile", "starring", "enterprise_custom_properties_for_organizations",
)  # fmt: skip
# REST does not list these; the first and the fourth as in a manifest that GitHub took (iterate/iterate at c975d15).
_ON_THE_FORM_ALONE: Final = (
    "actions_variables", "blocking", "plan", "repository_advisories", "team_discussions", "watching",
)  # fmt: skip
# Every permission that a manifest can name.
PERMISSIONS: Final = frozenset(in_manifest(dict.fromkeys(_IN_REST, ""))) | frozenset(_ON_THE_FORM_ALONE)
_LEVELS: Final = ("none", "read", "write")
_WITH_ADMIN: Final = frozenset({
    "organization_custom_properties", "organization_projects", "repository_projects",
    "enterprise_custom_properties_for_organizations",
})  # fmt: skip
# Events and the permission of each: GitHub's page "Webhook events and payloads".
_EVENTS_OF: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    ("actions",): ("workflow_job", "workflow_run"),
    ("administration",): ("branch_protection_rule", "repository_ruleset", "security_and_analysis"),
    ("checks",): ("check_run", "check_suite"),
    ("contents",): (
        "commit_comment", "create", "delete", "fork", "gollum", "push", "release", "repository_dispatch", "workflow_dispatch",
    ),
    ("deployments",): ("deploy_key", "deployment", "deployment_protection_rule", "deployment_review", "deployment_status"),
    ("discussions",): ("discussion", "discussion_comment"),
    ("issues",): ("issue_comment", "issues"),
    ("issues", "pull_requests"): ("milestone",),
    ("members",): ("member", "membership", "organization", "team", "team_add"),
    ("merge_queues",): ("merge_group",),
    ("metadata",): ("label", "public", "repository", "star", "watch"),
    ("organization_administration",): ("org_block",),
    ("organization_personal_access_token_requests",): ("personal_access_token_request",),
    ("organization_projects",): ("projects_v2", "projects_v2_item"),
    ("packages",): ("package", "registry_package"),
    ("pages",): ("page_build",),
    ("pull_requests",): (
        "pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_review_thread",
    ),
    ("repository_advisories",): ("repository_advisory",),
    ("repository_projects", "organization_projects"): ("project", "project_card", "project_column"),
    ("secret_scanning_alerts",): ("secret_scanning_alert", "secret_scanning_alert_location"),
    ("security_events",): ("code_scanning_alert",),
    ("statuses",): ("status",),
    ("vulnerability_alerts",): ("dependabot_alert",),
    (): ("installation_target", "meta", "security_advisory"),
}  # fmt: skip
# Event → the permissions of which one must be asked for, at least to read; none for the last ones.
EVENTS: Final = {event: permissions for permissions, events in _EVENTS_OF.items() for event in events}


class ManifestRefused(Exception):
    """The page shows `reasons`, a line each, and nothing is registered."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


def read(text: str, *, reaches_private: bool, lacks: Collection[str] = ()) -> Json:
    """The manifest, for a GitHub that `lacks` some permissions and events. Raises ManifestRefused."""
    try:
        manifest = json.loads(text)
    except ValueError:
        raise ManifestRefused(["The manifest is not valid JSON"]) from None
    if not isinstance(manifest, dict):
        raise ManifestRefused(["The manifest is not a JSON object"])
    reasons = list(_misshapen(manifest)) or [  # A manifest of another shape cannot be read further.
        *_wrong_addresses(manifest, reaches_private=reaches_private),
        *_wrong_permissions(manifest.get("default_permissions", {}), lacks),
        *_wrong_events(manifest.get("default_events", []), manifest.get("default_permissions", {}), lacks),
    ]
    if reasons:
        raise ManifestRefused(reasons)
    return manifest


def name_mistake(name: str, *, is_taken: bool) -> str:
    """The mistake that the page shows beside the field of the name, which the person can change; "" for none."""
    if not name:
        return "Name can't be blank"
    if len(name) > MAX_NAME_CHARACTERS:
        return f"Name is too long (maximum is {MAX_NAME_CHARACTERS} characters)"
    return "Name is already taken" if is_taken else ""


# The words are those that people quote from the page: tuist/tuist#10709, WeblateOrg/weblate#20301,
# superplanehq/superplane#5235 (events), alp82/curia#933 (what is missing),
# github-community-projects/private-mirrors#387 (a hook's address). None was found for a level, a bad URL and a name.
def _misshapen(manifest: Json) -> Iterator[str]:
    hook = manifest.get("hook_attributes", {})
    yield from (f'"{key}" is not a permitted key.' for key in sorted(set(manifest) - _KEYS))
    if "url" not in manifest or ("hook_attributes" in manifest and isinstance(hook, dict) and "url" not in hook):
        yield '"url" wasn\'t supplied.'
    if isinstance(hook, dict):
        yield from (f'"{key}" is not a permitted key.' for key in sorted(set(hook) - _HOOK_KEYS))
    kinds: Mapping[str, type] = {
        **dict.fromkeys((*_ADDRESSES, "name", "description"), str),
        **dict.fromkeys(("public", "request_oauth_on_install", "setup_on_update"), bool),
        **dict.fromkeys(("hook_attributes", "default_permissions"), dict),
        **dict.fromkeys(("callback_urls", "default_events"), list),
    }
    for key, kind in kinds.items():
        if key in manifest and not isinstance(manifest[key], kind):
            yield f'"{key}" has the wrong type.'


def _wrong_addresses(manifest: Json, *, reaches_private: bool) -> Iterator[str]:
    callbacks = manifest.get("callback_urls", [])
    named = [(key.replace("_", " ").capitalize(), manifest[key]) for key in _ADDRESSES if key in manifest]
    named += [("Callback urls", callback) for callback in callbacks]
    if len(callbacks) > _MAX_CALLBACKS:
        yield f"Callback urls are limited to {_MAX_CALLBACKS}"
    yield from (f"{name} must be a valid URL" for name, address in named if not _is_url(address))
    if "hook_attributes" not in manifest:
        return
    address = manifest["hook_attributes"]["url"]
    if not _is_url(address):
        yield "Hook url must be a valid URL"
    # Only the hook must be reachable: to the others the person's browser is sent.
    elif not reaches_private and not is_public(host := address_parts(address).hostname or ""):
        yield f"Hook url is not supported because it isn't reachable over the public Internet ({host})"


def _wrong_permissions(asked: Json, lacks: Collection[str]) -> Iterator[str]:
    for name, level in asked.items():
        if name not in PERMISSIONS or name in lacks:
            yield f"Default permission records resource is not included in the list ({name})"
        elif level not in _LEVELS and not (level == "admin" and name in _WITH_ADMIN):
            yield f"Default permission records action is not included in the list ({name}: {level})"


def _wrong_events(events: list[str], asked: Json, lacks: Collection[str]) -> Iterator[str]:
    unknown = [event for event in events if event not in EVENTS or event in lacks]
    # With any permission an App has "metadata", too.
    granted = {name for name, level in asked.items() if level != "none"} | ({"metadata"} if asked else set())
    unpermitted = [
        event for event in events if event in unknown or (EVENTS[event] and not granted & set(EVENTS[event]))
    ]
    if unknown:
        yield f"Default events unsupported: {_listed(unknown)}"
    if unpermitted:
        yield f"Default events are not supported by permissions: {_listed(unpermitted)}"


def _is_url(text: object) -> bool:
    parts = address_parts(text) if isinstance(text, str) else address_parts("")
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(map(str, names[:-1])), str(names[-1])] if len(names) > 1 else map(str, names))
