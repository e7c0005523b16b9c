"""GitHub's API over HTTP: PyGithub's requesters, the transports over them, and what a bad answer means.

Only `bot.github` comes in here; all others ask the hub.
"""
