"""Fixtures of the company pages' tests: two DNS servers, and a company that ada requested with bob."""

import re
from dataclasses import dataclass

import pytest

from agreements.store.companies import company_requests
from agreements.store.record_context import RecordContext
from bot.network.resolvers import Server
from tests.bot.books import kept
from tests.bot.portal.company import office
from tests.bot.small_dns import SmallDns

HUAWEI = "ada@huawei.com"


@dataclass
class Desk:
    """A portal, the company in it, and the DNS that it asks."""

    portal: object
    servers: list
    company_id: str = ""

    def sit(self, **user):
        """A browser in which a person signed in: ada, with an address at huawei.com, unless said otherwise."""
        office.works(self.portal, HUAWEI, "ada@home.example")
        return self.portal.signed_in(**user)

    def send(self, browser, path, page=None, **filled):
        """A form sent to a page of the company, as it is on `page` (the same one unless said otherwise)."""
        home = f"/company/{self.company_id}"
        proof = self.portal.proof(browser, home + (path if page is None else page))
        return browser.post(home + path, data={"csrf_token": proof, **filled})

    def show(self, domain, text):
        """From now on both servers show that text."""
        for server in self.servers:
            server.zone[f"_cla-challenge.{domain}.", "TXT"] = [f'"{text}"']

    @property
    def jobs(self):
        """What waits to be judged again on behalf of the company, as delays in days."""
        return [job.delay.days for job in self.portal.engine.waiting if job.name == "company"]

    def countersign(self):
        """By the administrator."""
        services = self.portal.services
        with services.sessions() as session:
            company_requests.countersign(
                RecordContext(session, services.vault, 90, self.portal.at, services.new_id),
                self.company_id,
                reason="known",
            )


def asked(browser, **changed):
    """The request form as ada fills it in, but for what is changed or (None) left out."""
    page = browser.get("/company/request").text
    hidden = dict(re.findall(r'<input type="hidden" name="(csrf_token|seen)" value="([^"]*)"', page))
    filled = {
        **hidden,
        "field-legal-name": "Huawei Technologies Co., Ltd.",
        "field-registration": "9144-0300",
        "field-address": "Bantian, Shenzhen",
        "field-title": "Head of OSS",
        "name": "Ada Lovelace",
        "email": HUAWEI,
        "second": "@Bob",
        "agree": "y",
        **changed,
    }
    return {name: value for name, value in filled.items() if value is not None}


@pytest.fixture(name="desk")
def _desk(tmp_path, github, make_portal):
    """The desk before the first request. A request that changes a record has to write one entry into the log."""
    servers = [SmallDns({("example.", "TXT"): []}).start() for _ in range(2)]
    portal = make_portal(
        f"sqlite:///{tmp_path / 'desk.db'}",
        github,
        dns_servers=tuple(Server("127.0.0.1", server.port) for server in servers),
    )
    try:
        with kept(portal):
            yield Desk(portal, servers)
    finally:
        for server in servers:
            server.stop()


@pytest.fixture(name="requested")
def _requested(desk):
    """The desk with a company that waits for its countersignature, and ada's browser."""
    browser = desk.sit()
    sent = browser.post("/company/request", data=asked(browser))
    assert sent.status_code == 302, sent.text
    desk.company_id = sent.headers["Location"].rpartition("/")[2]
    desk.ada = browser
    return desk
