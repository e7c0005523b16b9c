"""A rehearsal at the real GitHub: one pull request without sign-off, opened by a person, judged by the running server, closed again.

`countersign rehearse` comes in here; the server itself needs nothing of it.
"""
