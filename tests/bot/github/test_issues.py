"""One issue for each marker, against the small GitHub."""

import pytest

from bot.github.ports import Missing, Refused

MARK = "<!-- countersign:licenses -->"


def keep(scene, body, *, wanted=True, title="Licences"):
    """The issue as it should be."""
    return scene.hub.issue(scene.place, marker=MARK, title=title, body=f"{body} {MARK}", wanted=wanted)


def test_it_is_opened_once_then_edited_closed_and_opened_again(scene):
    """The same number all the while; nothing is written when nothing changes; where none is wanted, none is made."""
    assert keep(scene, "Two", wanted=False) is None
    number = keep(scene, "Two")
    before = len(scene.world.calls)
    assert keep(scene, "Two") == number
    assert {call.method for call in scene.world.calls[before:]} == {"GET"}

    assert keep(scene, "Three", title="Licences, again") == number
    [issue] = scene.ops.issues.values()
    assert (issue.title, issue.body, issue.closed_at) == ("Licences, again", f"Three {MARK}", None)
    assert keep(scene, "None", wanted=False) == number
    assert issue.closed_at is not None
    assert keep(scene, "One") == number
    assert issue.closed_at is None


def test_a_quote_of_the_marker_is_not_ours(scene):
    """Neither a person's issue nor one of our App's with another marker, nor a pull request of ours."""
    scene.world.open_issue(scene.ops, scene.mia, "Look", f"they say {MARK}")
    scene.world.open_issue(scene.ops, scene.app.bot, "Other", "<!-- countersign:other -->", app=scene.app)
    scene.world.write(scene.ops, {"x": "y"}, branch="ours")
    scene.world.open_pull(scene.ops, scene.app.bot, "ours", body=MARK)

    assert keep(scene, "Two") == 4


def test_what_stands_in_the_way_is_told(scene):
    """Issues switched off, the permission withheld; a renamed repository is found."""
    old = scene.place
    scene.world.rename(scene.ops, "kernels", scene.ada)
    assert scene.hub.issue(old, marker=MARK, title="T", body=MARK, wanted=True) == 1
    scene.ops.issues.clear()
    scene.ops.has_issues = False
    with pytest.raises(Missing):
        keep(scene, "Two")
    scene.world.tokens.clear()
    scene.app.permissions["issues"] = "read"
    with pytest.raises(Refused):
        keep(scene, "Two")
