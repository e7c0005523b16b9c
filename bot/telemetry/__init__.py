"""What the bot tells its operator of itself: log lines, security events, metrics, traces.

Everybody may come in; it knows nothing of what it tells about, and asks nobody.
"""
