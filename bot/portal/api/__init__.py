"""`/api/v1`: what programs may ask with a token that an administrator made.

`bot.portal.site` mounts it by `routes`.
"""
