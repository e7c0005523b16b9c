"""What the bot remembers: deliveries, pull requests and what it said on them; every query on these tables.

Flows, pages and jobs come in here; only stores know the tables.
"""
