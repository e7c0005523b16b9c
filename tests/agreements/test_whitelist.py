"""The public whitelist holds logins, ids, domains and the time, in bytes that change only when the content does."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from agreements.whitelist import Whitelist, WhitelistInvalid, pieces, read, render, render_logins

AT = datetime(2026, 11, 21, 8, 30, 15, 999, tzinfo=timezone(timedelta(hours=8)))


def test_the_whitelist_holds_exactly_the_public_fields():
    body = render([("bo", 12), ("Ada", 11)], ["rd.org", "huawei.com"], AT)
    assert json.loads(body) == {
        "individuals": [{"login": "Ada", "id": 11}, {"login": "bo", "id": 12}],
        "corporate_domains": ["huawei.com", "rd.org"],
        "last_updated": "2026-11-21T00:30:15Z",
    }


def test_the_plain_lists_hold_the_same_logins_and_domains_and_nothing_more():
    body = render_logins([("bo", 12), ("Ada", 11), ("bo", 12)], ["rd.org", "huawei.com"], AT)
    assert json.loads(body) == {
        "individuals": ["Ada", "bo"],
        "corporate_domains": ["huawei.com", "rd.org"],
        "last_updated": "2026-11-21T00:30:15Z",
    }
    with pytest.raises(WhitelistInvalid, match=r"individuals\.0\.id: must be a number"):
        read(body)


def test_an_empty_whitelist_has_all_three_keys():
    assert json.loads(render([], [], AT)) == {
        "individuals": [],
        "corporate_domains": [],
        "last_updated": "2026-11-21T00:30:15Z",
    }


def test_the_same_content_in_any_order_gives_the_same_bytes():
    first = render([("Ada", 11), ("bo", 12), ("ada", 9)], ["b.org", "a.org"], AT)
    second = render([("ada", 9), ("bo", 12), ("Ada", 11), ("bo", 12)], ["a.org", "b.org", "a.org"], AT.astimezone(UTC))
    assert first == second
    assert [person["login"] for person in json.loads(first)["individuals"]] == ["ada", "Ada", "bo"], (
        "by letters, then by id"
    )


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("individuals", [[], [("ada", 9)], [('q"\\', 1), ("ada", 9), ("爱达", 10)]])
@pytest.mark.parametrize("domains", [[], ["b.org", "a.org"]])
def test_the_pieces_joined_are_the_json_that_a_library_writes(individuals, domains, ids):
    found = list(pieces(iter(individuals), domains, AT, ids=ids))
    people = [{"login": login, "id": number} if ids else login for login, number in individuals]
    content = {"individuals": people, "corporate_domains": sorted(domains), "last_updated": "2026-11-21T00:30:15Z"}

    assert b"".join(found).decode() == json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    assert len(found) == len(individuals) + 2


def test_a_rendered_whitelist_reads_back_as_ids_and_canonical_domains():
    assert read(render([("bo", 12), ("Ada", 11)], ["rd.org", "huawei.com"], AT)) == Whitelist(
        frozenset({11, 12}), frozenset({"rd.org", "huawei.com"})
    )
    assert read(b'{"individuals": [], "corporate_domains": ["Caf\xc3\xa9.ORG."]}').domains == {"xn--caf-dma.org"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "it is not JSON"),
        (b"\xff", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"[]", "it is not an object"),
        (b"{}", "individuals: must be a list"),
        (b'{"individuals": {}, "corporate_domains": []}', "individuals: must be a list"),
        (b'{"individuals": [], "corporate_domains": null}', "corporate_domains: must be a list"),
        (b'{"individuals": ["ada"], "corporate_domains": []}', "individuals.0.id: must be a number"),
        (b'{"individuals": [{"id": true}], "corporate_domains": []}', "individuals.0.id: must be a number"),
        (b'{"individuals": [{"id": null}], "corporate_domains": []}', "individuals.0.id: must be a number"),
        (b'{"individuals": [], "corporate_domains": ["a.org", "com"]}', "corporate_domains.1: must be a domain"),
        (b'{"individuals": [], "corporate_domains": [1]}', "corporate_domains.0: must be a domain"),
    ],
)
def test_a_broken_whitelist_gives_one_line_that_says_where(body, said):
    with pytest.raises(WhitelistInvalid) as refused:
        read(body)
    assert str(refused.value) == said
