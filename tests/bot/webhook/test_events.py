"""Events are stored as ids and read back the same."""

import json

import pytest

from agreements.facts import Account
from bot.webhook import events
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

HEAD = "a" * 40
HOUSE = EventRepository(70, 8, "cann", "ops-math")
ADA = Account(11, "ada", "User")


STORED = [
    PullRequestChanged(installation=5, repository=HOUSE, number=7, action="opened", sender=ADA, after=HEAD),
    CommandGiven(installation=5, repository=HOUSE, number=7, comment_id=31, command="why", sender=ADA),
    CommandGiven(
        installation=5, repository=HOUSE, number=7, comment_id=31, command="override", sender=ADA, head_sha=HEAD
    ),
    VouchPressed(installation=5, repository=HOUSE, number=7, head_sha=HEAD, sender=ADA),
    CheckRerequested(installation=5, repository=HOUSE, head_sha=HEAD, external_id=None, sender=ADA),
    CheckRunReplaced(installation=5, repository=HOUSE, head_sha=HEAD, external_id="countersign:11:7", check_id=3),
    RulebookPushed(installation=5, repository=HOUSE, whole_owner=True),
    BranchPushed(
        installation=5,
        repository=HOUSE,
        branch="main",
        default_branch="main",
        before="",
        after=HEAD,
        rules=True,
        whole_owner=False,
    ),
    InstallationChanged(installation=5, account=ADA, action="created", repositories=(HOUSE,)),
    RepositoryMoved(installation=5, repository=HOUSE),
    RepositoryDeleted(installation=5, repository=HOUSE, whole_owner=True),
    MergeGroupChanged(installation=5, repository=HOUSE, head_sha=HEAD, branch="main", destroyed=False),
    MembershipChanged(installation=5, owner=Account(8, "cann", "Organization"), account_id=12),
    AuthorizationRevoked(account_id=11),
]


@pytest.mark.parametrize("event", STORED, ids=lambda event: type(event).__name__)
def test_an_event_is_the_same_after_storing_and_reading(event):
    assert events.from_ids(json.loads(json.dumps(events.ids(event)))) == event


def test_every_kind_of_event_is_covered_here():
    assert {type(event) for event in STORED} == set(events.Event.__args__)


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ({}, "stored event: unknown kind"),
        ({"kind": "Nothing"}, "stored event: unknown kind"),
        ({"kind": "RepositoryMoved", "number": 1}, "stored event RepositoryMoved: fields do not fit"),
    ],
)
def test_a_stored_row_of_another_shape_is_refused(stored, said):
    with pytest.raises(BadPayload) as refused:
        events.from_ids(stored)
    assert str(refused.value) == said


OPS = events.EventRepository(2, 3, "cann", "ops-math")
OPENER = Account(4, "zoe")
HEAD = "a" * 40


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            events.PullRequestChanged(installation=1, repository=OPS, number=9, action="opened", sender=OPENER, after=HEAD),
            {"repository": "cann/ops-math", "number": 9, "head": HEAD},
        ),
        (
            events.PullRequestChanged(installation=1, repository=OPS, number=9, action="labeled", sender=OPENER),
            {"repository": "cann/ops-math", "number": 9},
        ),
        (
            events.CommandGiven(installation=1, repository=OPS, number=9, comment_id=5, command="check", sender=OPENER),
            {"repository": "cann/ops-math", "number": 9},
        ),
        (
            events.CheckRerequested(installation=1, repository=OPS, head_sha=HEAD, external_id="countersign:2:9", sender=OPENER),
            {"repository": "cann/ops-math", "number": 9, "head": HEAD},
        ),
        (
            events.CheckRerequested(installation=1, repository=OPS, head_sha=HEAD, external_id="countersign:2:9:licenses", sender=OPENER),
            {"repository": "cann/ops-math", "number": 9, "head": HEAD},
        ),
        (
            events.CheckRerequested(installation=1, repository=OPS, head_sha=HEAD, external_id="somebody:else:9", sender=OPENER),
            {"repository": "cann/ops-math", "head": HEAD},
        ),
        (events.AuthorizationRevoked(account_id=4), {}),
    ],
)  # fmt: skip
def test_an_event_and_its_stored_form_say_the_same_without_logins(event, expected):
    assert events.subject(event) == expected
    assert events.of_stored(events.ids(event)) == expected
    assert "zoe" not in str(expected)


def test_an_event_of_another_release_is_unknown_and_fails_nothing():
    assert events.of_stored({"kind": "Tomorrow"}) == {}
    assert events.of_stored({}) == {}
