"""The small GitHub refuses in GitHub's form."""

from bot.demo.github.refusal import ErrorResponse, bad_credentials, forbidden, invalid, not_found


def test_error_bodies_are_those_of_github():
    assert not_found().body() == {
        "message": "Not Found",
        "documentation_url": "https://docs.github.com/rest",
        "status": "404",
    }
    body = invalid("Label", "name", "is too long").body()
    assert body["errors"] == [{"resource": "Label", "field": "name", "code": "custom", "message": "is too long"}]
    assert "status" not in body


def test_each_kind_of_refusal_has_its_status():
    assert [
        response.status for response in (not_found(), bad_credentials(), forbidden(), ErrorResponse(405, "no"))
    ] == [
        404,
        401,
        403,
        405,
    ]
