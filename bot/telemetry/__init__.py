"""The bot tells its operator of itself: log lines, security events, metrics, traces.

Every package may import it; it imports none of those that it tells about.
"""
