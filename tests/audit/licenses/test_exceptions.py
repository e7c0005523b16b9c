"""The table of exceptions follows SPDX's list; docs/reference/license-exceptions.csv has all of it."""

import re

from audit.facts import Usage
from audit.licenses import spdx
from audit.licenses.exceptions import LIFTS, RESTRICTING, is_made_for

UNREAD = {
    "GNOME-examples-exception",
    "Nokia-Qt-exception-1.1",
    "QPL-1.0-INRIA-2004-exception",
    "romic-exception",
    "Simple-Library-Usage-exception",
}
"""Exceptions that no person has read yet, or that became another exception: they lift nothing."""


def test_the_table_has_every_listed_exception_except_the_unread():
    listed = set(spdx.lists().exceptions)
    assert set(LIFTS) | RESTRICTING <= listed
    assert {exception for exception in listed if not exception.startswith("LicenseRef-")} - set(LIFTS) == UNREAD


def test_an_exception_that_names_section_7_of_version_3_is_of_no_older_version():
    named = [
        name for name, text in spdx.exception_texts().items()
        if name in LIFTS and re.search(r"permission under (?:GNU )?(?:GPL ?v?(?:ersion )?3 )?section 7", " ".join(text.split()))
    ]  # fmt: skip
    assert len(named) == 8
    for name in named:
        assert is_made_for(name, "GPL-3.0-only")
        assert is_made_for(name, "GPL-2.0-or-later"), "version 3 may be chosen"
        assert not any(
            is_made_for(name, other) for other in ("GPL-2.0-only", "LGPL-2.1-only", "LGPL-2.1-or-later", "MIT")
        )


def test_no_exception_lifts_terms_for_merged_source():
    for lift in LIFTS.values():
        assert not lift.usages & {Usage.SOURCE_MERGED, Usage.UNKNOWN, Usage.BUILD_TOOL, Usage.NETWORK_SERVICE}


def test_each_exception_has_a_reason():
    for lift in LIFTS.values():
        assert lift.reason.startswith(("it ", "programs "))
