"""The table of exceptions follows SPDX's list, and its page says the same."""

import re
from pathlib import Path

from audit.facts import Usage
from audit.licenses import spdx
from audit.licenses.exceptions import LIFTS, RESTRICTING

PAGE = (Path(__file__).parents[3] / "docs/reference/license-rules.md").read_text(encoding="utf-8")
UNREAD = {
    "GNOME-examples-exception",
    "Nokia-Qt-exception-1.1",
    "QPL-1.0-INRIA-2004-exception",
    "romic-exception",
    "Simple-Library-Usage-exception",
}
"""Those that nobody has read yet, or that became another: they lift nothing."""


def test_the_table_has_every_listed_exception_except_the_unread():
    listed = set(spdx.lists().exceptions)
    assert set(LIFTS) | RESTRICTING <= listed
    assert {one for one in listed if not one.startswith("LicenseRef-")} - set(LIFTS) == UNREAD


def test_no_exception_lifts_terms_for_merged_source():
    for lift in LIFTS.values():
        assert not lift.usages & {Usage.SOURCE_MERGED, Usage.UNKNOWN, Usage.BUILD_TOOL, Usage.NETWORK_SERVICE}


def test_each_exception_has_a_reason():
    for lift in LIFTS.values():
        assert lift.reason.startswith(("it ", "programs "))


def test_the_page_has_each_row_of_the_table():
    rows = {
        name: (lifted, why)
        for name, lifted, why in re.findall(
            r"^\| `([^`/]+)` \| ([a-z, -]+) \| (.+) \|$", PAGE.partition("\n## Exceptions")[2], re.MULTILINE
        )
    }
    assert rows == {
        name: (", ".join(usage for usage in Usage if usage in lift.usages) or "nothing", lift.reason)
        for name, lift in LIFTS.items()
    }
