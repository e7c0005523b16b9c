"""GitHub's API over HTTP: PyGithub's requesters, the transport that pools them, and what a bad answer means.

Only `bot.github` comes in here; all others ask the hub.
"""
