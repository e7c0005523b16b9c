"""Check runs and check suites as JSON."""

from bot.demo.github.json.app_json import app
from bot.demo.github.json.pull_json import pull_minimal
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import Json, StoredApp, StoredCheckRun, StoredPull, StoredRepository, timestamp


def pulls_of(repo: StoredRepository, head_sha: str) -> list[StoredPull]:
    """Open pull requests with that head."""
    return [
        pull
        for pull in repo.pulls.values()
        # GitHub lists none whose head is in a fork.
        if pull.head_sha == head_sha and pull.state == "open" and pull.head_repository is repo
    ]


def run(world: SimulatedState, check_run: StoredCheckRun) -> Json:
    """`check-run`."""
    own = world.api_url(f"/repos/{check_run.repository.full_name}/check-runs/{check_run.id}")
    output = {key: check_run.output.get(key) for key in ("title", "summary", "text")}
    return {
        "id": check_run.id, "node_id": f"CR_{check_run.id}", "head_sha": check_run.head_sha, "name": check_run.name,
        "url": own,
        # Without an address of its own GitHub links to the App's homepage.
        "html_url": world.web_url(f"/{check_run.repository.full_name}/runs/{check_run.id}"),
        "details_url": check_run.details_url or world.web_url(),
        "external_id": check_run.external_id, "status": check_run.status, "conclusion": check_run.conclusion,
        "started_at": timestamp(check_run.started_at), "completed_at": timestamp(check_run.completed_at),
        "check_suite": {"id": check_run.suite},
        "output": {**output, "annotations_count": 0, "annotations_url": f"{own}/annotations"},
        "app": app(world, check_run.app),
        "pull_requests": [pull_minimal(world, pull) for pull in pulls_of(check_run.repository, check_run.head_sha)],
    }  # fmt: skip


def suite(world: SimulatedState, maker: StoredApp, repo: StoredRepository, head_sha: str) -> Json:
    """`simple-check-suite`, as events about check runs carry it."""
    runs = [check_run for check_run in world.runs_on(repo, head_sha) if check_run.app is maker]
    newest = runs[-1] if runs else None  # Its conclusion is the suite's.
    number = world.suite_of(maker, repo, head_sha)
    own = world.api_url(f"/repos/{repo.full_name}/check-suites/{number}")
    branches = [pull.head for pull in pulls_of(repo, head_sha)]
    return {
        "id": number, "node_id": f"CS_{number}", "head_branch": branches[0] if branches else None, "head_sha": head_sha,
        "status": newest.status if newest else "queued", "conclusion": newest.conclusion if newest else None, "url": own,
        "before": None, "after": head_sha, "app": app(world, maker),
        "pull_requests": [pull_minimal(world, pull) for pull in pulls_of(repo, head_sha)],
        "created_at": timestamp(newest.started_at if newest else world.now()),
        "updated_at": timestamp(newest.started_at if newest else world.now()),
    }  # fmt: skip


def run_with_suite(world: SimulatedState, check_run: StoredCheckRun) -> Json:
    """`check-run-with-simple-check-suite`."""
    return {
        **run(world, check_run),
        "check_suite": suite(world, check_run.app, check_run.repository, check_run.head_sha),
    }
