"""A header that GitHub would not send so is found, and each that it does send passes."""

import pytest

from tests.contract.headers import Asked, check

ORIGIN = "https://api.github.com"
PATH = "/repos/cann/ops/pulls"
ASKED = Asked("GET", "/repos/{owner}/{repo}/pulls", ORIGIN, PATH, {"per_page": "100", "page": "2"})
RIGHT = {
    "Date": "Sat, 28 Nov 2026 09:00:00 GMT", "ETag": 'W/"' + "a" * 64 + '"', "X-GitHub-Request-Id": "8A96:10854:895AE2:8AB25B:64803F81",
    "X-GitHub-Api-Version-Selected": "2022-11-28", "X-GitHub-Media-Type": "github.v3; format=json",
    "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4959", "X-RateLimit-Used": "41", "X-RateLimit-Reset": "1795858200",
    "X-RateLimit-Resource": "core", "Content-Type": "application/json; charset=utf-8",
}  # fmt: skip


def found(status=200, asked=ASKED, described=(), **changed):
    """Findings about the right headers with some changed; None leaves one out."""
    sent = {**RIGHT, **{name.replace("_", "-"): value for name, value in changed.items()}}
    pairs = [(name, value) for name, value in sent.items() if value is not None]
    return list(check(asked, status, pairs, {name: {} for name in described}, whole=True))


def link(**pages):
    """A Link header to these pages of the list."""
    return ", ".join(f'<{ORIGIN}{PATH}?per_page=100&page={page}>; rel="{name}"' for name, page in pages.items())


@pytest.mark.parametrize(
    "changed",
    [
        {}, {"ETag": '"abc"'}, {"Retry-After": "60"}, {"Retry-After": "Sat, 28 Nov 2026 09:01:00 GMT"},
        {"Link": link(prev=1, next=3, last=5, first=1)}, {"Link": link(prev=1, first=1)}, {"Link": link(first=1, prev=1, next=3)},
        {"Link": link(prev=1, next=3, last=5, first=1).replace(PATH, "/repositories/7/pulls")},
    ],
)  # fmt: skip
def test_right_headers_pass(changed):
    assert found(**changed) == []


@pytest.mark.parametrize(
    ("changed", "finding"),
    [
        ({"Date": "Sat, 28 Nov 2026 09:00:00"}, "header date is not in GitHub's form"),
        ({"Date": "Sat, 28 Nov 2026 09:00:00 +0000"}, "header date is not in GitHub's form"),
        ({"Date": None}, "header date is missing"),
        ({"date": RIGHT["Date"]}, "header date comes 2 times"),
        ({"ETag": "abc"}, "header etag is not in GitHub's form"),
        ({"ETag": None}, "header etag is missing"),
        ({"X-GitHub-Request-Id": "1"}, "header x-github-request-id is not in GitHub's form"),
        ({"X-GitHub-Media-Type": None}, "header x-github-media-type is missing"),
        ({"Content-Type": "application/jsom"}, "header content-type is not in GitHub's form"),
        ({"Retry-After": "soon"}, "header retry-after is not in GitHub's form"),
        ({"X-RateLimit-Remaining": "many"}, "header x-ratelimit-remaining is not in GitHub's form"),
        ({"X-RateLimit-Resource": "cores"}, "header x-ratelimit-resource is not in GitHub's form"),
        ({"X-RateLimit-Used": "40"}, "40 of 5000 calls are used and 4959 are left"),
        ({"X-RateLimit-Used": None}, "of the limit's headers only"),
        ({"X-RateLimit-Reset": "1795999999"}, "not within the hour"),
        ({"X-RateLimit-Reset": "60"}, "header x-ratelimit-reset is not in GitHub's form"),
        ({"Link": "<https://api.github.com/x>; rel=next"}, "header link is not in GitHub's form"),
        ({"Link": link(next=3, prev=1)}, "page 2 has prev and first where it should not, or lacks them"),
        ({"Link": link(next=3, last=5)}, "page 2 has prev and first where it should not, or lacks them"),
        ({"Link": link(prev=1, first=1, next=4, last=5)}, "link next of page 2 is page 4"),
        ({"Link": link(prev=1, first=1, next=3, last=2)}, "page 2 has a next though 2 is the last"),
        ({"Link": link(prev=1, first=1, last=5)}, "page 2 of 5 has no next"),
        ({"Link": link(prev=1, first=1).replace("api.", "")}, "link prev leads elsewhere"),
        ({"Link": link(prev=1, first=1).replace("/pulls", "/issues")}, "link prev leads elsewhere"),
        ({"Link": link(prev=1, first=1).replace("=100", "=30")}, "link prev asks for another per_page"),
    ],
)
def test_wrong_headers_are_found(changed, finding):
    findings = found(**changed)
    assert [line for line in findings if finding in line], findings


@pytest.mark.parametrize(
    ("status", "described", "missing"),
    [(301, (), ["location"]), (302, ("Location",), ["location"]), (201, ("Location",), ["location"]), (201, (), [])],
)
def test_a_redirect_always_has_a_location_and_a_new_thing_where_described(status, described, missing):
    assert found(status, described=described) == [f"header {name} is missing" for name in missing]


def test_a_call_by_jwt_or_with_wrong_credentials_has_no_limit():
    without = {name: None for name in RIGHT if name.startswith("X-RateLimit")}
    app = Asked("GET", "/app/installations", ORIGIN, "/app/installations", {})
    assert found(asked=app, **without) == []
    assert found(401, **without) == []
    assert len(found(**without)) == 5


def test_a_hand_written_answer_may_leave_headers_out():
    assert list(check(ASKED, 200, [], {}, whole=False)) == []
    assert list(check(ASKED, 200, [("Retry-After", "soon")], {}, whole=False)) != []


def test_every_limit_of_the_description_is_known(contract):
    overview = contract._document["components"]["schemas"]["rate-limit-overview"]
    for name in overview["properties"]["resources"]["properties"]:
        assert found(X_RateLimit_Resource=name) == [], name
