"""What is given to an importer beside the file."""

from datetime import UTC, datetime

import pytest

from agreements.imports.entries import ImportDefaults

NOW = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture(name="given")
def _given():
    """A maker of what is given: the present alone, unless told otherwise."""
    return lambda **told: ImportDefaults(**{"now": NOW, **told})
