"""Commands on the records: export, import, keys, the log, the public list.

`bot.cli` imports a command when it is called.
"""
