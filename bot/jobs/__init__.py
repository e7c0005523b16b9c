"""Runs jobs durably: what was accepted is done, also after a crash.

Only the app chooses an engine; all other modules use `bot.job_queue`.
"""
