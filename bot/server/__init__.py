"""The web server: from the socket to the endpoints.

The webhook and the health pages answer on the event loop itself; pages of the portal are Flask's, run by a few threads.
"""
