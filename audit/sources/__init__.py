"""Licences that are learned from outside of a checkout: from other commands and other machines.

The bot comes in by `license_lookup`; only `registry_client` speaks to the network.
"""
