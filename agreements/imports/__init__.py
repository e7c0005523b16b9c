"""Lists of other tools, read without trust: one module for each foreign format, all of them pure.

Used by `agreements.store.imports` and the import command.
"""
