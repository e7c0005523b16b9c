"""Journeys, one a file: each gathers, decides and publishes, and can be run again at any point."""
