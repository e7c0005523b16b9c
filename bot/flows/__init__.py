"""Journeys, one a file: each gathers, decides and publishes, and can be run again at any point.

Only `bot.runner` and the chores of the app start them; pages call `login_resolution` alone.
"""
