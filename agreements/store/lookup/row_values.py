"""Values made of a row: each field takes the column of its own name."""

from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

from sqlmodel import SQLModel

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Made = TypeVar("Made", bound="DataclassInstance")


def from_row(kind: "type[Made]", row: SQLModel, /, **others: object) -> Made:
    """A value of that dataclass. `others` are the fields that are no columns, or are not shown as they are stored."""
    columns = type(row).model_fields.keys() - others.keys()
    return kind(**{one.name: getattr(row, one.name) for one in fields(kind) if one.name in columns}, **others)
