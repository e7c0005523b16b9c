"""Every payload becomes one typed event made of ids, or nothing."""

import json

import pytest

from agreements.facts import Account
from bot.webhook import event_parser, events
from bot.webhook.events import (
    AuthorizationRevoked,
    BranchPushed,
    CheckRerequested,
    CheckRunReplaced,
    CommandGiven,
    EventRepository,
    InstallationChanged,
    MembershipChanged,
    MergeGroupChanged,
    PullRequestChanged,
    RepositoryDeleted,
    RepositoryMoved,
    RulebookPushed,
    VouchPressed,
)
from bot.webhook.payload import BadPayload

APP = 99
HEAD = "a" * 40
HOUSE = EventRepository(70, 8, "cann", "ops-math")
ADA = Account(11, "ada", "User")


def wrap(**fields):
    """A payload as the App receives it, with the parts that every delivery has."""
    return {
        "installation": {"id": 5},
        "repository": {"id": 70, "name": "ops-math", "default_branch": "main", "owner": {"id": 8, "login": "cann"}},
        "sender": {"id": 11, "login": "ada", "type": "User"},
        **fields,
    }


def pull(action, **fields):
    """A pull_request payload."""
    return wrap(action=action, number=7, pull_request={"number": 7, "title": "T", "head": {"sha": HEAD}}, **fields)


def comment(body, **fields):
    """An issue_comment payload on a pull request."""
    return wrap(
        action="created",
        issue={"number": 7, "pull_request": {"url": "x"}},
        comment={"id": 31, "body": body, "user": {"id": 11, "type": "User"}},
        **fields,
    )


def push(*paths, ref="refs/heads/main", **fields):
    """A push of one commit that touches the paths."""
    listed = [{"added": [], "modified": list(paths), "removed": []}]
    return wrap(**{"ref": ref, "before": "b" * 40, "after": HEAD, "commits": listed, **fields})


def parse(event, payload):
    """Parse for our App."""
    return event_parser.parse(event, payload, app_id=APP)


@pytest.mark.parametrize(
    ("own", "of_base", "allowed", "expected"),
    [
        ("BLANK", None, None, "BLANK"),
        (None, "PR_BODY", True, "PR_BODY"),
        ("BLANK", "BLANK", False, ""),
        ("anything <b>", None, None, ""),
        (7, None, None, ""),
        (None, None, None, ""),
    ],
)
def test_the_default_message_of_a_squash_is_read_where_an_event_tells_it(own, of_base, allowed, expected):
    payload = pull("opened")
    payload["pull_request"]["squash_merge_commit_message"] = own
    payload["pull_request"]["base"] = {"repo": {"squash_merge_commit_message": of_base, "allow_squash_merge": allowed}}
    assert parse("pull_request", payload).squash == expected


@pytest.mark.parametrize("action", ["ready_for_review", "labeled", "unlabeled", "closed"])
def test_relevant_actions_on_a_pull_request_are_changes_without_a_push(action):
    expected = PullRequestChanged(installation=5, repository=HOUSE, number=7, action=action, sender=ADA)
    assert parse("pull_request", pull(action)) == expected


@pytest.mark.parametrize(
    ("action", "label", "expected"),
    [
        ("labeled", {"label": {"name": "bug"}}, "bug"),
        ("unlabeled", {"label": {"name": "bug"}}, "bug"),
        ("unlabeled", {}, ""),
        ("closed", {"label": {"name": "bug"}}, ""),
    ],
)
def test_a_label_event_names_its_label_unless_it_was_deleted(action, label, expected):
    assert parse("pull_request", pull(action, **label)).label == expected


@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize"])
def test_opening_reopening_and_pushing_name_the_head_of_their_sender(action):
    found = parse("pull_request", pull(action, before="0" * 40))
    assert (found.after, found.before) == (HEAD, "0" * 40 if action == "synchronize" else "")


@pytest.mark.parametrize(
    ("changes", "action"),
    [
        ({"base": {"ref": {"from": "x"}}}, "edited"),
        ({"base": {"ref": {"from": "x"}}, "title": {"from": "x"}}, "edited"),
        ({"title": {"from": "x"}}, "retitled"),
    ],
)
def test_an_edit_says_whether_the_base_or_the_title_alone_is_another(changes, action):
    assert parse("pull_request", pull("edited", changes=changes)).action == action


def test_an_edit_of_the_text_alone_is_nothing():
    assert parse("pull_request", pull("edited", changes={"body": {"from": "x"}})) is None


@pytest.mark.parametrize("action", ["assigned", "converted_to_draft", "locked", "review_requested"])
def test_other_actions_on_a_pull_request_are_ignored(action):
    assert parse("pull_request", pull(action)) is None


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/cla-check", "check"),
        ("/cla-check why", "why"),
        ("/cla exempt @bo of our own staff", "exempt"),
        ("/dco override", "override"),
        ("please /cla-check", None),
        (None, None),
    ],
)
def test_a_command_is_read_from_the_first_line_of_a_comment(body, command):
    found = parse("issue_comment", comment(body))
    assert (found and found.command) == command


def test_a_command_carries_ids_only():
    expected = CommandGiven(installation=5, repository=HOUSE, number=7, comment_id=31, command="check", sender=ADA)
    assert parse("issue_comment", comment("/recheck")) == expected


def test_comments_of_bots_on_issues_edited_or_deleted_are_ignored():
    by_bot = comment("/recheck")
    by_bot["comment"]["user"]["type"] = "Bot"
    sent_by_bot = comment("/recheck", sender={"id": 1, "login": "x[bot]", "type": "Bot"})
    on_issue = comment("/recheck")
    del on_issue["issue"]["pull_request"]
    edited = {**comment("/recheck"), "action": "edited"}
    assert [parse("issue_comment", x) for x in (by_bot, sent_by_bot, on_issue, edited)] == [None] * 4


@pytest.mark.parametrize("subject", ["check_run", "check_suite"])
def test_a_rerun_of_our_check_is_an_event_by_head_and_external_id(subject):
    run = {"head_sha": HEAD, "app": {"id": APP}}
    expected = CheckRerequested(installation=5, repository=HOUSE, head_sha=HEAD, external_id=None, sender=ADA)
    assert parse(subject, wrap(action="rerequested", **{subject: run})) == expected
    run["external_id"] = "countersign:70:7"
    assert parse(subject, wrap(action="rerequested", **{subject: run})).external_id == "countersign:70:7"


def pressed(identifier="check-again", *, kind="User", app=APP):
    """Ada pressed a button at a run."""
    run = {"head_sha": HEAD, "app": {"id": app}, "external_id": "countersign:70:7"}
    sender = {"id": 11, "login": "ada", "type": kind}
    return wrap(action="requested_action", check_run=run, requested_action={"identifier": identifier}, sender=sender)


def test_our_button_names_the_pull_request_by_the_runs_external_id():
    found = parse("check_run", pressed())
    assert (found.external_id, found.head_sha, found.sender, found.paced) == ("countersign:70:7", HEAD, ADA, True)


def test_a_press_of_the_button_for_agents_names_the_pull_request_and_the_head_of_its_run():
    found = parse("check_run", pressed("answer-for-agents"))
    assert found == VouchPressed(installation=5, repository=HOUSE, number=7, head_sha=HEAD, sender=ADA)


@pytest.mark.parametrize(
    "external_id", ["countersign:71:7", "countersign:70:7:licenses", "countersign:70:merge-group", "", None, 7]
)
def test_a_press_on_any_other_run_answers_for_nothing(external_id):
    """Of a fork's repository, of the licence check, of a merge group, of another tool."""
    payload = pressed("answer-for-agents")
    payload["check_run"]["external_id"] = external_id
    assert parse("check_run", payload) is None


@pytest.mark.parametrize("payload", [
    pressed("answer-for-agents", kind="Bot"), pressed("answer-for-agents", app=APP + 1),
    pressed("other"), pressed(kind="Bot"), pressed(app=APP + 1), pressed(None),
])  # fmt: skip
def test_foreign_unknown_and_bot_pressed_buttons_are_ignored(payload):
    assert parse("check_run", payload) is None


@pytest.mark.parametrize("app", [{"id": APP + 1}, {}, None])
def test_another_apps_checks_are_ignored(app):
    assert parse("check_run", wrap(action="rerequested", check_run={"head_sha": HEAD, "app": app})) is None
    assert parse("check_run", wrap(action="completed", check_run={"head_sha": HEAD, "app": {"id": APP}})) is None


@pytest.mark.parametrize("path", [".github/countersign.yml", ".github/dco.yml"])
def test_a_push_of_a_rule_file_to_the_default_branch_is_an_event(path):
    assert parse("push", push(path)) == BranchPushed(
        installation=5, repository=HOUSE, branch="main", default_branch="main", before="b" * 40, after=HEAD, rules=True,
        whole_owner=False,
    )  # fmt: skip


def test_an_owner_under_the_key_name_is_read():
    """A push says `name` where other events say `login`."""
    payload = push(".github/dco.yml")
    payload["repository"]["owner"] = {"id": 8, "name": "cann"}
    assert parse("push", payload).repository == HOUSE


def test_a_rule_file_in_dot_github_is_that_of_the_owner():
    payload = push(".github/countersign.yml")
    payload["repository"]["name"] = ".github"
    assert parse("push", payload).whole_owner is True


@pytest.mark.parametrize(
    "payload",
    [
        push("README.md"),
        push("docs/.github/dco.yml"),
        push(".github/dco.yml", ref="refs/heads/topic"),
    ],
)
def test_pushes_of_other_files_and_branches_leave_the_rules(payload):
    found = parse("push", payload)
    assert (found.branch, found.rules) == (payload["ref"].removeprefix("refs/heads/"), False)


@pytest.mark.parametrize("fields", [{"ref": "refs/tags/main"}, {"deleted": True}])
def test_a_tag_and_a_deleted_branch_bring_no_commits(fields):
    assert parse("push", push(".github/dco.yml", **fields)) is None


def test_a_new_branch_stands_on_no_commit():
    assert parse("push", push("README.md", ref="refs/heads/a/b", created=True, before=ZERO)).before == ""


@pytest.mark.parametrize(
    "changed",
    [{"forced": True}, {"commits": []}, {"commits": None}, {"commits": [{"modified": ["x"]}] * 20}],
)
def test_a_push_with_an_incomplete_list_may_touch_the_rules(changed):
    assert parse("push", {**push("README.md"), **changed}).rules is True


def test_a_changed_default_branch_brings_other_rule_files():
    edited = wrap(action="edited", changes={"default_branch": {"from": "master"}})
    assert isinstance(parse("repository", edited), RulebookPushed)
    assert parse("repository", wrap(action="edited", changes={"description": {"from": ""}})) is None


def test_a_new_dot_github_changes_the_owners_rules():
    payload = wrap(action="created")
    assert parse("repository", payload) is None
    payload["repository"]["name"] = ".GitHub"
    assert parse("repository", payload).whole_owner is True


@pytest.mark.parametrize(("name", "whole_owner"), [("ops-math", False), (".GitHub", True)])
def test_a_deleted_repository_is_told_and_whether_it_held_the_owners_rules(name, whole_owner):
    payload = wrap(action="deleted")
    payload["repository"]["name"] = name
    house = EventRepository(70, 8, "cann", name)
    assert parse("repository", payload) == RepositoryDeleted(installation=5, repository=house, whole_owner=whole_owner)


@pytest.mark.parametrize(("name", "former"), [(".github", "old"), ("old", ".github")])
def test_renaming_a_repository_to_or_from_dot_github_changes_the_rules(name, former):
    payload = wrap(action="renamed", changes={"repository": {"name": {"from": former}}})
    payload["repository"]["name"] = name
    assert parse("repository", payload).whole_owner is True


@pytest.mark.parametrize("action", ["created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"])
def test_each_change_of_an_installation_names_account_and_repositories(action):
    payload = {
        "action": action,
        "installation": {"id": 5, "account": {"id": 8, "login": "cann", "type": "Organization"}},
        "repositories": [{"id": 70, "name": "ops-math", "full_name": "cann/ops-math"}],
    }
    account = Account(8, "cann", "Organization")
    expected = InstallationChanged(installation=5, account=account, action=action, repositories=(HOUSE,))
    assert parse("installation", payload) == expected


@pytest.mark.parametrize("action", ["added", "removed"])
def test_only_added_or_removed_repositories_are_named(action):
    payload = {
        "action": action,
        "installation": {"id": 5, "account": {"id": 8, "login": "cann", "type": "Organization"}},
        "repositories_added": [],
        "repositories_removed": [],
    }
    payload[f"repositories_{action}"] = [{"id": 70, "name": "ops-math"}]
    found = parse("installation_repositories", payload)
    assert (found.action, found.repositories) == (f"repositories_{action}", (HOUSE,))


@pytest.mark.parametrize("action", ["renamed", "transferred", "privatized", "publicized"])
@pytest.mark.parametrize(("said", "private"), [(True, True), (False, False), (None, True)])
def test_a_moved_repository_is_told_with_its_new_labels_private_by_default(action, said, private):
    payload = wrap(action=action)
    if said is not None:
        payload["repository"]["private"] = said
    assert parse("repository", payload) == RepositoryMoved(installation=5, repository=HOUSE, private=private)


@pytest.mark.parametrize(("action", "destroyed"), [("checks_requested", False), ("destroyed", True)])
def test_a_merge_group_is_known_by_its_commit_and_base_branch(action, destroyed):
    group = {
        "head_sha": HEAD,
        "base_ref": "refs/heads/release/1.x",
        "head_ref": "refs/heads/gh-readonly-queue/x/pr-7-0",
    }
    expected = MergeGroupChanged(
        installation=5, repository=HOUSE, head_sha=HEAD, branch="release/1.x", destroyed=destroyed
    )
    assert parse("merge_group", wrap(action=action, merge_group=group)) == expected


def test_unknown_merge_group_actions_are_ignored_and_a_missing_commit_refused():
    assert parse("merge_group", wrap(action="renamed", merge_group={})) is None
    with pytest.raises(BadPayload):
        parse("merge_group", wrap(action="destroyed", merge_group={"base_ref": "refs/heads/main"}))


MIA = {"id": 12, "login": "mia", "type": "User", "email": "mia@home.example"}
CANN = {"organization": {"id": 8, "login": "cann"}}


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("member", wrap(action="added", member=MIA)),
        ("member", wrap(action="edited", member=MIA, **CANN)),
        ("member", wrap(action="removed", member=MIA, **CANN)),
        ("membership", wrap(action="added", member=MIA, team={"id": 3}, **CANN)),
        ("membership", wrap(action="removed", member=MIA, team={"id": 3}, **CANN)),
        ("organization", wrap(action="member_added", membership={"user": MIA, "role": "admin"}, **CANN)),
        ("organization", wrap(action="member_removed", membership={"user": MIA}, **CANN)),
    ],
)
def test_a_membership_event_names_member_and_organisation_without_roles(event, payload):
    owner = Account(8, "cann", "User")  # GitHub says no type of an organisation here
    assert parse(event, payload) == MembershipChanged(installation=5, owner=owner, account_id=12)


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("member", wrap(action="added", member=None)),
        ("membership", wrap(action="removed", member=None, **CANN)),
        ("organization", wrap(action="member_removed", membership={"user": None}, **CANN)),
        ("organization", wrap(action="member_invited", user=MIA, invitation={"id": 1}, **CANN)),
        ("organization", wrap(action="renamed", membership={"user": MIA}, **CANN)),
    ],
)
def test_invitations_and_memberships_of_deleted_accounts_are_ignored(event, payload):
    assert parse(event, payload) is None


def test_a_revoked_authorisation_is_an_event_without_installation():
    payload = {"action": "revoked", "sender": {"id": 11, "login": "ada"}}
    assert parse("github_app_authorization", payload) == AuthorizationRevoked(account_id=11)


@pytest.mark.parametrize("event", ["ping", "star", "status", "", "pull_request_review"])
def test_unknown_events_are_ignored(event):
    assert parse(event, pull("opened")) is None


def test_a_delivery_from_a_repositorys_own_webhook_is_ignored():
    """Such a delivery has no installation, so we could not answer it."""
    payload = pull("opened")
    del payload["installation"]
    assert parse("pull_request", payload) is None


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("repository", "id"), "repository.id: a positive number is needed"),
        (("repository", "owner"), "repository.owner.id: a positive number is needed"),
        (("pull_request", "head"), "pull_request.head.sha: text is needed"),
        (("pull_request", "number"), "pull_request.number: a positive number is needed"),
        (("sender", "id"), "sender.id: a positive number is needed"),
        (("installation", "id"), "installation.id: a positive number is needed"),
        (("action",), "action: text is needed"),
    ],
)
def test_a_missing_part_is_refused_by_its_name(path, line):
    payload = json.loads(json.dumps(pull("opened")))
    target = payload
    for key in path[:-1]:
        target = target[key]
    del target[path[-1]]
    with pytest.raises(BadPayload) as refused:
        parse("pull_request", payload)
    assert str(refused.value) == line


US = "https://cla.example.org"


def completed(**fields):
    """A run of our App was completed, with a link to another server's page."""
    run = {"id": 3, "head_sha": HEAD, "app": {"id": APP}, "external_id": "countersign:70:7",
           "details_url": "https://staging.example.org/pr/cann/ops-math/7"}  # fmt: skip
    return wrap(action="completed", check_run={**run, **fields})


def test_a_run_of_ours_with_a_foreign_link_was_replaced():
    found = event_parser.parse("check_run", completed(), app_id=APP, url=US)
    assert found == CheckRunReplaced(
        installation=5, repository=HOUSE, head_sha=HEAD, external_id="countersign:70:7", check_id=3
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"details_url": f"{US}/pr/cann/ops-math/7"},  # ours, which GitHub sends us, too
        {"details_url": "https://CLA.example.org/pr/cann/ops-math/7"},
        {"app": {"id": APP + 1}},
        {"external_id": "countersign:71:7"},
        {"external_id": "countersign:70:7:licenses"},  # it has no page of ours
        {"external_id": "countersign:70:merge-group"},
        {"external_id": None},
    ],
)
def test_a_run_with_our_link_or_of_another_app_was_not_replaced(fields):
    assert event_parser.parse("check_run", completed(**fields), app_id=APP, url=US) is None
    assert event_parser.parse("check_run", completed(), app_id=APP) is None


def test_an_overrides_person_and_reason_are_not_stored():
    """Person and reason are read from GitHub when the override is acted on."""
    stored = json.dumps(events.ids(parse("issue_comment", comment("/cla exempt @bo secretly ill"))))
    assert "bo" not in stored.replace("body", "")
    assert "ill" not in stored


def test_titles_bodies_and_addresses_are_not_stored():
    payload = pull("opened")
    payload["pull_request"]["body"] = "secret body"
    payload["sender"]["email"] = "ada@huawei.com"
    stored = json.dumps(events.ids(parse("pull_request", payload)))
    assert "secret" not in stored
    assert "@" not in stored


ZERO = "0" * 40


@pytest.mark.parametrize(
    ("ref", "branch"),
    [
        ("refs/heads/gh-readonly-queue/main/pr-7-" + "a" * 40, "main"),
        ("refs/heads/gh-readonly-queue/release/2.x/pr-7-" + "a" * 40, "release/2.x"),
        ("refs/heads/gh-readonly-queue/pr-1-ab/pr-7-" + "a" * 40, "pr-1-ab"),
        ("refs/heads/gh-readonly-queue/main", None),
        ("refs/heads/x/gh-readonly-queue/main/pr-7-" + "a" * 40, None),
        ("refs/tags/gh-readonly-queue/main/pr-7-" + "a" * 40, None),
        ("refs/heads/gh-readonly-queue/main/pr-7-topic", None),
    ],
)
@pytest.mark.parametrize("deleted", [False, True])
def test_pushing_and_deleting_a_merge_groups_branch_tells_of_the_group(ref, branch, deleted):
    """Some versions of GitHub Enterprise Server document no webhook about merge groups."""
    payload = {
        "ref": ref, "before": "b" * 40 if deleted else ZERO, "after": ZERO if deleted else "b" * 40, "created": not deleted, "deleted": deleted,
        "installation": {"id": 7}, "commits": [],
        "repository": {"id": 9, "name": "ops", "default_branch": "main", "owner": {"id": 3, "login": "cann", "type": "Organization"}},
    }  # fmt: skip
    found = event_parser.parse("push", payload, app_id=1)
    if branch is None:
        assert not isinstance(found, events.MergeGroupChanged)
        return
    assert isinstance(found, events.MergeGroupChanged)
    assert (found.branch, found.head_sha, found.destroyed, found.by_push) == (branch, "b" * 40, deleted, True)
    assert events.from_ids(events.ids(found)) == found
