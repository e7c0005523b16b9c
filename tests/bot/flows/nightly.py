"""What the tests of the nightly audit share: a night from beginning to end, and what it left."""

import json
from datetime import timedelta

from audit.store import repositories
from bot.flows.licenses import nightly
from bot.licenses.report_files import REPORT, ReportFiles


def midday(moment):
    """Noon of the next day: far from the night's hour, from any hour's end, and from what the test pushed just now."""
    return (moment + timedelta(days=1)).replace(hour=12, minute=0, second=0, microsecond=0)


def at_night(scene):
    """It is the night's hour, and the chore has queued it."""
    scene.shift += timedelta(hours=(nightly.START_HOUR - scene.clock().hour) % 24)
    nightly.queue(scene.services)


def tonight(scene):
    """A whole night: list, read, judge, tell."""
    at_night(scene)
    scene.jobs.run_all(delayed=True)


def night_report(scene):
    """The newest report.json."""
    return json.loads(ReportFiles(scene.cann.id, scene.services.vault, scene.sessions).opened(REPORT))


def rows(scene):
    """What is remembered of the repositories, by name."""
    with scene.sessions() as session:
        return {one.name: one for one in repositories.of(session, scene.cann.id)}


def row(scene):
    """Of cann/ops."""
    return rows(scene)["ops"]


def push(scene, repo, files):
    """A commit of these files, as late as it is on our side: GitHub's moments have whole seconds, tests have many a second."""
    scene.world.write(repo, files)
    repo.pushed_at = scene.clock()
