"""The pages that people see."""

import re
from pathlib import Path

import pytest
import requests
from flask import Flask

from bot.demo.github.pages import overview_page
from bot.demo.github.pages.overview_page import markdown
from bot.demo.github.state import StoredCheckRun


def test_home_shows_private_repositories_only_to_their_readers(place):
    place.world.repository(place.cann, "secret", private=True)
    page = place.browser().get(place.server.url + "/").text
    assert "runtime" in page
    assert place.mia.token in page
    assert "secret" not in page
    assert "secret" in place.browser(place.ada).get(place.server.url + "/").text


def test_a_pull_request_shows_check_label_and_comment(place):
    pull, _ = place.pull(author=("Mia", "mia@huawei.com"))
    run = StoredCheckRun(1, 2, place.app, place.runtime, "Countersign", pull.head_sha, place.world.now())
    run.conclusion, run.output = "failure", {"title": "Not signed", "summary": "❌ **Sign** <script>alert(1)</script>"}
    run.details_url = "https://cla.example.org/pr/1"
    place.world.check_runs[1] = run
    place.world.add_labels(pull, ["cla: no"], place.app.bot)
    place.world.comment(pull, place.app.bot, "Please _sign_.", app=place.app)
    here, address = place.browser(), place.server.url + "/cann/runtime/pull/1"
    page, commits, checks, files = (here.get(address + part).text for part in ("", "/commits", "/checks", "/files"))
    for part in ("Not signed", "cla: no", "<em>sign</em>", "countersign[bot]", "Some checks were not successful"):
        assert part in page
    assert "1 failing check" in " ".join(page.split())
    assert "no account is linked" in commits
    for part in ("<strong>Sign</strong>", 'href="https://cla.example.org/pr/1"', 'aria-label="failed"'):
        assert part in checks
    assert "❌" not in checks, "not every machine has a font for it"
    assert re.search(r'<span class="more">\+.+</span>', files)
    assert "alert(1)" not in page + checks
    answer = requests.get(place.server.url + "/cann/runtime/runs/1", allow_redirects=False, timeout=60)
    assert answer.headers["Location"] == "/cann/runtime/pull/1/checks#run-1"
    assert here.get(address + "/nothing").status_code == 404


@pytest.mark.parametrize(
    ("conclusions", "words"),
    [
        ([], "Some checks haven't completed yet No check has reported on this commit yet."),
        ([None], "Some checks haven't completed yet 1 in progress check"),
        (["success", "neutral"], "All checks have passed 2 successful checks"),
        (["failure", None, "skipped"], "Some checks were not successful 1 failing, 1 in progress, 1 successful checks"),
    ],
)
def test_one_line_above_the_checks_sums_them_up(place, conclusions, words):
    pull, _ = place.pull()
    for number, conclusion in enumerate(conclusions, 1):
        run = StoredCheckRun(number, 2, place.app, place.runtime, f"c{number}", pull.head_sha, place.world.now())
        run.conclusion = conclusion
        place.world.check_runs[number] = run
    page = place.browser().get(place.server.url + "/cann/runtime/pull/1").text
    box = re.search(r'id="checks".*?</small>', page, re.DOTALL)[0]
    assert words in " ".join(re.sub(r"^[^>]*>|<[^>]+>", " ", box).split())


def test_pages_of_accounts_and_repositories_follow_renames(place):
    place.world.rename(place.runtime, "engine", place.ada)
    here = place.browser(place.mia)
    assert place.mia.token in here.get(place.server.url + "/mia").text
    assert "ada" in here.get(place.server.url + "/cann").text
    assert here.get(place.server.url + "/cann/runtime").url.endswith("/cann/engine")
    missing = here.get(place.server.url + "/cann/nothing")
    assert (missing.status_code, "Not found" in missing.text) == (404, True)


def test_avatars_and_the_style_are_served_from_here(place):
    assert "<svg" in requests.get(f"{place.server.url}/avatars/{place.mia.id}.svg", timeout=60).text
    sheet = requests.get(f"{place.server.url}/static/github.css", timeout=60)
    assert sheet.status_code == 200
    assert re.search(r"\.prose table \{[^}]*overflow-x: auto", sheet.text), "a check's table breaks a narrow page"
    assert requests.get(f"{place.server.url}/avatars/1.svg", timeout=60).status_code == 404


def test_signing_out_leads_to_no_other_site(place):
    here = place.browser(place.mia)
    assert "small_github" in here.cookies
    answer = here.post(place.server.url + "/signout", data={"back": "//evil.example/"}, allow_redirects=False)
    assert answer.headers["Location"] == "/"
    assert "Sign in" in here.get(place.server.url + "/").text
    assert here.post(place.server.url + "/signin", data={"account": 1}).status_code == 422


def test_rendered_markdown_has_no_scripts():
    dirty = '<img src=x onerror=alert(1)> [x](javascript:alert(1)) <b onclick="alert(1)">b</b>\n\n|a|\n|-|\n|1|'
    with Flask("x", template_folder=Path(overview_page.__file__).parents[1] / "templates").app_context():
        shown, nothing = str(markdown(dirty)), markdown(None)
    assert "alert(1)" not in shown.replace("[x](javascript:alert(1))", "")
    assert "<table>" in shown
    assert nothing == ""


def test_signing_in_at_the_top_comes_back_with_the_query(place):
    page = place.browser().get(place.server.url + "/cann?a=1&b=2%2F3").text
    assert 'name="back" value="/cann?a=1&amp;b=2%2F3"' in page
    assert 'name="back" value="/cann"' in place.browser().get(place.server.url + "/cann").text


def test_a_pull_requests_page_keeps_itself_up_to_date(place):
    place.pull()
    page = place.browser().get(place.server.url + "/cann/runtime/pull/1").text
    live = ["state", "tabs", "pushed", "conversation", "checks", "labels"]
    assert re.findall(r'<\w+ [^>]*id="(\w+)" data-live>', page) == live
    assert "</p>" in page.split('id="state"')[1].split("<nav")[0]
    script = requests.get(place.server.url + re.search(r'<script src="([^"]+)"', page)[1], timeout=60)
    assert (script.status_code, "[data-live]" in script.text) == (200, True)


def test_a_pull_request_says_whether_a_merge_is_wanted_was_wanted_or_done(place):
    pull, _ = place.pull()

    def line():
        page = place.browser().get(place.server.url + "/cann/runtime/pull/1").text
        return re.sub(r"<[^>]+>|\s+", " ", re.search(r'id="state".*?</p>', page, re.DOTALL)[0])

    assert "mia wants to merge 1 commit into" in " ".join(line().split())
    place.world.close_pull(pull, place.mia)
    assert "mia wanted to merge 1 commit into" in " ".join(line().split())
    place.world.reopen_pull(pull, place.mia)
    place.world.merge_pull(pull, place.ada)
    assert "ada merged 1 commit into" in " ".join(line().split())
