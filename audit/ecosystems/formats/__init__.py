"""Text formats with lines: JSON, TOML, XML, YAML, and what the sources of programs spell out; nothing is run.

Readers of every ecosystem come in here.
"""
