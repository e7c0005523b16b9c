"""A value takes the columns of its own fields, and nothing else."""

from dataclasses import dataclass

import pytest

from agreements.store.lookup.row_values import from_row
from agreements.store.tables.records import Erasure


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Two columns, one of them shown otherwise than it is stored, and a field that is no column."""

    state: str
    reason: str = ""
    open: bool


def test_columns_by_name(at):
    """What is given beside the row goes before the column of that name: sealed bytes never get there."""
    row = Erasure(id="e1", account_id=7, asked_at=at, state="asked", reason=b"sealed")

    assert from_row(Shown, row, reason="why", open=True) == Shown(state="asked", reason="why", open=True)


def test_a_field_without_a_column(at):
    """Is an error, never silently something else."""
    row = Erasure(id="e1", account_id=7, asked_at=at, state="asked")

    with pytest.raises(TypeError, match="open"):
        from_row(Shown, row)
