"""Files of repositories without a clone: trees, blobs, the lines that a change has, clean reverts, the SBOM that GitHub makes.

Only `bot.github` comes in here; all others ask the hub.
"""
