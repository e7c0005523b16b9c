"""A process that takes jobs, for tests that kill it: `worker.py URL LOG MODE SECONDS`, MODE `sole` or `shared`."""

import os
import sys
import time
from dataclasses import fields
from datetime import timedelta
from pathlib import Path

from bot import db
from bot.clock import new_id, now
from bot.flows.flow_services import Services
from bot.flows.lot import Lots
from bot.job_queue import Chore
from bot.jobs.durable import DurableEngine
from bot.jobs.liveness import PollPace
from bot.store.pulls.review_mailbox import REVIEWS

QUICK = PollPace(beat=timedelta(seconds=0.3), silent=timedelta(seconds=1.5), lost=timedelta(seconds=1.5))


def main(url: str, path: str, mode: str, seconds: str) -> None:
    """Run jobs until killed; each writes a line when it begins and one when it ends."""
    database = db.open_engine(url)
    sessions = db.sessions(database)
    engine = DurableEngine(database, executor_id=new_id(), sole=mode == "sole", pace=QUICK)

    parts = {"sessions": sessions, "engine": engine, "clock": now, "texts": dict}
    lots = Lots(Services(**{field.name: parts.get(field.name) for field in fields(Services)}))

    def write(*words) -> None:
        line = " ".join(str(word) for word in words) + "\n"
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, line.encode())
        os.close(handle)

    def runner(job, job_id) -> None:
        write("begin", job.name, *job.ids, job_id, os.getpid())
        if job.name == "review":
            lots.work(REVIEWS, review, job, job_id)
        else:
            time.sleep(float(seconds))
        write("end", job.name, *job.ids, job_id, os.getpid())

    def review(claim, _services) -> None:
        write("claim", claim.pull_id, claim.latest)
        time.sleep(float(seconds))
        write("leave", claim.pull_id, claim.latest)
        with sessions() as session:
            assert REVIEWS.finish(session, engine, claim, at=now())

    def due() -> None:
        with sessions() as session:
            REVIEWS.queue_due(session, engine, at=now())

    write("alive", os.getpid())
    engine.start(runner, [Chore("due", timedelta(seconds=1), due)])
    write("ready", os.getpid())
    while Path(path).exists():
        time.sleep(0.2)
    engine.stop(timeout=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
