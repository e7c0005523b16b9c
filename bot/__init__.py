"""Listens and speaks: gathers facts from GitHub, people and the database, asks the two cores, publishes the answer."""
