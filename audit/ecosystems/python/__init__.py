"""What pip, Poetry, PDM, uv, Pipenv and setuptools write down: requirements, project files, lock files, indexes.

The table of `audit.ecosystems` comes in here.
"""
