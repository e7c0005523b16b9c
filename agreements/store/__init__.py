"""Remembers who agreed to what: the tables, and every query on them; the caller passes the session."""
