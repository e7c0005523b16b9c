"""The web server: from the socket to whoever answers.

The webhook and the health pages answer on the event loop itself; pages of the portal are Flask's, run by a few threads.
"""
