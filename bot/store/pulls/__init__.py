"""What is remembered of each pull request: its mailbox, state, participants, pushes, verdicts and what we made on it.

Flows come in here, and pages that show a pull request.
"""
