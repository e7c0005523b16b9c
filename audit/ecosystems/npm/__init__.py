"""Files of npm, pnpm and Yarn: package.json, their lock files, and the registries that they name.

The table of `audit.ecosystems` comes in here.
"""
