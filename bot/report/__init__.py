"""Verdicts as Markdown for people: check runs, comments, tables and the issue, in English and Chinese.

Flows and commands come in here; `words` holds every sentence.
"""
