"""From nothing to a registered App: pages for each step, the manifest flow, credentials and the settings file, and a check at the end.

`countersign setup` comes in here; the server itself needs nothing of it.
"""
