"""Real git behind the small GitHub: bare repositories, their objects, and smart HTTP.

REST, GraphQL and pages come in here.
"""
