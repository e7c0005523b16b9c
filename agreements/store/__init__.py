"""The records of all agreements: the tables, and every query on them; the caller passes the session. No rule uses them, only the bot."""

# All tables at once: foreign keys lead from one module's to another's.
from agreements.store.tables import company_records as _companies
from agreements.store.tables import ledger_records as _ledger
from agreements.store.tables import records as _parties
from agreements.store.tables import records as _records

__all__: list[str] = []
del _companies, _ledger, _parties, _records
