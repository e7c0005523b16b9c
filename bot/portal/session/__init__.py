"""Who is signed in: sign-in, the session on the server, the visitor, and who may open which page.

`bot.portal.site` and every page may come in; what is here knows no page.
"""
