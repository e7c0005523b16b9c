"""A change of cover reaches every open pull request of the person, and nobody else's."""

from bot.portal import rejudging
from bot.store.records import Pull


def test_open_pull_requests_are_judged_again(portal):
    """Theirs and open ones at once, and a second look after the commit; closed ones and those of others are left alone."""
    mine, _, closed = portal.pull(7), portal.pull(8, of=(12,)), portal.pull(9)
    with portal.parts.sessions() as session:
        session.get(Pull, closed).open = False
    with portal.parts.sessions() as session:
        assert rejudging.of_person(session, portal.parts, 11) == 1

    assert [(job.name, job.ids, job.queue) for job in portal.engine.waiting] == [
        ("review", (mine,), "now"),
        ("recheck", (11,), "now"),
    ]
