"""Two organisations of one deployment with different parties: a signature counts where it was made."""

import pytest

from tests.stories.conftest import RULEBOOK
from tests.stories.window import Window

pytestmark = [pytest.mark.slow, pytest.mark.browser]

THERE = RULEBOOK.replace("The CANN Authors", "Other Foundation")


def test_a_signature_with_one_party_does_not_count_with_the_other(staged, page, album):
    play = staged(settings={"COUNTERSIGN_ACCOUNTS": "cann, other"})
    play.community()
    play.community(THERE, repositories=("compiler",), login="other", boss="chair")
    play.stage.serve()
    ada = play.person("ada", "ada@example.org", name="Ada Chen")
    _, here = play.opens(ada)
    _, there = play.opens(ada, "compiler", owner="other")
    play.judged(here, "failure")
    play.judged(there, "failure")

    window = Window(play, page, album).signs_in("ada").goes("/sign/icla?pr=cann/ops-math/1")
    window.sees("The CANN Authors")
    album(page, "party-one-form")
    window.fills(name="Ada Chen").ticks("main input[type=checkbox]").presses("I agree")
    play.judged(here, "success")
    play.command("recheck", "other/compiler")
    play.quiet()
    play.judged(there, "failure")

    window.goes("/sign/icla?pr=cann/ops-math/1").sees("You have signed this version")
    album(page, "party-one-signed")
    window.goes("/sign/icla?pr=other/compiler/1").sees("Other Foundation")
    album(page, "party-two-form")
    assert "You have signed" not in page.locator("main").inner_text()
    window.goes("/me").sees("with The CANN Authors")
    album(page, "parties-of-a-person")
    window.goes("/sign/icla?pr=other/compiler/1")
    window.fills(name="Ada Chen").ticks("main input[type=checkbox]").presses("I agree")
    play.judged(there, "success")
    window.goes("/me").sees("with The CANN Authors", "with Other Foundation")
    album(page, "parties-of-a-person-both")
