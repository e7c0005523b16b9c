"""Files of pip, Poetry, PDM, uv, Pipenv and setuptools: requirements, project files, lock files, indexes.

The table of `audit.ecosystems` comes in here.
"""
