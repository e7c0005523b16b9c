"""The pages of those who administer and audit: `/admin` and what is below it.

`bot.portal.site` mounts them by `routes`.
"""
