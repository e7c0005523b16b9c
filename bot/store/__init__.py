"""What the bot remembers: deliveries, pull requests and what it said on them; every query on these tables."""
