"""Events are stored as ids and read back the same."""

import json

import pytest

from agreements.facts import Account
from bot.webhook import events
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

HEAD = "a" * 40
HOUSE = EventRepository(70, 8, "cann", "ops-math")
ADA = Account(11, "ada", "User")


STORED = [
    PullRequestChanged(installation=5, repository=HOUSE, number=7, action="opened", sender=ADA, after=HEAD),
    CommandGiven(installation=5, repository=HOUSE, number=7, comment_id=31, command="why", sender=ADA),
    CommandGiven(
        installation=5, repository=HOUSE, number=7, comment_id=31, command="override", sender=ADA, head_sha=HEAD
    ),
    CheckRerequested(installation=5, repository=HOUSE, head_sha=HEAD, external_id=None, sender=ADA),
    CheckRunReplaced(installation=5, repository=HOUSE, head_sha=HEAD, external_id="countersign:11:7", check_id=3),
    RulebookPushed(installation=5, repository=HOUSE, whole_owner=True),
    InstallationChanged(installation=5, account=ADA, action="created", repositories=(HOUSE,)),
    RepositoryMoved(installation=5, repository=HOUSE),
    MergeGroupChanged(installation=5, repository=HOUSE, head_sha=HEAD, branch="main", destroyed=False),
    MembershipChanged(installation=5, owner=Account(8, "cann", "Organization"), account_id=12),
    AuthorizationRevoked(account_id=11),
]


@pytest.mark.parametrize("event", STORED, ids=lambda event: type(event).__name__)
def test_stored_and_read_back(event):
    """Through JSON and back it is the same event."""
    assert events.from_ids(json.loads(json.dumps(events.ids(event)))) == event


def test_every_kind_is_stored():
    """The round trip above covers every kind of event there is."""
    assert {type(event) for event in STORED} == set(events.Event.__args__)


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ({}, "stored event: unknown kind"),
        ({"kind": "Nothing"}, "stored event: unknown kind"),
        ({"kind": "RepositoryMoved", "number": 1}, "stored event RepositoryMoved: fields do not fit"),
    ],
)
def test_stored_badly(stored, said):
    """A row that is none of ours is refused."""
    with pytest.raises(BadPayload) as refused:
        events.from_ids(stored)
    assert str(refused.value) == said
