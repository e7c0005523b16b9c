"""Commits of a local clone, asked through git alone. The commands that work without a server come in here."""
