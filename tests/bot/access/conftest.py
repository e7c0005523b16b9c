"""Who is served is tried in the flows' scene."""

from tests.bot.flows.conftest import _database_url, _scene, _staged

__all__ = ["_database_url", "_scene", "_staged"]
