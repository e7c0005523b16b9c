"""The pages that people see: sign in, read, sign, keep the receipt. `bot.portal.site.prepare` puts them into an app."""
