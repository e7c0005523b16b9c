"""Personal data planted through the real pages, in commits and comments is found nowhere in the clear afterwards."""

import base64
import json
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest
import requests
from sqlalchemy import text

from agreements.vault import KeyRing, Vault
from bot import db
from bot.mail import smtp
from bot.settings import for_child
from bot.store import outbox
from tests.stories.canaries import PUBLIC, RARE, STEM, Guest, files, found, tables

pytestmark = pytest.mark.slow

NAME = f"{STEM} {RARE}"
WORK = f"{STEM}-work@huawei.com"
PDF = f"%PDF-1.7\n{STEM}\n%%EOF\n".encode()
FILLED = (
    "person", "signature", "company", "company_entry", "company_manager", "domain_claim", "enrolment", "proof",
    "document", "imported", "mail", "one_time_code", "visit", "stored_facts", "delivery", "ledger_entry", "api_token",
    "workflow_status",
)  # fmt: skip
"""Tables that hold something after the story, those of the durable engine too; else the search would say nothing."""


@pytest.fixture(name="play")
def _play(staged, database_url):
    """A stage on each kind of database."""
    play = staged(settings={"COUNTERSIGN_DATABASE_URL": database_url, "COUNTERSIGN_LOG_LEVEL": "debug"})
    made = play.community(repositories=("ops-math", "docs"))
    play.world.team(made, "cla-admins", [play.world.account("boss")])
    play.person("max", "max@example.org")
    play.stage.serve()
    return play


@pytest.fixture(name="records")
def _records(play, database_url):
    """The server's database, read beside it."""
    engine = db.open_engine(database_url)
    yield engine
    engine.dispose()


def ask(records, query):
    """Rows of the server's database."""
    with records.connect() as connection:
        return connection.execute(text(query)).all()


def outbox_emails(play, records):
    """Every e-mail, opened: its row's id and what it says."""
    vault = Vault(KeyRing.parse(play.stage.settings.keys.reveal()))
    with db.sessions(records)() as session:
        return [(row.id, outbox.opened(vault, row)) for row in outbox.EMAILS.listed(session)]


def code(play, records, address):
    """The code mailed last to that address."""
    return [
        email.values["code"]
        for _, email in outbox_emails(play, records)
        if email.to == address and email.kind.endswith("code")
    ][-1]


@pytest.mark.sqlite_nightly
def test_no_planted_personal_data_is_found_in_the_clear(play, records, database_url, tmp_path):
    contributes(play)
    ann = Guest(play).signs_in(PUBLIC)
    ann.sends("/sign/icla", "/sign/icla", 400, name="", email=f"{STEM}@nowhere", agree="y")
    receipt = signs(ann)
    proves(ann, play, records)
    company = asks_for_a_company(ann)
    root = Guest(play).signs_in("boss")
    decides(root, records, company)
    names_people(ann, company)
    enrols(ann, play, records)
    records_paper(root)
    imports(play, root, records, tmp_path)
    asks_the_api(root)
    goes_wrong(ann)
    play.until(lambda: not ask(records, "SELECT guid FROM delivery WHERE state = 'received'"))
    held = tables(database_url)
    assert [name for name in FILLED if not held.get(name)] == []
    assert leaks(play, records, [ann, root], database_url, tmp_path) == {}

    is_erased(ann, root, records, receipt)
    if database_url.startswith("sqlite"):  # the journal goes into the file, and is emptied
        with records.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assert leaks(play, records, [ann, root], database_url, tmp_path) == {}
    assert ask(records, "SELECT id FROM erasure")
    assert len(ask(records, "SELECT * FROM withdrawal")) == 2


def leaks(play, records, guests, database_url, folder):
    """Where canaries are found; what is public must be found in each of the places that hold everything."""
    rows = tables(database_url)
    content = files(database_url, folder)
    assert found("\n".join(rows["person"]), PUBLIC)
    assert found(content, PUBLIC)
    places = seen(play, records, guests)
    assert [name for name, those in places.items() if not those] == []
    places |= {name: "\n".join(those) for name, those in rows.items()} | {"files": content}
    leaked = {name: hits for name, those in places.items() if (hits := found(those))}
    for name, secret in secrets(play, guests):
        for place in ("log", "metrics"):
            if secret.encode() in places[place]:
                leaked[f"{name} in {place}"] = [secret]
    # A check says which sign-off it expects: the author's name as git shows it to every reader, the address shortened.
    if hits := found(checks(play), f"{STEM}-"):
        leaked["checks"] = hits
    return leaked


def secrets(play, guests):
    """Tokens, keys and cookies of this run, each with what it is."""
    settings = play.stage.settings
    yield from (("token", text) for text in play.world.tokens)
    yield from (("cookie", line.partition("=")[2]) for guest in guests for line in guest.cookies)
    yield "webhook secret", play.stage.app.webhook_secret
    yield "client secret", settings.client_secret.reveal()
    yield from (("key", line.partition(":")[2]) for line in settings.keys.reveal().split())
    yield from (("private key", line) for line in settings.private_key.reveal().split("\n")[1:-1] if len(line) > 20)


def checks(play):
    """What our checks say at GitHub."""
    return "\n".join(json.dumps(run.output, ensure_ascii=False) for run in play.world.check_runs.values())


def contributes(play):
    """Commits with personal data in all their places, comments too; red, with facts stored."""
    who = play.person(PUBLIC, WORK, f"{STEM}-home@example.org", name=NAME)
    said = f"Fix it\n\nReported-by: {NAME} <{STEM}-rep@example.org>"
    _, pull = play.opens(who, message=said)
    _, other = play.opens(who, "docs", "words", message=said, author=f"{NAME} <{STEM}-old@example.org>")
    play.world.comment(pull, who.account, f"{NAME} <{WORK}> asks\n\n/cla-check")
    for opened_pull in (pull, other):
        play.until(lambda opened_pull=opened_pull: play.verdict(opened_pull) == "failure")


def signs(ann):
    """The individual agreement; the receipt's number."""
    answer = ann.sends("/sign/icla", "/sign/icla", name=NAME, email=WORK, agree="y")
    assert RARE in answer.text
    receipt = answer.url.rpartition("/")[2]
    for path in (".json", ""):
        ann.asks("GET", f"/receipts/{receipt}{path}")
    return receipt


def proves(ann, play, records):
    """Another address by a code, after a wrong code; and an address that waits."""
    there = f"{STEM}-other@example.org"
    ann.sends("/me/emails", "/me/emails", address=there)
    number = re.search(r'name="id" value="([^"]+)"', ann.asks("GET", "/me/emails").text)[1]
    ann.sends("/me/emails/code", "/me/emails", 400, id=number, code="000000")
    ann.sends("/me/emails/code", "/me/emails", id=number, code=code(play, records, there))
    ann.sends("/me/emails", "/me/emails", address=f"{STEM}-waits@example.org")
    ann.sends("/me/emails", "/me/emails", 400, address=f"{STEM}@@example.org")


def asks_for_a_company(ann):
    """Its sealed details; the company's page."""
    fields = {f"field__{name}": f"{STEM} {name}" for name in ("registration", "address", "title")}
    form = {"name": NAME, "email": WORK, "second": "max", "field__legal__name": "Huawei", **fields}
    ann.sends("/company/request", "/company/request", 400, **form)
    company = ann.sends("/company/request", "/company/request", agree="y", **form).url
    path = company[company.index("/company/") :]
    ann.sends(f"{path}/domains", domain="huawei.com", subdomains="y")
    return path


def decides(root, records, company):
    """Reasons of an administrator, searches, and a refusal."""
    [(claim,)] = ask(records, "SELECT id FROM domain_claim")
    root.sends(f"/admin/domains/{claim}/approve", reason=f"{STEM} wrote to us")
    root.sends(
        f"/admin{company.replace('company', 'companies')}/countersign", reason=f"{STEM} is known", confirmed="yes"
    )
    for wanted in (WORK, NAME, PUBLIC):
        root.sends("/admin/search", wanted=wanted)


def names_people(ann, company):
    """Addresses of colleagues: named, looked for, tried out."""
    ann.sends(f"{company}/people", who=f"{STEM}-partner@example.org", foreign="y", what="cover", since="", until="")
    ann.sends(f"{company}/people", expected=400, who=f"{STEM} partner", what="cover", since=STEM, until="")
    ann.sends(f"{company}/people/search", wanted=f"{STEM}-partner@example.org")
    ann.sends(f"{company}/roster", who=WORK)
    day = f"{datetime.now(UTC):%Y-%m-%d}"  # noqa: TID251 - as the server's clock
    ann.sends(f"{company}/simulate", whom=f"{STEM}-partner@example.org", how="end", day=day)
    ann.sends(f"{company}/export.csv")


def enrols(ann, play, records):
    """By a code."""
    there = ann.sends("/enrol", "/enrol", email=WORK).url
    path = there[there.index("/enrol/") :]
    ann.sends(path, path, 400, code="000000", works="y")
    ann.sends(path, path, code=code(play, records, WORK), works="y")


def records_paper(root):
    """A paper agreement with its file, and another with a file that the server refuses."""
    form = {"whom": "person", "login": "max", "signer": NAME, "email": f"{STEM}-max@example.org", "text": "icla/2.0/en",
            "signed_on": "2024-02-29", "service": "paper", "agree": "y"}  # fmt: skip
    root.sends("/admin/papers", files={"file": (f"{STEM}.pdf", PDF)}, **form)
    root.sends("/admin/papers", expected=400, files={"file": (f"{STEM}.exe", STEM.encode())}, **form)


def imports(play, root, records, folder):
    """A foreign list with names and addresses; one entry is refused with a reason."""
    person = {"id": 4711, "github": "old", "name": NAME, "email": f"{STEM}-old@example.org", "signed_at": "2024-01-01",
              "signed_version": "1.0"}  # fmt: skip
    login = {key: value for key, value in person.items() if key != "id"} | {"github": "older"}
    (folder / "list.json").write_text(json.dumps({"individuals": [person, login]}))
    ended = subprocess.run(
        [sys.executable, "-m", "bot", "import", "plain", str(folder / "list.json")],
        env=for_child(play.stage.environment), cwd=play.stage.folder, capture_output=True, check=False,
    )  # fmt: skip
    (folder / "list.json").unlink()
    assert ended.returncode == 0, ended.stderr
    assert not found(ended.stdout + ended.stderr)
    query = "SELECT id FROM imported WHERE login = 'older' AND state = 'needs-administrator'"
    play.until(lambda: ask(records, query))
    [(number,)] = ask(records, query)
    root.sends(f"/admin/imports/{number}/refuse", reason=f"{STEM} says no")


def asks_the_api(root):
    """With a token that may read everything, by words that are no numbers."""
    day = f"{datetime.now(UTC) + timedelta(days=9):%Y-%m-%d}"  # noqa: TID251 - as the server's clock
    page = root.sends("/admin/tokens", name="ci", scopes=["covered:read", "signatures:read", "personal"], until=day)
    words = re.search(r"<p><code>([^<]+)</code></p>", page.text)
    for path in ("signatures", f"covered/{STEM}"):
        headers = {"Authorization": f"Bearer {words[1]}"}
        answer = root.web.get(f"{root.play.stage.url}/api/v1/{path}", headers=headers, timeout=60)
        if answer.status_code >= 400:
            root.seen.append(answer.text)


def goes_wrong(ann):
    """Addresses that lead nowhere, with personal data that people typed into them: no page and no log repeats them."""
    for path in (
        f"/{STEM}",
        f"/receipts/{STEM}",
        f"/pr/cann/{STEM}/1",
        f"/company/{STEM}",
        "/metrics",
        f"/?name={STEM}",
    ):
        answer = ann.web.get(ann.play.stage.url + path, headers={"Referer": f"http://{STEM}.example"}, timeout=60)
        if answer.status_code >= 400:
            ann.seen.append(re.sub(r'href="/[^"]*"', "", answer.text))
    answer = ann.web.post(f"{ann.play.stage.url}/me/erasure", data={"csrf_token": STEM, "sure": "y"}, timeout=60)
    assert answer.status_code == 400
    ann.seen.append(answer.text)


def is_erased(ann, root, records, receipt):
    """Withdrawn, revoked with a reason, restricted with a reason."""
    ann.sends(f"/receipts/{receipt}/withdraw", sure="y")
    [(other,)] = ask(records, "SELECT receipt FROM signature WHERE identity_proof = 'administrator'")
    root.sends(f"/admin/signatures/{other}/revoke", reason=f"{STEM} forged it")
    ann.sends("/me/erasure", sure="y")
    [(wish,)] = ask(records, "SELECT id FROM erasure")
    root.sends(f"/admin/erasures/{wish}/restrict", reason=f"{STEM} must be kept")
    root.sends("/admin/erasures", account="4711", reason=f"{STEM} ordered it")


def seen(play, records, guests):
    """What others come to see: logs, addresses, cookies, pages of errors, heads of mails, what stands at GitHub by our hand."""
    heads = [smtp.message(email, sender="Countersign <cla@example.org>", mail_id=number, at=datetime(2026, 1, 1, tzinfo=UTC))
             for number, email in outbox_emails(play, records) if email is not None]  # fmt: skip
    pulls = [pull for name in ("ops-math", "docs") for pull in play.world.find_repository("cann", name).pulls.values()]
    ours = [body for pull in pulls for body in play.comments(pull)]
    return {
        "log": (play.stage.folder / "serve.log").read_bytes(),
        "metrics": requests.get(f"{play.stage.url}/metrics", timeout=60).content,
        "addresses and errors": "\n".join(line for guest in guests for line in guest.seen),
        "cookies": "\n".join(line for guest in guests for line in guest.cookies),
        "mail": "\n".join(f"{name}: {value}" for head in heads for name, value in head.items() if name != "To"),
        "comments": "\n".join(ours),
        "calls": "\n".join(f"{call.method} {call.template}" for call in play.world.calls),
    }


def test_the_search_finds_each_spelling():
    for word in (NAME, f"x{NAME}y", f"xy{NAME}"):
        for content in (
            word, word.upper(), word.encode().hex(), json.dumps(word), quote(word), word.encode("utf-16-le"),
            base64.b64encode(word.encode()), f"x{word}".encode("utf-16-le").hex(),
        ):  # fmt: skip
            assert found(content if isinstance(content, bytes) else content.encode()), content
    assert found(b"nothing of the kind") == []
