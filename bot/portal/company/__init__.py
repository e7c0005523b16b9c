"""Pages of companies: their request, their domains and people, their staff.

`bot.portal.site` mounts them by `routes`.
"""
