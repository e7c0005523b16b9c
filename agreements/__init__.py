"""Decides who has agreed: facts about one pull request in, a verdict with its reasons out.

The bot comes in by `judge`; commands that need no server by `clone` and `json`.
"""
