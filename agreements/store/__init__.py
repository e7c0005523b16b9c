"""Remembers who agreed to what: the tables, and every query on them; the caller passes the session."""

# All tables at once: foreign keys lead from one module's to another's.
from agreements.store import company_records as _companies
from agreements.store import ledger_records as _ledger
from agreements.store import records as _records

__all__: list[str] = []
del _companies, _ledger, _records
