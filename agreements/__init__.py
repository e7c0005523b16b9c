"""Decides who has agreed: facts about one pull request in, a verdict with its reasons out."""
