"""Forms in which an audit is handed on: pages, SBOMs, NOTICE, tables, and what other programs read.

Flows and commands come in by `audit_run` and `all_reports`.
"""
