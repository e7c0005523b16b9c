"""A change of cover reaches every open pull request of the person, and nobody else's."""

from datetime import timedelta

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


def test_a_company_s_people_are_looked_for_now_and_when_something_begins_or_ends(portal):
    """The job finds them after the commit; a later moment has a job of its own, a second after it."""
    with portal.parts.sessions() as session:
        days = (None, portal.at - timedelta(days=1), portal.at, portal.at + timedelta(days=3))
        rejudging.of_company(session, portal.parts, "c1", *days)

    assert [(job.name, job.ids, job.queue, job.delay) for job in portal.engine.waiting] == [
        ("company", ("c1",), "now", timedelta(0)),
        ("company", ("c1",), "later", timedelta(days=3, seconds=1)),
    ]
