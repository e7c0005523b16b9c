"""Formulas in values that end in CSV files: with any separator that a spreadsheet takes, no cell is a formula."""

import csv
import io
import itertools
import sys
import tempfile
import unicodedata
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from click.testing import CliRunner

from agreements.facts import Account
from agreements.store.people import person_rows
from agreements.vault import KeyRing, Vault
from bot import db
from bot.cli import root
from bot.store.tokens import ApiToken
from tests.within import within

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20\u2212"
BEFORE = ("", " ", "\t", "\n", "\r\n", "\u3000", "\ufeff", '"', "x;", 'x;"', "x\t", "x\n", 'x";"', "x;\n ")
FORMULA = 'HYPERLINK("http://127.0.0.1/?"&A1,"x")'


def attack(*, short, say):
    """Names of people and tokens that are formulas, exported by the command as CSV and taken apart in every way."""
    signs = SIGNS[::4] if short else SIGNS
    values = [f"{before}{sign}{FORMULA}" for before, sign in itertools.product(BEFORE, signs)]
    with tempfile.TemporaryDirectory() as folder:
        tables = _exported(Path(folder), values)
    found = [(name, cell) for name, text in tables.items() for cell in _cells(text) if _is_formula(cell)]
    say(
        f"{len(values)} values in {len(tables)} tables, each taken apart by comma, semicolon and tab: {len(found)} formulas"
    )
    return [f"{name}: {cell[:60]!r}" for name, cell in found]


def _exported(folder, values):
    """What `countersign export --format csv` makes of these."""
    ring, out = KeyRing.generate("k1"), folder / "all.zip"
    url = f"sqlite:///{folder / 'attacked.db'}"
    environment = {"COUNTERSIGN_DATABASE_URL": url, "COUNTERSIGN_KEYS": ring}
    _run(environment, "migrate")
    at, vault = datetime(2026, 1, 2, tzinfo=UTC), Vault(KeyRing.parse(ring))
    engine = db.open_engine(url)
    with db.sessions(engine)() as session:
        for number, value in enumerate(values, 1):
            person_rows.ensure(within(session, vault, at, f"p{number}"), Account(number, value))
            session.add(
                ApiToken(id=f"t{number}", name=value, token_hash=f"x{number}", scopes=value, made_at=at, made_by=1)
            )
    engine.dispose()
    _run(environment, "export", "--format", "csv", "--out", str(out))
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".csv")}


def _run(environment, *words):
    done = CliRunner(env=environment).invoke(root, words)
    assert done.exit_code == 0, done.output


def _cells(text):
    for separator in ",;\t":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            yield from row


def _is_formula(cell):
    rest = cell
    while rest and (rest[0].isspace() or unicodedata.category(rest[0]) in {"Cc", "Cf"}):
        rest = rest[1:]
    return rest != "" and unicodedata.normalize("NFKC", rest[0])[0] in "=+-@\u2212"


if __name__ == "__main__":
    import program

    sys.exit(program.main(attack))
