"""Written data stays only on a volume that stays."""

import pytest

from bot.doctor.manifests import keeping
from bot.doctor.manifests.keeping import ScheduleInvalid, longest_pause
from bot.doctor.manifests.workloads import workloads

CLAIM = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}


def pod(volume=CLAIM, kind="Deployment", mount=None, **part):
    """A workload with one container and one volume, mounted at /data."""
    container = {
        "name": "a",
        "image": "countersign:1.2.3",
        "volumeMounts": [{"name": "v", "mountPath": "/data", **(mount or {})}],
        **part,
    }
    spec = {"template": {"spec": {"containers": [container], "volumes": [volume]}}}
    return {"kind": kind, "metadata": {"name": "web"}, "spec": spec}


def found(name, *objects):
    """What one item says."""
    return keeping.judge(objects, workloads(objects))[name]


def env(url):
    """The variable that names the database."""
    return [{"name": "COUNTERSIGN_DATABASE_URL", "value": url}]


LOST = "deployment/web, container a: the SQLite file {} is on no volume that stays, so the records are lost when the pod ends"


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        (pod(env=env("sqlite:////data/c.db")), []),
        (pod({"name": "v", "emptyDir": {}}, env=env("sqlite:////data/c.db")), [LOST.format("/data/c.db")]),
        (pod(mount={"readOnly": True}, env=env("sqlite:////data/c.db")), [LOST.format("/data/c.db")]),
        (pod(mount={"mountPath": "/dat"}, env=env("sqlite:////data/c.db")), [LOST.format("/data/c.db")]),
        (pod(env=[]), [LOST.format("/var/lib/countersign/countersign.db")]),
        (pod(env=[], workingDir="/data"), []),
        (pod(env=env("postgresql://db/c")), None),
        (pod(env=[{"name": "COUNTERSIGN_DATABASE_URL_FILE", "value": "/x"}]), None),
        (pod(envFrom=[{"secretRef": {"name": "s"}}]), None),
        (pod(args=["migrate"]), None),
    ],
)
def test_the_sqlite_file_is_that_of_the_address_or_the_default(workload, said):
    assert found("reliability.database", workload) == said


def test_a_database_has_to_stand_on_a_claim_that_stays():
    server = pod({"name": "w"}, kind="StatefulSet", image="postgres:17.2")
    assert found("reliability.database", server) == [
        "statefulset/web, container a: the database's files are on no volume that stays, so the records are lost when the pod ends"
    ]
    server["spec"]["volumeClaimTemplates"] = [{"metadata": {"name": "v"}}]
    assert found("reliability.database", server) == []
    assert found("reliability.database", pod({"name": "w"}, image="postgres:17.2", command=["psql"])) is None


def job(schedule="17 1 * * *", volume=CLAIM, **said):
    """A CronJob that backs up."""
    workload = pod(volume, args=["backup", "/data/x"])
    return {
        "kind": "CronJob",
        "metadata": {"name": "backup"},
        "spec": {"schedule": schedule, "jobTemplate": {"spec": {**workload["spec"], **said}}},
    }


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        (job(), ""),
        (job("0 0 30 2 *"), "the schedule `0 0 30 2 *` never fires"),
        (job("@monthly"), "the schedule `@monthly` leaves 31 days without a backup"),
        (job("daily"), "schedule: `daily` has 1 fields, not 5"),
        (job(suspend=True), "suspend is true"),
        (job(parallelism=0), "its jobs run no pod (parallelism or completions is 0)"),
        (
            job(volume={"name": "v", "emptyDir": {}}),
            "the backup is written to /data/x, which is on no volume that stays",
        ),
        ({**job(), "kind": "Job"}, None),
    ],
)
def test_a_job_that_makes_no_kept_backup_is_told_with_the_reason(manifest, why):
    expected = [f"cronjob/backup, container a: {why}"] if why else []
    assert found("reliability.backups", manifest) == (
        ["nothing makes backups of the database"] if why is None else expected
    )


@pytest.mark.parametrize(("said", "kept"), [("Cloud SQL, daily", True), ("none", False), ("", False), ("TODO", False)])
def test_an_annotation_may_say_that_backups_are_made_elsewhere(said, kept):
    workload = {**pod(), "metadata": {"name": "web", "annotations": {"countersign/backups": said}}}
    assert (found("reliability.backups", workload) == []) is kept


TWO_IDLE = ["cronjob/backup, container a: {0}", "cronjob/backup, container b: {0}"]


def named(manifest, name, namespace=""):
    """That object under another name."""
    return {**manifest, "metadata": {"name": name, "namespace": namespace}}


def of(*parts, volumes=(CLAIM,), init=(), **said):
    """A CronJob of these containers."""
    cronjob = job(**said)
    cronjob["spec"]["jobTemplate"]["spec"]["template"]["spec"] = {
        "containers": list(parts), "initContainers": list(init), "volumes": list(volumes),
    }  # fmt: skip
    return cronjob


def part(name, *command, mount="v"):
    """A container with a volume at /data."""
    return {"name": name, "command": list(command), "volumeMounts": [{"name": mount, "mountPath": "/data"}]}


DUMP = ("pg_dump", "-f", "/data/x")
SCRATCH = {"name": "tmp", "emptyDir": {}}
SEND = ("aws", "s3", "cp", "/data/x", "s3://b/x")
LOST_DUMP = "cronjob/backup, container {}: the backup is written to /data/x, which is on no volume that stays"


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        ([job(suspend=True), named(job(), "other-backup")], []),
        ([of(part("a", *DUMP), part("b", *DUMP), suspend=True), named(job(), "good")], []),
        ([of(part("a", *DUMP), part("b", "backup", "--help")), named(job(suspend=True), "late-backup")], []),
        ([named(job(), "backup", "here"), named(job(suspend=True), "backup", "there")], []),
        ([of(part("a", *DUMP), part("b", *DUMP), suspend=True)], [line.format("suspend is true") for line in TWO_IDLE]),
        (
            [named(job(suspend=True), "backup", "here"), named(job(suspend=True), "backup", "there")],
            ["cronjob/backup, container a: suspend is true"] * 2,
        ),
        ([of(part("web", "sleep", "9"), init=[part("dump", *DUMP)])], []),
        ([of(part("send", *SEND, mount="tmp"), init=[part("dump", *DUMP, mount="tmp")], volumes=[SCRATCH])], []),
        ([of(part("send", *SEND, mount="tmp"), part("dump", *DUMP, mount="tmp"), volumes=[SCRATCH])], []),
        (
            [of(part("send", *SEND, mount="v"), init=[part("dump", *DUMP, mount="tmp")], volumes=[CLAIM, SCRATCH])],
            [LOST_DUMP.format("dump"), "cronjob/backup, container send: its command makes no backup"],
        ),
        (
            [of(part("wait", "sleep", "9", mount="tmp"), init=[part("dump", *DUMP, mount="tmp")], volumes=[SCRATCH])],
            [LOST_DUMP.format("dump"), "cronjob/backup, container wait: its command makes no backup"],
        ),
        ([named(job(), "backup", "here"), named(pod(), "web", "here")], []),
    ],
)
def test_one_container_that_keeps_a_backup_is_enough_and_without_it_each_is_named(objects, said):
    assert found("reliability.backups", *objects) == said


@pytest.mark.parametrize(
    ("schedule", "days"),
    [
        ("17 1 * * *", 1),
        ("*/5 * * * *", 1),
        ("@daily", 1),
        ("@hourly", 1),
        ("@every 6h", 1),
        ("@every 240h", 10),
        ("@weekly", 7),
        ("0 3 * * sun", 7),
        ("0 3 * * 1-5", 3),
        ("0 3 */2 * *", 2),
        ("0 3 1,15 * *", 17),
        ("0 3 1 * mon", 7),  # either is enough
        ("0 3 1 jan *", 366),
        ("0 0 30 2 *", None),
        ("0 0 31 4,6,9,11 *", None),
        ("0 0 29 2 *", 1461),
    ],
)
def test_the_longest_pause_of_a_schedule_counts_in_days(schedule, days):
    assert longest_pause(schedule) == days


@pytest.mark.parametrize(
    "schedule",
    [
        "",
        "* * * *",
        "every night",
        "60 * * * *",
        "0 24 * * *",
        "0 0 0 * *",
        "0 0 * 13 *",
        "0 0 * * 7",
        "0 0 * * fry",
        "*/0 * * * *",
        "5-1 * * * *",
        "TZ=UTC 0 1 * * *",
    ],
)
def test_an_invalid_schedule_is_refused_with_a_reason(schedule):
    with pytest.raises(ScheduleInvalid, match=r"\w"):
        longest_pause(schedule)
