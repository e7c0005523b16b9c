"""The external ids of our check runs, which GitHub sends back with each event about one: whose run it is."""

import re
from typing import Final

_OF_PULL: Final = re.compile(r"countersign:([0-9]+):([1-9][0-9]{0,8})(:licenses)?")


def of_pull(repository_id: int, number: int) -> str:
    """The external id of the run on a pull request. It is also the marker of our comment there."""
    return f"countersign:{repository_id}:{number}"


def of_merge_group(repository_id: int) -> str:
    """The external id of the run on a merge group, which its commit tells from any other."""
    return f"countersign:{repository_id}:merge-group"


def of_commit(repository_id: int) -> str:
    """The external id of the run on a pushed commit, which its commit tells from any other."""
    return f"countersign:{repository_id}:commit"


def of_licenses(repository_id: int, number: int) -> str:
    """The external id of the run on a pull request that is about licences."""
    return f"{of_pull(repository_id, number)}:licenses"


def number(external_id: str | None) -> int | None:
    """The pull request's number, whichever of our runs on it that is; None for any other id."""
    found = _OF_PULL.fullmatch(external_id or "")
    return int(found[2]) if found else None


def is_about_licenses(external_id: str | None) -> bool:
    """Whether that is a run about licences, in any repository: any App may use such an id, so look at the sender."""
    found = _OF_PULL.fullmatch(external_id or "")
    return found is not None and found[3] is not None


def is_same_run(external_id: str, other: str) -> bool:
    """Whether both are of the same kind of run in one repository: pull requests with the same head share one run."""
    first, second = _OF_PULL.fullmatch(external_id), _OF_PULL.fullmatch(other)
    if first is None or second is None:
        return external_id == other  # Those of merge groups name no pull request.
    return first.group(1, 3) == second.group(1, 3)
