"""The portal's parts come with the app, or not at all."""

import pytest
from flask import Flask

from bot.portal import portal_services


def test_the_app_hands_them_out(portal):
    """Inside a request the parts are those that the app was given."""
    with portal.app.test_request_context("/"):
        assert portal_services.portal_services() is portal.services


def test_an_app_that_was_not_prepared():
    """An app without them says what is missing."""
    app = Flask("bare", static_folder=None)
    app.extensions["countersign.portal"] = None

    with app.app_context(), pytest.raises(TypeError, match="prepare"):
        portal_services.portal_services()
