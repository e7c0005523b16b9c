"""The tables of which the log names every row."""

from sqlmodel import SQLModel

from agreements.store.tables.company_records import CompanyEntry, CompanyManager, CompanyRecord, DomainClaim, Enrolment
from agreements.store.tables.party_records import PartyRecord
from agreements.store.tables.records import (
    Campaign,
    DocumentRecord,
    Erasure,
    ImportedEntry,
    PersonRecord,
    Proof,
    ReleasedText,
    SignatureRecord,
    Withdrawal,
)
from bot.store.pulls.overrides import OverrideRow
from bot.store.tokens import ApiToken

TABLES: tuple[type[SQLModel], ...] = (
    PersonRecord,
    SignatureRecord,
    Withdrawal,
    CompanyRecord,
    CompanyEntry,
    CompanyManager,
    DomainClaim,
    Enrolment,
    Proof,
    DocumentRecord,
    ReleasedText,
    Campaign,
    Erasure,
    ImportedEntry,
    OverrideRow,
    ApiToken,
    PartyRecord,
)
"""What `countersign ledger verify` looks at; a row in one of them that no entry names was added by somebody else."""
