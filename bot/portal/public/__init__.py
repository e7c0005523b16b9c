"""Pages that every visitor may read, and the page on which a pull request explains itself.

`bot.portal.site` mounts them by `routes`.
"""
