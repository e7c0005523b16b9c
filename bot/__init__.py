"""The shell: gathers facts from GitHub, people and the database, asks the two cores, publishes the answer.

Operators come in by `cli` and `serving`, GitHub by `webhook`, people by `portal`; `app` joins the parts.
"""

__version__ = "0.1.0"
