"""One small pull request as JSON facts, to be changed by each case."""

import copy

import pytest

from agreements.json.facts_reader import read
from agreements.judge import judge

ADA = {"id": 11, "login": "ada", "type": "User"}
HEAD = "a" * 40
COMMIT = {
    "sha": HEAD,
    "message": "Add\n\nSigned-off-by: Ada <ada@huawei.com>\n",
    "parents": ["0" * 40],
    "verified": None,
    "author": {"name": "Ada", "email": "ada@huawei.com"},
    "author_account": ADA,
    "committer": {"name": "Ada", "email": "ada@huawei.com"},
    "committer_account": ADA,
}


@pytest.fixture(name="commit")
def _commit():
    """Makes a commit by Ada, signed off, with changes."""
    return lambda **changes: copy.deepcopy({**COMMIT, **changes})


@pytest.fixture(name="case")
def _case():
    """Makes the facts of a pull request by Ada; the commits' number and the head follow the commits given."""

    def make(*commits, rulebook=None, **changes):
        commits = commits or (COMMIT,)
        request = {
            "number": 7,
            "opener": ADA,
            "created_at": "2026-11-01T00:00:00Z",
            "base": "main",
            "head_sha": commits[-1]["sha"],
        }
        facts = {
            "rulebook": rulebook or {},
            "repository": {"full_name": "cann/ops-math", "owner_type": "Organization"},
            "pull_request": request,
            "commit_count": len(commits),
            "commits": list(commits),
            "now": "2026-11-21T00:00:00Z",
        }
        return copy.deepcopy({**facts, **changes})

    return make


@pytest.fixture(name="verdict")
def _verdict(case):
    """Judges the facts that `case` makes."""
    return lambda *commits, **changes: judge(read(case(*commits, **changes)))
