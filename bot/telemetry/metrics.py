"""The numbers of this process for Prometheus: counted where it happens, read from memory; docs/reference/metrics.csv lists them all.

Labels come from short lists or are ids of installations: no repository, no person, nothing that grows.
"""

from collections.abc import Sequence
from itertools import product
from typing import Final

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.registry import Collector

from bot import __version__

CONTENT_TYPE: Final = prometheus_client.CONTENT_TYPE_LATEST

prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each, which nothing here reads

REGISTRY: Final = CollectorRegistry(auto_describe=False)
ProcessCollector(registry=REGISTRY)

_FAST_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)  # Seconds: requests and calls.
_SLOW_BUCKETS: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600)  # Seconds: jobs may wait for an hour.
_KINDS: Final = ("review", "licenses", "merge-group")

Values = Sequence[str]


def _counter(name: str, text: str, **labels: Values) -> Counter:
    # From the start, at 0: Prometheus' `increase` does not count the value with which a series appears.
    made = Counter(name, text, tuple(labels), registry=REGISTRY)
    if labels and all(labels.values()):
        for values in product(*labels.values()):
            made.labels(*values)
    return made


def _gauge(name: str, text: str, *labels: str) -> Gauge:
    return Gauge(name, text, labels, registry=REGISTRY)


def _stored(name: str, text: str, *labels: str) -> Gauge:
    # Each process shows the same number, so that alerts take the `max` of them, never the `sum`.
    return _gauge(name, f"{text} Read from the database.", *labels)


def _histogram(name: str, text: str, buckets: Sequence[float], *labels: str) -> Histogram:
    return Histogram(name, text, labels, registry=REGISTRY, buckets=buckets)


INFO: Final = _gauge("countersign_info", "This process: its release and its role; always 1.", "version", "role")
LOG_LINES: Final = _counter(
    "countersign_log_lines_total", "Lines of the log that ask for attention.", level=("warning", "error", "critical")
)
HTTP_REQUESTS: Final = _counter(
    "countersign_http_requests_total",
    "Requests answered; page is everything that is no other endpoint.",
    endpoint=("webhook", "livez", "readyz", "metrics", "page"),
    status=("2xx", "3xx", "4xx", "5xx"),
)
HTTP_SECONDS: Final = _histogram(
    "countersign_http_request_seconds",
    "From the head of a request to the end of its answer.",
    _FAST_BUCKETS,
    "endpoint",
)

DELIVERIES: Final = _counter(
    "countersign_deliveries_total",
    "Webhook deliveries: stored, known already, about nothing of ours, refused by their head or signature, misshapen, not stored.",
    outcome=("accepted", "known", "ignored", "refused", "misshapen", "not_stored"),
)
ACKNOWLEDGEMENT_SECONDS: Final = _histogram(
    "countersign_acknowledgement_seconds", "From the head of a delivery that is stored to its 202.", _FAST_BUCKETS
)
LAST_DELIVERY: Final = _stored(
    "countersign_last_delivery_timestamp_seconds",
    "When the last genuine delivery came, to any process and whatever it asked; 0: none came yet.",
)
DELIVERIES_LOST: Final = _stored(
    "countersign_deliveries_lost",
    "Deliveries that GitHub says it sent and that never came here, as the last sweep found.",
)
DELIVERIES_WAITING: Final = _stored("countersign_deliveries_waiting", "Deliveries that were not acted on yet.")
DELIVERIES_FAILED: Final = _stored("countersign_deliveries_failed", "Deliveries that were given up.")
OLDEST_DELIVERY: Final = _stored(
    "countersign_oldest_delivery_age_seconds",
    "How long the oldest delivery waits that was not acted on yet; 0: none does.",
)

JOBS_WAITING: Final = _stored(
    "countersign_jobs_waiting",
    "Jobs, and subjects that a job takes many of, which wait for a worker and not for a moment.",
    "queue",
)
JOBS_RUNNING: Final = _gauge("countersign_jobs_running", "Jobs that run in this process.")
# Jobs register later than this module is loaded: their series begin with their first run.
JOBS: Final = _counter(
    "countersign_jobs_total", "Runs of jobs: done, or failed and tried again.", job=(), outcome=("done", "failed")
)
JOB_SECONDS: Final = _histogram("countersign_job_seconds", "How long one run of a job took.", _SLOW_BUCKETS, "job")
JOB_RETRIES: Final = _counter(
    "countersign_job_retries_total", "Jobs that failed several times and were queued again for later.", job=()
)
JOBS_RECOVERED: Final = _counter(
    "countersign_jobs_recovered_total", "Jobs taken over from a process that is gone, or lost by this one."
)
WORKERS_ALIVE: Final = _stored("countersign_workers_alive", "Processes that take jobs and said lately that they live.")
VERDICTS: Final = _counter(
    "countersign_verdicts_total",
    "Verdicts given.",
    kind=_KINDS,
    conclusion=("success", "failure", "neutral", "action_required"),
)
COMMIT_FINDINGS: Final = _counter(
    "countersign_commit_findings_total",
    "Findings about commits in branches that require our check.",
    kind=("no-pull-request", "not-judged", "not-passed", "lost-signoff", "not-compared"),
)
VERDICT_SECONDS: Final = _histogram(
    "countersign_verdict_seconds",
    "From the first delivery that a verdict answers to when it is shown.",
    _SLOW_BUCKETS,
    "kind",
)
JUDGEMENT_RETRIES: Final = _counter(
    "countersign_judgement_retries_total",
    "Judgements that have to be tried again: not all shown, GitHub away, a failure of ours, overtaken by another run.",
    kind=_KINDS,
    outcome=("again", "postponed", "failed", "overtaken"),
)

ITEMS_REVERSED: Final = _stored(
    "countersign_items_reversed",
    "Labels, comments and check runs that are not written any more, since another App or person keeps reversing them.",
)

GITHUB_CALLS: Final = _counter(
    "countersign_github_calls_total",
    "Calls to GitHub's API and what came of them.",
    caller=("installation", "app", "nobody"),  # The last: calls without a token.
    outcome=("answered", "limited", "failed", "unauthorized", "unreached", "unclear"),
)
GITHUB_REFUSED: Final = _counter(
    "countersign_github_calls_refused_total",
    "Calls that were not sent: GitHub is left alone (open), or it is not a write's turn (paced).",
    reason=("open", "paced"),
)
GITHUB_SECONDS: Final = _histogram(
    "countersign_github_call_seconds", "How long a call to GitHub took.", _FAST_BUCKETS, "caller"
)

CHORE_FAILURES: Final = _counter("countersign_chore_failures_total", "Regular work that failed.", chore=())
CHORE_SUCCESS: Final = _gauge(
    "countersign_chore_last_success_timestamp_seconds", "When regular work of this process was last done.", "chore"
)
SWEEP_SUCCESS: Final = _stored(
    "countersign_sweep_last_success_timestamp_seconds", "When a sweep for what was missed last began; 0: never."
)
SWEEP_FOUND: Final = _counter(
    "countersign_sweep_found_total",
    "What sweeps found: deliveries sent again, open pull requests without a verdict, pushes without a webhook.",
    what=("deliveries", "pull_requests", "pushes"),
)
MAIL_WAITING: Final = _stored("countersign_mail_waiting", "E-mails that wait to be sent.")
MAIL_UNDELIVERED: Final = _stored("countersign_mail_undelivered", "E-mails that could not be sent and were given up.")
OUTGOING_WEBHOOKS: Final = _counter(
    "countersign_outgoing_webhooks_total",
    "Tries to send an outgoing webhook: taken by its endpoint, put off for another try, given up.",
    outcome=("sent", "put_off", "given_up"),
)
OUTGOING_WEBHOOKS_WAITING: Final = _stored(
    "countersign_outgoing_webhooks_waiting", "Outgoing webhooks that wait to be sent."
)

DECRYPT_FAILURES: Final = _counter(
    "countersign_decrypt_failures_total", "Encrypted data that no key of the ring decrypts, or that was changed."
)
LEDGER_ENTRIES: Final = _stored("countersign_ledger_entries", "Entries of the log of the records.")
LEDGER_NEWEST: Final = _stored(
    "countersign_ledger_newest_entry_timestamp_seconds", "When the newest entry was written; 0: there is none."
)
LEDGER_LAG: Final = _stored(
    "countersign_ledger_lag_seconds", "Age of the oldest entry that no signed checkpoint covers; 0: all are covered."
)

DATABASE_UP: Final = _gauge("countersign_database_up", "1 when the last regular look at the database worked.")
DATABASE_LOOKED: Final = _gauge(
    "countersign_database_looked_timestamp_seconds", "When the numbers that stand in the database were last read."
)
DATABASE_SIZE: Final = _stored("countersign_database_size_bytes", "Size of the database; with SQLite its log included.")
DISK_FREE: Final = _gauge(
    "countersign_database_disk_free_bytes",
    "What is left on the disk of an SQLite database; there is no series for PostgreSQL, whose disk only its own server sees.",
    "kind",  # Without a label the series could not go: a plain gauge shows 0.
)
SERVED_SINCE: Final = _stored(
    "countersign_served_since_timestamp_seconds", "Since when the database is served by a release that records backups."
)
LAST_BACKUP: Final = _stored(
    "countersign_last_backup_timestamp_seconds",
    "The moment of the last backup that was recorded; 0: none was ever recorded.",
)


def describe(role: str) -> None:
    """Say which release runs here, in which role."""
    INFO.clear()  # Else the series of an earlier role would stay beside it.
    INFO.labels(__version__, role).set(1)


def exposition(*more: Collector) -> bytes:
    """Everything in Prometheus' text format, with what `more` collect; it is read from memory alone."""
    return b"".join(generate_latest(collector) for collector in (REGISTRY, *more))
