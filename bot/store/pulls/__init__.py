"""Each pull request as it is remembered: mailbox, state, pushes, verdicts, what we made.

Flows and pages come in here.
"""
