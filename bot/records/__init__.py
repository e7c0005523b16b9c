"""The records as a whole: texts and declarations as people see them, export, erasure, keys and verification.

Pages, flows and commands come in here; the tables stay with `agreements.store` and `bot.store`.
"""
