"""Rules on a pair of licences that look at more than OSADL's answer for merged source: one kind of case a module.

Each takes values and gives a ruling or None; `audit.derivation` asks them in order and nobody else does.
"""
