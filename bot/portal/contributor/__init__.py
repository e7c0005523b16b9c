"""Pages of who contributes: read and sign, receipts, addresses, withdrawal, their own data.

`bot.portal.site` mounts them by `routes`.
"""
