"""What other tools recorded, read without trust: one file for each foreign format, all of them pure.

`agreements.store.imports` and the import command come in here.
"""
