"""Licence audits of checkouts and of repositories at GitHub: what is read, asked of registries and written down.

Flows, pages and commands come in here; `audit` judges.
"""
