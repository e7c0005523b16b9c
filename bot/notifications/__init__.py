"""Outgoing webhooks: what happens here is told to the servers that the operator names, signed, until they have taken it.

`bot.flows` and the worker come in by `Webhooks`; what waits stands in `bot.store.outgoing_webhooks`.
"""
