"""The pictures of the documentation, taken in the demo by Chromium: `make pictures`. They need Chromium and Pillow."""

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from bot.demo import sample_data
from bot.demo.servers import DemoServers
from bot.server import listening

_ROOT = Path(__file__).parents[1]
_FOLDER = _ROOT / "docs" / "pictures"
_COLORS = 128  # Pages have few colours, so a palette makes a picture a quarter of the size.
_WIDTH = 800
_MARGIN = 6  # Pixels above the first and below the last element of a picture.
_JUDGED_SECONDS = 30
_COMPANY = {
    "field-legal-name": "Example Robotics Ltd.",
    "field-registration": "HRB 1",
    "field-address": "1 Example Street",
    "field-title": "Director",
    "name": "Ada Chen",
    "second": "lin",
}


def main() -> None:
    """Take every picture anew."""
    with sync_playwright() as driver, TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with _demo(Path(folder) / "demo") as (stage, people):
            scenes = _Scenes(browser, stage)
            ada = scenes.signed_in(people.ada.account.id)
            before = scenes.pull_request(ada)
            _keep("signing", scenes.signing(ada))
            _beside("pull-requests", before, scenes.pull_request(ada))
            _keep("company", scenes.company(ada, scenes.signed_in(people.bo.account.id)))
            fork = stage.world.find_repository("bo", "ops-math")
            assert fork is not None
            _keep("licence-report", _report(browser, fork.git, Path(folder)))


@contextmanager
def _demo(folder: Path) -> Iterator[tuple[DemoServers, sample_data.DemoPeople]]:
    """The running demo with its people."""
    ports = []
    for _ in range(2):
        free = listening.listener("127.0.0.1", 0)
        ports.append(free.getsockname()[1])
        free.close()
    with DemoServers(folder, port=ports[0], github_port=ports[1]) as stage:
        people = sample_data.set_up(stage)
        stage.serve()
        sample_data.open_all(stage, people, until=threading.Event())
        yield stage, people


@dataclass(frozen=True, slots=True)
class _Scenes:
    """What people see in the demo."""

    browser: Browser
    stage: DemoServers

    def signed_in(self, account: int) -> Page:
        """A window of that account."""
        page = _window(self.browser)
        page.goto(f"{self.stage.url}/login?next=/me")
        page.locator(f"button[name=account][value='{account}']").click()
        page.wait_for_url("**/me")
        return page

    def pull_request(self, page: Page) -> bytes:
        """The top of the pull request whose author has not signed at first."""
        page.goto(self._pull)
        return _down_to(page.get_by_text("Details", exact=True))

    @property
    def _pull(self) -> str:
        return f"{self.stage.github_url}/cann/ops-math/pull/1"

    def signing(self, page: Page) -> bytes:
        """The page on which ada signs, filled in; afterwards she has signed, and her check is green."""
        page.goto(f"{self.stage.url}/sign/icla?pr=cann/ops-math/1")
        page.fill("[name=name]", "Ada Chen")
        page.check("#email-0")
        page.check("#agree")
        seen = page.locator("form.sign").screenshot()
        page.get_by_role("button", name="I agree").click()
        page.wait_for_url("**/receipts/**")
        deadline = time.monotonic() + _JUDGED_SECONDS
        while time.monotonic() < deadline:
            page.goto(self._pull)
            if "All checks have passed" in page.content():
                return seen
            time.sleep(0.5)
        raise RuntimeError("the pull request did not turn green")

    def company(self, manager: Page, administrator: Page) -> bytes:
        """The people whom a company lists, once an administrator has countersigned its agreement."""
        manager.goto(f"{self.stage.url}/company/request")
        for name, value in _COMPANY.items():
            manager.fill(f"[name={name}]", value)
        manager.check("#email-0")
        manager.check("#agree")
        manager.get_by_role("button", name="Sign for the company").click()
        manager.wait_for_url("**/company/*")
        company = manager.url.rpartition("/")[2]
        administrator.goto(f"{self.stage.url}/admin/companies/{company}")
        administrator.fill("#countersign-reason", "Their counsel wrote to us.")
        administrator.get_by_role("button", name="Countersign").click()
        administrator.get_by_role("button", name="Countersign").click()
        for who in ("lin", "bo", "kim"):
            manager.goto(f"{self.stage.url}/company/{company}/people")
            manager.fill("[name=who]", who)
            manager.locator("form.sign").get_by_role("button", name="Add").click()
        manager.goto(f"{self.stage.url}/company/{company}/people")
        return _down_to(manager.locator("table"))


def _report(browser: Browser, fork: Path, folder: Path) -> bytes:
    """The top of the licence report about a change of the demo with a dependency that does not fit."""
    checkout, reports = folder / "ops-math", folder / "reports"
    subprocess.run(["git", "clone", "-q", "-b", "line-editing", fork, checkout], check=True)  # noqa: S603, S607 - our own
    subprocess.run(["git", "-C", checkout, "remote", "remove", "origin"], check=True)  # noqa: S603, S607 - as above
    shutil.copy(_ROOT / "LICENSE", checkout)
    rules = f"--rulebook={_ROOT}/examples/cann/countersign.yml"
    audit = [sys.executable, "-m", "bot", "audit", str(checkout), rules, "--offline", f"--out={reports}"]
    subprocess.run(audit, check=False, capture_output=True)  # noqa: S603 - our own; a violation is exit code 1
    page = _window(browser)
    page.goto((reports / "report.html").as_uri())
    return _down_to(page.locator("table").first)


def _window(browser: Browser) -> Page:
    context = browser.new_context(
        locale="en-US", color_scheme="light", viewport={"width": _WIDTH, "height": 1000}, java_script_enabled=False
    )
    return context.new_page()


def _down_to(last: Locator) -> bytes:
    """The page from its heading to that element."""
    top, end = last.page.locator("h1").bounding_box(), last.bounding_box()
    assert top is not None
    assert end is not None
    height = end["y"] + end["height"] - top["y"] + 2 * _MARGIN
    return last.page.screenshot(clip={"x": 0, "y": top["y"] - _MARGIN, "width": _WIDTH, "height": height})


def _beside(name: str, left: bytes, right: bytes) -> None:
    """Two pictures as one."""
    with Image.open(BytesIO(left)) as one, Image.open(BytesIO(right)) as other:
        both = Image.new("RGB", (one.width + other.width, max(one.height, other.height)), "white")
        both.paste(one, (0, 0))
        both.paste(other, (one.width, 0))
    made = BytesIO()
    both.save(made, "PNG")
    _keep(name, made.getvalue())


def _keep(name: str, picture: bytes) -> None:
    with Image.open(BytesIO(picture)) as taken:
        taken.convert("RGB").quantize(_COLORS).save(_FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
