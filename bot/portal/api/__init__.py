"""`/api/v1`: what programs may ask with a token that an administrator made."""
