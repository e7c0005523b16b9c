"""One licence into another: `derivation` asks the rules from first to last, one kind of case a module.

Verdicts come in by `compatibility`; a rule gets the two licences, the usage and the data, and gives a ruling or None.
"""
