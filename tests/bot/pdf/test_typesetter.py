"""A PDF comes from a process of its own, in bearable time, or there is a reason."""

import subprocess
import sys

import pytest

from bot.pdf import typesetter
from bot.pdf.typesetter import NoPDF

PAGE = "<!doctype html><html lang=en><title>t</title><p>x</p>"


@pytest.mark.usefixtures("typesetter")
def test_a_pdf_is_made_whole():
    made = typesetter.make(PAGE, "{}", "a.json")

    assert made.startswith(b"%PDF-")
    assert made.rstrip().endswith(b"%%EOF")


def test_the_web_server_does_not_load_the_pdf_libraries():
    program = "import sys, bot.portal.site, bot.pdf.typesetter as t; t.possible(); print({'weasyprint', 'pypdf', 'pyhanko'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert ran.stdout == "set()\n"


def test_without_the_extra_no_pdf_is_possible(monkeypatch):
    assert typesetter.possible()
    monkeypatch.setitem(sys.modules, "weasyprint", None)

    assert not typesetter.possible()


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
@pytest.mark.parametrize(
    ("html", "patience", "why"),
    [
        ("<p>\U000f0000 Kanarienvogel</p>", 30, "no font of this machine has every character"),
        (PAGE, 0.05, "did not end well: TimeoutExpired"),
        (None, 30, r"ended with 1$"),
    ],
    ids=["no font", "too slow", "nonsense"],
)
def test_a_failed_pdf_says_why_and_the_next_one_is_made(html, patience, why):
    with pytest.raises(NoPDF, match=why) as refused:
        typesetter.make(html, "{}", "a.json", patience=patience)

    assert "Kanarienvogel" not in str(refused.value)
    assert typesetter._TURNS.acquire(blocking=False)
    typesetter._TURNS.release()


def test_a_pdf_that_waits_too_long_for_its_turn_is_refused():
    with typesetter._TURNS, pytest.raises(NoPDF, match="waiting"):
        typesetter.make(PAGE, "{}", "a.json", patience=0.05)
