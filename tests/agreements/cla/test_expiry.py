"""Time alone ends what passes: the next moment of everything that a verdict rests on."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agreements.cla.expiry import next_change
from agreements.facts import Company, Entry, Facts, PullRequest, Signature
from agreements.rulebook.rules import AcceptedVersions, Rules

NOW = datetime(2026, 11, 21, tzinfo=UTC)
BEFORE, NEXT, LATER = (
    datetime(2026, 11, 20, tzinfo=UTC),
    datetime(2026, 11, 22, tzinfo=UTC),
    datetime(2027, 1, 1, tzinfo=UTC),
)
FACTS = Facts(
    rules=Rules(),
    repository="cann/ops",
    pull_request=PullRequest(number=1, opener=None, head_sha="a" * 40),
    commit_count=0,
    commits=(),
    now=NOW,
)
FIRM = Company(name="Huawei", agreement="ccla", version="2.0", signed_at=BEFORE)
OWN = Signature(agreement="icla", version="2.0", account_id=11, signed_at=BEFORE)


@pytest.mark.parametrize(
    ("changes", "proofs_until", "expected"),
    [
        ({}, None, None),
        ({}, NEXT, NEXT),
        ({}, BEFORE, None),
        ({}, NOW, None),
        ({"rules": Rules(accept={"icla": (AcceptedVersions(">=2.0"), AcceptedVersions("1.x", LATER), AcceptedVersions("0.9", NEXT))})}, None, NEXT),
        ({"rules": Rules(accept={"icla": (AcceptedVersions("1.x", BEFORE),), "ccla": (AcceptedVersions("1.x", LATER),)})}, None, LATER),
        ({"signatures": (OWN,)}, None, None),
        ({"signatures": (replace(OWN, withdrawn_at=NEXT),)}, LATER, NEXT),
        ({"companies": (replace(FIRM, ended_at=NEXT),)}, None, NEXT),
        ({"companies": (replace(FIRM, signed_at=NEXT),)}, None, NEXT),
        ({"companies": (replace(FIRM, covers=(Entry(account_id=11, since=BEFORE, until=NEXT),)),)}, None, NEXT),
        ({"companies": (replace(FIRM, covers=(Entry(account_id=11, since=LATER),)),)}, None, LATER),
        ({"companies": (replace(FIRM, excludes=(Entry(account_id=11, since=NEXT),)),)}, None, NEXT),
    ],
)  # fmt: skip
def test_the_next_moment(changes, proofs_until, expected):
    """Whatever begins or ends first after now; what is over, or has no end, is no moment."""
    assert next_change(replace(FACTS, **changes), proofs_until) == expected
