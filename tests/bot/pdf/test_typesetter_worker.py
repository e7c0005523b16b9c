"""The PDF's process: it fetches nothing, keeps its limits, and every character can be found in what it makes."""

import io
import json
import re
import subprocess
import sys

import pypdf
import pytest

from bot.pdf import typesetter_worker
from tests.http_server import LoopbackServer, QuietHandler

FONTS = "<style>body { font-family: 'Liberation Sans', 'Noto Sans CJK SC', 'DejaVu Sans', sans-serif }</style>"


def run(html, **more):
    """The worker as the portal runs it."""
    asked = {
        "html": f"<!doctype html><html lang=en><title>t</title>{FONTS}{html}",
        "attachment": "{}",
        "name": "r.json",
    }
    return subprocess.run(
        [sys.executable, "-m", "bot.pdf.typesetter_worker"], input=json.dumps(asked | more).encode(), capture_output=True,
        check=False, timeout=60,
    )  # fmt: skip


def pages(content):
    """The text of each page, by the table of characters that each font of the file has."""
    return [_text(page) for page in pypdf.PdfReader(io.BytesIO(content)).pages]


def _text(page):
    fonts = {name: _characters(font.get_object()) for name, font in page["/Resources"]["/Font"].items()}
    said, known = [], {}
    for operands, operator in page.get_contents().operations:
        if operator == b"Tf":
            known = fonts[operands[0]]
        elif operator in (b"TJ", b"Tj"):
            parts = operands[0] if operator == b"TJ" else operands
            raw = b"".join(part.original_bytes for part in parts if hasattr(part, "original_bytes"))
            said += [known.get(raw[place : place + 2], "?") for place in range(0, len(raw), 2)]
        elif operator == b"ET":
            said.append("\n")
    return "".join(said)


def _characters(font):
    """From ToUnicode: two bytes in the file are which characters."""
    table = font["/ToUnicode"].get_object().get_data().decode().split("beginbfchar")
    lines = [line for part in table[1:] for line in part.split("endbfchar")[0].split("\n") if line.startswith("<")]
    pairs = [line.replace("<", "").replace(">", "").split() for line in lines]
    return {bytes.fromhex(code): bytes.fromhex(text).decode("utf-16-be") for code, text in pairs}


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
def test_every_character_of_a_name_can_be_found_in_the_pdf():
    names = ["李四", "䶮 𠮷 龘", "Ünver Şahin", "Łukasz Đặng", "Σωκράτης", "Ёлкин"]
    done = run("".join(f"<p>{name}</p>" for name in [*names, "عَلِيّ"]))
    assert done.returncode == 0, done.stderr
    text = "\n".join(pages(done.stdout))

    for name in names:
        assert name in text, name
    assert set("عَلِيّ") <= set(text)
    reader = pypdf.PdfReader(io.BytesIO(done.stdout))
    assert reader.attachments["r.json"] == [b"{}"]
    assert re.search(rb"pdfaid:part\W+3\b", reader.trailer["/Root"]["/Metadata"].get_object().get_data())
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
def test_nothing_is_fetched(tmp_path):
    asked = []

    class Ear(QuietHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

    (tmp_path / "secret.txt").write_text("Kanarienvogel")
    with LoopbackServer(Ear).running() as server:
        outside, file = server.url, f"file://{tmp_path}/secret.txt"
        done = run("".join(
            f'<link rel=stylesheet href="{url}"><link rel=attachment href="{url}"><img src="{url}"><object data="{url}">'
            f'<style>@import "{url}"; @font-face {{ font-family: x; src: url({url}) }} p {{ background: url({url}) }}</style>'
            f'<p style="font-family: x">x</p><a rel=attachment href="{url}">x</a>'
            for url in (outside, file)
        ))  # fmt: skip

    assert done.returncode == 0
    assert asked == []
    assert list(pypdf.PdfReader(io.BytesIO(done.stdout)).attachments) == ["r.json"]
    assert b"Kanarienvogel" not in done.stdout


@pytest.mark.parametrize("broken", [b"{}", b"nonsense"])
def test_input_that_the_worker_does_not_understand_ends_it(broken):
    done = subprocess.run(
        [sys.executable, "-m", "bot.pdf.typesetter_worker"], input=broken, capture_output=True, check=False
    )

    assert done.returncode not in (0, typesetter_worker.NO_FONT)
    assert done.stdout == b""


def test_limits_are_set_before_anything_is_read():
    program = (
        "import io, resource as r, sys; from bot.pdf import typesetter_worker as w;"
        "sys.stdin = io.TextIOWrapper(io.BytesIO(b'[]'))\ntry: w.main()\nexcept TypeError: pass\n"
        "print(r.getrlimit(r.RLIMIT_AS)[0] == w.MAX_ADDRESS_SPACE_BYTES, r.getrlimit(r.RLIMIT_CPU)[0] == w.MAX_CPU_SECONDS);"
        "bytearray(w.MAX_ADDRESS_SPACE_BYTES)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.stdout == "True True\n"
    assert "MemoryError" in done.stderr
