"""A contributor signs off on a phone, from the link in the check to the green check, and takes it back; no commit changes."""

import re

import pytest

from tests.stories.window import Window

pytestmark = [pytest.mark.slow, pytest.mark.browser]

RULEBOOK = """\
version: 1
repositories:
  - {match: ["*"], require: dco}
dco: {portal: true}
"""
PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True, "java_script_enabled": False}


@pytest.fixture(name="play")
def _play(staged):
    """A community whose rulebook lets sign-offs in the portal count; the log verifies at the end."""
    play = staged()
    play.community(RULEBOOK)
    play.stage.serve()
    yield play
    assert re.match(r"verified [0-9]+ entries", play.command("ledger", "verify"))


@pytest.fixture(name="phone")
def _phone(chromium, album, play):
    """A maker of a person's phone, which speaks that language."""
    made = []

    def phone(locale="en-US"):
        context = chromium.new_context(locale=locale, **PHONE)
        context.set_default_timeout(30_000)
        made.append(context)
        return Window(play, context.new_page(), album)

    yield phone
    for context in made:
        context.close()


def link(play, pull):
    """The way to the page, as check and comment name it first."""
    wanted = rf"\*\*.*\]\({re.escape(play.stage.url)}(/pr/cann/ops-math/{pull.number}/sign-off)\)"
    texts = [play.runs(pull)[0].output["summary"], *play.comments(pull)]
    found = [re.search(wanted, text) for text in texts]
    assert all(found), texts
    return found[0][1]


def overflow(page):
    """How far the page is wider than the phone."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        (
            "en-US",
            ("Your commits", "Fix it", "Sign off", "Your sign-offs on this pull request", "Withdraw my sign-off"),
        ),
        pytest.param(
            "zh-CN", ("您的提交", "Fix it", "签名", "您在此拉取请求中的签名", "撤回我的签名"), marks=pytest.mark.nightly
        ),
    ],
)
def test_a_person_signs_off_on_a_phone_and_takes_it_back(play, phone, locale, words):
    heading, subject, button, again, withdraw = words
    ada = play.person("ada", "ada@example.org")
    desk, pull = play.opens(ada, message="Fix it")
    play.judged(pull, "failure")
    head, window = pull.head_sha, phone(locale)
    window.signs_in("ada", link(play, pull)).sees(heading, subject, "Developer Certificate of Origin").photo(
        f"sign-off {locale}"
    )
    assert overflow(window.page) <= 0
    window.presses(button)  # Without the tick nothing is signed.
    assert play.rows("SELECT id FROM portal_signoff") == []
    window.ticks("#agree").presses(button)
    window.page.wait_for_url("**/pr/cann/ops-math/1?after=*")
    assert window.clicks == 3  # The first press was in vain.
    play.judged(pull, "success")
    assert "dco/signed-here" in str(play.rows("SELECT codes FROM verdict ORDER BY id DESC LIMIT 1"))
    assert pull.head_sha == head

    desk.commit("One more thing")
    desk.push()
    play.judged(pull, "failure")
    window.goes("/pr/cann/ops-math/1").follows(again).sees("One more thing").ticks("#agree").presses(button)
    play.judged(pull, "success")
    window.goes(link_to(pull)).ticks("#sure").presses(withdraw)
    window.page.wait_for_url("**/pr/cann/ops-math/1?after=*")
    play.judged(pull, "failure")
    assert [
        len(row[0].split()) for row in play.rows("SELECT shas FROM portal_signoff WHERE revoked_at IS NOT NULL")
    ] == [1, 1]


def link_to(pull):
    """The page's own address."""
    return f"/pr/cann/ops-math/{pull.number}/sign-off"


def test_another_person_is_offered_nothing_of_ones_own(play, phone):
    ada, eve = play.person("ada", "ada@example.org"), play.person("eve", "eve@example.org")
    _desk, pull = play.opens(ada)
    play.judged(pull, "failure")
    window = phone().signs_in(eve.account.login, link(play, pull)).sees("There is no commit here for you to sign off.")
    assert window.page.locator("form.sign").count() == 0
    play.command("recheck", "cann/ops-math#1")
    play.judged(pull, "failure")
