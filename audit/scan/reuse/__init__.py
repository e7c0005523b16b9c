"""What REUSE lets a project say of its files: `REUSE.toml`, `.reuse/dep5`, and which of several statements counts.

As the specification has it: https://reuse.software/spec-3.3/.
"""
