"""How the small GitHub's things look in JSON, in the fields of GitHub's OpenAPI.

REST routes and webhooks come in here.
"""
