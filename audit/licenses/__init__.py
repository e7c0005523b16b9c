"""Licences by name: expressions, what people write for them, SPDX's list, and the reviewed tables of what they ask for.

Everything in the audit comes in here; nothing in it reads a repository.
"""
