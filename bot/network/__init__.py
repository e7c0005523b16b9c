"""Names and addresses of the network: what a host is, what DNS says of it, and who is asked."""
