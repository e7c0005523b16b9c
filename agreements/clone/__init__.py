"""Commits of a local clone, asked through git alone. Used by the commands that work without a server."""
