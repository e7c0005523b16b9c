"""Registering an App at the small GitHub as a browser does it."""

import json
from urllib.parse import parse_qs, urlsplit

import requests

from bot import app_yaml

REDIRECT = "http://127.0.0.1:9/registered"


def slip(**changes):
    """Our own manifest."""
    return json.dumps({**app_yaml.read("https://cla.example.org", redirect_url=REDIRECT), "name": "Fresh", **changes})


def post(place, path, **fields):
    """One form."""
    return requests.post(place.server.url + path, data=fields, allow_redirects=False, timeout=30)


def made(place, **changes):
    """The code and state that the browser carries back."""
    answer = post(
        place, "/organizations/cann/settings/apps/manifest", manifest=slip(**changes), state="abc", account=place.ada.id
    )
    assert answer.status_code == 302, answer.text
    assert answer.headers["Location"].startswith(REDIRECT)
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}
