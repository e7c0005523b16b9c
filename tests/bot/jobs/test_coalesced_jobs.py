"""Of several jobs that would take the same one waits; what is asked for after it began is stored again."""

import threading

import pytest

from bot.job_queue import Job
from bot.jobs.coalesced_jobs import CoalescedJobs

NOW, LATER = Job("review", (), "now"), Job("review", (), "later")


@pytest.fixture(name="place")
def _place():
    """What was stored, and jobs that are stored at once, as long as nothing fails."""

    class Place:
        def __init__(self):
            self.stored, self.fails, self.changed = [], False, threading.Condition()
            self.jobs = CoalescedJobs(self.store)

        def store(self, job):
            with self.changed:
                self.stored.append(job)
                self.changed.notify_all()
            if self.fails:
                raise LookupError

        def has(self, *jobs):
            with self.changed:
                return self.changed.wait_for(lambda: len(self.stored) >= len(jobs), 5) and self.stored == list(jobs)

    place = Place()
    place.jobs.start()
    yield place
    place.jobs.stop(5)


def test_one_waiting_job_of_each_kind_and_queue_is_enough(place):
    for job in (NOW, NOW, LATER, NOW, LATER):
        place.jobs.ask(job)
    assert place.has(NOW, LATER)


def test_a_job_asked_for_after_the_last_one_began_is_stored(place):
    """The one that began may have looked before."""
    place.jobs.ask(NOW)
    assert place.has(NOW)
    place.jobs.begun(NOW)
    place.jobs.ask(NOW)
    assert place.has(NOW, NOW)


def test_a_job_that_could_not_be_stored_is_stored_when_asked_for_again(place):
    place.fails = True
    place.jobs.ask(NOW)
    assert place.has(NOW)
    place.fails = False
    for _ in range(100):
        place.jobs.ask(NOW)
        if len(place.stored) > 1:
            break
        threading.Event().wait(0.02)
    assert place.has(NOW, NOW)
