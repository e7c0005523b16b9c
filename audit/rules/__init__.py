"""One licence into another: `pair_compatibility` asks the rules from first to last, one kind of case a module.

Verdicts come in by `expression_compatibility`; a rule gets the two licences, the usage and the data, and gives a ruling or None.
"""
