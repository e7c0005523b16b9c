"""Commands that judge contributions without a server: facts, clones, rulebooks.

`bot.cli` imports a command when it is called.
"""
