"""The numbers that Prometheus reads of this process, and the regular look at the database behind some of them.

The app joins it and the server answers from it; the doctor judges the same facts.
"""
