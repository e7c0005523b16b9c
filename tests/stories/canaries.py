"""Personal data that must stay sealed: a word planted wherever people type, and a search for it in every spelling."""

import base64
import html
import json
import re
import sqlite3
from pathlib import Path
from urllib.parse import quote

import requests
from sqlalchemy import text

from bot import db

STEM = "qvogelzaun"
"""Part of every name, address, reason and file that is planted; nothing else in the world is called so."""

RARE = "䴕鶺鴒"
"""Part of a planted name: letters that each encoding writes in its own way."""

PUBLIC = "zeigemich"
"""A login: public by intent. What searches for canaries must find it, in the same places."""


def spellings(word):
    """The word as bytes: plain, escaped by JSON, by HTML and in an address, as UTF-16, in hexadecimal, in Base64."""
    for encoded in (word.encode(), word.encode("utf-16-le")):
        yield encoded
        yield encoded.hex().encode()
    yield json.dumps(word).strip('"').lower().encode()
    yield quote(word).lower().encode()
    yield html.escape(word).encode()
    for shift in range(3):  # the letters that do not depend on what stands around
        yield base64.b64encode(b"\0" * shift + word.encode())[4 if shift else 0 : -4]


def found(content, *words):
    """Where these words stand in the content, in any spelling: a few bytes around each; big and small letters are the same."""
    content = content.encode() if isinstance(content, str) else content
    small, hits = content.lower(), []
    for word in words or (STEM, RARE):
        for spelling in spellings(word):
            haystack = small if spelling.lower() == spelling else content
            place = haystack.find(spelling)
            if place >= 0:
                hits.append(content[max(0, place - 60) : place + 40])
    return hits


def tables(url):
    """Every row of every table as text, with the tables' names; those of the durable engine as well."""
    engine = db.open_engine(url)
    rows = {}
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            names = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars().all()
            for name in names:
                rows[name] = [str(tuple(row)) for row in connection.execute(text(f'SELECT * FROM "{name}"'))]
        else:
            query = "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
            for schema, name in connection.execute(text(query)).all():
                rows[name] = list(connection.execute(text(f'SELECT t::text FROM "{schema}"."{name}" t')).scalars())
    engine.dispose()
    return rows


def files(url, backup):
    """The bytes of the database's files: its own, its journal, and a backup made into that folder. PostgreSQL: its data folder."""
    if url.startswith("sqlite"):
        path = Path(url.removeprefix("sqlite:///"))
        with sqlite3.connect(path) as live, sqlite3.connect(backup / "backup.db") as copy:
            live.backup(copy)
        live.close()
        copy.close()
        return b"".join(file.read_bytes() for file in [*path.parent.glob(path.name + "*"), backup / "backup.db"])
    engine = db.open_engine(url)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("CHECKPOINT"))
        folder = Path(connection.execute(text("SHOW data_directory")).scalar_one())
        number = connection.execute(text("SELECT oid FROM pg_database WHERE datname = current_database()")).scalar_one()
    engine.dispose()
    kept = [*(folder / "base" / str(number)).iterdir(), *(folder / "pg_wal").glob("0*"), *(folder / "global").iterdir()]
    return b"".join(path.read_bytes() for path in kept if path.is_file())


class Guest:
    """A browser that keeps what others may come to see: addresses, redirects, cookies, pages of errors."""

    def __init__(self, play):
        self.play = play
        self.web = requests.Session()
        self.web.headers["User-Agent"] = f"{STEM}/1.0"
        self.seen = []

    def asks(self, method, path, expected=200, **given):
        """Ask the portal; what is not a page of the person's own is kept to be searched."""
        answer = self.web.request(method, self.play.stage.url + path, timeout=20, **given)
        for response in (*answer.history, answer):
            self.seen += [response.request.url, *(f"{name}: {value}" for name, value in response.headers.items())]
        self.seen += re.findall(r'(?:href|action|src)="([^"]*)"', answer.text)
        if re.search(r'<p class="kicker">[45]\d\d', answer.text):
            self.seen.append(answer.text)
        assert answer.status_code == expected, (path, answer.status_code, answer.text[:3000])
        return answer

    def signs_in(self, login):
        """By GitHub."""
        page = self.web.get(f"{self.play.stage.url}/login?next=/me", timeout=60)
        asked = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.text))
        asked = {name: html.unescape(value) for name, value in asked.items()}
        asked["account"] = str(self.play.world.account(login).id)
        back = self.web.post(f"{self.play.stage.github_url}/login/oauth/authorize", data=asked, timeout=60)
        assert back.url.endswith("/me"), back.url
        self.seen += [response.headers.get("Location", "") for response in (*page.history, *back.history)]
        return self

    def sends(self, path, page="/me", expected=200, files=None, **form):
        """Send a form; `__` stands for a hyphen. What the page hides goes along."""
        shown = self.asks("GET", page).text
        hidden = dict(re.findall(r'<input type="hidden" name="(csrf_token|seen)" value="([^"]*)"', shown))
        filled = {name.replace("__", "-"): value for name, value in form.items()}
        return self.asks("POST", path, expected, data={**hidden, **filled}, files=files)

    @property
    def cookies(self):
        """All values that this browser was given."""
        return [f"{cooky.name}={cooky.value}" for cooky in self.web.cookies]
