"""People and what they gave: signatures, revocations, proven addresses, documents, requests to be erased.

Knows nothing of companies but their tables.
"""
