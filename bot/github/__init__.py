"""What Countersign asks of GitHub and says to it, in small protocols and plain values; `client` alone speaks to it.

Flows, pages and commands come in by `ports` and `audit_ports`.
"""
