"""The facts of repositories, night by night: the tables, and every query on them; the caller passes the session.

Flows, pages and commands of the bot come in here.
"""
