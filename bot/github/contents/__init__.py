"""Files of repositories without a clone: trees, blobs, the SBOM that GitHub makes.

Only `bot.github` comes in here; all others ask the hub.
"""
