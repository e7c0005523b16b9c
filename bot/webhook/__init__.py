"""Takes what GitHub tells us: a delivery is received, its signature verified, its payload typed and stored with a job.

The app mounts the endpoint; flows read the typed events.
"""
