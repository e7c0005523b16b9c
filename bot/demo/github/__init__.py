"""A small GitHub with real git: the demo runs it and the tests talk to it, over the same wire as to the real one.

The demo and the tests come in by `server` and `simulated_github`.
"""
