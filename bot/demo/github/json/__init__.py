"""The resources of the small GitHub as JSON, in the fields of GitHub's OpenAPI; each docstring names the schema.

REST routes and webhooks come in here.
"""
