"""Comments, labels, reactions."""

from datetime import UTC, datetime

import pytest

from agreements.facts import Account
from bot.github.ports import Comment, Missing, Moved, Refused, Unreachable
from tests.bot.github.conftest import HERE
from tests.bot.github.shapes import INVALID, next_page

MARK = "<!-- countersign:900:3 -->"
COMMENTS = "/repos/cann/ops/issues/3/comments"
BOT = {"id": 70, "login": "countersign[bot]", "type": "Bot"}


def comment(number, *, user=None, app=7, body=f"Hello {MARK}"):
    """A comment of REST's."""
    return {"id": number, "user": user or BOT, "body": body, "performed_via_github_app": {"id": app} if app else None}


def test_a_comment_is_made_once_and_changed_in_place(hub, github):
    github.on("POST", COMMENTS, {"id": 51}, status=201)
    github.on("PATCH", "/repos/cann/ops/issues/comments/51", {"message": "later"}, status=502)
    github.on("PATCH", "/repos/cann/ops/issues/comments/51", {"id": 51})

    assert hub.create_comment(HERE, 3, "one") == 51
    hub.update_comment(HERE, 51, "two")

    assert github.bodies("POST", "comments") == [{"body": "one"}]
    assert github.bodies("PATCH") == [{"body": "two"}] * 2


def test_a_deleted_comment_is_missing(hub, github):
    github.on("PATCH", "/repos/cann/ops/issues/comments/51", {"message": "Not Found"}, status=404)

    with pytest.raises(Missing):
        hub.update_comment(HERE, 51, "two")


def test_only_our_own_comment_with_the_marker_is_ours(hub, github):
    person = {"id": 11, "login": "ann", "type": "User"}
    link = {"Link": next_page("/repos/cann/ops/issues/3/comments")}
    others = [comment(1, user=person, app=None), comment(2, app=8), comment(3, user=person), comment(4, body="x"),
              {**comment(5), "user": None}, comment(6, body=None)]  # fmt: skip
    github.on("GET", COMMENTS, others, headers=link)
    github.on("GET", COMMENTS, [comment(9), comment(8)])

    assert hub.find_comment(HERE, 3, MARK) == 8


def test_without_the_apps_name_in_the_comment_our_login_decides(hub, github):
    """GitHub may leave `performed_via_github_app` null."""
    github.on("GET", "/app", {"id": 7, "slug": "countersign"})
    github.on("GET", COMMENTS, [comment(1, app=None, user={**BOT, "login": "other[bot]"}), comment(2, app=None)])

    assert hub.find_comment(HERE, 3, MARK) == 2
    assert hub.find_comment(HERE, 3, "<!-- countersign:900:4 -->") is None


NINE = "2026-11-01T09:00:00Z"
SAID = {
    "id": 51, "user": {"id": 11, "login": "ann", "type": "User"}, "body": "/recheck", "created_at": NINE,
    "updated_at": NINE, "issue_url": "https://api.github.com/repos/cann/ops/issues/3",
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        ({"updated_at": "2026-11-01T09:00:01Z"}, {"edited": True}),
        ({"user": None}, {"author": None}),
        ({"user": {"id": 10137, "login": "ghost", "type": "User"}}, {"author": None}),
        ({"user": BOT}, {"author": Account(70, "countersign[bot]", "Bot")}),
        ({"body": None}, {"body": ""}),
    ],
)
def test_a_comment_is_read_with_its_place_author_text_and_whether_it_was_edited(hub, github, changes, expected):
    github.on("GET", "/repos/cann/ops/issues/comments/51", {**SAID, **changes})

    at = datetime(2026, 11, 1, 9, tzinfo=UTC)
    plain = {"number": 3, "author": Account(11, "ann"), "body": "/recheck", "created_at": at, "edited": False}
    assert hub.comment(HERE, 51) == Comment(**{**plain, **expected})


def test_a_deleted_comment_is_missing_and_an_odd_answer_garbled(hub, github):
    github.on("GET", "/repos/cann/ops/issues/comments/51", {"message": "Not Found"}, status=404)
    github.on("GET", "/repos/cann/ops/issues/comments/52", {"id": 52})

    with pytest.raises(Missing):
        hub.comment(HERE, 51)
    with pytest.raises(Unreachable):
        hub.comment(HERE, 52)


def test_a_label_that_exists_is_fine(hub, github):
    github.on("POST", "/repos/cann/ops/labels", INVALID, status=422)
    github.on("GET", "/repos/cann/ops/labels/cla-signed", {"name": "cla-signed"})
    github.on("GET", "/repos/cann/ops/labels/bad", {"message": "Not Found"}, status=404)

    hub.create_label(HERE, "cla-signed", "#0e8a16", "d")
    with pytest.raises(Refused):
        hub.create_label(HERE, "bad", "0e8a16", "d")

    assert github.bodies("POST")[0] == {"name": "cla-signed", "color": "0e8a16", "description": "d"}


def test_labels_are_put_on_and_taken_off(hub, github):
    github.on("POST", "/repos/cann/ops/issues/3/labels", [])
    github.on("DELETE", "/repos/cann/ops/issues/3/labels/a%2Fb", {"message": "Label does not exist"}, status=404)

    hub.add_label(HERE, 3, "cla-signed")
    hub.remove_label(HERE, 3, "a/b")

    assert github.bodies("POST") == [{"labels": ["cla-signed"]}]
    assert len(github.sent("DELETE")) == 1


def test_a_label_of_a_renamed_repository_is_not_reported_as_taken_off(hub, github):
    headers = {"Location": "https://api.github.com/x"}
    github.on("DELETE", "/repos/cann/ops/issues/3/labels/a", {"message": "Moved"}, status=307, headers=headers)

    with pytest.raises(Moved):
        hub.remove_label(HERE, 3, "a")


def test_a_reaction_is_posted(hub, github):
    github.on("POST", "/repos/cann/ops/issues/comments/51/reactions", {"id": 1}, status=201)

    hub.react(HERE, 51, "eyes")

    assert github.bodies("POST") == [{"content": "eyes"}]


def test_the_labels_of_all_pages_are_read(hub, github):
    link = {"Link": next_page("/repos/cann/ops/issues/3/labels")}
    github.on("GET", "/repos/cann/ops/issues/3/labels", [{"name": "bug"}], headers=link)
    github.on("GET", "/repos/cann/ops/issues/3/labels", [{"name": "cla-signed"}])

    assert hub.labels(HERE, 3) == {"bug", "cla-signed"}


def test_only_our_own_reaction_is_found(hub, github):
    github.on("GET", "/app", {"id": 7, "slug": "countersign"})
    ann = {"user": {"login": "ann"}, "content": "+1", "created_at": NINE}
    path = "/repos/cann/ops/issues/comments/51/reactions"
    github.on("GET", path, [ann, {**ann, "user": None}])
    github.on("GET", path, [ann, {"user": BOT, "content": "eyes", "created_at": NINE}])

    assert hub.our_reaction(HERE, 51) is None
    assert hub.our_reaction(HERE, 51) == ("eyes", datetime(2026, 11, 1, 9, tzinfo=UTC))
