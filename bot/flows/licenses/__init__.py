"""Journeys of the licence audit: the check of a pull request, and the nightly run over all repositories.

The runner starts them; they come in by `head_check` and `night_schedule`.
"""
