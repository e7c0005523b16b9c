"""Commands on licences: audits of checkouts and organisations, single questions, texts and headers.

`bot.cli` imports a command when it is called.
"""
