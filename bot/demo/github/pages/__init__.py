"""Pages of the small GitHub for people: who is here, pull requests, sign-in, mail, DNS.

The server mounts them.
"""
