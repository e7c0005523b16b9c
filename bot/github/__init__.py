"""The questions and words of Countersign to GitHub: `hub` has every question, `ports` the values.

`connection` makes a hub; flows, pages and commands are given it. `client` alone speaks to GitHub.
"""
