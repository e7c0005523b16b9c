"""GraphQL as far as clients of a forge use it: the endpoint, the query language, the types.

The server mounts the endpoint.
"""
