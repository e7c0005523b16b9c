"""Helpers of the nightly audit's tests: a night from beginning to end, and its results."""

import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import update
from sqlmodel import col

from audit.store import report_pages, repositories
from audit.store.records import AuditPage
from bot.flows.licenses import night_audit, night_schedule, stored_repository
from bot.licenses.report_files import REPORT, ReportFiles
from bot.runner import make_runner


def midday(moment):
    """Noon of the next day: far from the night's hour, from any hour's end, and from what the test pushed just now."""
    return (moment + timedelta(days=1)).replace(hour=12, minute=0, second=0, microsecond=0)


def at_night(scene):
    """It is the night's hour, and the chore has queued it."""
    scene.shift += timedelta(hours=(night_schedule.START_HOUR - scene.clock().hour) % 24)
    night_schedule.queue(scene.services)


def tonight(scene):
    """A whole night: list, read, judge, tell."""
    at_night(scene)
    scene.jobs.run_all(delayed=True)


def night_report(scene):
    """The newest report.json."""
    return json.loads(_kept(scene).opened(REPORT))


def rows(scene):
    """What is remembered of the repositories, by name."""
    with scene.sessions() as session:
        return {repository.name: repository for repository in repositories.of(session, scene.cann.id)}


def row(scene):
    """Of cann/ops."""
    return rows(scene)["ops"]


def push(scene, repo, files):
    """A commit of these files, as late as it is on our side: GitHub's moments have whole seconds, tests have many a second."""
    scene.world.write(repo, files)
    repo.pushed_at = scene.clock()


def week_begins(scene):
    """Noon of the day before the first night of the account's week, which judges every repository again."""
    scene.shift = midday(scene.clock()) - scene.clock() + scene.shift
    nights = -(scene.clock().toordinal() + 1 + scene.cann.id) % stored_repository.KEPT_FOR.days
    scene.shift += timedelta(days=nights)


def with_services(scene, **changed):
    """These services instead, also for jobs."""
    scene.services = replace(scene.services, **changed)
    scene.jobs.start(make_runner(scene.services))


def judged(scene, change=lambda _scene: None):
    """The names of the repositories that the next night judges anew, after that change.

    What the night leaves is what it would leave if it judged all of them, but for the moments at which files were made.
    """
    with scene.sessions() as session:
        session.execute(update(AuditPage).where(col(AuditPage.repository_id).is_not(None)).values(digest="of before"))
    scene.shift += timedelta(days=1)
    change(scene)
    begun = scene.clock()
    tonight(scene)
    with scene.sessions() as session:
        anew = {page.repository_id for page in report_pages.of(session, scene.cann.id) if page.made_at >= begun}
    left = files(scene)
    with scene.sessions() as session:
        session.execute(update(AuditPage).values(inputs="", digest="of before"))
    night_audit.judge_account(scene.cann.id, scene.services)
    assert files(scene) == left
    return {name for name, record in rows(scene).items() if record.repository_id in anew}


def files(scene):
    """Every file of the newest audit, without the moments at which files were made."""
    with zipfile.ZipFile(io.BytesIO(b"".join(_kept(scene).all()))) as archive:
        return {name: _MOMENT.sub(b"", archive.read(name)) for name in archive.namelist()}


def _kept(scene):
    return ReportFiles(scene.cann.id, scene.services.vault, scene.sessions)


_MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
