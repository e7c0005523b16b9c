"""The steps to try in the demo, in an order that tells its story; `walk` opens one after the other."""

import json
import sys
import threading
import urllib.request
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import click

from bot.demo.github.contributor import Contributor, clone_url
from bot.demo.github.state import StoredPull
from bot.demo.sample_data import DemoPeople
from bot.demo.servers import DemoServers

POLL_SECONDS = 1.0  # Seconds between two looks whether a step is done.


@dataclass(frozen=True, slots=True)
class TourStep:
    """A step: the `text` says what to do, `address` where it begins; without `is_done` the reader says when it is."""

    text: str
    address: str
    is_done: Callable[[], bool] | None = None


def steps(stage: DemoServers, cast: DemoPeople) -> Sequence[TourStep]:
    """The steps; each line of a text that begins with `git` or `cd` can be copied into a shell."""
    red, unsigned = (cast.repositories[name].pulls[1] for name in ("ops-math", "cann-learning-hub"))
    first = red.head_sha
    return (
        *_of_the_tutorial(stage, red),
        TourStep(
            f"""\
Push a commit of your own to the first pull request:
{_clone(stage, cast.ada, "ops-math", "faster-softmax")}
git commit --allow-empty -m "Make it faster still"
git push""",
            f"{_address(stage, red)}/commits",
            lambda: red.head_sha != first,
        ),
        TourStep(
            f"""\
Another pull request of ada's lacks a sign-off ({_address(stage, unsigned)}). Add it:
{_clone(stage, cast.ada, "cann-learning-hub", "typo")}
git commit --amend --signoff --no-edit
git push --force-with-lease""",
            _address(stage, unsigned),
            lambda: _is_green(stage, unsigned),
        ),
        *_with_a_company(stage),
    )


def _of_the_tutorial(stage: DemoServers, red: StoredPull) -> Sequence[TourStep]:
    return (
        TourStep(
            """\
Open the red pull request, follow "Details", then "View more details on Countersign".
Follow "Read and sign", sign in as ada, and sign. The pull request turns green by itself.""",
            _address(stage, red),
            lambda: _is_green(stage, red),
        ),
        TourStep(
            f"""\
As bo, open {stage.url}/admin and follow "Signatures".
Each change is an entry at {stage.url}/admin/log""",
            f"{stage.url}/admin",
        ),
        TourStep(
            f"""\
Withdraw the signature as ada at {stage.url}/me
The pull request turns red again.""",
            f"{stage.url}/me",
        ),
    )


def _with_a_company(stage: DemoServers) -> Sequence[TourStep]:
    return (
        TourStep(
            f"""\
Cover a company's staff: as ada, sign for a company at {stage.url}/company/request
Name lin as the second manager. Request the domain example.org, write the record that the page shows into the
simulated DNS, and choose "Check now". Then countersign as bo at {stage.url}/admin/companies""",
            f"{stage.url}/company/request",
            lambda: "example.org" in _domains(stage),
        ),
        TourStep(
            f"""\
Enrol at a company that has signed: as ada, enter the work address ada@huawei.com at {stage.url}/enrol
The code is in the mailbox: {stage.github_url}/mailbox""",
            f"{stage.url}/enrol",
        ),
    )


def walk(plan: Sequence[TourStep], ended: threading.Event, *, browser: bool) -> None:
    """Show one step after the other. The next comes when the one before is done, or the reader presses Enter."""
    go_on = threading.Event()
    threading.Thread(target=_listen, args=(go_on,), daemon=True).start()  # It may wait for a line for ever.
    for number, step in enumerate(plan, 1):
        click.echo(f"\nStep {number} of {len(plan)}\n\n{indented(step.text, 2)}\n")
        click.echo("Press Enter to skip it." if step.is_done else "Press Enter when you have done it.")
        if browser:
            webbrowser.open(step.address)
        go_on.clear()
        while not (go_on.is_set() or (step.is_done is not None and step.is_done())):
            if ended.wait(POLL_SECONDS):
                return
        if step.is_done is not None and step.is_done():
            click.echo("Done.")
    click.echo("\nThis is the end of the tour. The demo goes on: look around.")


def indented(text: str, by: int) -> str:
    """Each line of a text, moved to the right."""
    return "\n".join(" " * by + line for line in text.splitlines())


def _listen(go_on: threading.Event) -> None:
    for _ in sys.stdin:  # Each line is an Enter.
        go_on.set()


def _address(stage: DemoServers, pull: StoredPull) -> str:
    return f"{stage.github_url}/{pull.repository.full_name}/pull/{pull.number}"


def _is_green(stage: DemoServers, pull: StoredPull) -> bool:
    runs = [run for run in stage.world.runs_on(pull.repository, pull.head_sha) if run.name == "Countersign"]
    return bool(runs) and runs[-1].conclusion == "success"


def _domains(stage: DemoServers) -> Sequence[str]:
    with suppress(OSError), urllib.request.urlopen(f"{stage.url}/whitelist.json", timeout=5) as answer:  # noqa: S310 - our own, on loopback
        found: Sequence[str] = json.load(answer)["corporate_domains"]
        return found
    return ()


def _clone(stage: DemoServers, who: Contributor, name: str, branch: str) -> str:
    """Commands that clone a fork into a new folder, with the person's name set there and nowhere else."""
    fork = stage.world.find_repository(who.account.login, name)
    assert fork is not None
    identity = f'-c user.name="{who.account.name}" -c user.email={who.account.emails[0].address}'
    # Not into the demo's own folder: the next start deletes that folder, and with it the person's work.
    return f"""\
cd "$(mktemp -d)"
git clone -q -b {branch} {identity} {clone_url(stage.world, fork, who.account)} ."""
