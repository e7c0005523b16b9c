"""What is given to an importer beside the file."""

from datetime import UTC, datetime

import pytest

from agreements.imports.entries import ImportDefaults

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture(name="defaults")
def _defaults():
    """A maker of defaults: the present alone, unless told otherwise."""
    return lambda **changes: ImportDefaults(**{"now": NOW, **changes})
