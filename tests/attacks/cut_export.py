"""An export that fails on the way, over the real server: can a reader take half of it for the whole?"""

import json
import re
import shutil
import socket
import sqlite3
import sys
import tempfile
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[2]))

import requests

from bot.demo.servers import DemoServers
from tests.attacks import program
from tests.conftest import free_port

PEOPLE = 1000
"""So many rows are more than one piece of an answer."""
MOMENT = "2026-01-01 00:00:00.000000"


def attack(*, short, say):
    """Take everything along twice: with records in order, and with an unreadable row behind many other rows."""
    del short  # one server and two downloads
    folder = Path(tempfile.mkdtemp(prefix="countersign-attack-"))
    try:
        with DemoServers(folder / "stage", port=free_port(), github_port=free_port()) as stage:
            boss = stage.world.user("boss", emails=["boss@example.org"])
            stage.world.team(stage.world.organization("cann", admins=[boss]), "cla-admins", [boss])
            stage.world.install(stage.app, stage.world.account("cann"), boss)
            stage.serve()
            browser = _signed_in(stage, boss)
            _write(stage, _people())
            whole, problem = _download(stage, browser), None
            _write(
                stage,
                [("INSERT INTO erasure (id, account_id, asked_at, state) VALUES ('x', 1, 'damaged', 'asked')", ())],
            )
            broken = _download(stage, browser)
    finally:
        shutil.rmtree(folder)
    say(f"in order: {_told(whole)}; with a damaged row: {_told(broken)}")
    if not (_is_ended(whole) and _is_complete(whole)):
        problem = "an export of records in order is not whole, so nothing was shown"
    elif len(broken) < 64 * 1024:
        problem = "the damaged export ended before its first piece, so nothing was shown"
    elif _is_ended(broken):
        problem = "the damaged export ends as if it were whole"
    elif _is_complete(broken):
        problem = "the damaged export says that it is complete"
    return [problem] if problem else []


def _people():
    row = "INSERT INTO person (id, account_id, login, login_since, wrapped_key, ring_key_id, created_at) VALUES (?, ?, ?, ?, x'', '', ?)"
    return [(row, (f"person-{number}", 10_000 + number, f"login-{number}", MOMENT, MOMENT)) for number in range(PEOPLE)]


def _write(stage, changes):
    connection = sqlite3.connect(stage.folder / "countersign.db", timeout=20)
    with connection:
        for statement, values in changes:
            connection.execute(statement, values)
    connection.close()


def _signed_in(stage, who):
    """A browser in which that account signed in at the small GitHub."""
    browser = requests.Session()
    asked = browser.get(f"{stage.url}/login", params={"next": "/me"}, timeout=20)
    form = {**dict(parse_qsl(urlsplit(asked.url).query)), "account": str(who.id)}
    browser.post(f"{stage.github_url}/login/oauth/authorize", data=form, timeout=20)
    return browser


def _download(stage, browser):
    """Every byte of the answer as it came, chunks and all."""
    page = browser.get(f"{stage.url}/admin/export", timeout=20)
    form = "csrf_token=" + re.search(r'name="csrf_token" value="([^"]+)"', page.text)[1]
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    request = (
        f"POST /admin/export HTTP/1.1\r\nHost: 127.0.0.1:{stage.port}\r\nCookie: {cookies}\r\nConnection: close\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(form)}\r\n\r\n{form}"
    )
    answer = b""
    with socket.create_connection(("127.0.0.1", stage.port), timeout=20) as line:
        line.sendall(request.encode())
        while piece := line.recv(65536):
            answer += piece
    return answer


def _is_ended(answer):
    """Whether HTTP says that this was all."""
    return answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"0\r\n\r\n")


def _is_complete(answer):
    """Whether the file says so: it is JSON, and its last member is `complete`."""
    text, rest = b"", answer.partition(b"\r\n\r\n")[2]
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        text, rest = text + rest[: int(size or b"0", 16)], rest[int(size or b"0", 16) + 2 :]
    try:
        return json.loads(text)["complete"]
    except (ValueError, KeyError):
        return False


def _told(answer):
    return f"{len(answer)} bytes, ended {_is_ended(answer)}, complete {_is_complete(answer)}"


if __name__ == "__main__":
    sys.exit(program.main(attack))
