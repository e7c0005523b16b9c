"""From nothing to a registered App: pages that lead through it, the manifest flow, credentials and the settings file, and a last look.

`countersign setup` comes in here; the server itself needs nothing of it.
"""
