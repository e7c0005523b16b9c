"""REST of the small GitHub: one file for each kind of thing.

The server mounts the routes.
"""
