"""Permissions: which accounts are served, who administers, who is in a team, who may read a private repository.

Flows and pages come in here; it asks GitHub through the ports.
"""
