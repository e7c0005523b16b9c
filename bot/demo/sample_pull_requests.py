"""The demo's pull requests: one in every state, pushed with real git, judged by the real Countersign."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.demo.github.contributor import Contributor
from bot.demo.github.git import bare_repository
from bot.demo.github.state import StoredPull
from bot.demo.sample_data import DemoPeople
from bot.demo.servers import DemoServers

JUDGED_WITHIN = 20.0
"""Seconds that all first verdicts together may take; a demo that is slower goes on without them."""

QUIET_SECONDS = 0.3
"""Seconds without a call to the small GitHub after which labels and comments are there, too."""


@dataclass(frozen=True, slots=True)
class SamplePullRequest:
    """One row of the list: who opens what, with which commit, and what becomes of it."""

    who: Contributor
    repository: str
    branch: str
    title: str
    author: str | None = None
    trailer: str = ""
    sign_off: bool = False
    draft: bool = False
    end: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


def open_all(stage: DemoServers, cast: DemoPeople, *, until: threading.Event) -> list[StoredPull]:
    """Open them, wait until each has its verdict, then merge one and close one; after the server started.

    Set `until` to have it end early.
    """
    opened = [(row, _opened(stage, cast, row)) for row in _rows(cast) if not until.is_set()]
    pulls = [*(pull for _, pull in opened), _by_bot(stage, cast)]
    _judged(stage, pulls, until)
    for row, pull in opened:
        if row.end == "merged":
            stage.world.merge_pull(pull, cast.bo.account)
        elif row.end == "closed":
            stage.world.close_pull(pull, row.who.account)
    return pulls


def _rows(cast: DemoPeople) -> Iterator[SamplePullRequest]:
    """Red, green and unclear, by agreement and by sign-off; the first one is the newcomer's."""
    ada, bo, lin = cast.ada, cast.bo, cast.lin
    # Agreements (CLA): not signed, signed, signed by the employer.
    yield SamplePullRequest(ada, "ops-math", "faster-softmax", "Make softmax faster")
    yield SamplePullRequest(bo, "ops-nn", "fused-attention", "Fuse attention kernels")
    yield SamplePullRequest(lin, "runtime", "stream-leak", "修复流泄漏 (fix a stream leak)")
    # An address that belongs to no account and only looks like the company's; somebody else's commits; a co-author.
    yield SamplePullRequest(ada, "ge", "shape-inference", "Infer shapes earlier", author="Ada Chen <ada@huawei.com.cn>")
    yield SamplePullRequest(
        ada, "ops-nn", "borrowed", "Carry somebody else's work", author="Bo Larsen <bo@example.org>"
    )
    yield SamplePullRequest(
        bo, "oam-tools", "pair-work", "Log less", trailer="Co-authored-by: Ada Chen <ada@example.org>"
    )
    # A rulebook that nobody can read.
    yield SamplePullRequest(bo, "hccl", "ring-order", "Order the ring by distance")
    # Sign-offs (DCO): none, right, under another address.
    yield SamplePullRequest(ada, "cann-learning-hub", "typo", "Fix a typo")
    yield SamplePullRequest(bo, "community", "minutes", "Add the minutes of November", sign_off=True)
    yield SamplePullRequest(
        lin, "cann-learning-hub", "example", "Add an example", trailer="Signed-off-by: 林晓 <lin@elsewhere.example>"
    )
    # Signed, and a dependency whose licence does not fit.
    yield SamplePullRequest(bo, "ops-math", "line-editing", "Edit lines in the console", files=_console())
    # Not ready, over, given up.
    yield SamplePullRequest(ada, "ge", "scheduler", "Try another scheduler", draft=True)
    yield SamplePullRequest(bo, "runtime", "timeouts", "Name the timeouts", end="merged")
    yield SamplePullRequest(ada, "community", "logo", "Draw a new logo", end="closed")


def _opened(stage: DemoServers, cast: DemoPeople, row: SamplePullRequest) -> StoredPull:
    base = cast.repositories[row.repository]
    fork = stage.world.fork(base, row.who.account)
    clone = row.who.branch(fork, row.branch, of=base)
    message = f"{row.title}\n\n{row.trailer}" if row.trailer else row.title
    files = row.files or {f"{row.branch}.txt": row.title + "\n"}
    clone.commit(message, files, author=row.author, sign_off=row.sign_off)
    clone.push()
    return stage.world.open_pull(base, row.who.account, row.branch, title=row.title, draft=row.draft, source=fork)


def _console() -> dict[str, str]:
    """A manifest and a lock file, with one dependency that fits into the repository's Apache-2.0, and one that does not."""
    wanted = {"left-pad": ("1.3.0", "WTFPL"), "node-readline": ("8.2.0", "GPL-3.0-or-later")}
    manifest = {"name": "console", "version": "1.0.0", "dependencies": {name: one for name, (one, _) in wanted.items()}}
    locked = {f"node_modules/{name}": {"version": one, "license": said} for name, (one, said) in wanted.items()}
    lock = {"name": "console", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": manifest, **locked}}
    files = {"console/package.json": manifest, "console/package-lock.json": lock}
    return {path: json.dumps(content, indent=2) + "\n" for path, content in files.items()}


def _by_bot(stage: DemoServers, cast: DemoPeople) -> StoredPull:
    """A bot commits through the API, where GitHub signs its commits, to a branch of the repository itself."""
    world = stage.world
    bot = world.user("renovate[bot]", name="renovate", type="Bot")
    bot.token = ""
    base, branch = cast.repositories["oam-tools"], "renovate/tools"
    by = bare_repository.GitIdentity(bot.name, bot.noreply, world.now())
    message = "Bring the tools up to date"
    sha = bare_repository.write(base.git, f"refs/heads/{branch}", {"tools.txt": "2.0\n"}, message=message, by=by)
    world.verified_commits.add(sha)
    return world.open_pull(base, bot, branch)


def _judged(stage: DemoServers, pulls: list[StoredPull], until: threading.Event) -> None:
    """Wait until every run on a head is completed and nothing is written any more: nobody finds a page without its verdict."""
    deadline, calls = time.monotonic() + JUDGED_WITHIN, -1
    while time.monotonic() < deadline and not until.is_set():
        with stage.world.lock:
            runs = stage.world.check_runs.values()
            done = {run.head_sha for run in runs} - {run.head_sha for run in runs if run.conclusion is None}
        if all(pull.head_sha in done for pull in pulls) and calls == len(stage.world.calls):
            return
        calls = len(stage.world.calls)
        until.wait(QUIET_SECONDS)
