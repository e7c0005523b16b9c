"""A contributor's browser: signs in with GitHub, signs the agreement, takes it back, tries again after any failure."""

import re
import time
from contextlib import suppress
from urllib.parse import parse_qsl, urlsplit

import requests

_FIELD = re.compile(r'<input type="hidden" name="(csrf_token|seen)" value="([^"]*)"')
_RECEIPT = re.compile(r"/receipts/([A-Za-z0-9-]+)")


class NotSaid(Exception):
    """The page did not say what was done."""


class Browser:
    """One person's window. What it says was done was said by a page of ours."""

    def __init__(self, url, github_url, account):
        self.url, self.github_url, self.account = url, github_url, account
        self.tries = 0
        self._session = requests.Session()
        self._session.trust_env = False

    def sign(self, ending):
        """Sign the individual agreement; the receipt's number. None once `ending` is set and it was not possible before."""
        return self._until_done(self._sign, ending)

    def withdraw(self, receipt, ending):
        """Take the signature back; True once a page says so."""
        return self._until_done(lambda: self._withdraw(receipt), ending)

    def _until_done(self, act, ending):
        """Without a limit of its own: on a slow machine no server may live long enough before the phase is over."""
        while True:
            self.tries += 1
            with suppress(requests.RequestException, NotSaid):
                return act()
            if ending.wait(0.5):
                return None

    def _sign(self):
        page = self._page("/sign/icla")
        if "/receipts/" not in page.url and 'name="agree"' in page.text:
            form = {"name": self.account.name, "email": self.account.emails[0].address, "agree": "y"}
            page = self._session.post(
                f"{self.url}/sign/icla", data={**dict(_FIELD.findall(page.text)), **form}, timeout=30
            )
        found = _RECEIPT.search(page.url) or _RECEIPT.search(page.text)
        if page.status_code != 200 or found is None:
            raise NotSaid
        return found[1]

    def _withdraw(self, receipt):
        path = f"/receipts/{receipt}/withdraw"
        page = self._page(path)
        if page.url.endswith("/withdraw"):
            form = {**dict(_FIELD.findall(page.text)), "sure": "y"}
            page = self._session.post(f"{self.url}{path}", data=form, timeout=30)
        if page.status_code != 200 or not page.url.endswith(f"/receipts/{receipt}"):
            raise NotSaid
        return True

    def _page(self, path):
        """A page for a signed-in person; signs in first where it has to."""
        page = self._session.get(f"{self.url}{path}", timeout=30)
        if "/login?next=" in page.text or page.url.startswith(self.github_url):
            page = self._session.get(f"{self.url}/login", params={"next": path}, timeout=30)
            if page.url.startswith(f"{self.github_url}/login/oauth/authorize"):
                asked = dict(parse_qsl(urlsplit(page.url).query))
                address = f"{self.github_url}/login/oauth/authorize"
                page = self._session.post(address, data={**asked, "account": self.account.id}, timeout=30)
        if page.status_code == 429:
            time.sleep(2)
        if page.status_code != 200 or not page.url.startswith(self.url):
            raise NotSaid
        return page
