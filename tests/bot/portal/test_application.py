"""The portal's app is made once, for the first request."""

from threading import Barrier, Thread

from werkzeug.test import Client

from bot.portal import site
from bot.portal.application import PortalApplication


def test_concurrent_first_requests_share_one_app_that_is_made_for_them(portal, monkeypatch):
    made, prepare = [], site.prepare
    monkeypatch.setattr(site, "prepare", lambda app, services: (made.append(app), prepare(app, services)))
    pages = PortalApplication(portal.services)
    assert made == []

    statuses, together = [], Barrier(4)

    def ask():
        together.wait(10)
        statuses.append(Client(pages).get("/", base_url=portal.services.settings.url).status_code)

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert statuses == [200] * 4
    assert made == [pages.flask]
