"""The rules in force for a repository: rulebook files read, checked, merged, and tried on what was judged before.

Everything that judges comes in here; it reads GitHub through the ports alone.
"""
