"""Countersign on one machine: a small GitHub with people and repositories to play with, and the real server beside it."""
