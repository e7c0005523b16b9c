"""Runs jobs durably: what was accepted is done, also after a crash."""
