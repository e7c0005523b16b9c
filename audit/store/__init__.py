"""Remembers what was read of repositories, night by night: the tables, and every query on them; the caller passes the session."""
