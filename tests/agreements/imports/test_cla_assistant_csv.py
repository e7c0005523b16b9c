"""CLA assistant's CSV, as its export writes it and as people edit it."""

from datetime import UTC, datetime

import pytest

from agreements.imports.cla_assistant_csv import read
from agreements.imports.entries import UnreadableImport

HEAD = "User Name;Repository Owner;Repository Name;CLA Title;Gist URL;Gist Version;Signed At;Signed for Organisation"
ROW = "ada;cann;ops;cla.md;https://gist.github.com/x/1;abc123;Fri Apr 15 2016 00:00:00 GMT-0700 (PDT);false"


def test_its_own_export(defaults):
    """Semicolons; the gist's revision is kept, and the version comes from whoever imports."""
    found = read(f"\ufeff{HEAD}\r\n{ROW}\r\n".encode(), defaults(version="1.0"))

    (ada,) = found.entries
    assert (ada.where, ada.login, ada.account_id, ada.version) == ("line 2", "ada", None, "1.0")
    assert ada.signed_at == datetime(2016, 4, 15, 7, tzinfo=UTC)
    assert "gist version: abc123" in ada.notes
    assert "without a zone were read as UTC" in found.remarks[0]


def test_its_upload_form(defaults):
    """`user` and `created_at`, with personal data where somebody added them; revoked ones are refused."""
    text = (
        "user,created_at,name,email,revoked at\nada,2020-01-01,Ada,ada@x.org,\nbob,x,,,\ncyd,2020-01-01,,,2021-01-01\n"
    )
    found = read(text.encode(), defaults(version="1.0"))

    assert [(one.login, one.account_id, one.email) for one in found.entries] == [("ada", None, "ada@x.org")]
    assert [(one.where, one.who) for one in found.refused] == [("line 3", "bob"), ("line 4", "cyd")]


@pytest.mark.parametrize("title", ["GitHub ID", "User ID", "id", "Account ID"])
def test_no_column_is_the_number(defaults, title):
    """What stands there is a field of the agreement, where contributors type what they like."""
    found = read(f"{HEAD};{title}\n{ROW};1024025\n".encode(), defaults(version="1.0"))
    assert [(one.login, one.account_id) for one in found.entries] == [("ada", None)]


def test_without_a_version_nothing_is_taken(defaults):
    """A revision of a gist is no version."""
    found = read(f"{HEAD}\n{ROW}\n".encode(), defaults())
    assert (found.entries, "--signed-version" in found.refused[0].reason) == ((), True)


def test_another_file(defaults):
    """No column of logins."""
    with pytest.raises(UnreadableImport, match="User Name"):
        read(b"a,b\n1,2\n", defaults())
