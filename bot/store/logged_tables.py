"""The tables by what they declare: which the log names, which are exported and rotated."""

import pkgutil
from importlib import import_module
from typing import Final

from sqlalchemy import Table
from sqlmodel import SQLModel

import bot.store
from agreements.store.tables.declarations import declared, with_data_keys

# A table that no module has imported would be missing in every list.
for _module in pkgutil.walk_packages(bot.store.__path__, f"{bot.store.__name__}."):
    import_module(_module.name)
import_module("audit.store.records")  # Without its neighbours, which load what audits.

TABLES: Final[tuple[type[SQLModel], ...]] = tuple(declared(lambda said: said.logged))
"""The tables that `countersign ledger verify` reads: a row that no entry names was not written by Countersign."""

EXPORTED: Final[tuple[type[SQLModel], ...]] = tuple(declared(lambda said: said.exported))
"""Every table that holds something recorded."""

AUTHENTICATED: Final[tuple[type[SQLModel], ...]] = tuple(declared(lambda said: said.authenticated))
"""The tables whose rows have a code of their own."""

DATA_KEY_TABLES: Final[tuple[Table, ...]] = tuple(with_data_keys())
