"""Where licences are learned from outside of a checkout: other commands and other machines.

The bot comes in by `learning`; only `fetching` speaks to the network.
"""
