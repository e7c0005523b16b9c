"""The signed-in person: sign-in, the session on the server, the visitor, and the right to open a page.

`bot.portal.site` and every page may come in; what is here knows no page.
"""
