"""A problem of the API gives its status and one line, and no internal message."""

import pytest
from flask import Blueprint, Flask

from bot.portal.api.problems import MEDIA_TYPE, InvalidRequest, add_problems, problem


@pytest.fixture(name="client")
def _client():
    """An app with a view that fails in the way that the address names."""
    app, blueprint = Flask("problems"), Blueprint("api", __name__)

    @blueprint.get("/<what>")
    def fail(what):
        raise {"wrong": InvalidRequest("limit: a number"), "broken": KeyError("secret")}[what]

    add_problems(blueprint)
    app.register_blueprint(blueprint)
    return app.test_client()


def test_an_invalid_request_is_a_problem_with_status_400(client):
    answer = client.get("/wrong")
    assert (answer.status_code, answer.mimetype) == (400, MEDIA_TYPE)
    assert answer.json == {"type": "about:blank", "title": "Bad Request", "status": 400, "detail": "limit: a number"}


def test_an_internal_error_is_a_problem_without_its_message(client):
    answer = client.get("/broken")
    assert (answer.status_code, "secret" in answer.text) == (500, False)


@pytest.mark.parametrize(("status", "header"), [(401, "WWW-Authenticate"), (405, "Allow"), (429, "Retry-After")])
def test_a_problem_has_the_headers_of_its_status_alone(status, header):
    with Flask("x").app_context():
        assert header in problem(status).headers
        assert header not in problem(404).headers
