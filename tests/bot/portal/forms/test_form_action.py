"""A form is answered by its view, and a refused form is shown again on its own page."""

import pytest
from flask import g
from werkzeug.exceptions import NotFound

from agreements.facts import Account
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.erasures import ErasureRefused
from bot.portal.forms.form_action import FormRefused, change, done, form_action, refused_beside
from bot.portal.session.visitor import Visitor, remember


def page(name, text=""):
    """A page with a form."""
    return f"{name} {text} {dict(g.get('errors', {}))}"


@pytest.fixture(name="request_context")
def _request_context(portal):
    """Inside a form that ada sends."""
    with portal.app.test_request_context("/", method="POST"):
        yield portal


def test_a_refused_form_shows_its_page_with_errors_and_status(request_context):
    @form_action(page)
    def act(name, number):
        if number == 1:
            raise FormRefused({"x": "No."}, 409, text="typed")
        return "done"

    assert act(name="a", number=2) == "done"
    assert act(name="a", number=1) == ("a typed {'x': 'No.'}", 409)
    assert act.__name__ == "act", "by which its endpoint is named"


def test_a_refusal_of_the_records_stands_at_its_field_and_an_unknown_row_is_404(request_context):
    with pytest.raises(FormRefused) as refused, refused_beside("who", {"past": "since"}, {"past": "Later."}):
        raise CompanyRefused("past")
    assert (refused.value.errors, refused.value.status) == ({"since": "Later."}, 409)
    with pytest.raises(FormRefused) as refused, refused_beside("who"):
        raise CompanyRefused("own")
    assert list(refused.value.errors) == ["who"]
    with pytest.raises(NotFound), refused_beside("who"):
        raise ErasureRefused("unknown")


@pytest.mark.parametrize(("error", "raised"), [(LookupError("no such row"), NotFound), (KeyError("a slip"), KeyError)])
def test_an_unknown_row_becomes_404_and_a_programming_error_stays_one(request_context, error, raised):
    remember(Visitor(Account(11, "ada"), ()))
    with pytest.raises(raised), change():
        raise error


def test_a_finished_form_redirects_with_or_without_a_message(request_context):
    assert done("/me").location == "/me"
    assert done("/me", "Saved.").status_code == 302
