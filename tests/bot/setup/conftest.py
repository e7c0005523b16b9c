"""Setting up that was just begun."""

import pytest

from tests.bot.setup.beginning import begun


@pytest.fixture(name="beginning")
def _beginning(tmp_path, gate):
    """A folder, an organisation, and nothing else."""
    with begun(tmp_path, gate) as beginning:
        yield beginning
