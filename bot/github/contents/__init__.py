"""Files of repositories without a clone: trees, blobs, one file that is ours, the SBOM that GitHub makes.

Only the client in `bot.github.client` comes in here; flows ask through the ports.
"""
