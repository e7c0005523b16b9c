"""What Conda, conda-lock and Pixi write down: environments, explicit lists of archives, lock files.

Only `audit.ecosystems` comes in, by the `read` of each module.
"""
