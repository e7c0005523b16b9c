"""Countersign on one machine: a small GitHub with people and repositories to play with, and the real server beside it.

The command `demo` and the tests alone come in here.
"""
