"""Each way in which the deployment files and the guide back up is run: the database then knows of the backup that is there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from agreements.vault import KeyRing
from bot import db
from bot.backup import archive
from bot.settings import for_child
from bot.store import service_record
from tests.deploy.tools import DEPLOY, ROOT
from tests.ready import upgraded


def composed(name):
    """What that compose file runs; `$$` is a dollar there."""
    service = yaml.safe_load((DEPLOY / "compose" / name).read_text())["services"]["backup"]
    return [*service["entrypoint"], *(word.replace("$$", "$") for word in service["command"])]


def scheduled():
    """What the CronJob runs, and the chart's, which is made from it."""
    objects = yaml.safe_load_all((DEPLOY / "kubernetes/components/backups/backup.yaml").read_text())
    [job] = [manifest for manifest in objects if manifest["kind"] == "CronJob"]
    [container] = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    return [*container["command"], *container["args"]]


def cron():
    r"""The line for the service's account; `\%` is a percent sign there."""
    [line] = re.findall(
        r"^17 2 \* \* \*  countersign  (.+)$", (ROOT / "docs/how-to/backups.md").read_text(), re.MULTILINE
    )
    return ["/bin/sh", "-c", line.replace("\\%", "%")]


WAYS = {
    "compose": composed("compose.yaml"),
    "compose with PostgreSQL": composed("compose.postgresql.yaml"),
    "kubernetes": scheduled(),
    "cron": cron(),
}


@pytest.mark.slow
@pytest.mark.sqlite_nightly
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[] if "PostgreSQL" in way else pytest.mark.nightly) for way in WAYS]
)
def test_a_backup_is_recorded_in_the_database_without_the_key_ring(way, database_url, tmp_path):
    upgraded(database_url).dispose()
    backups, environment = tmp_path / "backups", tmp_path / "countersign.env"
    backups.mkdir()
    environment.write_text(f"COUNTERSIGN_DATABASE_URL={database_url}\nCOUNTERSIGN_KEYS='{KeyRing.generate('k1')}'\n")
    program = Path(sys.executable).parent / "countersign"
    here = {
        "/etc/countersign/countersign.env": str(environment),
        "/usr/local/bin/countersign": str(program),
        "/backups": str(backups),
    }
    command = WAYS[way]
    for there, ours in here.items():
        command = [word.replace(there, ours) for word in command]
    given = {} if way == "cron" else {"COUNTERSIGN_DATABASE_URL": database_url}
    path = f"{program.parent}{os.pathsep}{os.defpath}"
    done = subprocess.run(
        command, cwd=tmp_path, env={**for_child(given), "PATH": path}, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0
    assert re.fullmatch(r"wrote 0 erasures to \S+\n", done.stderr), "the list that is kept beside the backup"
    [file] = [path for path in backups.iterdir() if not path.name.startswith("erasures-")]
    with db.opened(database_url) as engine, db.sessions(engine)() as session:
        known = service_record.state(session)
    with archive.opened(file) as found:
        assert known.backed_up_at == found.manifest.moment
