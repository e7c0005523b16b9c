"""An entry is believed or refused with a reason; a pattern, an address, a bot and a date to come are refused."""

from datetime import UTC, datetime

import pytest

from agreements.imports.entries import ImportEntry, RawEntry, RejectedEntry, ended_by, judge, shown

GOOD = {"where": "x", "login": "ada", "account_id": 11, "signed_at": "2024-05-31T12:00:00", "version": "1.0"}


def test_a_whole_entry_is_kept_with_a_utc_time_and_without_the_at_sign_of_its_login(defaults):
    found = judge(RawEntry(**{**GOOD, "login": "@ada", "name": " Ada  爱达 ", "email": "A@x.org"}), defaults())

    assert found == ImportEntry(
        where="x", login="ada", account_id=11, name="Ada 爱达", email="A@x.org",
        signed_at=datetime(2024, 5, 31, 12, tzinfo=UTC), version="1.0",
    )  # fmt: skip
    assert "Ada" not in repr(found)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"login": ""}, "the GitHub login is missing"),
        ({"login": None}, "the GitHub login is missing"),
        ({"login": 7}, "the GitHub login is missing"),
        ({"login": "ada@x.org"}, "an address"),
        ({"login": "ada*"}, "patterns"),
        ({"login": "=cmd()"}, "not a GitHub login"),
        ({"login": "-ada"}, "not a GitHub login"),
        ({"login": "a" * 101}, "not a GitHub login"),
        ({"login": "аda"}, "not a GitHub login"),
        ({"login": "dependabot[bot]"}, "a bot"),
        ({"account_id": "11"}, "not an account number"),
        ({"account_id": True}, "not an account number"),
        ({"account_id": 0}, "not an account number"),
        ({"account_id": -1}, "not an account number"),
        ({"account_id": 2**63}, "not an account number"),
        ({"account_id": []}, "not an account number"),
        ({"name": "a" * 201}, "the name"),
        ({"name": "a\u202eb"}, "the name"),
        ({"name": "\u3164 \uffa0"}, "the name"),
        ({"name": 7}, "the name"),
        ({"email": "not an address"}, "e-mail"),
        ({"email": 7}, "e-mail"),
        ({"signed_at": None}, "--signed-at"),
        ({"signed_at": 1717156800}, "not a clear date"),
        ({"signed_at": "05/06/2024"}, "not a clear date"),
        ({"signed_at": "2026-11-22"}, "in the future"),
        ({"signed_at": "1999-01-01"}, "before GitHub existed"),
        ({"version": None}, "--signed-version"),
        ({"version": 1}, "must be text"),
        ({"version": "final"}, "is not a version"),
    ],
)
def test_a_bad_entry_is_refused_in_one_line_without_its_address_or_name(defaults, changed, reason):
    found = judge(RawEntry(**(GOOD | changed)), defaults())

    assert isinstance(found, RejectedEntry)
    assert reason in found.reason
    assert "@" not in found.who
    assert "\n" not in found.reason


@pytest.mark.parametrize("name", ["علی\u200cرضا", "ශ්\u200dරී", "王\U0002ebf0", "O’Hara-Müller", "Ñ. N."])
def test_every_name_with_which_a_person_may_sign_here_is_imported(defaults, name):
    assert judge(RawEntry(**{**GOOD, "name": name}), defaults()).name == name


def test_a_version_and_a_day_from_the_importer_are_marked_as_not_the_file_s_own(defaults):
    day = datetime(2024, 1, 1, tzinfo=UTC)
    found = judge(RawEntry(where="x", login="ada"), defaults(version="1.0", signed_at=day))
    own = judge(RawEntry(**GOOD), defaults(version="3.0", signed_at=day))

    assert (found.version, found.signed_at, found.dated) == ("1.0", day, False)
    assert (own.version, own.signed_at.year, own.dated) == ("1.0", 2024, True)


def test_a_shown_value_is_short_and_printable_and_holds_no_address():
    assert [shown(text) for text in ("ada", "a\x1b[0m", "a@b.c", "x" * 99, None)] == [
        "ada", "a?[0m", "(an address)", "x" * 60, "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("title", "value", "ends"),
    [
        ("revoked", "2024-01-01", True),
        ("Revoked", True, True),
        ("revokedAt", "2024-01-01", True),
        ("revoked_at", "yes", True),
        ("Revocation date", "1", True),
        ("withdrawn", "true", True),
        ("Withdrawal Date", "x", True),
        ("expires", "2030-01-01", True),
        ("CLA expiry", "soon", True),
        ("end date", "2024-01-01", True),
        ("enddate", "2024-01-01", True),
        ("Ended at", "2024-01-01", True),
        ("valid until", "2024-01-01", True),
        ("terminated_on", "2024-01-01", True),
        ("is_inactive", 1, True),
        ("deleted_at", "2024-01-01", True),
        ("status", "Revoked", True),
        ("State", "inactive", True),
        ("已撤销", "是", True),
        ("状态", "已失效", True),
        *(("revoked", value, False) for value in ("", None, False, "false", "No", "0", "-", "n/a", "否", 0)),
        ("status", "signed", False),
        ("status", "active", False),
        ("Signed for Organisation", "true", False),
        ("Gender", "f", False),
        ("Weekend phone", "1", False),
        ("Front end", "yes", False),
        ("Friend", "bob", False),
        ("Sender", "x", False),
        ("I will tell you when my employment is terminated", "true", False),
        ("comment_id", 7, False),
        ("name", "Revoke Smith", False),
        ("revoked", [], False),
        ("revoked", {}, False),
        ("revoked", ["2020"], True),
    ],
)
def test_a_field_that_names_an_end_refuses_the_entry(title, value, ends):
    assert bool(ended_by({"user": "ada", title: value})) is ends
