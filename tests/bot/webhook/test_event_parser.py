"""Every payload becomes one typed event made of ids, or nothing."""

import json

import pytest

from agreements.facts import Account
from bot.webhook import event_parser, events
from bot.webhook.events import (
    AuthorizationRevoked,
    CheckRerequested,
    CheckRunReplaced,
    CommandGiven,
    EventRepository,
    InstallationChanged,
    MembershipChanged,
    MergeGroupChanged,
    PullRequestChanged,
    RepositoryMoved,
    RulebookPushed,
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
    return wrap(ref=ref, commits=[{"added": [], "modified": list(paths), "removed": []}], **fields)


def parse(event, payload):
    """Parse for our App."""
    return event_parser.parse(event, payload, app_id=APP)


@pytest.mark.parametrize("action", ["ready_for_review", "labeled", "unlabeled", "closed"])
def test_pull_request_changed(action):
    """The actions that matter become an event; they push nothing."""
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
def test_which_label(action, label, expected):
    """Label events name theirs; one that was deleted altogether has none."""
    assert parse("pull_request", pull(action, **label)).label == expected


@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize"])
def test_pull_request_pushed(action):
    """Opening, reopening and pushing name the head that the sender answers for."""
    found = parse("pull_request", pull(action, before="0" * 40))
    assert (found.after, found.before) == (HEAD, "0" * 40 if action == "synchronize" else "")


def test_edited_only_with_another_base():
    """An edited title is nothing to us, another base is."""
    assert parse("pull_request", pull("edited", changes={"title": {"from": "x"}})) is None
    assert parse("pull_request", pull("edited", changes={"base": {"ref": {"from": "x"}}})).action == "edited"


@pytest.mark.parametrize("action", ["assigned", "converted_to_draft", "locked", "review_requested"])
def test_other_pull_request_actions(action):
    """Other actions are nothing to us."""
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
def test_command_on_the_first_line(body, command):
    """A command is the first line; anything else is talk."""
    found = parse("issue_comment", comment(body))
    assert (found and found.command) == command


def test_command_given():
    """The command carries ids only."""
    expected = CommandGiven(installation=5, repository=HOUSE, number=7, comment_id=31, command="check", sender=ADA)
    assert parse("issue_comment", comment("/recheck")) == expected


def test_comments_that_are_not_heard():
    """Bots, plain issues, edits and deletions give no command."""
    by_bot = comment("/recheck")
    by_bot["comment"]["user"]["type"] = "Bot"
    sent_by_bot = comment("/recheck", sender={"id": 1, "login": "x[bot]", "type": "Bot"})
    on_issue = comment("/recheck")
    del on_issue["issue"]["pull_request"]
    edited = {**comment("/recheck"), "action": "edited"}
    assert [parse("issue_comment", x) for x in (by_bot, sent_by_bot, on_issue, edited)] == [None] * 4


@pytest.mark.parametrize("subject", ["check_run", "check_suite"])
def test_check_rerequested(subject):
    """Re-running our check is an event; by head, and by external id for a run."""
    run = {"head_sha": HEAD, "app": {"id": APP}}
    expected = CheckRerequested(installation=5, repository=HOUSE, head_sha=HEAD, external_id=None, sender=ADA)
    assert parse(subject, wrap(action="rerequested", **{subject: run})) == expected
    run["external_id"] = "countersign:70:7"
    assert parse(subject, wrap(action="rerequested", **{subject: run})).external_id == "countersign:70:7"


def pressed(identifier="check-again", *, kind="User", app=APP):
    """Somebody pressed a button at a run."""
    run = {"head_sha": HEAD, "app": {"id": app}, "external_id": "countersign:70:7"}
    sender = {"id": 11, "login": "ada", "type": kind}
    return wrap(action="requested_action", check_run=run, requested_action={"identifier": identifier}, sender=sender)


def test_our_button():
    """It names the pull request by the run's external id, as that of a fork names none, and is no "Re-run"."""
    found = parse("check_run", pressed())
    assert (found.external_id, found.head_sha, found.sender, found.paced) == ("countersign:70:7", HEAD, ADA, True)


@pytest.mark.parametrize("payload", [pressed("other"), pressed(kind="Bot"), pressed(app=APP + 1), pressed(None)])
def test_buttons_that_are_not_heard(payload):
    """Somebody else's, one that we never offered, and one that a bot pressed."""
    assert parse("check_run", payload) is None


@pytest.mark.parametrize("app", [{"id": APP + 1}, {}, None])
def test_other_apps_checks(app):
    """Another App's check, or one without an App, is nothing to us; nor is our own completed one."""
    assert parse("check_run", wrap(action="rerequested", check_run={"head_sha": HEAD, "app": app})) is None
    assert parse("check_run", wrap(action="completed", check_run={"head_sha": HEAD, "app": {"id": APP}})) is None


@pytest.mark.parametrize("path", [".github/countersign.yml", ".github/dco.yml"])
def test_rulebook_pushed(path):
    """A push to the default branch that touches a rule file is an event."""
    expected = RulebookPushed(installation=5, repository=HOUSE, whole_owner=False)
    assert parse("push", push(path)) == expected


def test_an_owner_named_the_old_way():
    """A push says `name` where other events say `login`."""
    payload = push(".github/dco.yml")
    payload["repository"]["owner"] = {"id": 8, "name": "cann"}
    assert parse("push", payload).repository == HOUSE


def test_rulebook_of_the_organisation():
    """In `.github` the rule file is that of every repository of the owner."""
    payload = push(".github/countersign.yml")
    payload["repository"]["name"] = ".github"
    assert parse("push", payload).whole_owner is True


@pytest.mark.parametrize(
    "payload",
    [
        push("README.md"),
        push("docs/.github/dco.yml"),
        push(".github/dco.yml", ref="refs/heads/topic"),
        push(".github/dco.yml", ref="refs/tags/main"),
        push(".github/dco.yml", deleted=True),
    ],
)
def test_pushes_that_leave_the_rules(payload):
    """Other files, other branches and deletions leave the rules as they are."""
    assert parse("push", payload) is None


@pytest.mark.parametrize(
    "changed",
    [{"forced": True}, {"commits": []}, {"commits": None}, {"commits": [{"modified": ["x"]}] * 20}],
)
def test_pushes_that_may_touch_the_rules(changed):
    """Where the listed commits cannot tell, the rules count as touched."""
    assert isinstance(parse("push", {**push("README.md"), **changed}), RulebookPushed)


def test_default_branch_changed():
    """Another default branch brings other rule files."""
    edited = wrap(action="edited", changes={"default_branch": {"from": "master"}})
    assert isinstance(parse("repository", edited), RulebookPushed)
    assert parse("repository", wrap(action="edited", changes={"description": {"from": ""}})) is None


@pytest.mark.parametrize("action", ["created", "deleted"])
def test_the_organisation_s_repository_comes_and_goes(action):
    """Both change what is in force everywhere; any other repository's coming is nothing to us."""
    payload = wrap(action=action)
    assert parse("repository", payload) is None
    payload["repository"]["name"] = ".GitHub"
    house = EventRepository(70, 8, "cann", ".GitHub")
    assert parse("repository", payload) == RulebookPushed(installation=5, repository=house, whole_owner=True)


@pytest.mark.parametrize(("name", "former"), [(".github", "old"), ("old", ".github")])
def test_the_organisation_s_repository_is_renamed(name, former):
    """To `.github`, or from it: the rules of every repository may be others."""
    payload = wrap(action="renamed", changes={"repository": {"name": {"from": former}}})
    payload["repository"]["name"] = name
    assert parse("repository", payload).whole_owner is True


@pytest.mark.parametrize("action", ["created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"])
def test_installation_changed(action):
    """Coming, going, sleeping, waking and new permissions name the account and the repositories."""
    payload = {
        "action": action,
        "installation": {"id": 5, "account": {"id": 8, "login": "cann", "type": "Organization"}},
        "repositories": [{"id": 70, "name": "ops-math", "full_name": "cann/ops-math"}],
    }
    account = Account(8, "cann", "Organization")
    expected = InstallationChanged(installation=5, account=account, action=action, repositories=(HOUSE,))
    assert parse("installation", payload) == expected


@pytest.mark.parametrize("action", ["added", "removed"])
def test_installation_repositories(action):
    """Only the repositories that were added or removed are named."""
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
def test_repository_moved(action, said, private):
    """A new name, owner or visibility is an event with the new labels; what isn't said to be public is private."""
    payload = wrap(action=action)
    if said is not None:
        payload["repository"]["private"] = said
    assert parse("repository", payload) == RepositoryMoved(installation=5, repository=HOUSE, private=private)


@pytest.mark.parametrize(("action", "destroyed"), [("checks_requested", False), ("destroyed", True)])
def test_merge_group_changed(action, destroyed):
    """By the commit and the branch; a number in the name of the group's own branch is not even read."""
    group = {
        "head_sha": HEAD,
        "base_ref": "refs/heads/release/1.x",
        "head_ref": "refs/heads/gh-readonly-queue/x/pr-7-0",
    }
    expected = MergeGroupChanged(
        installation=5, repository=HOUSE, head_sha=HEAD, branch="release/1.x", destroyed=destroyed
    )
    assert parse("merge_group", wrap(action=action, merge_group=group)) == expected


def test_other_merge_group_actions():
    """What GitHub may invent is nothing to us; a group without its commit is refused."""
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
def test_membership_changed(event, payload):
    """Who it is and where; what the payload says of roles is not even kept."""
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
def test_memberships_that_changed_nothing_here(event, payload):
    """Whose account is gone cannot be asked about; who was only invited is no member."""
    assert parse(event, payload) is None


def test_authorization_revoked():
    """Taking back the permission is the only event that no installation sends."""
    payload = {"action": "revoked", "sender": {"id": 11, "login": "ada"}}
    assert parse("github_app_authorization", payload) == AuthorizationRevoked(account_id=11)


@pytest.mark.parametrize("event", ["ping", "star", "status", "", "pull_request_review"])
def test_unknown_events(event):
    """What is not routed is nothing to us, whatever it holds."""
    assert parse(event, pull("opened")) is None


def test_not_through_the_app():
    """What a repository's own webhook sends has no installation: we could not answer it."""
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
def test_lacking_what_we_need(path, line):
    """A handled event without a part we need is refused with one line that names the part."""
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


def test_a_run_that_another_deployment_wrote():
    """Whose link leads elsewhere."""
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
def test_a_run_that_is_ours_or_none_of_ours(fields):
    """It asks nothing of us; nor does any where our address is not known."""
    assert event_parser.parse("check_run", completed(**fields), app_id=APP, url=US) is None
    assert event_parser.parse("check_run", completed(), app_id=APP) is None


def test_a_reason_is_not_stored():
    """Whom an override is for, and why, is read from GitHub when it is acted on; the event does not hold it."""
    stored = json.dumps(events.ids(parse("issue_comment", comment("/cla exempt @bo secretly ill"))))
    assert "bo" not in stored.replace("body", "")
    assert "ill" not in stored


def test_nothing_personal_is_stored():
    """Titles, bodies and addresses of a payload do not reach the stored form."""
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
def test_the_branch_of_a_merge_group(ref, branch, deleted):
    """It tells of the group where no event of merge groups does: made by its push, given up when it is deleted."""
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
