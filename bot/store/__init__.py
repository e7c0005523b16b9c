"""The memory of the bot: deliveries, pull requests, verdicts; all queries on these tables.

Flows, pages and jobs come in here; only stores know the tables.
"""
