"""Licence headers of source files: which file lacks the one that the rulebook asks for, and the file with it.

The audit of a repository and `countersign license headers` come in here.
"""
