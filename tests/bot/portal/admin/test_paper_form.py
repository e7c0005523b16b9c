"""The form about an agreement signed elsewhere: read, checked, and nothing of a file's name but its last part."""

from datetime import UTC, datetime

import pytest
from werkzeug.datastructures import FileStorage

from bot.portal.admin import paper_form
from bot.records.declarations import RECORDED

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("C:\\Users\\ada\\signed.pdf", "signed.pdf"), ("/home/ada/签名.PDF", "签名.PDF"), ("../../etc/passwd", "passwd.pdf"),
        ("a\u202efdp.exe", "afdp.exe.pdf"), ("x" * 300, "x" * 196 + ".pdf"), ("..", "agreement.pdf"), ("a\r\nb.pdf", "a b.pdf"),
        ("x" * 300 + ".pdf", "x" * 196 + ".pdf"), ("scan.jpg", "scan.jpg.pdf"), ("", "agreement.pdf"),
    ],
)  # fmt: skip
def test_names_of_files(sent, kept):
    """No path, nothing that cannot be printed, 200 characters at most, and the ending of what it holds."""
    assert paper_form._name(FileStorage(filename=sent), "application/pdf") == kept


@pytest.mark.parametrize(("kind", "name"), [("image/jpeg", "a.jpeg"), ("image/jpeg", "a.jpg"), ("image/png", "a.png")])
def test_a_right_ending_stays(kind, name):
    """Each kind has its own."""
    assert paper_form._name(FileStorage(filename=name), kind) == name
    assert paper_form._name(FileStorage(filename="a.pdf"), kind).startswith("a.pdf.")


def test_a_form_with_errors_gives_no_draft(portal):
    """Whoever asks for one has not looked."""
    with portal.app.test_request_context("/", method="POST", data={}):
        filled = paper_form.read("person", {}, NOW)

    assert set(filled.errors) == {"login", "signer", "text", "signed_on", "service", "file", "agree"}
    with pytest.raises(ValueError, match="errors"):
        filled.draft()


def test_both_languages_have_the_statement():
    """Each with its own hash in the evidence."""
    assert set(RECORDED) == {"en", "zh"}
    assert len(set(RECORDED.values())) == 2
