"""A terminal for commands under test: there they print text for people, and elsewhere JSON."""

import sys
from contextlib import contextmanager

from click.testing import CliRunner


class TerminalRunner(CliRunner):
    """A runner of commands whose standard output is a terminal."""

    @contextmanager
    def isolation(self, *arguments, **options):
        """The streams of one call."""
        with super().isolation(*arguments, **options) as streams:
            sys.stdout.isatty = lambda: True
            yield streams
