"""Files of repositories without a clone: trees, blobs, one file that is ours, the SBOM that GitHub makes.

Only `bot.github` comes in here; all others ask the hub.
"""
