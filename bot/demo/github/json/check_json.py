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


def run(world: SimulatedState, one: StoredCheckRun) -> Json:
    """`check-run`."""
    own = world.api_url(f"/repos/{one.repository.full_name}/check-runs/{one.id}")
    output = {key: one.output.get(key) for key in ("title", "summary", "text")}
    return {
        "id": one.id, "node_id": f"CR_{one.id}", "head_sha": one.head_sha, "name": one.name, "url": own,
        # Without an address of its own GitHub links to the App's homepage.
        "html_url": world.web_url(f"/{one.repository.full_name}/runs/{one.id}"), "details_url": one.details_url or world.web_url(),
        "external_id": one.external_id, "status": one.status, "conclusion": one.conclusion,
        "started_at": timestamp(one.started_at), "completed_at": timestamp(one.completed_at), "check_suite": {"id": one.suite},
        "output": {**output, "annotations_count": 0, "annotations_url": f"{own}/annotations"},
        "app": app(world, one.app),
        "pull_requests": [pull_minimal(world, pull) for pull in pulls_of(one.repository, one.head_sha)],
    }  # fmt: skip


def suite(world: SimulatedState, maker: StoredApp, repo: StoredRepository, head_sha: str) -> Json:
    """`simple-check-suite`, as events about check runs carry it."""
    runs = [one for one in world.runs_on(repo, head_sha) if one.app is maker]
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


def run_with_suite(world: SimulatedState, one: StoredCheckRun) -> Json:
    """`check-run-with-simple-check-suite`."""
    return {**run(world, one), "check_suite": suite(world, one.app, one.repository, one.head_sha)}
