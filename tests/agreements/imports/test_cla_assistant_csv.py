"""CLA assistant's CSV, as its export writes it and as people edit it."""

from datetime import UTC, datetime

import pytest

from agreements.imports.cla_assistant_csv import read
from agreements.imports.entries import UnreadableImport

HEAD = "User Name;Repository Owner;Repository Name;CLA Title;Gist URL;Gist Version;Signed At;Signed for Organisation"
ROW = "ada;cann;ops;cla.md;https://gist.github.com/x/1;abc123;Fri Apr 15 2016 00:00:00 GMT-0700 (PDT);false"


def test_the_export_s_rows_keep_the_gist_s_revision_and_the_importer_gives_the_version(defaults):
    found = read(f"\ufeff{HEAD}\r\n{ROW}\r\n".encode(), defaults(version="1.0"))

    (ada,) = found.entries
    assert (ada.where, ada.login, ada.account_id, ada.version) == ("line 2", "ada", None, "1.0")
    assert ada.signed_at == datetime(2016, 4, 15, 7, tzinfo=UTC)
    assert "gist version: abc123" in ada.notes
    assert "without a zone were read as UTC" in found.remarks[0]


def test_the_upload_form_is_read_with_personal_data_and_without_revoked_rows(defaults):
    text = (
        "user,created_at,name,email,revoked at\nada,2020-01-01,Ada,ada@x.org,\nbob,x,,,\ncyd,2020-01-01,,,2021-01-01\n"
    )
    found = read(text.encode(), defaults(version="1.0"))

    assert [(entry.login, entry.account_id, entry.email) for entry in found.entries] == [("ada", None, "ada@x.org")]
    assert [(rejected_entry.where, rejected_entry.who) for rejected_entry in found.refused] == [
        ("line 3", "bob"),
        ("line 4", "cyd"),
    ]


@pytest.mark.parametrize("title", ["GitHub ID", "User ID", "id", "Account ID"])
def test_no_column_is_taken_for_the_account_number(defaults, title):
    """Such a column is a field of the agreement, where contributors type what they like."""
    found = read(f"{HEAD};{title}\n{ROW};1024025\n".encode(), defaults(version="1.0"))
    assert [(entry.login, entry.account_id) for entry in found.entries] == [("ada", None)]


def test_rows_without_a_version_are_not_taken(defaults):
    """The revision of a gist is no version."""
    found = read(f"{HEAD}\n{ROW}\n".encode(), defaults())
    assert (found.entries, "--signed-version" in found.refused[0].reason) == ((), True)


def test_a_file_without_a_column_of_logins_is_refused(defaults):
    with pytest.raises(UnreadableImport, match="User Name"):
        read(b"a,b\n1,2\n", defaults())


@pytest.mark.parametrize("title", ["Revoked", "Revoke Date", "Expired", "Withdrawn at", "End date"])
def test_a_row_with_an_end_is_refused_whatever_its_column_is_called(defaults, title):
    found = read(f"{HEAD};{title}\n{ROW};2024-01-01\n{ROW};\n".encode(), defaults(version="1.0"))
    assert [entry.where for entry in found.entries] == ["line 3"]
    assert [(refused.who, refused.reason) for refused in found.refused] == [
        ("ada", f'"{title.lower()}" says that it ended, or when it ends')
    ]
