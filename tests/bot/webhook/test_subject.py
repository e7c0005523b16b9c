"""What a delivery is about, in the words of the log: as far as the event says it, and never whose it is."""

import pytest

from agreements.facts import Account
from bot.webhook import events
from bot.webhook.subject import of_stored, subject

PLACE = events.EventRepository(2, 3, "cann", "ops-math")
ZOE = Account(4, "zoe")
HEAD = "a" * 40


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            events.PullRequestChanged(installation=1, repository=PLACE, number=9, action="opened", sender=ZOE, after=HEAD),
            {"repository": "cann/ops-math", "number": 9, "head": HEAD},
        ),
        (
            events.PullRequestChanged(installation=1, repository=PLACE, number=9, action="labeled", sender=ZOE),
            {"repository": "cann/ops-math", "number": 9},
        ),
        (
            events.CommandGiven(installation=1, repository=PLACE, number=9, comment_id=5, command="check", sender=ZOE),
            {"repository": "cann/ops-math", "number": 9},
        ),
        (
            events.CheckRerequested(installation=1, repository=PLACE, head_sha=HEAD, external_id="countersign:2:9", sender=ZOE),
            {"repository": "cann/ops-math", "number": 9, "head": HEAD},
        ),
        (
            events.CheckRerequested(installation=1, repository=PLACE, head_sha=HEAD, external_id="countersign:2:9:licenses", sender=ZOE),
            {"repository": "cann/ops-math", "number": 9, "head": HEAD},
        ),
        (
            events.CheckRerequested(installation=1, repository=PLACE, head_sha=HEAD, external_id="somebody:else:9", sender=ZOE),
            {"repository": "cann/ops-math", "head": HEAD},
        ),
        (events.AuthorizationRevoked(account_id=4), {}),
    ],
)  # fmt: skip
def test_what_an_event_says(event, expected):
    """The same of the event and of what was stored of it; no login of anybody."""
    assert subject(event) == expected
    assert of_stored(events.ids(event)) == expected
    assert "zoe" not in str(expected)


def test_an_event_of_another_release():
    """Nothing is known of it, and nothing fails."""
    assert of_stored({"kind": "Tomorrow"}) == {}
    assert of_stored({}) == {}
