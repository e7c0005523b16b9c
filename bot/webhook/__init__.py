"""What GitHub tells us: a delivery is received, its signature verified, its payload typed, and stored with its job.

The app mounts the endpoint; flows read the typed events.
"""
