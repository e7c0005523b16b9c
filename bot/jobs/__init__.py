"""Runs jobs durably: what was accepted is done, also after a crash.

Only the app chooses an engine; everybody else speaks to `bot.job_queue`.
"""
