"""Statements on files as REUSE has them: `REUSE.toml`, `.reuse/dep5`, and which of several statements counts.

The specification: https://reuse.software/spec-3.3/.
"""
