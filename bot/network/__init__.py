"""Names and addresses of the network: what a host is, what DNS says, who is asked. No other package of ours is imported."""
