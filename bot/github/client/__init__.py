"""GitHub's API over HTTP: PyGithub's requesters, the transport that pools them, and what a bad answer means.

Only the app and `bot.github` come in here; everybody else asks through the ports.
"""
