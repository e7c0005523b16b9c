"""The table of exceptions is SPDX's list, read by us, and its page says the same."""

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


def test_they_are_on_the_list():
    """All but those that are left out on purpose."""
    listed = set(spdx.lists().exceptions)
    assert set(LIFTS) | RESTRICTING <= listed
    assert {one for one in listed if not one.startswith("LicenseRef-")} - set(LIFTS) == UNREAD


def test_nothing_is_lifted_for_merged_source():
    """No exception goes as far as that; tools and services need none."""
    for lift in LIFTS.values():
        assert not lift.usages & {Usage.SOURCE_MERGED, Usage.UNKNOWN, Usage.BUILD_TOOL, Usage.NETWORK_SERVICE}


def test_each_has_a_reason():
    """As the second half of a sentence."""
    for lift in LIFTS.values():
        assert lift.reason.startswith(("it ", "programs "))


def test_the_page():
    """docs/reference/license-rules.md has each row as the table has it."""
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
