"""Backups: one file with a consistent copy of the database, the engine's jobs in it, and taking it back into an empty place.

`archive` is the file, `sqlite_copy` and `postgres_copy` what is in it, `restoration` the way back, also from the one to the other, `database_match` whether it is the right one. Only the command line comes in.
"""
